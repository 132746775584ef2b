package normalization

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

func layerNormReference(s *LayerNormSpec, rows int, in map[string][]float64) map[string]catalog.Expected {
	var y catalog.Expected
	for r := range rows {
		layerNormRow(s, &y, in["x"][r*s.Hidden:(r+1)*s.Hidden], in["weight"], in["bias"])
	}
	return map[string]catalog.Expected{"y": y}
}

func layerNormRow(s *LayerNormSpec, out *catalog.Expected, x, weight, bias []float64) {
	mean, meanRange := meanOf(x)
	squares := 0.0
	for _, v := range x {
		squares += catalog.F32Range((v - mean) * (v - mean))
	}
	// With a mean that is off by e, the sum of squared differences grows by hidden·e²: the differences sum to zero.
	e := math.Max(mean-meanRange.Lo, meanRange.Hi-mean)
	grown := catalog.Interval{Lo: squares, Hi: squares + float64(s.Hidden)*e*e}.Err(chain(s.Hidden) + 2)
	rstd, rstdRange := inverseRoot(squares, grown, s.Hidden, s.Epsilon)
	if s.Epsilon == 0 && squares == 0 && e > 0 && mean != 0 {
		rstdRange = catalog.Unknown() // a constant row whose mean may be inexact
	}
	for i, v := range x {
		value, r := (v-mean)*rstd, catalog.Exactly(v).Sub(meanRange).Err(1).Mul(rstdRange).Err(1)
		b := 0.0
		if s.Bias {
			b = bias[i]
		}
		value, r = value*weight[i]+b, r.Mul(catalog.Exactly(weight[i])).Add(catalog.Exactly(b)).Err(1)
		if s.Output == oxrt.E4M3 {
			value, r = value/float64(s.OutputScale), r.Mul(catalog.Exactly(1/float64(s.OutputScale)).Err(1)).Err(1)
		}
		out.Grow(value, r)
	}
}

// meanOf is the mean in f32's range. Its error is that of a sum of terms of both signs: relative to the sum of magnitudes.
func meanOf(x []float64) (float64, catalog.Interval) {
	sum, magnitude := 0.0, 0.0
	for _, v := range x {
		sum, magnitude = sum+v, magnitude+math.Abs(v)
	}
	n := float64(len(x))
	abs := magnitude * chain(len(x)) * catalog.Unit
	if magnitude*(1+chain(len(x))*catalog.Unit) >= 0x1p128 && !math.IsInf(magnitude, 0) { // partial sums may overflow
		return catalog.F32Range(sum) / n, catalog.Unknown()
	}
	return sum / n, catalog.Interval{Lo: sum - abs, Hi: sum + abs}.Err(0).Mul(catalog.Exactly(1 / n)).Err(2)
}
