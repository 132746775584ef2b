package probe

import (
	"iter"
	"slices"
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

// spaced chooses at most about limit forms, evenly.
func spaced(forms iter.Seq[*isa.Form], limit int) []*isa.Form {
	var all []*isa.Form
	for f := range forms {
		all = append(all, f)
	}
	step := max(1, (len(all)+limit-1)/limit)
	var out []*isa.Form
	for i := 0; i < len(all); i += step {
		out = append(out, all[i])
	}
	return out
}

// chosen reports whether a row belongs to the opcodes asked for; none means all.
func chosen(r *isa.Row, opcodes []string) bool {
	return len(opcodes) == 0 || slices.Contains(opcodes, r.Opcode())
}

// Accepted returns the probes of the forms that the table allows, of all opcodes or of some.
func Accepted(limit int, opcodes ...string) []Probe {
	var out []Probe
	for r := range isa.Rows() {
		if !chosen(r, opcodes) {
			continue
		}
		for _, f := range Sample(r.Forms(), limit) {
			out = append(out, Variants(f)...)
		}
	}
	return out
}

// Neighbours returns probes that the table refuses: what the conditions of a row forbid, up to limit a row, and, for a
// few forms of each row, the form with one modifier dropped, exchanged or added that its opcode knows elsewhere.
func Neighbours(limit int, opcodes ...string) []Probe {
	words := map[string][]string{}
	known := map[string]bool{}
	for r := range isa.Rows() {
		alts, err := r.Alternatives()
		if err != nil {
			continue
		}
		for _, a := range alts {
			for _, v := range a.Values {
				if op := r.Opcode(); !known[op+"."+v] {
					known[op+"."+v] = true
					words[op] = append(words[op], v)
				}
			}
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
		if !chosen(r, opcodes) {
			continue
		}
		for _, f := range spaced(r.Forbidden(), limit) {
			add(f, f.Mnemonic())
		}
		for _, f := range spaced(r.Forms(), max(1, limit/100)) {
			mutate(f, words[r.Opcode()], func(m string) { add(f, m) })
		}
	}
	return out
}

// mutate calls fn with the spellings one modifier away from a form. No modifier is written twice: ptxas reads over
// that, and the answer would say nothing about the table.
func mutate(f *isa.Form, words []string, fn func(mnemonic string)) {
	mods := f.Mods()
	spell := func(mods ...string) { fn(strings.Join(append([]string{f.Opcode()}, mods...), ".")) }
	for i := range mods {
		spell(slices.Delete(slices.Clone(mods), i, i+1)...)
		for _, w := range words {
			if !f.Has(w) {
				with := slices.Clone(mods)
				with[i] = w
				spell(with...)
			}
		}
	}
	for _, w := range words {
		if !f.Has(w) {
			spell(append([]string{w}, mods...)...)
		}
	}
}
