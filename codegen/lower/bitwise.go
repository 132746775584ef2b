package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// logicSuffix is the suffix of and, or, xor, not: bits, or pred.
func logicSuffix(o *ir.Op) string {
	if kind(o) == op.Pred {
		return "pred"
	}
	return typeBits(o.Args[0].Type())
}

func lowerLogic(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots(name, logicSuffix(o))) }
}

func lowerAndNot(e *emitter, o *ir.Op) {
	t := o.Args[0].Type()
	not := e.newReg(t)
	e.emit(dots("not", logicSuffix(o)), not, e.use(o.Args[1]))
	e.emit(dots("and", logicSuffix(o)), e.def(o.Results[0]), e.use(o.Args[0]), not)
}

func lowerShl(e *emitter, o *ir.Op) { e.shift(o, dots("shl", typeBits(o.Args[0].Type()))) }
func lowerShr(e *emitter, o *ir.Op) { e.shift(o, dots("shr", suffix(kind(o)))) }

// shift replaces shifts by a constant of the width or more (PTX ISA 9.7.8.8). ptxas 13.0.88 takes such a constant modulo a
// power of two where it merges the shift with a multiplication.
func (e *emitter) shift(o *ir.Op, mnemonic string) {
	args := e.args(o)
	if n, width := o.Args[1], o.Result().Type().Bits(); n.IsConst() && n.Bits() >= uint64(width) {
		if o.Info.Name == "shl" || !op.Signed.Has(kind(o)) {
			e.emit(dots("mov", typeBits(o.Result().Type())), e.def(o.Results[0]), ptx.I(0))
			return
		}
		args[1] = ptx.I(int64(width - 1))
	}
	if k := kind(o); k == op.S16 && o.Info.Name == "shr" && !o.Args[1].IsConst() {
		e.shiftWide(o, args)
		return
	}
	e.emit(mnemonic, e.def(o.Results[0]), args[0], args[1])
}

// shiftWide shifts signed 16 bits in 32: ptxas narrows a computed amount to 16 bits with its sign and may merge that with
// the conversion that made it.
func (e *emitter) shiftWide(o *ir.Op, args []ptx.Operand) {
	wide, shifted := e.newReg(op.Scalar(op.S32)), e.newReg(op.Scalar(op.S32))
	e.emit("cvt.s32.s16", wide, e.reg(o.Args[0]))
	e.emit("shr.s32", shifted, wide, args[1])
	e.emit("cvt.s16.s32", e.def(o.Results[0]), shifted)
}

func lowerFunnel(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots(name, "wrap.b32")) }
}

func lowerBits(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots(name, typeBits(o.Args[0].Type()))) }
}

// lowerField covers bfe and bfi. Position and length are 0 to 255 (PTX ISA 9.7.1.19); ptxas refuses larger constants, which
// folding may find in code that never runs.
func lowerField(name string, suffix func(*ir.Op) string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		args := e.args(o)
		for i := len(args) - 2; i < len(args); i++ {
			if v := o.Args[i]; v.IsConst() {
				args[i] = ptx.I(int64(v.Bits() & 0xff))
			}
		}
		e.emit(dots(name, suffix(o)), append([]ptx.Operand{e.def(o.Results[0])}, args...)...)
	}
}

// lowerLop3 replaces an operand that occurs twice by zero, with a table that does not look at it. ptxas 13.0.88 merges such
// an instruction with its neighbours as if the operands could differ.
func lowerLop3(e *emitter, o *ir.Op) {
	args, table := e.args(o), uint8(o.Int("table"))
	for second := 1; second < 3; second++ {
		for first := range second {
			if o.Args[first] == o.Args[second] {
				args[second], table = ptx.I(0), ignore(table, first, second)
			}
		}
	}
	e.emit("lop3.b32", append([]ptx.Operand{e.def(o.Results[0])}, append(args, ptx.I(int64(table)))...)...)
}

// ignore gives the truth table in which operand second always equals operand first. Bit 2 of an index is operand 0.
func ignore(table uint8, first, second int) (out uint8) {
	for i := range uint8(8) {
		bit := i >> (2 - first) & 1
		from := i&^(1<<(2-second)) | bit<<(2-second)
		out |= table >> from & 1 << i
	}
	return out
}

func lowerPrmt(e *emitter, o *ir.Op) { e.simple(o, "prmt.b32") }
