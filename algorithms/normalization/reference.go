package normalization

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxChain is the most terms that a thread adds one after another; the rest of a sum is a tree of at most 10 levels.
const MaxChain = 128

// chain bounds the roundings on the way of one term into a sum over hidden elements, in f32 units (Higham, Accuracy and
// Stability of Numerical Algorithms, 4.2): the terms of one thread and the levels of the tree.
func chain(hidden int) float64 {
	perThread := max(16, 8*((hidden+4095)/4096))
	return float64(min(hidden, perThread) + 10)
}

// rsqrtUnits is the error of rsqrt.approx.f32, 2^-22.9 relative (PTX ISA 9.7.3.13), in f32 units.
const rsqrtUnits = 2.15

// inverseRoot is 1/sqrt(mean + epsilon) with mean = sum/hidden. It keeps f32's range: a sum that overflows gives 0.
func inverseRoot(sum float64, sumRange catalog.Interval, hidden int, epsilon float32) (float64, catalog.Interval) {
	inverse := func(v float64) float64 { return 1 / math.Sqrt(v) }
	mean := catalog.F32Range(sum)/float64(hidden) + float64(epsilon)
	r := sumRange.Mul(catalog.Exactly(1 / float64(hidden))).Err(1).Add(catalog.Exactly(float64(epsilon))).Err(2)
	r.Lo = max(r.Lo, 0)
	if mean < 0x1p-126 && mean > 0 { // subnormal in f32: no digits are promised
		return inverse(mean), catalog.Unknown()
	}
	return inverse(mean), r.Map(inverse).Err(rsqrtUnits)
}

// rmsParams is what the RMSNorm operators have in common.
type rmsParams struct {
	hidden        int
	epsilon       float32
	weightOffset  float32
	rounding      Rounding
	input, output oxrt.DType
	scale         float32
}

// row appends the expected outputs of one row. x must be values of the input's format.
func (p rmsParams) row(out *catalog.Expected, x, weight []float64) {
	sum := 0.0
	for _, v := range x {
		sum += catalog.F32Range(v * v)
	}
	terms := catalog.Exactly(sum).Err(chain(p.hidden))
	rstd, rstdRange := inverseRoot(sum, terms, p.hidden, p.epsilon)
	format, _ := catalog.FormatOf(p.input)
	for i, v := range x {
		value, r := v*rstd, catalog.Exactly(v).Mul(rstdRange).Err(1)
		if p.rounding == RoundBeforeWeight {
			value, r = format.Round(value), r.Round(format)
		}
		w := weight[i] + float64(p.weightOffset)
		value, r = value*w, r.Mul(catalog.Exactly(w).Err(1)).Err(1)
		if p.output == oxrt.E4M3 {
			value, r = value/float64(p.scale), r.Mul(catalog.Exactly(1/float64(p.scale)).Err(1)).Err(1)
		}
		out.Grow(value, r)
	}
}

func rmsNormReference(s *RMSNormSpec, rows int, in map[string][]float64) map[string]catalog.Expected {
	p := rmsParams{s.Hidden, s.Epsilon, s.WeightOffset, s.Rounding, s.Input, s.Output, s.OutputScale}
	var y catalog.Expected
	for r := range rows {
		p.row(&y, in["x"][r*s.Hidden:(r+1)*s.Hidden], in["weight"])
	}
	return map[string]catalog.Expected{"y": y}
}

func addRMSNormReference(s *AddRMSNormSpec, rows int, in map[string][]float64) map[string]catalog.Expected {
	p := rmsParams{s.Hidden, s.Epsilon, s.WeightOffset, s.Rounding, s.Input, s.Output, s.OutputScale}
	format, _ := catalog.FormatOf(s.Input)
	var sum, y catalog.Expected
	for r := range rows {
		row := make([]float64, s.Hidden)
		for i := range row {
			at := r*s.Hidden + i
			// The two roundings are the definition. The float64 sum of two values of at most 24 bits, rounded to f32, is
			// the correctly rounded f32 sum (see package numfmt).
			row[i] = format.Round(float64(float32(in["x"][at] + in["residual"][at])))
			sum.Grow(row[i], catalog.Exactly(row[i]))
		}
		p.row(&y, row, in["weight"])
	}
	return map[string]catalog.Expected{"sum": sum, "y": y}
}

func headRMSNormReference(s *HeadRMSNormSpec, tokens int, in map[string][]float64) map[string]catalog.Expected {
	p := rmsParams{s.HeadDim, s.Epsilon, s.WeightOffset, s.Rounding, s.Input, s.Input, 1}
	side := func(x, weight []float64) catalog.Expected {
		var out catalog.Expected
		for at := 0; at < len(x); at += s.HeadDim {
			p.row(&out, x[at:at+s.HeadDim], weight)
		}
		return out
	}
	return map[string]catalog.Expected{"q_out": side(in["q"], in["q_weight"]), "k_out": side(in["k"], in["k_weight"])}
}
