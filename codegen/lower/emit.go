package lower

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// emitter lowers the ops of one kernel in program order.
type emitter struct {
	fn   *ptx.Func
	mod  *ptx.Module
	at   *ir.Op // being lowered, for positions and messages
	vals map[*ir.Value]ptx.Operand
	// forwarded[v] is the pointer and byte offset that a folded address stands for.
	forwarded map[*ir.Value]address
	tied      map[*ir.Value]*ir.Value  // result -> operand whose register it takes
	files     map[*ir.Value][]*ptx.Reg // registers of register arrays
	dynamic   *ptx.Var                 // the block's dynamic shared memory
	base      *ptx.Reg                 // its address
	warp      *ptx.Reg                 // index of the warp in the block, where the kernel asks for it
	warps     int
	table     map[string]lowering
	positions []Position
}

// bug is a fault of this package: an op that the verifier let through and that has no PTX.
type bug struct {
	op  *ir.Op
	msg string
}

func (e *emitter) bugf(format string, args ...any) {
	panic(bug{e.at, fmt.Sprintf(format, args...)})
}

// emit appends one instruction. The operands given fill the form's slots in order; optional slots are left out unless
// there is an operand for every slot.
func (e *emitter) emit(mnemonic string, operands ...ptx.Operand) *ptx.Instr {
	form, err := isa.Parse(mnemonic)
	if err != nil {
		e.bugf("%v", err)
	}
	in := e.fn.Emit(form, e.arrange(form, operands)...)
	e.positions = append(e.positions, Position{Instr: in, Op: e.at})
	return in
}

func (e *emitter) arrange(form *isa.Form, operands []ptx.Operand) []ptx.Operand {
	slots := form.Operands()
	all := len(operands) == len(slots)
	out := make([]ptx.Operand, len(slots))
	n := 0
	for i := range slots {
		if slots[i].Opt && !all || absent(slots, operands, i) {
			continue
		}
		if n == len(operands) {
			e.bugf("%s wants more than %d operands", form, len(operands))
		}
		out[i] = e.fit(&slots[i], operands[n])
		n++
	}
	if n != len(operands) {
		e.bugf("%s wants %d operands, not %d", form, n, len(operands))
	}
	return out
}

// absent tells that a slot does not exist because the operand it belongs to is a vector: wgmma with a in registers has no
// imm-trans-a. That operand stands before any optional one.
func absent(slots []isa.Slot, operands []ptx.Operand, i int) bool {
	for j := range slots {
		if slots[i].ScalarOnly != "" && slots[j].Name == slots[i].ScalarOnly && j < len(operands) {
			_, vector := operands[j].(ptx.Vec)
			return vector
		}
	}
	return false
}

// fit moves a constant into a register where the slot takes no constant.
func (e *emitter) fit(s *isa.Slot, o ptx.Operand) ptx.Operand {
	if s.Kind&isa.KindImm != 0 {
		return o
	}
	switch c := o.(type) {
	case ptx.F32:
		return e.constant(op.Scalar(op.F32), c)
	case ptx.F64:
		return e.constant(op.Scalar(op.F64), c)
	case ptx.Int:
		switch s.Type.Bits() {
		case 64:
			return e.constant(op.Scalar(op.U64), c)
		case 16:
			return e.constant(op.Scalar(op.U16), c)
		}
		return e.constant(op.Scalar(op.U32), c)
	}
	return o
}

// constant moves a constant into a new register.
func (e *emitter) constant(t op.Type, c ptx.Operand) *ptx.Reg {
	r := e.newReg(t)
	e.move(r, c, t)
	return r
}

// newReg hands out a register for a value of a type.
func (e *emitter) newReg(t op.Type) *ptx.Reg { return e.fn.NewReg(regType(t)) }

// def returns the register that an op writes its result to.
func (e *emitter) def(v *ir.Value) *ptx.Reg {
	if from, ok := e.tied[v]; ok {
		r := e.reg(from)
		e.vals[v] = r
		return r
	}
	if r, ok := e.vals[v].(*ptx.Reg); ok {
		return r // chosen before: a loop-carried value
	}
	r := e.newReg(v.Type())
	e.vals[v] = r
	return r
}

// use returns a value as an operand: its register, or its bits where it is a constant.
func (e *emitter) use(v *ir.Value) ptx.Operand {
	if o, ok := e.vals[v]; ok {
		return o
	}
	if a, ok := e.forwarded[v]; ok {
		return e.materialise(v, a)
	}
	if v.IsConst() {
		return e.literal(v)
	}
	e.bugf("value %s used before it is lowered", v)
	return nil
}

// literal is a constant as an operand. Kinds without PTX constants of their own are moved as bits into a register.
func (e *emitter) literal(v *ir.Value) ptx.Operand {
	t := v.Type()
	switch {
	case t.Kind == op.F32:
		return ptx.F32{Bits: uint32(v.Bits())}
	case t.Kind == op.F64:
		return ptx.F64{Bits: v.Bits()}
	case (op.Integers | op.Bytes).Has(t.Kind):
		if op.Signed.Has(t.Kind) || t.Kind == op.S8 {
			return ptx.I(v.Int())
		}
		return ptx.U(v.Bits())
	}
	return e.constant(t, ptx.U(v.Bits()))
}

// reg returns a value in a register; constants are moved into one.
func (e *emitter) reg(v *ir.Value) *ptx.Reg {
	switch o := e.use(v).(type) {
	case *ptx.Reg:
		return o
	default:
		r := e.newReg(v.Type())
		e.move(r, o, v.Type())
		return r
	}
}

// move copies an operand of a type into a register.
func (e *emitter) move(to *ptx.Reg, from ptx.Operand, t op.Type) {
	if from == ptx.Operand(to) {
		return
	}
	e.emit(dots("mov", moveSuffix(t)), to, from)
}

// moveSuffix is the type of a mov between registers of one declared type; mov has no 8-bit form and 8-bit values live in
// 16-bit registers.
func moveSuffix(t op.Type) string {
	switch r := regType(t); r {
	case isa.F32, isa.F64, isa.Pred:
		return r.String()
	default:
		return bitSuffix(max(16, t.Bits()))
	}
}

// args returns every operand of an op as PTX operands.
func (e *emitter) args(o *ir.Op) []ptx.Operand {
	out := make([]ptx.Operand, len(o.Args))
	for i, a := range o.Args {
		out[i] = e.use(a)
	}
	return out
}

// simple emits mnemonic with the op's one result followed by its operands.
func (e *emitter) simple(o *ir.Op, mnemonic string) {
	args := e.args(o)
	e.emit(mnemonic, append([]ptx.Operand{e.def(o.Results[0])}, args...)...)
}

// kind is the kind of the op's first operand.
func kind(o *ir.Op) op.Kind { return o.Args[0].Type().Kind }

// resultKind is the kind of the op's first result.
func resultKind(o *ir.Op) op.Kind { return o.Results[0].Type().Kind }
