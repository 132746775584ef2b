package gemm

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/scalar"
	"github.com/oxideinfer/oxide/runtime"
)

// reference computes d, and the sums of squares of its rows, from the definition.
func (f *form) reference(m int, in map[string][]float64) map[string]catalog.Expected {
	var d, squares catalog.Expected
	for row := range m {
		sum := scalar.Exactly(0)
		for column := range f.n {
			q := f.element(row, column, in)
			d.Grow(q.Value, q.Range)
			if f.squares {
				sum = sum.Plus(stored(q, f.output).Times(stored(q, f.output)))
			}
		}
		if f.squares {
			squares.Grow(sum.Value, sum.Range.Err(float64(f.n)))
		}
	}
	out := map[string]catalog.Expected{"d": d}
	if f.squares {
		out["row_squares"] = squares
	}
	return out
}

// stored is an element as the next kernel reads it.
func stored(q scalar.Quantity, output oxrt.DType) scalar.Quantity {
	format, _ := catalog.FormatOf(output)
	if q.Range.IsUnknown() {
		return q
	}
	return scalar.Quantity{Value: q.Value, Range: q.Range.Round(format)}
}

// element is one element of d.
func (f *form) element(row, column int, in map[string][]float64) scalar.Quantity {
	if !f.gated {
		return f.scaled(f.activation.apply(f.added(row, column, in)))
	}
	gate, up := f.added(row, 2*column, in), f.added(row, 2*column+1, in)
	return f.scaled(times(f.activation.apply(gate), up))
}

// scaled divides by the scale of an e4m3 output; kernels multiply by its inverse.
func (f *form) scaled(q scalar.Quantity) scalar.Quantity {
	if f.output != oxrt.E4M3 {
		return q
	}
	q.Value = catalog.F32Range(q.Value)
	return q.Times(scalar.Constant(1 / float64(f.outputScale)))
}

// times is a product whose range says nothing where an infinity may have met a zero.
func times(a, b scalar.Quantity) scalar.Quantity {
	if infinite(a.Range) && touches(b.Range) || infinite(b.Range) && touches(a.Range) {
		return scalar.Quantity{Value: a.Value * b.Value, Range: catalog.Unknown()}
	}
	return a.Times(b)
}

func infinite(r catalog.Interval) bool { return math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) }

// touches tells whether zero is possible beside other values.
func touches(r catalog.Interval) bool { return r.Lo <= 0 && r.Hi >= 0 && r.Lo != r.Hi }

func (a Activation) apply(q scalar.Quantity) scalar.Quantity {
	switch a {
	case SiLU:
		return scalar.SiLU(q)
	case GELU:
		return scalar.GELU(q)
	case GELUTanh:
		return scalar.GELUTanh(q)
	}
	return q
}

// added is the factor times the product, with c and bias. column counts b's rows.
func (f *form) added(row, column int, in map[string][]float64) scalar.Quantity {
	q := f.product(row, column, in)
	if f.factor || f.alpha != 1 {
		q = times(q, f.rowFactor(row, in["row_factor"]))
	}
	if f.accumulate {
		q = q.Plus(scalar.Exactly(in["c"][row*f.n+column]).Times(scalar.Exactly(float64(f.beta))))
	}
	if f.bias {
		q = q.Plus(scalar.Exactly(in["bias"][column]))
	}
	return q
}

// rowFactor is alpha and the row's factor.
func (f *form) rowFactor(row int, factors []float64) scalar.Quantity {
	alpha := scalar.Exactly(float64(f.alpha))
	if !f.factor {
		return alpha
	}
	factor := scalar.Exactly(factors[row])
	if f.fromSquares {
		mean := factor.Times(scalar.Constant(1 / float64(f.k))).Plus(scalar.Exactly(float64(f.epsilon)))
		root := func(x float64) float64 { return 1 / math.Sqrt(x) }
		factor = scalar.Rounded(root(mean.Value), mean.Range.Map(root), scalar.RootUnits)
	}
	return alpha.Times(factor)
}

// product is the scaled sum over k.
func (f *form) product(row, column int, in map[string][]float64) scalar.Quantity {
	sa, sb := in["a_scale"], in["b_scale"]
	switch f.scaling {
	case perTensor:
		return times(f.sum(row, column, 0, f.k, in), times(scalar.Exactly(sa[0]), scalar.Exactly(sb[0])))
	case perRow:
		return times(f.sum(row, column, 0, f.k, in), times(scalar.Exactly(sa[row]), scalar.Exactly(sb[column])))
	case perBlock:
		total, blocks := scalar.Exactly(0), ceil(f.k, scaleBlock)
		for n := range blocks {
			scale := times(scalar.Exactly(sa[row*blocks+n]), scalar.Exactly(sb[column/scaleBlock*blocks+n]))
			total = total.Plus(times(f.sum(row, column, n*scaleBlock, min(f.k, (n+1)*scaleBlock), in), scale))
		}
		return total
	}
	return f.sum(row, column, 0, f.k, in)
}
