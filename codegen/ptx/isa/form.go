package isa

import "strings"

// Form is one mnemonic in full: a row with every modifier chosen. Parse returns the same *Form for every spelling of
// a mnemonic, so forms may be compared and used as map keys. A Form never changes.
type Form struct {
	row      *rowInfo
	choice   []uint8 // per modifier slot: 0 absent, else index of the alternative plus one
	mnemonic string
	operands []Slot
}

func newForm(r *rowInfo, choice []uint8) *Form {
	f := &Form{row: r, choice: choice}
	var b strings.Builder
	b.WriteString(r.opcode)
	for i, c := range choice {
		if c != 0 {
			b.WriteByte('.')
			b.WriteString(r.slots[i].alts[c-1])
		}
	}
	f.mnemonic = b.String()
	f.operands = make([]Slot, 0, len(r.args))
	for i := range r.args {
		if s, ok := r.args[i].bind(f); ok {
			f.operands = append(f.operands, s)
		}
	}
	return f
}

// Mnemonic is the canonical spelling: modifiers in the manual's order.
func (f *Form) Mnemonic() string { return f.mnemonic }

// String is Mnemonic.
func (f *Form) String() string { return f.mnemonic }

// Row is the table row of the form.
func (f *Form) Row() *Row { return f.row.Row }

// Opcode is the first word: "cp" of cp.async.bulk.
func (f *Form) Opcode() string { return f.row.opcode }

// Op is the instruction's name without what varies: "cp.async.bulk.tensor", "mbarrier.arrive.expect_tx", "shfl".
func (f *Form) Op() string { return f.row.op }

// Operands are the operand positions, in order. The caller must not change them.
func (f *Form) Operands() []Slot { return f.operands }

// Has reports whether the mnemonic contains the modifier, written without its dot: Has("ftz"), Has("L2::cache_hint").
func (f *Form) Has(tok string) bool {
	for i, c := range f.choice {
		if c != 0 && f.row.slots[i].alts[c-1] == tok {
			return true
		}
	}
	return false
}

// Mod returns the value of a placeholder, "" if it is absent or the row has none: Mod("rnd") == "rn".
func (f *Form) Mod(name string) string {
	for i, c := range f.choice {
		if c != 0 && f.row.slots[i].name == name {
			return f.row.slots[i].alts[c-1]
		}
	}
	return ""
}

// Mods returns all modifiers in canonical order.
func (f *Form) Mods() []string {
	out := make([]string, 0, len(f.choice))
	for i, c := range f.choice {
		if c != 0 {
			out = append(out, f.row.slots[i].alts[c-1])
		}
	}
	return out
}

// Type returns the type that a placeholder names; Type("type") also finds the row's fixed type (f32 of fma.rn.f32
// where the row spells it out).
func (f *Form) Type(name string) Type {
	if t := TypeOf(f.Mod(name)); t != NoType || name != "type" {
		return t
	}
	return TypeOf(mainType(f.row.slots))
}

// Space returns the space that a placeholder names: Generic if it is absent.
func (f *Form) Space(name string) Space {
	s, _ := SpaceOf(f.Mod(name))
	return s
}

// Reads are the spaces whose memory the instruction reads.
func (f *Form) Reads() []Space { return f.spaces(f.row.Reads) }

// Writes are the spaces whose memory the instruction writes.
func (f *Form) Writes() []Space { return f.spaces(f.row.Writes) }

func (f *Form) spaces(text string) []Space {
	if text == "" {
		return nil
	}
	var out []Space
	for _, w := range strings.Fields(text) {
		if name, ok := strings.CutPrefix(w, "."); ok {
			w = f.Mod(name)
		}
		if s, ok := SpaceOf(w); ok {
			out = append(out, s)
		}
	}
	return out
}

// Async is the completion mechanism of an asynchronous instruction, "" for others.
func (f *Form) Async() string {
	if name, ok := strings.CutPrefix(f.row.Row.Async, "."); ok {
		return f.Mod(name)
	}
	return f.row.Row.Async
}

// Convergent reports whether the threads named by the instruction must execute it together. The rows of barriers
// whose .aligned is optional are convergent only with it.
func (f *Form) Convergent() bool {
	if !f.row.Row.Convergent {
		return false
	}
	for i := range f.row.slots {
		if s := &f.row.slots[i]; s.name == "aligned" && s.opt {
			return f.choice[i] != 0
		}
	}
	return true
}

// Pure reports whether the instruction only computes its results from its operands: it may be merged with an equal
// one, moved or dropped.
func (f *Form) Pure() bool {
	r := f.row.Row
	return !r.Convergent && r.Reads == "" && r.Writes == "" && r.Async == "" && !r.Sync && r.Flow == "" && !r.Volatile
}
