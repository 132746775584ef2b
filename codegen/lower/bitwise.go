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

func lowerShl(e *emitter, o *ir.Op) { e.simple(o, dots("shl", typeBits(o.Args[0].Type()))) }
func lowerShr(e *emitter, o *ir.Op) { e.simple(o, dots("shr", suffix(kind(o)))) }

func lowerFunnel(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots(name, "wrap.b32")) }
}

func lowerBits(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots(name, typeBits(o.Args[0].Type()))) }
}

func lowerLop3(e *emitter, o *ir.Op) {
	ops := append([]ptx.Operand{e.def(o.Results[0])}, e.args(o)...)
	e.emit("lop3.b32", append(ops, ptx.I(o.Int("table")))...)
}

func lowerPrmt(e *emitter, o *ir.Op) { e.simple(o, "prmt.b32") }
