package catalog_test

import (
	"math"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// one is a tensor of one element.
func one(d oxrt.DType) catalog.Tensor {
	return catalog.Tensor{DType: d, Shape: []int{1}, Strides: []int{1}, Present: true}
}

func TestCompare(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	around := func(x float64) catalog.Interval { return catalog.Exactly(x).Err(1) }
	for _, c := range []struct {
		name   string
		dtype  oxrt.DType
		got    uint32
		value  float64
		r      catalog.Interval
		ok     bool
		maxUlp float64
	}{
		{"exact", oxrt.BF16, 0x3f80, 1, catalog.Exactly(1), true, 0},
		{"next value of an exact result", oxrt.BF16, 0x3f81, 1, catalog.Exactly(1), false, 1},
		{"tie to even", oxrt.BF16, 0x3f80, 1 + 0x1p-8, catalog.Exactly(1 + 0x1p-8), true, 0.5},
		{"tie to odd", oxrt.BF16, 0x3f81, 1 + 0x1p-8, catalog.Exactly(1 + 0x1p-8), false, 0.5},
		{"tie with an uncertain value", oxrt.BF16, 0x3f81, 1 + 0x1p-8, around(1 + 0x1p-8), true, 0.5},
		{"e4m3 between two values counts its error", oxrt.E4M3, 0x38, 1 + 0x1p-5, catalog.Exactly(1 + 0x1p-5), true, 0.25},
		{"e4m3 saturates", oxrt.E4M3, 0x7e, 1e6, catalog.Exactly(1e6), true, 0},
		{"e4m3 saturates infinities", oxrt.E4M3, 0xfe, -inf, catalog.Exactly(-inf), true, 0},
		{"e4m3 short of saturation", oxrt.E4M3, 0x7d, 1e6, catalog.Exactly(1e6), false, math.NaN()},
		{"NaN for NaN", oxrt.F16, 0x7fff, nan, catalog.Exactly(nan), true, 0},
		{"infinity for NaN", oxrt.F16, 0x7c00, nan, catalog.Exactly(nan), false, math.NaN()},
		{"overflow", oxrt.F16, 0x7c00, 65520, catalog.Exactly(65520), true, 0},
		{"finite for infinity", oxrt.F16, 0x7bff, inf, catalog.Exactly(inf), false, math.NaN()},
		{"nothing promised", oxrt.F32, 0x12345678, 1, catalog.Unknown(), true, 0},
	} {
		data := make([]byte, c.dtype.Size())
		catalog.WriteBits(c.dtype, data, 0, c.got)
		v, err := catalog.Compare(one(c.dtype), data, catalog.Expected{Value: []float64{c.value}, Range: []catalog.Interval{c.r}})
		if err != nil {
			t.Fatal(err)
		}
		if v.OK() != c.ok || !math.IsNaN(c.maxUlp) && v.MaxUlp != c.maxUlp {
			t.Errorf("%s: %v, max %g ulp, want allowed %v, %g ulp", c.name, v, v.MaxUlp, c.ok, c.maxUlp)
		}
	}
}
