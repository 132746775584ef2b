package activation

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/scalar"
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

// apply computes f(x) and what the arithmetic may make of it.
func (f function) apply(x float64) scalar.Quantity {
	q := scalar.Exactly(x)
	switch f {
	case silu:
		return scalar.SiLU(q)
	case geluTanh:
		return scalar.GELUTanh(q)
	}
	return q.Times(normalCDF(x))
}

const (
	// fitUnits is the relative error of the fit of erfc, 1.2e-7 (Press et al., Numerical Recipes, 6.2).
	fitUnits = 2.02
	// polynomialUnits bounds what ten rounded coefficients, nine fused steps (10.3 units in all) and an argument with 6
	// units of error (times the largest |t·p'(t)|, 1.26) add to the exponent, which is absolute there and relative in
	// the power.
	polynomialUnits = 18
	// tailUnits adds the argument as factor and its product.
	tailUnits = fitUnits + polynomialUnits + scalar.Exp2Units + 6 + 1
)

// normalCDF is Φ(x) = erfc(-x/sqrt 2)/2. The smaller of Φ(x) and 1 - Φ(x) is computed with a relative error, the larger as
// its complement.
func normalCDF(x float64) scalar.Quantity {
	z := math.Abs(x) / math.Sqrt2
	tail := tailOf(z)
	if x < 0 || math.IsNaN(x) {
		return tail
	}
	return scalar.Rounded(1-tail.Value, catalog.Exactly(1).Sub(tail.Range), 1)
}

// tailOf is erfc(z)/2 for z >= 0, with the range of f32. The exponent is -z² and a polynomial of at most 1.27: four units
// of z² come from z, three of the exponent from its rounding, from log2(e) and from the product with it.
func tailOf(z float64) scalar.Quantity {
	value := catalog.F32Range(math.Erfc(z) / 2)
	if value == 0 && z > 10.5 { // below 2^-160
		return scalar.Exactly(0)
	}
	return scalar.Quantity{Value: value, Range: catalog.Exactly(value).Err(tailUnits + 4*z*z + 3*(z*z+1.27)).Err(0).Err(0)}
}
