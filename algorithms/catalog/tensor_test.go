package catalog_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

func TestTensors(t *testing.T) {
	s := exampleSpec{Rows: 5, Input: oxrt.BF16, Output: oxrt.F32, Stride: 10, Scale: 1}
	tensors, err := example().Tensors(&s, 3)
	if err != nil {
		t.Fatal(err)
	}
	x, b, n, y := tensors[0], tensors[1], tensors[2], tensors[3]
	if !slices.Equal(x.Shape, []int{3, 8}) || !slices.Equal(x.Strides, []int{10, 1}) || x.Span() != 28 || x.Elements() != 24 || x.DType != oxrt.BF16 {
		t.Errorf("x is %+v with span %d", x, x.Span())
	}
	if b.Present || !n.Present {
		t.Errorf("without bias: b present %v, n present %v", b.Present, n.Present)
	}
	if !slices.Equal(y.Strides, []int{6, 2, 1}) || y.Span() != 18 {
		t.Errorf("y is %+v with span %d", y, y.Span())
	}
	var offsets []int
	x.Offsets(func(dense, offset int) {
		if dense != len(offsets) {
			t.Errorf("element %d is called %d", len(offsets), dense)
		}
		offsets = append(offsets, offset)
	})
	if offsets[0] != 0 || offsets[7] != 7 || offsets[8] != 10 || offsets[23] != 27 {
		t.Errorf("offsets %v", offsets)
	}
	if d := x.Dense(); !slices.Equal(d.Strides, []int{8, 1}) || !slices.Equal(x.Strides, []int{10, 1}) {
		t.Errorf("dense strides %v, and the original's %v", d.Strides, x.Strides)
	}
	for _, rows := range []int{-1, 6} {
		if _, err := example().Tensors(&s, rows); err == nil || !strings.Contains(err.Error(), "rows") {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	none, err := example().Tensors(&s, 0)
	if err != nil || none[0].Span() != 0 || none[0].Elements() != 0 {
		t.Errorf("0 rows: span %d, %v", none[0].Span(), err)
	}
}

func TestWork(t *testing.T) {
	s := exampleSpec{Rows: 5, Input: oxrt.BF16, Output: oxrt.F32, Stride: 10, Scale: 1}
	bytes, flops, err := example().Work(&s, 3)
	if want := int64(24*2 + 4*2 + 18*4); bytes != want || flops != 3*3+2*10 || err != nil {
		t.Errorf("%d bytes, %d operations, %v; want %d bytes and 29", bytes, flops, err, want)
	}
	if _, _, err := example().Work(&s, 6); err == nil {
		t.Error("6 rows of at most 5")
	}
}

func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	a := catalog.Interval{Lo: -1, Hi: 2}
	for _, c := range []struct {
		name      string
		got, want catalog.Interval
	}{
		{"product of mixed signs", a.Mul(catalog.Interval{Lo: -3, Hi: 1}), catalog.Interval{Lo: -6, Hi: 3}},
		{"difference", a.Sub(a), catalog.Interval{Lo: -3, Hi: 3}},
		{"zero times infinity is any number", catalog.Interval{Lo: 0, Hi: 1}.Mul(catalog.Exactly(inf)), catalog.Interval{Lo: -inf, Hi: inf}},
		{"infinity has no error", catalog.Exactly(inf).Err(10), catalog.Exactly(inf)},
		{"overflow", catalog.Exactly(0x1.fffffep127).Err(2), catalog.Interval{Lo: 0x1.fffffep127 - 0x1.fffffep104, Hi: inf}},
		{"falling function", catalog.Interval{Lo: 1, Hi: 4}.Map(func(v float64) float64 { return 1 / v }), catalog.Interval{Lo: 0.25, Hi: 1}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if !catalog.Unknown().Add(a).Mul(a).Err(1).IsUnknown() || a.IsUnknown() {
		t.Error("what is unknown must stay so, and only that")
	}
}

func TestCompareRefusesShortData(t *testing.T) {
	two := catalog.Tensor{DType: oxrt.F32, Shape: []int{2}, Strides: []int{1}, Present: true}
	if _, err := catalog.Compare(two, make([]byte, 4), catalog.Expected{Value: []float64{1, 1}}); err == nil {
		t.Error("too few bytes were compared")
	}
}
