package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Sizes of the gemv kernels that the host plans with.
const (
	GemvMaxM = 8  // rows of a: the columns of a product
	GemvRows = 16 // weight rows that a block multiplies at once
	GemvPad  = 64 // bytes between rows in a stage: eight lanes of a load then read all banks
)

const (
	gemvWarps  = 8                    // that multiply; each takes every eighth step of a row
	gemvStep   = 64                   // bytes of a row in a step: four lanes of 16
	gemvStride = gemvStep * gemvWarps // from a warp's step to its next
	gemvPitch  = GemvRows + 4         // floats from row to row of a warp's sums: stores meet no bank twice
	gemvPart   = GemvMaxM * gemvPitch // floats of a warp's sums
)

// GemvVariant is one shape of the kernel for up to eight rows of a.
type GemvVariant struct {
	In     lib.Format
	Steps  int // of a warp in a stage
	Stages int // at most: a launch makes as many as fit into the ring
	Ring   int // bytes; with the sums, all that a block can have
	Blocks int // on a multiprocessor
}

// VariantName is BF16.
func (v GemvVariant) VariantName() string { return string(v.In) }

// ChunkBytes is the most of a row in a stage.
func (v GemvVariant) ChunkBytes() int { return v.Steps * gemvStride }

// MatmulGemv is the product for at most eight rows of a. A block owns some weight rows, with all of K: bulk copies stream
// them through a ring, and eight warps share K. Nothing that a launch reads of the one before is waited for until the ring is
// full of weights.
var MatmulGemv = ir.Algorithm[GemvVariant]{
	Name:     "OxideSm90MatmulGemv",
	Doc:      "Up to 8 rows of a: weight rows stream through a ring of bulk copies and are multiplied by mma.sync, K shared by eight warps.",
	Variants: []GemvVariant{{lib.BF16, 6, 12, 104704, 2}, {lib.F16, 6, 12, 104704, 2}, {lib.E4M3, 2, 12, 65920, 3}},
	Contract: func(v GemvVariant) ir.Contract {
		return ir.Contract{Block: [3]int{32 * (gemvWarps + 1), 1, 1}, DynamicSharedBytes: v.Ring, MinBlocksPerSM: v.Blocks, ProgrammaticLaunch: true}
	},
	Kernel: func(k *ir.Kernel, v GemvVariant) { newGemv(k, v).run() },
}

type gemv struct {
	few
	v                GemvVariant
	a, b             ir.Global[ir.U8]
	aStride, bStride ir.U64 // bytes
	rowBytes         ir.U32
	each, rest       ir.U32 // pairs of weight rows of a block; the first blocks have one more
	passRows         ir.U32
	chunk, pitch     ir.U32 // bytes of a row in a stage, and from row to row there
	stageBytes       ir.U32
	ring             ir.Shared[ir.U8]
	stages           *stages
	parts            ir.Shared[ir.F32] // two buffers of every warp's sums
}

func newGemv(k *ir.Kernel, v GemvVariant) *gemv {
	g := &gemv{v: v}
	g.a = ir.GlobalParam[ir.U8](k, "a", ir.Aligned(16))
	g.b = ir.GlobalParam[ir.U8](k, "b", ir.Constant, ir.Aligned(16))
	g.aStride, g.bStride = ir.Param[ir.U64](k, "a_stride"), ir.Param[ir.U64](k, "b_stride")
	g.rowBytes = ir.Param[ir.U32](k, "row_bytes")
	g.each, g.rest, g.passRows = ir.Param[ir.U32](k, "each"), ir.Param[ir.U32](k, "rest"), ir.Param[ir.U32](k, "pass_rows")
	g.chunk, g.pitch = ir.Param[ir.U32](k, "chunk"), ir.Param[ir.U32](k, "pitch")
	g.stageBytes = ir.Param[ir.U32](k, "stage_bytes")
	n := ir.Param[ir.U32](k, "stages")
	g.few = fewParams(k, v.In)
	g.ring = ir.DynamicShared[ir.U8](k, 128)
	g.stages = &stages{k, v.Stages, n, ir.MBarriers(k, "full", v.Stages), ir.MBarriers(k, "empty", v.Stages)}
	g.parts = ir.SharedArray[ir.F32](k, "parts", 2*gemvWarps*gemvPart, 16)
	return g
}

func (g *gemv) run() {
	k, c := g.k, g.k.ConstU32
	k.GridDependencyLaunch()
	k.If(k.TIDX().Equal(c(32*gemvWarps)), func() {
		g.stages.init(1, gemvWarps)
		k.FenceMBarrierInit()
	})
	block := k.CTAIDX()
	first := block.MulAdd(g.each, block.Min(g.rest)).ShiftLeft(c(1))
	rows := g.each.Add(ir.Select(block.Less(g.rest), c(1), c(0))).ShiftLeft(c(1)).Min(g.columns.Sub(first))
	k.Barrier()
	k.If(k.InWarps(gemvWarps, 1), func() {
		g.copy(first, rows)
		k.GridDependencyWait()
	}).Else(func() {
		k.GridDependencyWait()
		g.multiply(first, rows)
	})
}

// walk visits the stages in order: passes over the block's rows, and in each the chunks of a row.
func (g *gemv) walk(rows ir.U32, p spot, pass func(row, here ir.U32, chunks func(visit func(at, valid ir.U32)))) {
	k, c := g.k, g.k.ConstU32
	for row := range k.Loop(c(0), rows, g.passRows, ir.NoUnroll) {
		pass(row, rows.Sub(row).Min(g.passRows), func(visit func(at, valid ir.U32)) {
			for at := range k.Loop(c(0), g.rowBytes, g.chunk, ir.NoUnroll) {
				visit(at, g.rowBytes.Sub(at).Min(g.chunk))
				p.advance()
			}
		})
	}
}

func (g *gemv) stage(p spot) ir.Shared[ir.U8] {
	return g.ring.At(p.at.Get().Mul(g.stageBytes))
}

// copy streams the block's weight rows; each lane asks for one of a pass.
func (g *gemv) copy(first, rows ir.U32) {
	k, lane, policy := g.k, g.k.LaneID(), g.k.Policy(ir.EvictFirst)
	b := g.b.At(first.ConvertToU64().Mul(g.bStride))
	p := g.stages.writer()
	g.walk(rows, p, func(row, here ir.U32, chunks func(func(at, valid ir.U32))) {
		mine := row.Add(lane).ConvertToU64().Mul(g.bStride)
		chunks(func(at, valid ir.U32) {
			p.waitEmpty()
			k.If(k.Elect(), func() { p.filled().ArriveExpect(here.Mul(valid)) })
			k.SyncWarp()
			k.If(lane.Less(here), func() {
				ir.BulkLoad(g.stage(p).At(lane.Mul(g.pitch)), b.At(mine.Add(at.ConvertToU64())), valid, p.filled(), policy)
			})
		})
	})
}

// multiply is what the other warps do. Lane 4g+t holds chunk t of weight rows g and g+8 and of row g of a: K is permuted alike
// on both sides, so that every operand is 16 bytes as they lie in memory (fragments: PTX ISA 9.7.14.5.8).
func (g *gemv) multiply(first, rows ir.U32) {
	k, c := g.k, g.k.ConstU32
	lane, warp := k.LaneID(), k.TIDX().ShiftRight(c(5))
	group, t := lane.ShiftRight(c(2)), lane.And(c(3))
	mine := warp.ShiftLeft(c(6)).Add(t.ShiftLeft(c(4)))
	a := g.a.At(group.Min(g.m.Sub(c(1))).ConvertToU64().MulAdd(g.aStride, mine.ConvertToU64()))
	p, buffer := g.stages.reader(), ir.NewVar(c(0))
	g.walk(rows, p, func(row, here ir.U32, chunks func(func(at, valid ir.U32))) {
		var acc [4]ir.Var[ir.F32]
		for i := range acc {
			acc[i] = ir.NewVar(k.ConstF32(0))
		}
		scale := g.scaled(g.scaleA(k.TIDX().ShiftRight(c(4))), g.scaleB(first.Add(row).Add(k.TIDX().And(c(GemvRows-1)))))
		low := group.Min(here.Sub(c(1))).MulAdd(g.pitch, mine)
		high := group.Add(c(8)).Min(here.Sub(c(1))).MulAdd(g.pitch, mine)
		chunks(func(at, valid ir.U32) {
			x := g.loadA(ir.Cast[ir.BF16x2](a.At(at)), mine, valid)
			p.waitFull()
			g.step(p, x, low, high, mine, valid, &acc)
			p.release()
		})
		g.finish(acc, buffer.Get(), first.Add(row), here, scale)
		buffer.Set(buffer.Get().Xor(c(1)))
	})
}

// inside tells whether a lane's chunk of step u lies in the part of a row that the stage holds.
func (g *gemv) inside(u int, mine, valid ir.U32) ir.Pred {
	return mine.Add(g.k.ConstU32(uint32(gemvStride * u))).Less(valid)
}

func (g *gemv) zeros() ir.Vec[ir.BF16x2] {
	z := ir.ConstBits[ir.BF16x2](g.k, 0)
	return ir.Vec[ir.BF16x2]{z, z, z, z}
}

// loadA reads the lane's chunks of a, from L2, while the stage is still being filled.
func (g *gemv) loadA(a ir.Global[ir.BF16x2], mine, valid ir.U32) []ir.Vec[ir.BF16x2] {
	x := make([]ir.Vec[ir.BF16x2], g.v.Steps)
	for u := range x {
		x[u] = a.AtByteConst(gemvStride*u).LoadVecIf(g.inside(u, mine, valid), g.zeros())
	}
	return x
}

// step multiplies a stage. Behind the end of a row both factors are zero.
func (g *gemv) step(p spot, x []ir.Vec[ir.BF16x2], low, high, mine, valid ir.U32, acc *[4]ir.Var[ir.F32]) {
	stage := ir.CastShared[ir.BF16x2](g.stage(p))
	for u := range x {
		load := func(from ir.U32) ir.Vec[ir.BF16x2] {
			return stage.AtByte(from).AtByteConst(gemvStride*u).LoadVecIf(g.inside(u, mine, valid), g.zeros())
		}
		w0, w1 := load(low), load(high)
		for half := 0; half < 4; half += 2 {
			sum := ir.Vec[ir.F32]{acc[0].Get(), acc[1].Get(), acc[2].Get(), acc[3].Get()}
			sum = g.mma(ir.Vec[ir.BF16x2]{w0[half], w1[half], w0[half+1], w1[half+1]}, ir.Vec[ir.BF16x2]{x[u][half], x[u][half+1]}, sum)
			for i := range sum {
				acc[i].Set(sum[i])
			}
		}
	}
}

// mma multiplies 32 bytes of each row. On this machine mma.sync turns e4m3 into f16, exactly, and adds in f32.
func (g *gemv) mma(w, x ir.Vec[ir.BF16x2], sum ir.Vec[ir.F32]) ir.Vec[ir.F32] {
	switch g.in {
	case lib.E4M3:
		return ir.MMA(ir.M16N8K32, ir.MatrixE4M3, ir.MatrixE4M3, w, x, sum)
	case lib.F16:
		return ir.MMA(ir.M16N8K16, ir.MatrixF16, ir.MatrixF16, w, x, sum)
	}
	return ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, w, x, sum)
}

// finish adds the warps' sums, in their order, and stores a pass's results. Two buffers take turns, so that one barrier a
// pass is enough.
func (g *gemv) finish(acc [4]ir.Var[ir.F32], buffer, row, here ir.U32, scale ir.F32) {
	k, c := g.k, g.k.ConstU32
	lane, warp := k.LaneID(), k.TIDX().ShiftRight(c(5))
	parts := g.parts.At(buffer.Mul(c(gemvWarps * gemvPart)))
	mine := parts.At(warp.MulAdd(c(gemvPart), lane.And(c(3)).MulAdd(c(2*gemvPitch), lane.ShiftRight(c(2)))))
	for i, v := range acc {
		mine.AtConst(i%2*gemvPitch + 8*(i/2)).Store(v.Get())
	}
	k.BarrierNamed(1, 32*gemvWarps)
	total := func(m, r ir.U32) ir.F32 {
		from := parts.At(m.MulAdd(c(gemvPitch), r))
		sum := from.Load()
		for w := 1; w < gemvWarps; w++ {
			sum = sum.Add(from.AtConst(w * gemvPart).Load())
		}
		return sum
	}
	k.If(g.plain, func() {
		m, r := k.TIDX().ShiftRight(c(4)), k.TIDX().And(c(GemvRows-1))
		k.If(m.Less(g.m).And(r.Less(here)), func() { g.out(m, row.Add(r)).Store(g.round(g.scaled(total(m, r), scale))) })
	}).Else(func() {
		const pairs = GemvRows / 2
		m, r := k.TIDX().ShiftRight(c(3)), k.TIDX().And(c(pairs-1)).ShiftLeft(c(1))
		k.If(m.Less(g.m).And(r.Less(here)), func() {
			g.pair(m, row.Add(r), [2]ir.F32{total(m, r), total(m, r.Add(c(1)))})
		})
	})
}
