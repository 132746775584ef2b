package subjects

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// cpAsyncRing streams rows through three stages of cp.async and writes each backwards, so that threads read what others
// copied. The last rows of the grid's stride are filled with zeros instead of read.
func cpAsyncRing() (*Subject, error) {
	const stages, row, rows = 3, 512, 10
	k, err := build("cp_async_ring", ir.Contract{Block: [3]int{128}}, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
		n := ir.Param[ir.U32](k, "n") // rows that x has
		tile := ir.SharedArray[ir.F32](k, "tile", stages*row, 16)
		c, t := k.ConstU32, k.TIDX()
		at := t.ShiftLeft(c(2))
		fetch := func(r, stage ir.U32) {
			bytes := ir.Select(r.Less(n), c(16), c(0))
			from := ir.Select(r.Less(n), r, c(0))
			ir.CopyAsync(tile.At(stage.Mul(c(row)).Add(at)), x.At(from.Mul(c(row)).Add(at)), 16, ir.CG, ir.SourceBytes(bytes))
			k.CopyAsyncCommit()
		}
		for i := range stages - 1 {
			fetch(c(uint32(i)), c(uint32(i)))
		}
		read, write := ir.NewVar(c(0)), ir.NewVar(c(stages-1))
		step := func(v ir.Var[ir.U32]) {
			next := v.Get().Add(c(1))
			v.Set(ir.Select(next.Equal(c(stages)), c(0), next))
		}
		for r := range k.Loop(c(0), c(rows), c(1), ir.NoUnroll) {
			k.CopyAsyncWait(stages - 2)
			k.Barrier() // everybody's part has come, and everybody has left the stage that is filled next
			fetch(r.Add(c(stages-1)), write.Get())
			back := c(row - 4).Sub(at)
			v := tile.At(read.Get().Mul(c(row)).Add(back)).LoadVec(4)
			y.At(r.Mul(c(row)).Add(at)).StoreVec(ir.Vec[ir.F32]{v[3], v[2], v[1], v[0]})
			step(read)
			step(write)
		}
		k.CopyAsyncWaitAll()
	})
	if err != nil {
		return nil, err
	}
	const has = 8
	value := small(3, 9)
	return &Subject{Name: k.Name, About: "cp.async with zero fill in a ring of three stages",
		Buffers: []Buffer{in("x", op.F32, []int{has, row}, value), out("y", op.F32, []int{rows, row}, func(i int) float64 {
			r, col := i/row, i%row
			if r >= has {
				return 0
			}
			return value(r*row + row - 1 - col)
		})},
		Launches: []Launch{{k, [3]int{1, 1, 1}, []Arg{buffer("x"), buffer("y"), {Word: has}}}}}, nil
}

// tmaRing streams boxes of a matrix through a ring: one thread of the last warp copies, four warps compute 2x + 1. Boxes
// reach over the matrix's edge; what lies outside comes as zeros.
func tmaRing() (*Subject, error) {
	const stages, boxRows, boxCols, boxes, width = 3, 8, 64, 7, 60
	k, err := build("tma_ring", ir.Contract{Block: [3]int{160}}, func(k *ir.Kernel) {
		m := ir.TensorMapParam(k, "m", ir.Constant)
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
		tile := ir.SharedArray[ir.F32](k, "tile", stages*boxRows*boxCols, 128)
		r, c := newRing(k, stages), k.ConstU32
		r.init(4)
		k.Barrier()
		box := func(p cursor) ir.Shared[ir.F32] { return tile.At(p.stage.Get().Mul(c(boxRows * boxCols))) }
		k.If(k.InWarps(4, 1), func() {
			k.If(k.Elect(), func() {
				m.Prefetch()
				p := r.producer()
				for i := range k.Loop(c(0), c(boxes), c(1), ir.NoUnroll) {
					p.waitEmpty()
					full := r.full.At(p.stage.Get())
					full.ArriveExpect(c(boxRows * boxCols * 4))
					row := i.Add(k.CTAIDX().Mul(c(boxes))).Mul(c(boxRows))
					ir.TensorLoad(box(p), m, full, []ir.S32{k.ConstS32(0), signed(row)}, ir.BoxBytes(boxRows*boxCols*4))
					p.advance()
				}
			})
		}).Else(func() {
			p := r.consumer()
			at := k.TIDX().ShiftLeft(c(2))
			for i := range k.Loop(c(0), c(boxes), c(1), ir.NoUnroll) {
				p.waitFull()
				v := box(p).At(at).LoadVec(4)
				for j := range v {
					v[j] = v[j].MulAdd(k.ConstF32(2), k.ConstF32(1))
				}
				perWarp(k, func() { r.empty.At(p.stage.Get()).Arrive() })
				tileIndex := i.Add(k.CTAIDX().Mul(c(boxes)))
				y.At(tileIndex.Mul(c(boxRows * boxCols)).Add(at)).StoreVec(v)
				p.advance()
			}
		})
	})
	if err != nil {
		return nil, err
	}
	const grid = 2
	rows := grid*boxes*boxRows - 5
	value := small(5, 8)
	return &Subject{Name: k.Name, About: "a ring of tensor copies with full and empty mbarriers; boxes over the edge",
		Buffers: []Buffer{in("x", op.F32, []int{rows, width}, value), out("y", op.F32, []int{grid * boxes * boxRows, boxCols}, func(i int) float64 {
			r, col := i/boxCols, i%boxCols
			if r >= rows || col >= width {
				return 1
			}
			return 2*value(r*width+col) + 1
		})},
		Maps:     []Map{matrixMap("m", "x", emulate.MapF32, 4, rows, width, boxRows, boxCols, emulate.SwizzleNone)},
		Launches: []Launch{{k, [3]int{grid, 1, 1}, []Arg{tensor("m"), buffer("y")}}}}, nil
}

// bulkStoreReduce lets threads make a tile, and one thread store it and add it to a sum over all blocks.
func bulkStoreReduce() (*Subject, error) {
	const n, grid = 512, 6
	k, err := build("bulk_store_reduce", ir.Contract{Block: [3]int{128}}, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
		sum := ir.GlobalParam[ir.F32](k, "sum", ir.Writes, ir.Aligned(16))
		most := ir.GlobalParam[ir.S32](k, "most", ir.Writes, ir.Aligned(16))
		tile := ir.SharedArray[ir.F32](k, "tile", n, 16)
		whole := ir.SharedArray[ir.S32](k, "whole", n, 16)
		c, b := k.ConstU32, k.CTAIDX()
		at := k.TIDX().ShiftLeft(c(2))
		v := x.At(at).LoadVec(4)
		ints := make(ir.Vec[ir.S32], len(v))
		for i := range v {
			v[i] = v[i].Mul(b.ConvertToF32())
			ints[i] = v[i].ConvertToS32()
		}
		tile.At(at).StoreVec(v)
		whole.At(at).StoreVec(ints)
		k.FenceProxyAsync(ir.ProxyShared) // each thread for what it wrote, before the barrier
		k.Barrier()
		oneOf(k, 0, func() {
			ir.BulkStore(y.At(b.Mul(c(n))), tile, c(n*4))
			k.BulkCommit()
			ir.BulkReduce(ir.RedAdd, sum, tile, c(n*4))
			ir.BulkReduce(ir.RedMax, most, whole, c(n*4))
			k.BulkCommit()
			k.BulkWait(0)
		})
	})
	if err != nil {
		return nil, err
	}
	value := small(1, 7)
	return &Subject{Name: k.Name, About: "fence.proxy.async, then bulk stores and reductions in groups",
		Buffers: []Buffer{in("x", op.F32, []int{n}, value),
			out("y", op.F32, []int{grid, n}, func(i int) float64 { return value(i%n) * float64(i/n) }),
			inout("sum", op.F32, []int{n}, small(2, 5), func(i int) float64 { return small(2, 5)(i) + value(i)*grid*(grid-1)/2 }),
			inout("most", op.S32, []int{n}, func(int) float64 { return -3 }, func(i int) float64 { return max(0, value(i)*(grid-1)) })},
		Launches: []Launch{{k, [3]int{grid, 1, 1}, []Arg{buffer("x"), buffer("y"), buffer("sum"), buffer("most")}}}}, nil
}

// namedTurns passes two buffers between two warps that fill and two that read, with named barriers only: full 1 and 2,
// empty 3 and 4.
func namedTurns() (*Subject, error) {
	const n, rounds = 64, 6
	k, err := build("named_turns", ir.Contract{Block: [3]int{128}}, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.S32](k, "x", ir.Constant)
		y := ir.GlobalParam[ir.S32](k, "y", ir.Writes)
		buf := ir.SharedArray[ir.S32](k, "buf", 2*n, 0)
		c := k.ConstU32
		const full, empty, all = 1, 3, 128
		k.If(k.InWarps(0, 2), func() {
			t := k.TIDX()
			for i := range k.Loop(c(0), c(rounds), c(2), ir.NoUnroll) {
				for side := range 2 {
					k.BarrierNamed(empty+side, all)
					v := x.At(i.Add(c(uint32(side))).Mul(c(n)).Add(t)).Load()
					buf.AtConst(side * n).At(t).Store(v.Add(i.AsS32()))
					k.BarrierArrive(full+side, all)
				}
			}
		}).Else(func() {
			t := k.TIDX().Sub(c(n))
			for side := range 2 {
				k.BarrierArrive(empty+side, all)
			}
			for i := range k.Loop(c(0), c(rounds), c(2), ir.NoUnroll) {
				for side := range 2 {
					k.BarrierNamed(full+side, all)
					v := buf.AtConst(side * n).At(c(n - 1).Sub(t)).Load()
					y.At(i.Add(c(uint32(side))).Mul(c(n)).Add(t)).Store(v)
					last := i.Equal(c(rounds - 2)) // nobody fills it again
					k.If(last.Not(), func() { k.BarrierArrive(empty+side, all) })
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	value := small(4, 11)
	return &Subject{Name: k.Name, About: "a double buffer between warps, by named barriers",
		Buffers: []Buffer{in("x", op.S32, []int{rounds, n}, value), out("y", op.S32, []int{rounds, n}, func(i int) float64 {
			r, col := i/n, i%n
			return value(r*n+n-1-col) + float64(r&^1)
		})},
		Launches: []Launch{{k, [3]int{1, 1, 1}, []Arg{buffer("x"), buffer("y")}}}}, nil
}
