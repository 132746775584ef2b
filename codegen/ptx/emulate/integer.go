package emulate

import (
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

type isaType = isa.Type

// signed extends the sign of the low n bits.
func signed(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// integerBinary returns an operation on integers of a type (manual 9.7.1, 9.7.8), or nil.
func integerBinary(op string, t isa.Type) func(a, b uint64) uint64 {
	n := t.Bits()
	switch t {
	case isa.U16X2, isa.S16X2:
		return perHalf(integerBinary(op, map[isa.Type]isa.Type{isa.U16X2: isa.U16, isa.S16X2: isa.S16}[t]))
	case isa.F32, isa.F64, isa.F16, isa.F16X2, isa.BF16, isa.BF16X2, isa.Pred, isa.B128:
		return nil
	}
	isSigned := t.Class() == isa.ClassSigned
	switch op {
	case "add":
		return func(a, b uint64) uint64 { return mask(a+b, n) }
	case "sub":
		return func(a, b uint64) uint64 { return mask(a-b, n) }
	case "mul.lo":
		return func(a, b uint64) uint64 { return mask(a*b, n) }
	case "mul.hi":
		return func(a, b uint64) uint64 { return mulHi(a, b, n, isSigned) }
	case "and":
		return func(a, b uint64) uint64 { return a & b }
	case "or":
		return func(a, b uint64) uint64 { return a | b }
	case "xor":
		return func(a, b uint64) uint64 { return a ^ b }
	case "min", "max":
		return minMax(op == "max", n, isSigned)
	case "div", "rem":
		return divide(op == "rem", n, isSigned)
	}
	return nil
}

func perHalf(f func(a, b uint64) uint64) func(a, b uint64) uint64 {
	if f == nil {
		return nil
	}
	return func(a, b uint64) uint64 { return f(a&0xffff, b&0xffff) | f(a>>16&0xffff, b>>16&0xffff)<<16 }
}

func mulHi(a, b uint64, n int, isSigned bool) uint64 {
	switch {
	case n < 64 && isSigned:
		return mask(uint64(signed(a, n)*signed(b, n)>>n), n)
	case n < 64:
		return a * b >> n
	}
	hi, _ := bits.Mul64(a, b)
	if isSigned { // correct the unsigned product for negative operands
		if int64(a) < 0 {
			hi -= b
		}
		if int64(b) < 0 {
			hi -= a
		}
	}
	return hi
}

func minMax(wantMax bool, n int, isSigned bool) func(a, b uint64) uint64 {
	if isSigned {
		return func(a, b uint64) uint64 {
			if (signed(a, n) > signed(b, n)) == wantMax {
				return a
			}
			return b
		}
	}
	return func(a, b uint64) uint64 {
		if (a > b) == wantMax {
			return a
		}
		return b
	}
}

// divide follows the hardware's library code where the manual leaves a result open: x/0 is all ones, x%0 is x, and
// the lowest value over -1 wraps.
func divide(rem bool, n int, isSigned bool) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		switch {
		case b == 0 && rem:
			return a
		case b == 0:
			return mask(math.MaxUint64, n)
		case isSigned:
			x, y := signed(a, n), signed(b, n)
			if y == -1 { // Go and the machine agree that it wraps; the remainder is 0
				if rem {
					return 0
				}
				return mask(uint64(-x), n)
			}
			if rem {
				return mask(uint64(x%y), n)
			}
			return mask(uint64(x/y), n)
		case rem:
			return a % b
		}
		return a / b
	}
}

func clampS32(v int64) uint64 {
	return uint64(uint32(max(math.MinInt32, min(math.MaxInt32, v))))
}

func decodeAdd(b *build) { decodeAddSub(b, "add") }
func decodeSub(b *build) { decodeAddSub(b, "sub") }

func decodeAddSub(b *build, op string) {
	t := b.typ()
	switch {
	case b.has("cc"):
		decodeCarry(b, op, t, false, true)
	case t.Class() == isa.ClassFloat || isPackedFloat(t):
		decodeFloatBinary(b, op, t)
	case b.has("sat"):
		b.binary(t, func(x, y uint64) uint64 {
			if op == "sub" {
				return clampS32(signed(x, 32) - signed(y, 32))
			}
			return clampS32(signed(x, 32) + signed(y, 32))
		})
	default:
		b.binary(t, integerBinary(op, t))
		if b.err == nil && t.Bits() == 32 && t.Class() != isa.ClassPacked && op == "add" {
			b.inst.exec = fastAdd32(b.inst.exec, b)
		}
	}
}

func decodeMul(b *build) {
	t := b.typ()
	if t.Class() == isa.ClassFloat || isPackedFloat(t) {
		decodeFloatBinary(b, "mul", t)
		return
	}
	switch b.oneOf("lo", "hi", "wide") {
	case "wide":
		n := t.Bits()
		if t.Class() == isa.ClassSigned {
			b.binary(t, func(x, y uint64) uint64 { return mask(uint64(signed(x, n)*signed(y, n)), 2*n) })
			return
		}
		b.binary(t, func(x, y uint64) uint64 { return x * y })
	case "hi":
		b.binary(t, integerBinary("mul.hi", t))
	default:
		b.binary(t, integerBinary("mul.lo", t))
	}
}

func decodeMad(b *build) {
	t := b.typ()
	if t.Class() == isa.ClassFloat {
		decodeFma(b) // mad.rnd.f32 is fma
		return
	}
	mode := b.oneOf("lo", "hi", "wide")
	if b.has("cc") {
		decodeMadCarry(b, mode, t, false, true)
		return
	}
	n, wide := t.Bits(), t
	isSigned := t.Class() == isa.ClassSigned
	var f func(x, y, z uint64) uint64
	switch {
	case mode == "wide":
		wide = map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}[t]
		f = func(x, y, z uint64) uint64 {
			if isSigned {
				return mask(uint64(signed(x, n)*signed(y, n))+z, 2*n)
			}
			return mask(x*y+z, 2*n)
		}
	case mode == "hi" && b.has("sat"):
		f = func(x, y, z uint64) uint64 {
			return clampS32(signed(mulHi(x, y, 32, true), 32) + signed(z, 32))
		}
	case mode == "hi":
		f = func(x, y, z uint64) uint64 { return mask(mulHi(x, y, n, isSigned)+z, n) }
	default:
		f = func(x, y, z uint64) uint64 { return mask(x*y+z, n) }
	}
	b.ternary(t, t, wide, f)
}

// ternary decodes "op d, a, b, c".
func (b *build) ternary(ta, tb, tc isa.Type, f func(a, b, c uint64) uint64) {
	x, y, z := b.src(b.op(1), ta), b.src(b.op(2), tb), b.src(b.op(3), tc)
	b.inst.exec = lift3(b.dst(b.op(0)), x, y, z, f)
}

// decodeMul24 multiplies the low 24 bits (manual 9.7.1.5).
func decodeMul24(b *build) {
	t := b.typ()
	mode := b.oneOf("lo", "hi")
	sat := b.has("sat")
	ext := func(v uint64) int64 {
		if t == isa.S32 {
			return signed(v, 24)
		}
		return int64(v & 0xffffff)
	}
	prod := func(x, y uint64) int64 {
		p := ext(x) * ext(y)
		if mode == "hi" {
			return int64(int32(p >> 16))
		}
		return int64(int32(p))
	}
	if b.in.Form.Opcode() == "mul24" {
		b.binary(t, func(x, y uint64) uint64 { return uint64(uint32(prod(x, y))) })
		return
	}
	b.ternary(t, t, t, func(x, y, z uint64) uint64 {
		if sat {
			return clampS32(prod(x, y) + signed(z, 32))
		}
		return uint64(uint32(prod(x, y)) + uint32(z))
	})
}

func decodeSad(b *build) {
	t := b.typ()
	n := t.Bits()
	b.ternary(t, t, t, func(x, y, z uint64) uint64 {
		less := x < y
		if t.Class() == isa.ClassSigned {
			less = signed(x, n) < signed(y, n)
		}
		if less {
			x, y = y, x
		}
		return mask(z+x-y, n)
	})
}

func decodeDiv(b *build) {
	t := b.typ()
	if t.Class() == isa.ClassFloat {
		decodeFloatDiv(b, t)
		return
	}
	b.binary(t, integerBinary("div", t))
}

func decodeRem(b *build) {
	t := b.typ()
	b.binary(t, integerBinary("rem", t))
}

func decodeMinMax(b *build) {
	t := b.typ()
	op := b.in.Form.Opcode()
	if t.Class() == isa.ClassFloat || isPackedFloat(t) {
		decodeFloatMinMax(b, op, t)
		return
	}
	f := integerBinary(op, t)
	if b.has("relu") {
		g := f
		f = func(x, y uint64) uint64 { return uint64(max(0, signed(g(x, y), 32))) }
		if t == isa.S16X2 {
			one := integerBinary(op, isa.S16)
			f = perHalf(func(x, y uint64) uint64 { return uint64(max(0, signed(one(x, y), 16))) })
		}
	}
	b.binary(t, f)
}

func decodeAbs(b *build) {
	t := b.typ()
	if t.Class() == isa.ClassFloat || isPackedFloat(t) {
		decodeFloatSign(b, t)
		return
	}
	n := t.Bits()
	b.unary(t, func(x uint64) uint64 {
		if signed(x, n) < 0 {
			return mask(-x, n)
		}
		return x
	})
}

func decodeNeg(b *build) {
	t := b.typ()
	if t.Class() == isa.ClassFloat || isPackedFloat(t) {
		decodeFloatSign(b, t)
		return
	}
	b.unary(t, func(x uint64) uint64 { return mask(-x, t.Bits()) })
}

// decodeDot is dp4a and dp2a (manual 9.7.1.23, 9.7.1.24).
func decodeDot(b *build) {
	ts := b.types()
	ta, tb := ts[0], ts[len(ts)-1]
	hi := b.oneOf("lo", "hi") == "hi"
	pick := func(v uint64, i, n int, t isa.Type) int64 {
		e := v >> (i * n) & (1<<n - 1)
		if t == isa.S32 {
			return signed(e, n)
		}
		return int64(e)
	}
	if b.in.Form.Opcode() == "dp4a" {
		b.ternary(ta, tb, ta, func(x, y, z uint64) uint64 {
			s := int64(z)
			for i := range 4 {
				s += pick(x, i, 8, ta) * pick(y, i, 8, tb)
			}
			return uint64(uint32(s))
		})
		return
	}
	from := 0
	if hi {
		from = 2
	}
	b.ternary(ta, tb, ta, func(x, y, z uint64) uint64 {
		return uint64(uint32(int64(z) + pick(x, 0, 16, ta)*pick(y, from, 8, tb) + pick(x, 1, 16, ta)*pick(y, from+1, 8, tb)))
	})
}
