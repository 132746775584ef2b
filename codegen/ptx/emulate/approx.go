package emulate

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/mufu"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// The approximate functions are the special function unit (package mufu) with the scaling that ptxas puts around it on
// sm_90, read off its SASS. Without .ftz the scaling keeps subnormal arguments and results, which the unit flushes.

const (
	smallestNormal = 1.17549435e-38 // 2^-126
	twoTo126       = 8.507059e37
)

func mufuEx2(x float32) float32 { return f32(mufu.Ex2(math.Float32bits(x))) }

func mufuLg2(x float32) float32 { return f32(mufu.Lg2(math.Float32bits(x))) }

func mufuRcp(x float32) float32 { return f32(mufu.Rcp(math.Float32bits(x))) }

func mufuRsqrt(x float32) float32 { return f32(mufu.Rsqrt(math.Float32bits(x))) }

func mufuSqrt(x float32) float32 { return f32(mufu.Sqrt(math.Float32bits(x))) }

func abs32(x float32) float32 { return f32(math.Float32bits(x) &^ 0x80000000) }

// ex2Approx halves an argument below -126 and squares the result, which reaches subnormal results.
func ex2Approx(x float32, ftz bool) float32 {
	if !ftz && x < -126 {
		h := mufuEx2(x * 0.5)
		return h * h
	}
	return mufuEx2(x)
}

func rcpApprox(x float32, ftz bool) float32 {
	if ftz {
		return mufuRcp(x)
	}
	scale := float32(1)
	switch a := abs32(x); {
	case a < smallestNormal:
		scale = 1 << 24
	case a > twoTo126:
		scale = 0.25
	}
	return mufuRcp(x*scale) * scale
}

func rsqrtApprox(x float32, ftz bool) float32 {
	if !ftz && abs32(x) < smallestNormal {
		return mufuRsqrt(x*(1<<24)) * (1 << 12)
	}
	return mufuRsqrt(x)
}

func lg2Approx(x float32, ftz bool) float32 {
	if !ftz && abs32(x) < smallestNormal {
		return mufuLg2(x*(1<<24)) - 24
	}
	return mufuLg2(x)
}

func sqrtApprox(x float32, ftz bool) float32 {
	if !ftz && abs32(x) < smallestNormal {
		return mufuSqrt(x*(1<<24)) * (1.0 / (1 << 12))
	}
	return mufuSqrt(x)
}

// revolutions is the angle in turns: a product with 1/2π rounded to zero. The unit reads a subnormal one as zero.
func revolutions(x float32) float32 {
	const inverse = 0x1.45f306p-3
	p := float64(x) * inverse // exact
	if math.Abs(p) < smallestNormal || p != p {
		return x * 0
	}
	return float32(math.Float64frombits(math.Float64bits(p) &^ (1<<29 - 1)))
}

func sinApprox(x float32, _ bool) float32 { return f32(mufu.Sin(math.Float32bits(revolutions(x)))) }

func cosApprox(x float32, _ bool) float32 { return f32(mufu.Cos(math.Float32bits(revolutions(x)))) }

func tanhApprox(x float32, _ bool) float32 { return f32(mufu.Tanh(math.Float32bits(x))) }

// divApprox multiplies by the reciprocal. Where that would be flushed, or its argument is, both operands are scaled
// first: by .full on both sides, by .approx only for a subnormal divisor.
func divApprox(a, b float32, full, ftz bool) float32 {
	switch d := abs32(b); {
	case full && d > twoTo126:
		a, b = a*0.25, b*0.25
		if ftz {
			a, b = f32(flush(math.Float32bits(a))), f32(flush(math.Float32bits(b)))
		}
	case !ftz && d < smallestNormal:
		a, b = a*(1<<24), b*(1<<24)
	}
	return a * mufuRcp(b)
}

// approxUnary32 wraps an approximate function with the flushing of its inputs and results.
func approxUnary32(f func(x float32, ftz bool) float32, ftz bool) func(a uint64) uint64 {
	return func(a uint64) uint64 {
		x := uint32(a)
		if ftz {
			x = flush(x)
		}
		v := canon32(f(f32(x), ftz))
		if ftz {
			v = flush(v)
		}
		return uint64(v)
	}
}

// decodeFunction is rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh.
func decodeFunction(b *build) {
	t := b.typ()
	op := b.in.Form.Opcode()
	approx, ftz := b.has("approx"), b.has("ftz")
	if t == isa.F64 {
		decodeFunction64(b, op, approx)
		return
	}
	if t != isa.F32 {
		decodeHalfFunction(b, op, t)
		return
	}
	if !approx && (op == "rcp" || op == "sqrt") {
		decodeExactFunction(b, op, ftz)
		return
	}
	f := map[string]func(float32, bool) float32{"rcp": rcpApprox, "sqrt": sqrtApprox, "rsqrt": rsqrtApprox, "sin": sinApprox,
		"cos": cosApprox, "lg2": lg2Approx, "ex2": ex2Approx, "tanh": tanhApprox}[op]
	b.unary(t, approxUnary32(f, ftz))
}

// halfFunction is ex2 or tanh of 16 bits: the unit's f32 result, truncated, or infinite where the exponent is too large.
func halfFunction(op string, f numfmt.Format) func(a uint64) uint64 {
	g := map[string]func(uint32) uint32{"ex2": mufu.Ex2, "tanh": mufu.Tanh}[op]
	if g == nil {
		return nil
	}
	return func(a uint64) uint64 {
		y := float64(f32(g(math.Float32bits(float32(halfValue(f, a))))))
		if f == numfmt.F16 && y >= 1<<16 {
			y = math.Inf(1)
		}
		return uint64(f.Encode(y, numfmt.RZ))
	}
}

func decodeHalfFunction(b *build, op string, t isa.Type) {
	f, packed := halfFormat(t)
	one := halfFunction(op, f)
	switch {
	case one == nil:
		b.fail("%s of type .%s is not modelled", op, t)
	case packed:
		b.unary(t, func(a uint64) uint64 { return one(a&0xffff) | one(a>>16)<<16 })
	default:
		b.unary(t, one)
	}
}

// decodeExactFunction is rcp.rnd and sqrt.rnd: correctly rounded.
func decodeExactFunction(b *build, op string, ftz bool) {
	r := modeOf(b.rounding())
	b.unary(isa.F32, func(a uint64) uint64 {
		x := uint32(a)
		if ftz {
			x = flush(x)
		}
		var v uint32
		if op == "rcp" {
			v = numfmt.F32.Encode(numfmt.DivOdd(1, float64(f32(x))), r)
		} else {
			v = numfmt.F32.Encode(numfmt.SqrtOdd(float64(f32(x))), r)
		}
		if ftz {
			v = flush(v)
		}
		return uint64(v)
	})
}

func decodeFloatDiv(b *build, t isa.Type) {
	ftz := b.has("ftz")
	kind := b.oneOf("full", "approx")
	if kind == "" || t == isa.F64 {
		r := modeOf(b.rounding())
		if t == isa.F64 {
			b.binary(t, floatBinary64("div", r))
			return
		}
		b.binary(t, floatBinary32("div", r, ftz, false))
		return
	}
	b.binary(t, quotient(kind == "full", ftz))
}

// quotient is div.full or div.approx.
func quotient(full, ftz bool) func(x, y uint64) uint64 {
	return func(x, y uint64) uint64 {
		p, q := uint32(x), uint32(y)
		if ftz {
			p, q = flush(p), flush(q)
		}
		v := canon32(divApprox(f32(p), f32(q), full, ftz))
		if ftz {
			v = flush(v)
		}
		return uint64(v)
	}
}
