package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// Floating add, sub, mul and fma always carry their rounding: ptxas contracts what does not (PTX ISA 9.7.3.3).
func lowerFloat(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		k := kind(o)
		switch {
		case isFloat(k):
			e.simple(o, dots(name, o.Enum("rnd"), flag(o, "ftz"), flag(o, "sat"), flag(o, "relu"), suffix(k)))
		case name == "mul":
			e.simple(o, dots("mul.lo", suffix(k)))
		default:
			e.simple(o, dots(name, wrapping(k)))
		}
	}
}

// wrapping is the unsigned type of the same width where it computes the same bits: ptxas takes a signed 0 - x for a number
// that did not overflow, and widens or clamps it wrongly for the least integer.
func wrapping(k op.Kind) string {
	if k == op.S16 {
		return "u16"
	}
	return suffix(k)
}

// lowerNeg subtracts integers from zero, without a sign for the reason of wrapping.
func lowerNeg(e *emitter, o *ir.Op) {
	k := kind(o)
	if isFloat(k) {
		lowerTyped("neg")(e, o)
		return
	}
	unsigned := map[op.Kind]string{op.S16: "sub.u16", op.S32: "sub.u32", op.S64: "sub.u64"}[k]
	e.emit(unsigned, e.def(o.Results[0]), ptx.I(0), e.use(o.Args[0]))
}

func isFloat(k op.Kind) bool { return (op.Floats | op.Halves).Has(k) }

// lowerTyped emits name.type, with ftz and NaN where asked for.
func lowerTyped(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		nan := flag(o, "nan")
		if nan != "" {
			nan = "NaN"
		}
		e.simple(o, dots(name, flag(o, "ftz"), nan, suffix(kind(o))))
	}
}

// lowerMode covers div, rcp and sqrt: approximate, full-range or correctly rounded.
func lowerMode(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		k := kind(o)
		if !op.Floats.Has(k) {
			e.simple(o, dots(name, suffix(k)))
			return
		}
		mode := o.Enum("approx")
		if mode == "exact" {
			mode = o.Enum("rnd")
		}
		e.simple(o, dots(name, mode, flag(o, "ftz"), suffix(k)))
	}
}

// lowerApprox covers the functions that exist only as approximations. The bf16 forms of ex2 spell their flushing out
// (PTX ISA 9.7.4.10).
func lowerApprox(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		k, ftz := kind(o), flag(o, "ftz")
		if name == "ex2" && (k == op.BF16 || k == op.BF16x2) {
			ftz = "ftz"
		}
		e.simple(o, dots(name, "approx", ftz, suffix(k)))
	}
}

func lowerMad(e *emitter, o *ir.Op)     { e.simple(o, dots("mad.lo", suffix(kind(o)))) }
func lowerMadWide(e *emitter, o *ir.Op) { e.simple(o, dots("mad.wide", suffix(kind(o)))) }
func lowerMulHi(e *emitter, o *ir.Op)   { e.simple(o, dots("mul.hi", suffix(kind(o)))) }
func lowerMulWide(e *emitter, o *ir.Op) { e.simple(o, dots("mul.wide", suffix(kind(o)))) }
func lowerCopysign(e *emitter, o *ir.Op) {
	// PTX takes the sign from its first source (9.7.3.2).
	e.emit(dots("copysign", suffix(kind(o))), e.def(o.Results[0]), e.use(o.Args[1]), e.use(o.Args[0]))
}
func lowerDp4a(e *emitter, o *ir.Op) { e.simple(o, "dp4a.s32.s32") }

func lowerIntegral(rnd string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		e.simple(o, dots("cvt", rnd, flag(o, "ftz"), suffix(kind(o)), suffix(kind(o))))
	}
}
