package kernels

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Skinny is one shape of the kernels for few rows of a: the factors are exchanged, so that weights are the 64 rows of a
// warpgroup's product and rows of a its columns.
type Skinny struct {
	In      lib.Format
	Columns int // rows of a, rounded up
	Split   int // blocks of a cluster, which share K
	Lines   int // of 128 bytes, of a row in a stage
	Stages  int
	Blocks  int // on a multiprocessor
}

// Sizes of the skinny kernels that the host plans with.
const (
	SkinnyRows      = 64  // weight rows of a tile
	SkinnyLineBytes = 128 // the widest swizzle
)

// VariantName is BF16_N16_S2, with _B2 where two blocks share a multiprocessor.
func (v Skinny) VariantName() string {
	name := fmt.Sprintf("%s_N%d_S%d", v.In, v.Columns, v.Split)
	if v.Blocks > 1 {
		name += fmt.Sprintf("_B%d", v.Blocks)
	}
	return name
}

// skinnyVariants are as deep as shared memory allows: 192 KB of weights in flight with 8 columns, and 96 with 64. Two blocks
// a multiprocessor are for matrices whose tiles are between one and two a multiprocessor: all run at once.
func skinnyVariants() []Skinny {
	var all []Skinny
	for _, in := range []lib.Format{lib.BF16, lib.F16} {
		all = append(all, Skinny{in, 8, 1, 4, 6, 1}, Skinny{in, 8, 2, 4, 6, 1},
			Skinny{in, 16, 1, 4, 5, 1}, Skinny{in, 16, 2, 4, 5, 1}, Skinny{in, 16, 4, 4, 5, 1}, Skinny{in, 32, 1, 4, 4, 1}, Skinny{in, 32, 2, 4, 4, 1},
			Skinny{in, 64, 1, 2, 6, 1}, Skinny{in, 64, 1, 1, 5, 2}, Skinny{in, 64, 2, 2, 5, 1}, Skinny{in, 64, 4, 2, 5, 1})
	}
	e := lib.E4M3
	return append(all, Skinny{e, 8, 1, 4, 6, 1}, Skinny{e, 8, 2, 4, 6, 1}, Skinny{e, 16, 1, 4, 5, 1}, Skinny{e, 16, 2, 4, 5, 1}, Skinny{e, 64, 1, 2, 6, 1})
}

func (v Skinny) bStage() int { return v.Lines * SkinnyRows * SkinnyLineBytes }
func (v Skinny) aStage() int { return v.Lines * v.Columns * SkinnyLineBytes }

// stagedPitch is from one column to the next of a warp's staged results, in floats: neither the accumulator's layout nor the
// reader's meets a bank more than twice.
const stagedPitch = 20

func (v Skinny) staged() int { return 4 * v.Columns * stagedPitch }

// received is how many floats a block has room for that other blocks send.
func (v Skinny) received() int {
	if v.Split == 1 {
		return 0
	}
	return SkinnyRows * v.Columns
}

// skinnyThreads are a warpgroup that multiplies, a warp that copies weights and one that copies a.
const skinnyThreads = 128 + 64

func (v Skinny) contract() ir.Contract {
	c := ir.Contract{Block: [3]int{skinnyThreads, 1, 1}, MinBlocksPerSM: v.Blocks, ProgrammaticLaunch: true}
	c.DynamicSharedBytes = v.Stages*(v.bStage()+v.aStage()+16) + 4*(v.received()+v.staged())
	if v.Split > 1 {
		c.Cluster = [3]int{v.Split, 1, 1}
		c.DynamicSharedBytes += 8
	}
	return c
}

// MatmulSkinny is the product for at most 64 rows of a. Tensor copies bring boxes of 64 weight rows and of a, and what lies
// outside of either reads as zero: any size will do, as long as every block of a cluster has a stage of K. Blocks that take all
// of K add in its order, whatever their columns: a row's bits do not depend on m.
var MatmulSkinny = ir.Algorithm[Skinny]{
	Name:     "OxideSm90MatmulSkinny",
	Doc:      "Up to 64 rows of a: weights are the rows of warpgroup products, K shared by the blocks of a cluster where tiles are few.",
	Variants: skinnyVariants(),
	Contract: Skinny.contract,
	Kernel:   func(k *ir.Kernel, v Skinny) { newSkinny(k, v).run() },
}

type skinny struct {
	few
	v             Skinny
	mapA, mapB    ir.TensorMap
	tiles, units  ir.U32 // tiles of weight rows; stages that cover K
	height        ir.U32 // weight rows from tile to tile: less than a box has where that leaves fewer blocks idle
	aRing, bRing  ir.Shared[ir.U8]
	staged, parts ir.Shared[ir.F32]
	stages        *stages
	came          ir.MBarrier // all parts of the other blocks
	acc           ir.Fragment[ir.F32]
	rank          ir.U32  // in the cluster
	first, step   ir.U32  // tiles of the block
	from, count   ir.U32  // stages of the block's part of K
	offset        ir.U32  // where in its part the block begins
	aligned       ir.Pred // pairs of results may be stored at once
}

func newSkinny(k *ir.Kernel, v Skinny) *skinny {
	s := &skinny{v: v}
	box := func(rows int) ir.Box {
		b := tile.Layout{Format: v.In, Rows: rows, Cols: SkinnyLineBytes / v.In.Bytes(), Swizzle: ir.Swizzle128B}.Box()
		b.Promotion = SkinnyLineBytes
		return b
	}
	s.mapA = ir.TensorMapParam(k, "a", box(v.Columns))
	s.mapB = ir.TensorMapParam(k, "b", ir.Constant, box(SkinnyRows))
	s.tiles = ir.Param[ir.U32](k, "tiles")
	stage := uint32(v.Lines * SkinnyLineBytes)
	s.units = ir.Param[ir.U32](k, "row_bytes").Add(k.ConstU32(stage - 1)).ShiftRight(k.ConstU32(uint32(bits.TrailingZeros32(stage))))
	s.height = ir.Param[ir.U32](k, "height")
	s.few = fewParams(k, v.In)
	s.bRing = ir.DynamicArray[ir.U8](k, "b_ring", v.Stages*v.bStage(), 1024)
	s.aRing = ir.DynamicArray[ir.U8](k, "a_ring", v.Stages*v.aStage(), 1024)
	s.staged = ir.DynamicArray[ir.F32](k, "staged", v.staged(), 16)
	if v.Split > 1 {
		s.parts = ir.DynamicArray[ir.F32](k, "parts", v.received(), 16)
		s.came = ir.MBarrierAt(ir.DynamicArray[ir.U64](k, "came", 1, 8))
	}
	bars := func(name string) ir.MBarrier { return ir.MBarrierAt(ir.DynamicArray[ir.U64](k, name, v.Stages, 8)) }
	s.stages = &stages{k, v.Stages, k.ConstU32(uint32(v.Stages)), bars("full"), bars("empty")}
	s.acc = ir.NewFragment[ir.F32](k, "acc", v.Columns/2)
	return s
}

func (s *skinny) run() {
	k, c := s.k, s.k.ConstU32
	if s.v.Split == 1 {
		// Clusters of the next launch would be placed around this one's blocks and then run side by side: they wait until all
		// weights are asked for (copyB).
		k.GridDependencyLaunch()
	}
	s.share()
	k.If(k.TIDX().Equal(c(128)), func() { s.init() })
	if s.v.Split > 1 {
		k.ClusterArrive(ir.Release)
	}
	k.Barrier()
	k.If(k.InWarpgroups(0, 1), func() {
		k.GridDependencyWait()
		s.multiply()
	}).Else(func() {
		k.If(k.InWarps(4, 1), func() {
			k.If(k.Elect(), func() { s.copyB() })
			k.GridDependencyWait()
		}).Else(func() {
			k.GridDependencyWait()
			k.If(k.Elect(), func() { s.copyA() })
		})
		if s.v.Split > 1 {
			k.SyncWarp() // the cluster's barrier wants whole warps
			k.ClusterWait()
		}
	})
}

// share finds the block's tiles and its part of K.
func (s *skinny) share() {
	k, c := s.k, s.k.ConstU32
	s.first, s.step, s.from, s.count = k.CTAIDX(), k.NCTAIDX(), c(0), s.units
	if s.v.Split > 1 {
		shift := c(uint32(bits.TrailingZeros(uint(s.v.Split))))
		s.rank, s.first = k.ClusterCTARank(), k.ClusterIDX()
		s.from = s.units.Mul(s.rank).ShiftRight(shift)
		s.count = s.units.Mul(s.rank.Add(c(1))).ShiftRight(shift).Sub(s.from)
	}
	d := s.epilogue.d.Address()
	s.aligned = d.Or(s.epilogue.dStride.ShiftLeft(c(1))).And(k.ConstU64(3)).Equal(k.ConstU64(0)).And(s.columns.And(c(1)).Equal(c(0)))
}

func (s *skinny) init() {
	k, c := s.k, s.k.ConstU32
	s.stages.init(2, 4)
	if s.v.Split > 1 {
		s.came.Init(c(1))
	}
	k.FenceMBarrierInit()
	if s.v.Split > 1 {
		s.came.ArriveExpect(c(uint32(4 * s.v.received() / s.v.Split * (s.v.Split - 1))))
	}
}

// walk visits the block's tiles, and in each the stages of its part of K.
func (s *skinny) walk(p spot, visitTile func(row ir.U32, units func(visit func(unit ir.U32, begin ir.Pred)))) {
	k, c := s.k, s.k.ConstU32
	body := func(t ir.U32) {
		visitTile(t.Mul(s.height), func(visit func(ir.U32, ir.Pred)) {
			for i := range k.Loop(c(0), s.count, c(1), ir.NoUnroll) {
				visit(s.from.Add(i), i.Equal(c(0)))
				p.advance()
			}
		})
	}
	if s.v.Split > 1 {
		body(s.first) // a cluster has one tile
		return
	}
	for t := range k.Loop(s.first, s.tiles, s.step, ir.NoUnroll) {
		body(t)
	}
}

// load brings a stage's lines of one factor.
func (s *skinny) load(p spot, m ir.TensorMap, ring ir.Shared[ir.U8], rows int, unit, row ir.U32, opts ...ir.BulkOption) {
	c := s.k.ConstU32
	line := rows * SkinnyLineBytes
	p.waitEmpty()
	p.filled().ArriveExpect(c(uint32(s.v.Lines * line)))
	to := ring.At(p.at.Get().Mul(c(uint32(s.v.Lines * line))))
	perLine := SkinnyLineBytes / s.in.Bytes()
	for l := range s.v.Lines {
		at := unit.MulAdd(c(uint32(s.v.Lines*perLine)), c(uint32(l*perLine)))
		ir.TensorLoad(to.AtConst(l*line), m, p.filled(), []ir.S32{at.AsS32(), row.AsS32()}, opts...)
	}
}

func (s *skinny) copyB() {
	policy, p := s.k.Policy(ir.EvictFirst), s.stages.writer()
	s.walk(p, func(row ir.U32, units func(func(ir.U32, ir.Pred))) {
		units(func(unit ir.U32, _ ir.Pred) { s.load(p, s.mapB, s.bRing, SkinnyRows, unit, row, policy) })
	})
	if s.v.Split > 1 {
		s.k.GridDependencyLaunch()
	}
}

func (s *skinny) copyA() {
	p := s.stages.writer()
	s.walk(p, func(_ ir.U32, units func(func(ir.U32, ir.Pred))) {
		units(func(unit ir.U32, _ ir.Pred) { s.load(p, s.mapA, s.aRing, s.v.Columns, unit, s.k.ConstU32(0)) })
	})
}

// multiply is what the warpgroup does.
func (s *skinny) multiply() {
	p := s.stages.reader()
	s.walk(p, func(row ir.U32, units func(func(ir.U32, ir.Pred))) {
		sums := s.zeroSums()
		units(func(_ ir.U32, begin ir.Pred) {
			p.waitFull()
			if s.in == lib.E4M3 {
				s.promoteStage(p, sums)
			} else {
				s.multiplyStage(p, begin)
			}
			p.release()
		})
		total := s.acc.All
		if s.in == lib.E4M3 {
			total = func() ir.Vec[ir.F32] { return values(sums) }
		}
		s.finish(total(), row)
	})
}

// line starts the four products of one line of a stage. The first drops the sum where its options say so.
func (s *skinny) line(p spot, l int, first ...ir.WGMMAOption) {
	c := s.k.ConstU32
	layout := ir.TileLayout{StrideBytes: 8 * SkinnyLineBytes, Swizzle: ir.Swizzle128B}
	w := ir.Describe(s.bRing, layout).Add(p.at.Get().Mul(c(uint32(s.v.bStage())))).AddConst(l * SkinnyRows * SkinnyLineBytes)
	x := ir.Describe(s.aRing, layout).Add(p.at.Get().Mul(c(uint32(s.v.aStage())))).AddConst(l * s.v.Columns * SkinnyLineBytes)
	kind := map[lib.Format]ir.MatrixType{lib.BF16: ir.MatrixBF16, lib.F16: ir.MatrixF16, lib.E4M3: ir.MatrixE4M3}[s.in]
	for step := 0; step < SkinnyLineBytes; step += 32 {
		ir.WGMMA(s.acc, w.AddConst(step), x.AddConst(step), kind, kind, first...)
		first = nil
	}
}

func (s *skinny) multiplyStage(p spot, begin ir.Pred) {
	s.k.WGMMAFence()
	for l := range s.v.Lines {
		if l == 0 {
			s.line(p, l, ir.AddWhere(begin.Not()))
		} else {
			s.line(p, l)
		}
	}
	s.k.WGMMACommit()
	s.k.WGMMAWait(0)
}

// promoteStage adds the sums of each line, 128 products of e4m3, in f32: the tensor core keeps fewer bits of them.
func (s *skinny) promoteStage(p spot, sums []ir.Var[ir.F32]) {
	for l := range s.v.Lines {
		s.k.WGMMAFence()
		s.line(p, l, ir.ZeroD)
		s.k.WGMMACommit()
		s.k.WGMMAWait(0)
		for i, x := range s.acc.All() {
			sums[i].Set(sums[i].Get().Add(x))
		}
	}
}

// zeroSums are the sums that e4m3 is promoted to.
func (s *skinny) zeroSums() []ir.Var[ir.F32] {
	if s.in != lib.E4M3 {
		return nil
	}
	sums := make([]ir.Var[ir.F32], s.acc.Len())
	for i := range sums {
		sums[i] = ir.NewVar(s.k.ConstF32(0))
	}
	return sums
}

func values(vars []ir.Var[ir.F32]) ir.Vec[ir.F32] {
	all := make(ir.Vec[ir.F32], len(vars))
	for i, v := range vars {
		all[i] = v.Get()
	}
	return all
}
