package gemm

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/scalar"
	"github.com/oxideinfer/oxide/runtime"
)

// The error of a sum of products on tensor cores, in parts of the sum of their magnitudes (rule: Li et al., MMA-Sim, 2025: a step
// of 16 or 32 products is one sum, aligned to its largest term and cut off behind 25 or 13 bits, the result cut off too).
// It holds for every order, so for every algorithm: a partial sum is never more than the magnitudes' sum.
const (
	stepError = 1.5 / (1 << 23) // of each step of 16 two-byte products: twice what a model of the hardware showed
	baseError = 4.0 / (1 << 23) // the alignment inside of the first steps
	// partError is that of up to 128 products of e4m3, four steps of 32, before they are added in f32: 6·2^-13 a step.
	partError = 4 * 6.0 / (1 << 13)
)

// sum is Σ a·b over k from first to end, with what tensor cores may make of it.
func (f *form) sum(row, column, first, end int, in map[string][]float64) scalar.Quantity {
	a, b, step := in["a"][row*f.k:], in["b"], 1
	if f.byK {
		b, step = in["b_by_k"], f.n
		b = b[min(column, len(b)):]
	} else {
		b = b[column*f.k:]
	}
	var t tally
	for i := first; i < end; i++ {
		t.add(a[i] * b[i*step])
	}
	return t.quantity(f.input == oxrt.E4M3, end-first)
}

// tally is a sum with what its error depends on.
type tally struct {
	value     float64 // NaN and infinities as they come
	magnitude float64 // of the finite terms
	fractions bool    // not all terms are integers
	special   bool    // some are no finite numbers
}

func (t *tally) add(x float64) {
	t.value += x
	if math.IsNaN(x) || math.IsInf(x, 0) {
		t.special = true
		return
	}
	t.magnitude += math.Abs(x)
	t.fractions = t.fractions || x != math.Trunc(x)
}

func (t *tally) quantity(e4m3 bool, terms int) scalar.Quantity {
	steps, exact := float64(ceil(terms, 16)), float64(1<<24)
	err := (stepError*steps + baseError) * t.magnitude
	if e4m3 {
		exact = 1 << 13
		err = partError*t.magnitude + catalog.Unit*float64(ceil(terms, scaleBlock))*t.magnitude
	}
	switch {
	case t.magnitude >= 0x1p127:
		return scalar.Quantity{Value: t.value, Range: catalog.Unknown()}
	case t.special || !t.fractions && t.magnitude < exact:
		return scalar.Exactly(t.value)
	}
	return scalar.Quantity{Value: t.value, Range: catalog.Interval{Lo: t.value - err, Hi: t.value + err}.Err(0)}
}
