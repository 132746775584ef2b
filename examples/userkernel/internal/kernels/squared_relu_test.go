package kernels

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
)

// TestSquaredReLU needs no GPU and nothing generated: the kernel runs on the CPU with every checker on.
func TestSquaredReLU(t *testing.T) {
	const rows, columns = 3, 130
	x, bias, y := make([]float32, rows*columns), make([]float32, columns), make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	for i := range bias {
		bias[i] = float32(i % 3)
	}
	for _, variant := range SquaredReLU.Instances() {
		irtest.Run(t, variant, irtest.Grid{rows}, x, bias, y, uint32(columns))
		for i := range y {
			v := max(x[i]+bias[i%columns], 0)
			if y[i] != v*v {
				t.Fatalf("%s: y[%d] = %v, want %v", variant.Variant, i, y[i], v*v)
			}
		}
		clear(y)
	}
}
