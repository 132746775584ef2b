package lib

import (
	"math"

	"github.com/oxideinfer/oxide/ir"
)

// Sigmoid is 1/(1 + 2^(-x·log2 e)), within a relative error of about (2 + |x|)·2^-23. Where the power overflows the
// reciprocal is 0, as it should be; NaN stays NaN. Flushing changes no bit: 1 + 2^t is 1 for denormal powers, and 2^t is 1
// for denormal t, either way; and it saves ptxas the scaling around the hardware's power.
func Sigmoid(x ir.F32) ir.F32 {
	k := ir.KernelOf(x)
	e := x.Mul(k.ConstF32(-math.Log2E)).Exp2(ir.Approx, ir.FTZ)
	return e.Add(k.ConstF32(1)).Reciprocal(ir.Approx)
}

// SiLU is x·sigmoid(x) (Elfwing et al. 2017). At -Inf it is NaN, as in the engines.
func SiLU(x ir.F32) ir.F32 { return x.Mul(Sigmoid(x)) }

// GELUTanh is the approximation of GELU by tanh (Hendrycks & Gimpel 2016), computed as x·sigmoid(2u) with
// u = sqrt(2/π)·(x + 0.044715·x³), which does not cancel where 1 + tanh(u) would.
func GELUTanh(x ir.F32) ir.F32 {
	const scale = 2 * 0.7978845608028654
	k := ir.KernelOf(x)
	cubic := x.Mul(x).MulAdd(k.ConstF32(0.044715*scale), k.ConstF32(scale))
	return x.Mul(Sigmoid(x.Mul(cubic)))
}

// GELU is x·Φ(x).
func GELU(x ir.F32) ir.F32 { return x.Mul(NormalCDF(x)) }

// tailCoefficients are a minimax fit (Remez, relative error 2e-8) of erfc(z)·exp(z²)/(2t) in t = 1/(1 + 0.3 z) for
// z in [0, 11.4], lowest power first. A test makes the comparison with math.Erfc.
var tailCoefficients = [...]float32{0.08459370586319916, 0.08536192039704016, 0.0741430310398384, 0.10755398998113053,
	-0.04751499437337625, 0.27410678189384985, -0.25633510031111306, 0.24286869079929793, -0.06477803510829759}

// tailEnd is where the tail is below the smallest subnormal: nothing changes further out.
const tailEnd = 15

// NormalCDF is Φ(x), the distribution function of the standard normal distribution. The small values left of zero come out
// with a relative error of a few ulp because they are computed as a tail, not as a difference: the square in the exponent
// is carried in two parts.
func NormalCDF(x ir.F32) ir.F32 {
	k := ir.KernelOf(x)
	a := x.Abs().Min(k.ConstF32(tailEnd), ir.NaN)
	t := a.MulAdd(k.ConstF32(0.3*math.Sqrt2/2), k.ConstF32(1)).Reciprocal()
	poly := k.ConstF32(tailCoefficients[len(tailCoefficients)-1])
	for i := len(tailCoefficients) - 2; i >= 0; i-- {
		poly = poly.MulAdd(t, k.ConstF32(tailCoefficients[i]))
	}
	tail := expNegHalfSquare(k, a).Mul(t.Mul(poly))
	return ir.Select(x.Less(k.ConstF32(0)), tail, k.ConstF32(1).Sub(tail))
}

// expNegHalfSquare is exp(-a²/2). a² and its product with log2(e)/2 are rounded; both errors go into a second, small power
// that is 1 + r·ln 2 to first order.
func expNegHalfSquare(k *ir.Kernel, a ir.F32) ir.F32 {
	const half = math.Log2E / 2
	high := float32(half)
	low := float32(half - float64(high))
	square := a.Mul(a)
	squareErr := a.MulAdd(a, square.Neg())
	e := square.Mul(k.ConstF32(high))
	rest := square.MulAdd(k.ConstF32(high), e.Neg())
	rest = square.MulAdd(k.ConstF32(low), rest)
	rest = squareErr.MulAdd(k.ConstF32(high), rest)
	p := e.Neg().Exp2(ir.Approx)
	return p.Mul(rest).MulAdd(k.ConstF32(-math.Ln2), p)
}
