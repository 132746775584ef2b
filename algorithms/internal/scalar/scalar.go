// Package scalar follows values through f32 arithmetic: beside the value of a definition goes the interval of what rounding may
// make of it. References are built of it.
package scalar

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// The errors of the arithmetic that the package promises, in units of 2^-24 of the result. An ulp is up to two units; the
// manual counts ulps from the correctly rounded result, which adds one.
const (
	Exp2Units       = 5    // ex2.approx.f32: 2 ulp (PTX ISA 9.7.3.20)
	ReciprocalUnits = 3    // rcp.approx.f32: 1 ulp (PTX ISA 9.7.3.13)
	RootUnits       = 2.15 // rsqrt.approx.f32: 2^-22.9 relative (PTX ISA 9.7.3.13)
)

// Quantity is a value of the definition with the interval of what the arithmetic may make of it.
type Quantity struct {
	Value float64
	Range catalog.Interval
}

// Exactly is a value that is not rounded.
func Exactly(x float64) Quantity { return Quantity{x, catalog.Exactly(x)} }

// Constant is a number that the kernel holds in f32.
func Constant(x float64) Quantity { return Quantity{x, catalog.Exactly(x).Err(1)} }

// Rounded is a result with an error of n units; a zero is exact.
func Rounded(value float64, r catalog.Interval, n float64) Quantity {
	if r.Lo == 0 && r.Hi == 0 {
		return Quantity{value, r}
	}
	return Quantity{value, r.Err(n)}
}

// Times is the product, rounded.
func (a Quantity) Times(b Quantity) Quantity {
	return Rounded(a.Value*b.Value, a.Range.Mul(b.Range), 1)
}

// Plus is the sum, rounded.
func (a Quantity) Plus(b Quantity) Quantity { return Rounded(a.Value+b.Value, a.Range.Add(b.Range), 1) }

// SiLU is x·sigmoid(x).
func SiLU(q Quantity) Quantity { return q.Times(sigmoid(q)) }

// GELUTanh is the approximation of GELU by tanh, computed as x·sigmoid(2u): (1 + tanh u)/2 = sigmoid(2u).
func GELUTanh(q Quantity) Quantity {
	const twice = 2 * math.Sqrt2 / math.SqrtPi
	cubic := q.Times(q).Times(Constant(0.044715 * twice)).Plus(Constant(twice))
	return q.Times(sigmoid(q.Times(cubic)))
}

// sigmoid is 1/(1 + e^-x); the power has the range of f32.
func sigmoid(x Quantity) Quantity {
	exponent := x.Times(Constant(-math.Log2E))
	power := Rounded(catalog.F32Range(math.Exp(-x.Value)), exponent.Range.Map(math.Exp2), Exp2Units)
	sum := power.Plus(Exactly(1))
	inverse := func(v float64) float64 { return 1 / v }
	return Rounded(inverse(sum.Value), sum.Range.Map(inverse), ReciprocalUnits)
}

// cdfUnits bounds the relative error of lib.NormalCDF, 6 ulp, down to cdfEnd, where it becomes subnormal in f32.
const (
	cdfUnits = 13
	cdfEnd   = -12.9
)

// GELU is x·Φ(x) with the normal distribution's Φ as ir/lib computes it.
func GELU(q Quantity) Quantity {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	r := q.Range.Map(phi).Err(cdfUnits)
	if q.Range.Lo < cdfEnd {
		r.Lo, r.Hi = 0, r.Hi+0x1p-140
	}
	return q.Times(Quantity{catalog.F32Range(phi(q.Value)), r})
}
