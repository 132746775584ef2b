package driver

import (
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// TestTensorMapParameter: a tensor map is passed by value, 128 bytes at a multiple of 64, and says what is done with the
// tensor behind it.
func TestTensorMapParameter(t *testing.T) {
	k, err := ir.BuildFunc("maps", ir.Contract{Block: [3]int{32}}, func(k *ir.Kernel) {
		ir.Param[ir.U32](k, "n")
		from, to := ir.TensorMapParam(k, "from", ir.Constant, ir.Box{Elem: op.F32, Dims: []int{64}, Promotion: 128}), ir.TensorMapParam(k, "to", ir.Writes)
		ir.Param[ir.U32](k, "last")
		tile, bar := ir.SharedArray[ir.F32](k, "tile", 64, 128), ir.MBarriers(k, "bar", 1)
		k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
			at := []ir.S32{k.ConstS32(0)}
			ir.TensorLoad(tile, from, bar, at)
			ir.TensorStore(to, tile, at)
			k.BulkCommit()
			k.BulkWaitRead(0)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	c := contract(k)
	for i, want := range []struct {
		offset, size, align int
		typ, access         string
	}{{0, 4, 4, "u32", ""}, {64, 128, 64, "tensormap", "read"}, {192, 128, 64, "tensormap", "write"}, {320, 4, 4, "u32", ""}} {
		p := c.Params[i]
		if p.Offset != want.offset || p.Size != want.size || p.Align != want.align || p.Type != want.typ || p.Access != want.access {
			t.Errorf("got %+v, want %+v", p, want)
		}
	}
	if b := c.Params[1].Box; b == nil || b.Elem != "f32" || len(b.Dims) != 1 || b.Dims[0] != 64 || b.Promotion != 128 || c.Params[2].Box != nil {
		t.Errorf("box of %+v", c.Params[1])
	}
	if c.ParamBytes != 324 {
		t.Errorf("%d bytes of parameters, want 324", c.ParamBytes)
	}
	if len(undeclaredWrites(k)) > 0 {
		t.Error("a declared write is reported")
	}
}
