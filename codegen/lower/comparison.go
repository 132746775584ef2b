package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// lowerCompare emits setp. Equality of integers compares bits; ne of floats is the unordered form, as Go's != is true
// for NaN (PTX ISA 9.7.6.2).
func lowerCompare(cmp string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		k, c := kind(o), cmp
		if c == "ne" && isFloat(k) {
			c = "neu"
		}
		e.simple(o, dots("setp", c, flag(o, "ftz"), suffix(k)))
	}
}

func lowerIsNaN(e *emitter, o *ir.Op) {
	x := e.use(o.Args[0])
	e.emit(dots("setp.nan", suffix(kind(o))), e.def(o.Results[0]), x, x)
}

func lowerTestp(test string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.simple(o, dots("testp", test, suffix(kind(o)))) }
}

// lowerSelect emits selp; a choice between predicates is logic, since selp has no predicate form.
func lowerSelect(e *emitter, o *ir.Op) {
	p, x, y := e.reg(o.Args[0]), o.Args[1], o.Args[2]
	d := e.def(o.Results[0])
	if x.Type().Kind == op.Pred {
		t := x.Type()
		a, b, not := e.newReg(t), e.newReg(t), e.newReg(t)
		e.emit("and.pred", a, p, e.reg(x))
		e.emit("not.pred", not, p)
		e.emit("and.pred", b, not, e.reg(y))
		e.emit("or.pred", d, a, b)
		return
	}
	e.emit(dots("selp", selectSuffix(x.Type())), d, e.use(x), e.use(y), ptx.Operand(p))
}

func selectSuffix(t op.Type) string {
	if op.Floats.Has(t.Kind) {
		return suffix(t.Kind)
	}
	return bitSuffix(max(16, t.Bits()))
}
