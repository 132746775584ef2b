package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// lowerBitcast moves the bits; between registers of one declared type there is nothing to do.
func lowerBitcast(e *emitter, o *ir.Op) {
	from, to := o.Args[0].Type(), o.Results[0].Type()
	if regType(from) == regType(to) {
		e.vals[o.Results[0]] = e.use(o.Args[0])
		return
	}
	e.emit(dots("mov", bitSuffix(max(16, to.Bits()))), e.def(o.Results[0]), e.reg(o.Args[0]))
}

func cvtTypes(o *ir.Op) string { return dots(suffix(resultKind(o)), suffix(kind(o))) }

// lowerCvtInt leaves saturation out where the result holds every value of the source: PTX refuses it there (9.7.9.21).
func lowerCvtInt(e *emitter, o *ir.Op) {
	sat := flag(o, "sat")
	if holds(resultKind(o), kind(o)) {
		sat = ""
	}
	e.simple(o, dots("cvt", sat, cvtTypes(o)))
}

// holds tells whether an integer kind has every value of another.
func holds(to, from op.Kind) bool {
	signed := op.Signed | op.Of(op.S8)
	if signed.Has(from) == signed.Has(to) {
		return to.Bits() >= from.Bits()
	}
	return signed.Has(to) && to.Bits() > from.Bits()
}

// ptxas has no conversion between bf16 and 8-bit integers; the 32-bit one and a step between integers do the same,
// since 32 bits hold every value that an 8-bit result can keep.
func bf16Byte(float, integer op.Kind) bool { return float == op.BF16 && op.Bytes.Has(integer) }

func lowerCvtIntFloat(e *emitter, o *ir.Op) {
	if !bf16Byte(resultKind(o), kind(o)) {
		e.simple(o, dots("cvt", o.Enum("rnd"), cvtTypes(o)))
		return
	}
	wide := e.newReg(op.Scalar(op.S32))
	e.emit(dots("cvt.s32", suffix(kind(o))), wide, e.reg(o.Args[0]))
	e.emit(dots("cvt", o.Enum("rnd"), "bf16.s32"), e.def(o.Results[0]), wide)
}

// lowerCvtFloatInt converts halves through f32, which is exact. ptxas 13.0.88 merges a direct conversion with the
// instruction before it and loses the rounding, or the type: cvt.rn.f16.bf16 and cvt.rzi.s32.f16 become an F2I.F16 of the
// bf16 bits that rounds to nearest, and neg.ftz.f16 before cvt.rzi drops the truncation.
func lowerCvtFloatInt(e *emitter, o *ir.Op) {
	from, types := e.use(o.Args[0]), cvtTypes(o)
	if k := kind(o); k == op.F16 || k == op.BF16 {
		wide := e.newReg(op.Scalar(op.F32))
		e.emit(dots("cvt.f32", suffix(k)), wide, e.reg(o.Args[0]))
		from, types = wide, dots(suffix(resultKind(o)), "f32")
	}
	e.emit(dots("cvt", o.Enum("rnd"), flag(o, "ftz"), types), e.def(o.Results[0]), from)
}

func lowerCvtWiden(e *emitter, o *ir.Op) {
	if kind(o) == op.TF32 {
		lowerBitcast(e, o) // tf32 is an f32 whose low bits are zero
		return
	}
	e.simple(o, dots("cvt", flag(o, "ftz"), cvtTypes(o)))
}

func lowerCvtNarrow(e *emitter, o *ir.Op) {
	e.simple(o, dots("cvt", o.Enum("rnd"), flag(o, "ftz"), flag(o, "relu"), flag(o, "satfinite"), cvtTypes(o)))
}

func lowerCvtHalf(e *emitter, o *ir.Op) { e.simple(o, dots("cvt.rn", cvtTypes(o))) }
func lowerCvtTF32(e *emitter, o *ir.Op) { e.simple(o, "cvt.rna.tf32.f32") }

// Packing conversions name the high half first in PTX (9.7.9.21); the IR names the low one first.
func lowerCvtPackHalf(e *emitter, o *ir.Op) {
	lo, hi := e.use(o.Args[0]), e.use(o.Args[1])
	e.emit(dots("cvt", o.Enum("rnd"), flag(o, "relu"), flag(o, "satfinite"), cvtTypes(o)), e.def(o.Results[0]), hi, lo)
}

func lowerCvtPackFP8(e *emitter, o *ir.Op) {
	lo, hi := e.use(o.Args[0]), e.use(o.Args[1])
	e.emit(dots("cvt.rn.satfinite", flag(o, "relu"), cvtTypes(o)), e.def(o.Results[0]), hi, lo)
}

func lowerCvtHalfFP8(e *emitter, o *ir.Op) {
	e.simple(o, dots("cvt.rn.satfinite", flag(o, "relu"), cvtTypes(o)))
}

func lowerCvtFP8Half(e *emitter, o *ir.Op) { e.simple(o, dots("cvt.rn", flag(o, "relu"), cvtTypes(o))) }

// lowerCvtHalfWide widens both halves. A bf16 is the upper half of an f32, so two bit operations do it.
func lowerCvtHalfWide(e *emitter, o *ir.Op) {
	x := e.reg(o.Args[0])
	lo, hi := e.def(o.Results[0]), e.def(o.Results[1])
	if kind(o) == op.BF16x2 {
		e.emit("shl.b32", lo, x, ptx.I(16))
		e.emit("and.b32", hi, x, ptx.U(0xffff0000))
		return
	}
	h := op.Scalar(op.F16)
	l, u := e.newReg(h), e.newReg(h)
	e.emit("mov.b32", ptx.Vec{l, u}, x)
	e.emit("cvt.f32.f16", lo, l)
	e.emit("cvt.f32.f16", hi, u)
}

// lowerPack joins two registers. There is no 8-bit mov, so bytes are shifted together.
func lowerPack(e *emitter, o *ir.Op) {
	lo, hi, d := e.reg(o.Args[0]), e.reg(o.Args[1]), e.def(o.Results[0])
	bits := o.Results[0].Type().Bits()
	if bits > 16 {
		e.emit(dots("mov", bitSuffix(bits)), d, ptx.Vec{lo, hi})
		return
	}
	w := op.Scalar(op.U16)
	up, low := e.newReg(w), e.newReg(w)
	e.emit("shl.b16", up, hi, ptx.I(8))
	e.emit("and.b16", low, lo, ptx.I(0xff))
	e.emit("or.b16", d, up, low)
}

func lowerUnpack(e *emitter, o *ir.Op) {
	x, lo, hi := e.reg(o.Args[0]), e.def(o.Results[0]), e.def(o.Results[1])
	bits := o.Args[0].Type().Bits()
	if bits > 16 {
		e.emit(dots("mov", bitSuffix(bits)), ptx.Vec{lo, hi}, x)
		return
	}
	e.emit("and.b16", lo, x, ptx.I(0xff))
	e.emit("shr.u16", hi, x, ptx.I(8))
}
