package emulate

import (
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// laterOps are the instructions of the table that this stage does not model. Everything else must decode.
var laterOps = []string{"multimem", "call", "brx"}

// laterMods are modifiers of modelled instructions that belong to those.
var laterMods = []string{"b128", "oob"}

// otherMatrices are the element types of matrices that are not modelled.
var otherMatrices = []string{"f64", "s4", "u4", "b1"}

func modelled(f *isa.Form) bool {
	switch name := f.Mnemonic(); {
	case f.Opcode() == "fence", f.Opcode() == "isspacep": // .shared::cluster is a window like others there
		return true
	case strings.HasSuffix(name, ".f64") && strings.Contains(name, ".approx"):
		return false
	case f.Opcode() == "mma" || f.Opcode() == "wgmma":
		return !slices.ContainsFunc(otherMatrices, f.Has)
	default:
		return !slices.ContainsFunc(laterOps, func(p string) bool { return strings.HasPrefix(name, p) }) && !slices.ContainsFunc(laterMods, f.Has)
	}
}

// operandFor makes an operand of the kind that a slot wants.
func operandFor(fn *ptx.Func, s isa.Slot) ptx.Operand {
	reg := func() ptx.Operand { return fn.NewReg(s.Type.Register()) }
	switch {
	case s.SinkOnly:
		return ptx.Sink{}
	case s.Kind == isa.KindVec:
		v := make(ptx.Vec, s.N)
		for i := range v {
			v[i] = reg()
		}
		return v
	case s.Kind&isa.KindTensor != 0:
		a := ptx.At(fn.NewReg(isa.U64), 0)
		for range s.N {
			a.Coords = append(a.Coords, fn.NewReg(isa.S32))
		}
		return a
	case s.Kind&isa.KindAddr != 0:
		return ptx.At(fn.NewReg(isa.U64), 0)
	case s.Kind&isa.KindLabel != 0:
		l := fn.NewLabel()
		fn.Place(l)
		return l
	case s.Kind&isa.KindReg != 0:
		return reg()
	}
	return ptx.I(1)
}

// TestTableCovered decodes forms of every row of the instruction table: a new row must be modelled or listed.
func TestTableCovered(t *testing.T) {
	const formsPerRow = 400
	rows := 0
	for row := range isa.Rows() {
		seen := 0
		for f := range row.Forms() {
			if seen++; seen > formsPerRow {
				break
			}
			m := ptx.NewModule(90, "sm_90a")
			fn := m.NewEntry("k")
			var ops []ptx.Operand
			for _, s := range f.Operands() {
				ops = append(ops, operandFor(fn, s))
			}
			fn.Emit(f, ops...)
			_, err := Load(m)
			name := f.Mnemonic()
			if modelled(f) != (err == nil) && f.Opcode() != "call" {
				t.Errorf("%s: error %v, want modelled: %v", name, err, modelled(f))
				break
			}
		}
		rows++
	}
	if rows < 100 {
		t.Fatalf("%d rows", rows)
	}
}
