package ir_test

import (
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// Mistakes with the boxes of tensor maps, and with bulk groups under conditions.

func impossibleBoxes(k *ir.Kernel) {
	ir.TensorMapParam(k, "rank", ir.Box{Elem: op.BF16})                                                   // want TENSOR_BOX
	ir.TensorMapParam(k, "tall", ir.Box{Elem: op.BF16, Dims: []int{64, 512}})                             // want TENSOR_BOX
	ir.TensorMapParam(k, "odd", ir.Box{Elem: op.BF16, Dims: []int{12, 64}})                               // want TENSOR_BOX
	ir.TensorMapParam(k, "wide", ir.Box{Elem: op.BF16, Dims: []int{64, 64}, Swizzle: ir.Swizzle64B})      // want TENSOR_BOX
	ir.TensorMapParam(k, "l2", ir.Box{Elem: op.E4M3, Dims: []int{64, 64}, Promotion: 32})                 // want TENSOR_BOX
	ir.GlobalParam[ir.BF16](k, "pointer", ir.Box{Elem: op.BF16, Dims: []int{64}})                         // want TENSOR_BOX
	ir.TensorMapParam(k, "good", ir.Box{Elem: op.BF16, Dims: []int{64, 256, 4}, Swizzle: ir.Swizzle128B}) // 128 KB
}

func coordinatesOfBox(k *ir.Kernel) {
	m := ir.TensorMapParam(k, "m", ir.Box{Elem: op.F32, Dims: []int{16, 16}})
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 512, 128), ir.MBarriers(k, "bar", 2)
	zero := k.ConstS32(0)
	single(k, func() {
		bar.ArriveExpect(k.ConstU32(512)) // want TX_BYTES
		ir.TensorLoad(tile, m, bar, []ir.S32{zero, zero})
		bar.AtConst(1).ArriveExpect(k.ConstU32(1024))
		ir.TensorLoad(tile.AtConst(256), m, bar.AtConst(1), []ir.S32{zero}) // want TENSOR_BOX
	})
}

func boxBeyondArray(k *ir.Kernel) {
	m := ir.TensorMapParam(k, "m", ir.Box{Elem: op.F32, Dims: []int{16, 16}})
	tile, bar := ir.DynamicArray[ir.F32](k, "tile", 128, 128), ir.MBarriers(k, "bar", 1)
	single(k, func() {
		bar.ArriveExpect(k.ConstU32(1024))
		ir.TensorLoad(tile, m, bar, []ir.S32{k.ConstS32(0), k.ConstS32(0)}) // want COPY_SIZE
	})
}

func dynamicOverflow(k *ir.Kernel) { // want SHARED_TOO_LARGE
	ir.DynamicArray[ir.F32](k, "first", 100, 128)
	ir.DynamicArray[ir.F32](k, "second", 200, 1024) // ends at 1824
}

// storeSometimes leaves a bulk group in flight after one side of a uniform branch only.
func storeSometimes(k *ir.Kernel) {
	y, n := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16)), ir.Param[ir.U32](k, "n")
	tile := ir.SharedArray[ir.F32](k, "tile", 128, 128)
	c := k.ConstU32
	single(k, func() {
		k.If(n.Less(c(7)), func() {
			ir.BulkStore(y, tile, c(512))
			k.BulkCommit()
		})
		tile.Store(k.ConstF32(1)) // want TOUCHED_IN_FLIGHT
		k.BulkWait(0)
		tile.Store(k.ConstF32(2))
	})
}

// boxCopies copies through maps with boxes to dynamic arrays.
func boxCopies(k *ir.Kernel) {
	from := ir.TensorMapParam(k, "from", ir.Constant, ir.Box{Elem: op.BF16, Dims: []int{64, 32}, Swizzle: ir.Swizzle128B, Promotion: 256})
	to := ir.TensorMapParam(k, "to", ir.Writes, ir.Box{Elem: op.F32, Dims: []int{8, 4, 2}, FillNaN: true})
	bar, c := ir.MBarrierAt(ir.DynamicArray[ir.U64](k, "bar", 1, 8)), k.ConstS32(0)
	in, out := ir.DynamicArray[ir.BF16](k, "in", 64*32, 1024), ir.DynamicArray[ir.F32](k, "out", 64, 128)
	k.If(k.Elect(), func() {
		bar.Init(k.ConstU32(1))
		k.FenceMBarrierInit()
		bar.ArriveExpect(k.ConstU32(4096))
		ir.TensorLoad(in, from, bar, []ir.S32{c, c})
		bar.Wait(k.ConstU32(0))
		for i := range 64 {
			out.AtConst(i).Store(in.AtConst(i).Load().ConvertToF32())
		}
		k.FenceProxyAsync(ir.ProxyShared)
		ir.TensorStore(to, out, []ir.S32{c, c, c})
		k.BulkCommit()
		k.BulkWait(0)
	})
}

// TestBulkGroupsUnderUniformBranch: a tile's store under a condition that is equal in the block, before which the thread
// waits until the buffer of the one before has been read.
func TestBulkGroupsUnderUniformBranch(t *testing.T) {
	_, err := ir.BuildFunc("conditional", ir.Contract{Block: [3]int{128}}, func(k *ir.Kernel) {
		y, n := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16)), ir.Param[ir.U32](k, "n")
		tile := ir.SharedArray[ir.F32](k, "tile", 128, 128)
		c := k.ConstU32
		leader := k.TIDX().ShiftRight(c(5)).Equal(c(0))
		for i := range k.Loop(c(0), n, c(1), ir.NoUnroll) {
			k.If(leader, func() { k.BulkWaitRead(0) })
			k.Barrier()
			tile.At(k.TIDX()).Store(k.ConstF32(1))
			k.FenceProxyAsync(ir.ProxyShared)
			k.Barrier()
			k.If(i.And(c(1)).Equal(c(0)), func() {
				k.If(leader, func() {
					k.If(k.Elect(), func() {
						ir.BulkStore(y.At(i), tile, c(512))
						k.BulkCommit()
					})
				})
			})
		}
		k.If(leader, func() { k.BulkWait(0) })
	})
	if err != nil {
		t.Error(err)
	}
}
