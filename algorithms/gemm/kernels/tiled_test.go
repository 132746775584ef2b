package kernels

import (
	"math"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/internal/fastdiv"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
)

// bf16 rounds to the bits.
func bf16(x float64) uint16 { return uint16(numfmt.BF16.Encode(x, numfmt.RN)) }

// integers fills a matrix of rows with a stride with small integers; what lies between the rows is NaN.
func integers(rows, cols, stride, seed int) ([]uint16, func(r, c int) float64) {
	at := func(r, c int) float64 { return float64((r*31+c*7+seed)%11 - 5) }
	m := make([]uint16, rows*stride)
	for i := range m {
		m[i] = 0x7fff
		if r, c := i/stride, i%stride; c < cols {
			m[i] = bf16(at(r, c))
		}
	}
	return m, at
}

func matrix(slice any, rows, cols, stride, elem int) irtest.Tensor {
	return irtest.Tensor{Slice: slice, Dims: []int{cols, rows}, Strides: []int{stride * elem}}
}

func ceil(a, b int) int { return (a + b - 1) / b }

// rasterArgs are the parameters of a tile.Raster.
func rasterArgs(rows, cols, height int) []any {
	swath, last := fastdiv.New(uint32(height*cols)), fastdiv.New(uint32((rows-1)%height+1))
	return []any{swath.D, swath.Mul, swath.Shift1 | swath.Shift2<<8, last.D, last.Mul, last.Shift1 | last.Shift2<<8, uint32(rows * cols), uint32(rows / height)}
}

func TestCooperative(t *testing.T) {
	for _, inst := range Cooperative.Instances() {
		v := Cooperative.Variants[0]
		const m, n, kk = 200, 328, 136
		a, at := integers(m, kk, 144, 1)
		b, bt := integers(n, kk, 136, 5)
		d := make([]uint16, m*n)
		args := []any{irtest.Grid{4}, matrix(a, m, kk, 144, 2), matrix(b, n, kk, 136, 2), matrix(d, m, n, n, 2)}
		args = append(args, rasterArgs(ceil(m, v.M*v.Cluster), ceil(n, v.N), 8)...)
		args = append(args, uint32(ceil(kk, v.k())), float32(1))
		irtest.Run(t, inst, args...)
		for i, got := range d {
			sum := 0.0
			for j := range kk {
				sum += at(i/n, j) * bt(i%n, j)
			}
			if want := bf16(sum); got != want {
				t.Fatalf("%s: d[%d,%d] = %v, want %v", inst.Variant, i/n, i%n, math.Float32frombits(uint32(got)<<16), sum)
			}
		}
	}
}

var _ = ir.SM90a
