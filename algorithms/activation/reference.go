package activation

import (
	"math"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/scalar"
	"github.com/oxideinfer/oxide/runtime"
)

// reference computes y from the definition.
func reference[S spec](s *S, rows int, in map[string][]float64) map[string]catalog.Expected {
	f := (*s).form()
	gate, up, step := in["x"], []float64(nil), f.size
	switch {
	case f.packed:
		gate, step = in["gate_up"], 2*f.size
		up = gate[min(f.size, len(gate)):]
	case f.gated:
		gate, up = in["gate"], in["up"]
	}
	var y catalog.Expected
	for row := range rows {
		for i := row * step; i < row*step+f.size; i++ {
			q := f.function.apply(gate[i])
			if f.gated {
				q = gated(q, up[i])
			}
			if f.output == oxrt.E4M3 {
				q = scaled(q, float64(f.scale))
			}
			y.Grow(q.Value, q.Range)
		}
	}
	return map[string]catalog.Expected{"y": y}
}

// gated multiplies with up. Zero times infinity is NaN, so nothing is promised where the bound does not tell a zero from
// another value.
func gated(a scalar.Quantity, up float64) scalar.Quantity {
	zero := a.Range.Lo == 0 && a.Range.Hi == 0
	if math.IsInf(up, 0) && !zero && a.Range.Lo <= 0 && a.Range.Hi >= 0 {
		return scalar.Quantity{Value: a.Value * up, Range: catalog.Unknown()}
	}
	return a.Times(scalar.Exactly(up))
}

// scaled divides by the scale of an e4m3 output; the kernel multiplies by its inverse.
func scaled(a scalar.Quantity, scale float64) scalar.Quantity {
	a.Value = catalog.F32Range(a.Value)
	return a.Times(scalar.Constant(1 / scale))
}
