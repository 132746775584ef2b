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
	return sumOf(a[first:end], b[first*step:], step).quantity(f.input == oxrt.E4M3, end-first)
}

// tally is a sum with what its error depends on.
type tally struct {
	value     float64 // NaN and infinities as they come
	magnitude float64 // of the finite terms
	fractions bool    // not all terms are integers; known where that makes them exact
	special   bool    // some are no finite numbers
}

// sumOf adds the products of a and every step-th b. Two sums take turns, which makes it faster.
func sumOf(a, b []float64, step int) tally {
	var v0, v1, m0, m1 float64
	n, last := 0, len(a)-1
	for i := 0; i < last; i += 2 {
		p, q := a[i]*b[n], a[i+1]*b[n+step]
		v0, v1 = v0+p, v1+q
		m0, m1 = m0+math.Abs(p), m1+math.Abs(q)
		n += 2 * step
	}
	if len(a)%2 == 1 {
		p := a[last] * b[n]
		v0, m0 = v0+p, m0+math.Abs(p)
	}
	t := tally{value: v0 + v1, magnitude: m0 + m1}
	if math.IsNaN(t.magnitude) || math.IsInf(t.magnitude, 0) {
		t.special, t.magnitude = true, 0
	}
	for i, x := range a {
		if !t.special && (t.fractions || t.magnitude >= 1<<24) {
			break
		}
		p := x * b[i*step]
		t.fractions = t.fractions || p != math.Trunc(p)
		if t.special && !math.IsNaN(p) && !math.IsInf(p, 0) {
			t.magnitude += math.Abs(p)
		}
	}
	return t
}

func (t tally) quantity(e4m3 bool, terms int) scalar.Quantity {
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
