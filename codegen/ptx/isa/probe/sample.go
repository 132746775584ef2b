package probe

import (
	"iter"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Sample chooses forms to try: all of them up to the limit; beyond it every pair of modifiers that some form has, and
// every step-th of the other forms.
func Sample(forms iter.Seq[*isa.Form], limit int) []*isa.Form {
	total := 0
	for range forms {
		total++
	}
	step := max(1, (total+limit-1)/limit)
	pairs := map[[2]string]bool{}
	var out []*isa.Form
	i := 0
	for f := range forms {
		take := i%step == 0
		i++
		mods := f.Mods()
		for a := range mods {
			for b := a; b < len(mods) && step > 1; b++ {
				if p := [2]string{mods[a], mods[b]}; !pairs[p] {
					pairs[p] = true
					take = true
				}
			}
		}
		if take {
			out = append(out, f)
		}
	}
	return out
}

// Accepted returns the probes of the forms that the table allows.
func Accepted(limit int) []Probe {
	var out []Probe
	for r := range isa.Rows() {
		for _, f := range Sample(r.Forms(), limit) {
			out = append(out, Variants(f)...)
		}
	}
	return out
}

// Neighbours returns probes that the table refuses: what the conditions of a row forbid, and forms with one modifier
// dropped, exchanged or added that their opcode knows elsewhere.
func Neighbours(limit int) []Probe {
	words := map[string][]string{}
	for r := range isa.Rows() {
		alts, _ := r.Alternatives()
		for _, a := range alts {
			words[r.Opcode()] = append(words[r.Opcode()], a.Values...)
		}
	}
	var out []Probe
	seen := map[string]bool{}
	add := func(f *isa.Form, mnemonic string) {
		if seen[mnemonic] {
			return
		}
		seen[mnemonic] = true
		if _, err := isa.Parse(mnemonic); err != nil {
			out = append(out, VariantsAs(f, mnemonic)[0])
		}
	}
	for r := range isa.Rows() {
		for _, f := range Sample(r.Forbidden(), limit) {
			add(f, f.Mnemonic())
		}
		for _, f := range Sample(r.Forms(), max(1, limit/100)) {
			mutate(f, words[r.Opcode()], func(m string) { add(f, m) })
		}
	}
	return out
}

// mutate calls fn with the spellings one modifier away from a form.
func mutate(f *isa.Form, words []string, fn func(mnemonic string)) {
	mods := f.Mods()
	spell := func(mods ...string) { fn(strings.Join(append([]string{f.Opcode()}, mods...), ".")) }
	for i := range mods {
		spell(append(append([]string{}, mods[:i]...), mods[i+1:]...)...)
		for _, w := range words {
			spell(append(append(append([]string{}, mods[:i]...), w), mods[i+1:]...)...)
		}
	}
	for _, w := range words {
		spell(append([]string{w}, mods...)...)
	}
}
