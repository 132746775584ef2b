package subjects

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// dsmemMerge splits a sum over the blocks of a cluster: each sums its part of every column and sends the result to the first
// block, whose barrier counts the bytes. The partial sums of rank r land in row r.
func dsmemMerge() (*Subject, error) {
	const blocks, cols, rows, grid = 4, 512, 6, 2
	k, err := build("dsmem_merge", ir.Contract{Block: [3]int{128}, Cluster: [3]int{blocks, 1, 1}}, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
		parts := ir.SharedArray[ir.F32](k, "parts", blocks*cols, 16)
		came := ir.MBarriers(k, "came", 1)
		c, rank := k.ConstU32, k.ClusterCTARank()
		k.If(k.TIDX().Equal(c(0)), func() {
			came.Init(c(1))
			k.FenceMBarrierInit()
			k.If(rank.Equal(c(0)), func() { came.ArriveExpect(c(blocks * cols * 4)) }) // nothing comes to the others
		})
		k.ClusterArrive(ir.Release) // the barrier is ready; the sums below need nobody
		at := k.TIDX().ShiftLeft(c(2))
		sum := ir.Vec[ir.F32]{k.ConstF32(0), k.ConstF32(0), k.ConstF32(0), k.ConstF32(0)}
		for r := range rows {
			row := k.CTAIDX().Mul(c(rows)).Add(c(uint32(r)))
			for i, v := range x.At(row.Mul(c(cols)).Add(at)).LoadVec(4) {
				sum[i] = sum[i].Add(v)
			}
		}
		k.ClusterWait()
		first := c(0)
		parts.At(rank.Mul(c(cols)).Add(at)).InBlock(first).StoreAsyncVec(sum, came.InBlock(first))
		k.If(rank.Equal(c(0)), func() {
			came.Wait(c(0), ir.ScopeCluster)
			total := parts.At(at).LoadVec(4)
			for r := 1; r < blocks; r++ {
				for i, v := range parts.AtConst(r * cols).At(at).LoadVec(4) {
					total[i] = total[i].Add(v)
				}
			}
			y.At(k.ClusterIDX().Mul(c(cols)).Add(at)).StoreVec(total)
		}) // the first block ends when every byte has come; nobody needs the others any more
	})
	if err != nil {
		return nil, err
	}
	value := small(6, 10)
	return &Subject{Name: k.Name, About: "partial sums sent to the first block of a cluster by st.async",
		Buffers: []Buffer{in("x", op.F32, []int{grid * blocks * rows, cols}, value), out("y", op.F32, []int{grid, cols}, func(i int) float64 {
			sum := 0.0
			for r := range blocks * rows {
				sum += value((i/cols*blocks*rows+r)*cols + i%cols)
			}
			return sum
		})},
		Launches: []Launch{{k, [3]int{grid * blocks, 1, 1}, []Arg{buffer("x"), buffer("y")}}}}, nil
}

// multicastRing brings every box to both blocks of a cluster, each of which copies one half. A stage is empty when the
// readers of both blocks have left it.
func multicastRing() (*Subject, error) {
	const stages, rows, cols, boxes = 2, 16, 32, 6
	const half = rows / 2 * cols
	k, err := build("multicast_ring", ir.Contract{Block: [3]int{160}, Cluster: [3]int{2, 1, 1}}, func(k *ir.Kernel) {
		m := ir.TensorMapParam(k, "m", ir.Constant)
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
		tile := ir.SharedArray[ir.F32](k, "tile", stages*rows*cols, 128)
		r, c, rank := newRing(k, stages), k.ConstU32, k.ClusterCTARank()
		r.init(2 * 4)
		k.ClusterBarrier()
		box := func(p cursor) ir.Shared[ir.F32] { return tile.At(p.stage.Get().Mul(c(rows * cols))) }
		k.If(k.InWarps(4, 1), func() {
			k.If(k.Elect(), func() {
				p := r.producer()
				for i := range k.Loop(c(0), c(boxes), c(1), ir.NoUnroll) {
					p.waitEmptyCluster()
					full := r.full.At(p.stage.Get())
					full.ArriveExpect(c(rows * cols * 4)) // both halves
					row := i.Mul(c(rows)).Add(rank.Mul(c(rows / 2)))
					ir.TensorLoad(box(p).At(rank.Mul(c(half))), m, full, []ir.S32{k.ConstS32(0), signed(row)}, ir.Multicast(k.ConstU16(3)))
					p.advance()
				}
			})
			k.SyncWarp() // the cluster's barrier wants the whole warp
		}).Else(func() {
			p := r.consumer()
			at := k.TIDX().ShiftLeft(c(2))
			for i := range k.Loop(c(0), c(boxes), c(1), ir.NoUnroll) {
				p.waitFullCluster()
				v := box(p).At(at).LoadVec(4)
				for j := range v {
					v[j] = v[j].Add(rank.ConvertToF32())
				}
				perWarp(k, func() {
					for to := range 2 {
						r.empty.At(p.stage.Get()).InBlock(c(uint32(to))).Arrive()
					}
				})
				y.At(rank.Mul(c(boxes)).Add(i).Mul(c(rows * cols)).Add(at)).StoreVec(v)
				p.advance()
			}
		})
		k.ClusterBarrier() // no block ends while the other may signal it
	})
	if err != nil {
		return nil, err
	}
	value := small(9, 9)
	return &Subject{Name: k.Name, About: "multicast tensor copies into both blocks of a cluster, arrivals across blocks",
		Buffers: []Buffer{in("x", op.F32, []int{boxes * rows, cols}, value), out("y", op.F32, []int{2, boxes * rows, cols}, func(i int) float64 {
			return value(i%(boxes*rows*cols)) + float64(i/(boxes*rows*cols))
		})},
		Maps:     []Map{matrixMap("m", "x", emulate.MapF32, 4, boxes*rows, cols, rows/2, cols, emulate.SwizzleNone)},
		Launches: []Launch{{k, [3]int{2, 1, 1}, []Arg{tensor("m"), buffer("y")}}}}, nil
}

func (c cursor) waitFullCluster() { c.full.At(c.stage.Get()).Wait(c.parity.Get(), ir.ScopeCluster) }
func (c cursor) waitEmptyCluster() {
	c.empty.At(c.stage.Get()).Wait(c.parity.Get(), ir.ScopeCluster)
}
