package isa

import "fmt"

// Assign says which operand position each operand of an instruction fills, given the kind of each (one bit set; a
// predicate register is KindReg). The result has one entry an operand: an index into Operands. It decides which
// optional operands are meant, and nothing else: kinds and types of single operands are the verifier's business.
func (f *Form) Assign(kinds []Kind) ([]int, error) {
	must, may := 0, 0
	exists := make([]bool, len(f.operands))
	for i := range f.operands {
		s := &f.operands[i]
		if s.ScalarOnly != "" && f.isVector(s.ScalarOnly, kinds) {
			continue
		}
		exists[i] = true
		if s.Opt {
			may++
		} else {
			must++
		}
	}
	if len(kinds) < must || len(kinds) > must+may {
		return nil, f.countError(len(kinds), must, may)
	}
	// Optional positions are taken from the left, except that a parameter list of a call is recognised by its kind.
	spare := len(kinds) - must
	out := make([]int, 0, len(kinds))
	for i := range f.operands {
		if !exists[i] {
			continue
		}
		if s := &f.operands[i]; s.Opt {
			if spare == 0 || (s.Kind|KindList) == s.Kind != (kinds[len(out)] == KindList) {
				continue
			}
			spare--
		}
		if len(out) < len(kinds) {
			out = append(out, i)
		}
	}
	if len(out) != len(kinds) {
		return nil, f.countError(len(kinds), must, may)
	}
	return out, nil
}

// isVector reports whether the operand of that name is given as a vector. Only operands before the first optional one
// are asked for, whose positions are fixed.
func (f *Form) isVector(name string, kinds []Kind) bool {
	for i := range f.operands {
		if f.operands[i].Name == name {
			return i < len(kinds) && kinds[i] == KindVec
		}
	}
	return false
}

func (f *Form) countError(got, must, may int) error {
	want := fmt.Sprint(must)
	if may > 0 {
		want = fmt.Sprintf("%d to %d", must, must+may)
	}
	return fmt.Errorf("%s takes %s operands, not %d (%s)", f.mnemonic, want, got, f.row.Syntax)
}
