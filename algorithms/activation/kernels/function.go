package kernels

import (
	"math"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Function is an activation function: a build value.
type Function string

// The functions. GELU is x·Φ(x) with the normal distribution's Φ; GELUTanh its approximation by tanh (Hendrycks & Gimpel
// 2016); SiLU is x·sigmoid(x) (Elfwing et al. 2017).
const (
	SiLU     Function = "SiLU"
	GELU     Function = "GELU"
	GELUTanh Function = "GELUTanh"
)

// Apply computes f(x).
func (f Function) Apply(x ir.F32) ir.F32 {
	switch f {
	case SiLU:
		return lib.SiLU(x)
	case GELUTanh:
		return lib.GELUTanh(x)
	}
	return gelu(x)
}

// erfcCoefficients are those of the exponent's polynomial in t = 1/(1 + z/2), highest power first: the Chebyshev fit of
// erfc with a relative error below 1.2e-7 for all z >= 0 (Press et al., Numerical Recipes, 6.2).
var erfcCoefficients = [...]float32{0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
	0.37409196, 1.00002368, -1.26551223}

// gelu is x·Φ(x) with Φ(x) = erfc(-x/sqrt 2)/2, small for negative x without cancellation. It has fewer instructions than
// lib.GELU, and rounds the square in the exponent: the error grows with x² in the left tail.
func gelu(x ir.F32) ir.F32 {
	k := ir.KernelOf(x)
	z := x.Abs().Mul(k.ConstF32(math.Sqrt2 / 2))
	t := z.MulAdd(k.ConstF32(0.5), k.ConstF32(1)).Reciprocal(ir.Approx)
	poly := k.ConstF32(erfcCoefficients[0])
	for _, c := range erfcCoefficients[1:] {
		poly = poly.MulAdd(t, k.ConstF32(c))
	}
	// exp(-z² + poly): the square goes in last, so that an infinite one decides.
	exponent := z.Neg().MulAdd(z, poly).Mul(k.ConstF32(math.Log2E))
	tail := exponent.Exp2(ir.Approx).Mul(t).Mul(k.ConstF32(0.5))
	return x.Mul(ir.Select(x.Less(k.ConstF32(0)), tail, k.ConstF32(1).Sub(tail)))
}
