package activation

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// function is an activation function, named as in the kernels' variants.
type function string

const (
	silu      function = "SiLU"
	geluExact function = "GELU"
	geluTanh  function = "GELUTanh"
)

func gelu(a Approximation) function {
	if a == Tanh {
		return geluTanh
	}
	return geluExact
}

// The errors of the arithmetic that the package promises, in units of 2^-24 of the result. An ulp is up to two units; the
// manual counts ulps from the correctly rounded result, which adds one.
const (
	exp2Units       = 5 // ex2.approx.f32: 2 ulp (PTX ISA 9.7.3.20)
	reciprocalUnits = 3 // rcp.approx.f32: 1 ulp (PTX ISA 9.7.3.13)
)

// quantity is a value of the definition with the interval of what the arithmetic may make of it.
type quantity struct {
	value float64
	r     catalog.Interval
}

func exactly(x float64) quantity { return quantity{x, catalog.Exactly(x)} }

// constant is a number that the kernel holds in f32.
func constant(x float64) quantity { return quantity{x, catalog.Exactly(x).Err(1)} }

// rounded is a result with an error of n units; a zero is exact.
func rounded(value float64, r catalog.Interval, n float64) quantity {
	if r.Lo == 0 && r.Hi == 0 {
		return quantity{value, r}
	}
	return quantity{value, r.Err(n)}
}

func (a quantity) times(b quantity) quantity { return rounded(a.value*b.value, a.r.Mul(b.r), 1) }

func (a quantity) plus(b quantity) quantity { return rounded(a.value+b.value, a.r.Add(b.r), 1) }

// apply computes f(x) and what the arithmetic may make of it.
func (f function) apply(x float64) quantity {
	q := exactly(x)
	switch f {
	case silu:
		return q.times(sigmoid(q))
	case geluTanh:
		// (1 + tanh u)/2 = sigmoid(2u); twice is 2·sqrt(2/π).
		const twice = 2 * math.Sqrt2 / math.SqrtPi
		cubic := q.times(q).times(constant(0.044715 * twice)).plus(constant(twice))
		return q.times(sigmoid(q.times(cubic)))
	}
	return q.times(normalCDF(x))
}

// sigmoid is 1/(1 + e^-x); the power has the range of f32.
func sigmoid(x quantity) quantity {
	exponent := x.times(constant(-math.Log2E))
	power := rounded(catalog.F32Range(math.Exp(-x.value)), exponent.r.Map(math.Exp2), exp2Units)
	sum := power.plus(exactly(1))
	inverse := func(v float64) float64 { return 1 / v }
	return rounded(inverse(sum.value), sum.r.Map(inverse), reciprocalUnits)
}

const (
	// fitUnits is the relative error of the fit of erfc, 1.2e-7 (Press et al., Numerical Recipes, 6.2).
	fitUnits = 2.02
	// polynomialUnits bounds what ten rounded coefficients, nine fused steps (10.3 units in all) and an argument with 6
	// units of error (times the largest |t·p'(t)|, 1.26) add to the exponent, which is absolute there and relative in
	// the power.
	polynomialUnits = 18
	// tailUnits adds the argument as factor and its product.
	tailUnits = fitUnits + polynomialUnits + exp2Units + 6 + 1
)

// normalCDF is Φ(x) = erfc(-x/sqrt 2)/2. The smaller of Φ(x) and 1 - Φ(x) is computed with a relative error, the larger as
// its complement.
func normalCDF(x float64) quantity {
	z := math.Abs(x) / math.Sqrt2
	tail := tailOf(z)
	if x < 0 || math.IsNaN(x) {
		return tail
	}
	return rounded(1-tail.value, catalog.Exactly(1).Sub(tail.r), 1)
}

// tailOf is erfc(z)/2 for z >= 0, with the range of f32. The exponent is -z² and a polynomial of at most 1.27: four units
// of z² come from z, three of the exponent from its rounding, from log2(e) and from the product with it.
func tailOf(z float64) quantity {
	value := catalog.F32Range(math.Erfc(z) / 2)
	if value == 0 && z > 10.5 { // below 2^-160
		return exactly(0)
	}
	return quantity{value, catalog.Exactly(value).Err(tailUnits + 4*z*z + 3*(z*z+1.27)).Err(0).Err(0)}
}
