package emulate

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

func f32(b uint32) float32 { return math.Float32frombits(b) }

func f64(b uint64) float64 { return math.Float64frombits(b) }

// canon32 returns the bits of a result; every NaN is the one that the hardware makes.
func canon32(x float32) uint32 {
	if x != x {
		return 0x7fffffff
	}
	return math.Float32bits(x)
}

func canon64(x float64) uint64 {
	if x != x {
		return 0xfff8000000000000
	}
	return math.Float64bits(x)
}

// flush replaces a subnormal by zero of its sign (.ftz).
func flush(b uint32) uint32 {
	if b&0x7f800000 == 0 {
		return b & 0x80000000
	}
	return b
}

// saturate clamps to [0, 1]; NaN becomes +0 (.sat).
func saturate(b uint32) uint32 {
	switch x := f32(b); {
	case !(x > 0):
		return 0
	case x > 1:
		return 0x3f800000
	}
	return b
}

func isPackedFloat(t isa.Type) bool {
	return t == isa.BF16 || t == isa.BF16X2 || t == isa.F16X2 || t == isa.F16
}

func modeOf(r string) numfmt.Rounding {
	switch r {
	case "rz":
		return numfmt.RZ
	case "rm":
		return numfmt.RM
	case "rp":
		return numfmt.RP
	}
	return numfmt.RN
}

// zeroSum gives an exact sum of zero its sign: negative when rounding down, unless both addends are +0.
func zeroSum(sum, a, b float64, r numfmt.Rounding) float64 {
	if sum == 0 && r == numfmt.RM && (math.Signbit(a) || math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	return sum
}

// floatCore32 is the rounded operation before flushing and saturation.
func floatCore32(op string, r numfmt.Rounding) func(a, b float32) uint32 {
	if r == numfmt.RN {
		switch op {
		case "add":
			return func(a, b float32) uint32 { return canon32(a + b) }
		case "sub":
			return func(a, b float32) uint32 { return canon32(a - b) }
		case "mul":
			return func(a, b float32) uint32 { return canon32(a * b) }
		case "div":
			return func(a, b float32) uint32 { return canon32(a / b) }
		}
		return nil
	}
	var f func(a, b float64) float64
	switch op {
	case "add":
		f = func(a, b float64) float64 { return zeroSum(numfmt.AddOdd(a, b), a, b, r) }
	case "sub":
		f = func(a, b float64) float64 { return zeroSum(numfmt.AddOdd(a, -b), a, -b, r) }
	case "mul":
		f = func(a, b float64) float64 { return a * b } // exact
	case "div":
		f = numfmt.DivOdd
	default:
		return nil
	}
	return func(a, b float32) uint32 { return numfmt.F32.Encode(f(float64(a), float64(b)), r) }
}

// floatBinary32 is an f32 operation with all its modifiers (manual 9.7.3).
func floatBinary32(op string, r numfmt.Rounding, ftz, sat bool) func(a, b uint64) uint64 {
	f := floatCore32(op, r)
	if f == nil {
		return nil
	}
	if !ftz && !sat {
		return func(a, b uint64) uint64 { return uint64(f(f32(uint32(a)), f32(uint32(b)))) }
	}
	return func(a, b uint64) uint64 {
		x, y := uint32(a), uint32(b)
		if ftz {
			x, y = flush(x), flush(y)
		}
		v := f(f32(x), f32(y))
		if ftz {
			v = flush(v)
		}
		if sat {
			v = saturate(v)
		}
		return uint64(v)
	}
}

func decodeFloatBinary(b *build, op string, t isa.Type) {
	r, ftz, sat := modeOf(b.rounding()), b.has("ftz"), b.has("sat")
	switch t {
	case isa.F32:
		b.binary(t, floatBinary32(op, r, ftz, sat))
		if b.err == nil && r == numfmt.RN && !ftz && !sat {
			b.inst.exec = fastFloat32(op, b)
		}
	case isa.F64:
		b.binary(t, floatBinary64(op, r))
	default:
		b.binary(t, halfBinary(op, t, halfMods{ftz: ftz, sat: sat}))
	}
}

func decodeFma(b *build) {
	t := b.typ()
	r, ftz, sat, relu := modeOf(b.rounding()), b.has("ftz"), b.has("sat"), b.has("relu")
	var f func(x, y, z uint64) uint64
	switch t {
	case isa.F32:
		f = fma32(r, ftz, sat)
	case isa.F64:
		g := arith64("fma", r)
		f = func(x, y, z uint64) uint64 { return canon64(g(f64(x), f64(y), f64(z))) }
	default:
		f = halfFma(t, halfMods{ftz: ftz, sat: sat, relu: relu})
	}
	b.ternary(t, t, t, f)
	if t == isa.F32 && r == numfmt.RN && !ftz && !sat && b.err == nil {
		b.inst.exec = fastFma32(b)
	}
}

func fma32(r numfmt.Rounding, ftz, sat bool) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		x, y, z := uint32(a), uint32(b), uint32(c)
		if ftz {
			x, y, z = flush(x), flush(y), flush(z)
		}
		var v uint32
		if r == numfmt.RN {
			v = canon32(numfmt.FMA32(f32(x), f32(y), f32(z)))
		} else {
			p, q := float64(f32(x))*float64(f32(y)), float64(f32(z))
			v = numfmt.F32.Encode(zeroSum(numfmt.AddOdd(p, q), p, q, r), r)
		}
		if ftz {
			v = flush(v)
		}
		if sat {
			v = saturate(v)
		}
		return uint64(v)
	}
}

// minMaxMods are the modifiers of floating-point min and max.
type minMaxMods struct{ max, ftz, nan, xorsign bool }

func (m minMaxMods) f32(a, b uint64) uint64 {
	x, y := uint32(a), uint32(b)
	if m.ftz {
		x, y = flush(x), flush(y)
	}
	return uint64(minMaxBits(x, y, 0x80000000, 0x7f800000, 0x7fffffff, m))
}

// minMaxBits works on the patterns of any IEEE format: sign bit, infinity and canonical NaN tell which. A number
// wins over a NaN unless .NaN says otherwise, and +0 is greater than -0.
func minMaxBits(x, y, sign, inf, nan uint32, m minMaxMods) uint32 {
	flip := uint32(0)
	if m.xorsign {
		flip = (x ^ y) & sign
		x, y = x&^sign, y&^sign
	}
	xn, yn := x&^sign > inf, y&^sign > inf
	switch {
	case xn && yn, m.nan && (xn || yn):
		return nan
	case xn:
		return y ^ flip
	case yn:
		return x ^ flip
	}
	// Order patterns as integers: negative ones in reverse, below all others.
	key := func(v uint32) int64 {
		if v&sign != 0 {
			return -int64(v&^sign) - 1
		}
		return int64(v)
	}
	if (key(x) > key(y)) == m.max {
		return x ^ flip
	}
	return y ^ flip
}

func decodeFloatMinMax(b *build, op string, t isa.Type) {
	m := minMaxMods{max: op == "max", ftz: b.has("ftz"), nan: b.has("NaN"), xorsign: b.has("xorsign")}
	b.ignore("abs")
	if len(b.in.Operands) != 3 {
		b.fail("min and max of three operands are not modelled")
		return
	}
	switch t {
	case isa.F32:
		b.binary(t, m.f32)
	case isa.F64:
		b.binary(t, func(x, y uint64) uint64 { return minMax64(x, y, m.max) })
	default:
		b.binary(t, halfMinMax(t, m))
	}
}

func minMax64(x, y uint64, wantMax bool) uint64 {
	a, b := f64(x), f64(y)
	switch {
	case a != a && b != b:
		return canon64(a)
	case a != a:
		return y
	case b != b:
		return x
	case wantMax:
		return math.Float64bits(math.Max(a, b))
	}
	return math.Float64bits(math.Min(a, b))
}

// decodeFloatSign is neg and abs on floating-point types: they change the sign bit only.
func decodeFloatSign(b *build, t isa.Type) {
	ftz := b.has("ftz")
	neg := b.in.Form.Opcode() == "neg"
	sign := uint64(1) << (t.Bits() - 1)
	if t == isa.F16X2 || t == isa.BF16X2 {
		sign = 0x80008000
	}
	b.unary(t, func(x uint64) uint64 {
		if ftz {
			switch t {
			case isa.F32:
				x = uint64(flush(uint32(x)))
			case isa.F16:
				x = flush16(x)
			case isa.F16X2:
				x = flush16(x&0xffff) | flush16(x>>16)<<16
			}
		}
		if neg {
			return x ^ sign
		}
		return x &^ sign
	})
}

func decodeCopysign(b *build) {
	t := b.typ()
	sign := uint64(1) << (t.Bits() - 1)
	b.binary(t, func(x, y uint64) uint64 { return x&sign | y&^sign })
}
