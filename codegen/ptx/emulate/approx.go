package emulate

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// The approximate functions follow what ptxas makes of them on sm_90: which scaling surrounds the special function
// unit (MUFU). The unit itself is modelled as correctly rounded with flushed subnormals, which lies inside every
// bound of the manual; its last bit may differ from the chip's.

func mufu(x float64) float32 { return f32(flush(canon32(float32(x)))) }

func ftz32(x float32) float32 { return f32(flush(math.Float32bits(x))) }

func mufuEx2(x float32) float32 { return mufu(math.Exp2(float64(ftz32(x)))) }

func mufuRcp(x float32) float32 { return mufu(1 / float64(ftz32(x))) }

func mufuRsq(x float32) float32 {
	x = ftz32(x)
	if x == 0 {
		return float32(math.Inf(1 - 2*int(math.Float32bits(x)>>31)))
	}
	return mufu(1 / math.Sqrt(float64(x)))
}

func mufuLg2(x float32) float32 { return mufu(math.Log2(float64(ftz32(x)))) }

const (
	smallestNormal = 1.17549435e-38 // 2^-126
	twoTo126       = 8.507059e37
)

func abs32(x float32) float32 { return f32(math.Float32bits(x) &^ 0x80000000) }

// ex2Approx: below -126 the argument is halved and the result squared, which reaches subnormal results.
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
		return mufuRsq(x*(1<<24)) * (1 << 12)
	}
	return mufuRsq(x)
}

func lg2Approx(x float32, ftz bool) float32 {
	if !ftz && abs32(x) < smallestNormal {
		return mufuLg2(x*(1<<24)) - 24
	}
	return mufuLg2(x)
}

func sqrtApprox(x float32, ftz bool) float32 {
	if ftz {
		return mufu(math.Sqrt(float64(ftz32(x))))
	}
	return float32(math.Sqrt(float64(x)))
}

// divFull scales both operands when the divisor's reciprocal would be flushed, then multiplies by the reciprocal.
func divFull(a, b float32) float32 {
	if abs32(b) > twoTo126 {
		a, b = a*0.25, b*0.25
	}
	return a * mufuRcp(b)
}

// Trigonometry reduces the argument with one multiplication (RRO) before the unit; the manual's absolute bound holds
// on [-pi, pi] and grows with the argument outside.
func sinApprox(x float32, _ bool) float32 { return mufu(math.Sin(float64(x))) }

func cosApprox(x float32, _ bool) float32 { return mufu(math.Cos(float64(x))) }

func tanhApprox(x float32, _ bool) float32 { return float32(math.Tanh(float64(x))) }

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
	b.binary(t, func(x, y uint64) uint64 {
		p, q := uint32(x), uint32(y)
		if ftz {
			p, q = flush(p), flush(q)
		}
		var v uint32
		if kind == "full" {
			v = canon32(divFull(f32(p), f32(q)))
		} else {
			v = canon32(f32(p) * rcpApprox(f32(q), ftz))
		}
		if ftz {
			v = flush(v)
		}
		return uint64(v)
	})
}
