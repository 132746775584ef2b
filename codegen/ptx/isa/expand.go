package isa

import "iter"

// Rows iterates over the table in the order of the manual.
func Rows() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for _, rows := range chapters() {
			for i := range rows {
				if !yield(&rows[i]) {
					return
				}
			}
		}
	}
}

// Forms iterates over every legal form of a row, in the order of its alternatives. The forms are fresh: parse the
// mnemonic for the shared one. A row can have more than 100 000 forms.
func (r *Row) Forms() iter.Seq[*Form] {
	return func(yield func(*Form) bool) {
		ri, err := compileRow(r)
		if err != nil {
			return
		}
		ri.each(func(choice []uint8) bool {
			if ri.refuses(choice) != "" {
				return true
			}
			return yield(newForm(ri, append([]uint8(nil), choice...)))
		})
	}
}

// Forbidden iterates over the combinations of a row's modifiers that its conditions forbid, unless another row has them
// (which Parse tells). They are no forms: nothing but a probe of the table itself has a use for them.
func (r *Row) Forbidden() iter.Seq[*Form] {
	return func(yield func(*Form) bool) {
		ri, err := compileRow(r)
		if err != nil {
			return
		}
		ri.each(func(choice []uint8) bool {
			if ri.refuses(choice) == "" {
				return true
			}
			return yield(newForm(ri, append([]uint8(nil), choice...)))
		})
	}
}

// each calls fn with every combination of choices, legal or not, until it returns false.
func (ri *rowInfo) each(fn func(choice []uint8) bool) {
	choice := make([]uint8, len(ri.slots))
	for i := range ri.slots {
		choice[i] = ri.first(i)
	}
	for {
		if !fn(choice) {
			return
		}
		i := len(choice) - 1
		for ; i >= 0; i-- {
			if int(choice[i]) < len(ri.slots[i].alts) {
				choice[i]++
				break
			}
			choice[i] = ri.first(i)
		}
		if i < 0 {
			return
		}
	}
}

// first is the lowest choice of a slot: absence where it is optional.
func (ri *rowInfo) first(i int) uint8 {
	if ri.slots[i].opt {
		return 0
	}
	return 1
}

// Check compiles the row and reports a mistake in its texts.
func (r *Row) Check() error {
	_, err := compileRow(r)
	return err
}

// Alternatives returns the modifier positions of the row: names, values, and whether each may be absent.
func (r *Row) Alternatives() ([]Alternatives, error) {
	ri, err := compileRow(r)
	if err != nil {
		return nil, err
	}
	out := make([]Alternatives, len(ri.slots))
	for i, s := range ri.slots {
		out[i] = Alternatives{Name: s.name, Values: s.alts, Opt: s.opt}
	}
	return out, nil
}

// Alternatives is one modifier position of a row.
type Alternatives struct {
	Name   string
	Values []string
	Opt    bool
}
