package irtest_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/ir"
)

// box copies a box of 4 × 8 over a matrix's edge and stores it elsewhere through another map.
func box(k *ir.Kernel) {
	from, to := ir.TensorMapParam(k, "from", ir.Constant), ir.TensorMapParam(k, "to", ir.Writes)
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 32, 128), ir.MBarriers(k, "bar", 1)
	k.If(k.Elect(), func() {
		bar.Init(k.ConstU32(1))
		k.FenceMBarrierInit()
		bar.ArriveExpect(k.ConstU32(128))
		ir.TensorLoad(tile, from, bar, []ir.S32{k.ConstS32(4), k.ConstS32(1)}, ir.BoxBytes(128))
		bar.Wait(k.ConstU32(0))
		ir.TensorStore(to, tile, []ir.S32{k.ConstS32(0), k.ConstS32(0)})
		k.BulkCommit()
		k.BulkWait(0)
	})
}

func TestBoxes(t *testing.T) {
	const rows, cols = 4, 8
	m := emulate.TensorMap{Type: emulate.MapF32, Rank: 2, Dims: [5]uint64{cols, rows}, Strides: [4]uint64{4 * cols}, Box: [5]uint32{8, 4}, ElementStrides: [5]uint32{1, 1}}
	x, y := values(rows*cols), make([]float32, rows*cols)
	k, err := ir.BuildFunc("box", ir.Contract{Block: [3]int{32}}, box)
	if err != nil {
		t.Fatal(err)
	}
	irtest.Run(t, k, irtest.Grid{1}, irtest.Boxes{Slice: x, Map: m}, irtest.Boxes{Slice: y, Map: m})
	for i, got := range y {
		r, c := i/cols+1, i%cols+4
		want := float32(0)
		if r < rows && c < cols {
			want = x[r*cols+c]
		}
		if got != want {
			t.Errorf("row %d column %d: got %v, want %v", i/cols, i%cols, got, want)
		}
	}
	m.Strides[0] = 20
	if text := refused(t, func(t testing.TB) {
		irtest.Run(t, k, irtest.Grid{1}, irtest.Boxes{Slice: x, Map: m}, irtest.Boxes{Slice: y, Map: m})
	}); !strings.Contains(text, `parameter "from"`) {
		t.Errorf("a stride of 20 bytes: %q", text)
	}
}
