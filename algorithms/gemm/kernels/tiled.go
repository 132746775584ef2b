package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Order is how the warpgroups of a block share its work.
type Order string

// Orders.
const (
	// Cooperate divides the rows of one tile among the warpgroups.
	Cooperate Order = ""
	// PingPong gives each warpgroup a tile of its own: one stores while the other multiplies.
	PingPong Order = "PP"
)

// Shared is the factor whose tile the blocks of a cluster copy once for all of them.
type Shared string

// Shared factors.
const (
	ShareB Shared = ""  // tiles above one another
	ShareA Shared = "A" // neighbours in a row of tiles
)

// Tiled is a variant of the tiled product: what a block computes, and how.
type Tiled struct {
	In, Out lib.Format
	M, N    int // of a tile of the product
	Order   Order
	Groups  int // warpgroups that multiply
	Cluster int // blocks that share a tile
	Share   Shared
	Stages  int
	Finish  Finish
	ByK     bool // B is [K,N]
}

// tiledRowBytes is what a stage holds of each row of A and B: the widest swizzle.
const tiledRowBytes = 128

// K is how many columns of A and B a stage holds.
func (v Tiled) K() int { return tiledRowBytes / v.In.Bytes() }

// VariantName is BF16_BF16_128x256_C2, with A, PP, the epilogue and KN where they are not the plain ones.
func (v Tiled) VariantName() string {
	s := fmt.Sprintf("%s_%s_%dx%d_C%d%s", v.In, v.Out, v.M, v.N, v.Cluster, v.Share)
	for _, part := range []string{string(v.Order), string(v.Finish)} {
		if part != "" {
			s += "_" + part
		}
	}
	if v.ByK {
		s += "_KN"
	}
	return s
}

// rows is how many a warpgroup multiplies.
func (v Tiled) rows() int {
	if v.Order == PingPong {
		return v.M
	}
	return v.M / v.Groups
}

func (v Tiled) a() tile.Layout {
	return tile.Layout{Format: v.In, Rows: v.M, Cols: v.K(), Swizzle: ir.Swizzle128B, Stages: v.Stages}
}

func (v Tiled) b() tile.Layout {
	l := tile.Layout{Format: v.In, Rows: v.N, Cols: v.K(), Swizzle: ir.Swizzle128B, Stages: v.Stages}
	if v.ByK {
		l.Major = tile.ColumnMajor
	}
	return l
}

// storeStages is how many parts of the result a warpgroup has on their way: a number that divides all of them.
func (v Tiled) storeStages() int {
	parts := v.rows() / 64 * v.N / v.part()
	for _, n := range []int{2, 3} {
		if parts%n == 0 {
			return n
		}
	}
	return 1
}

func (v Tiled) d() tile.Layout {
	cols := v.part()
	if v.Finish == SwiGLU { // a part of the product gives half as many columns
		cols /= 2
	}
	widths := map[int]ir.Swizzle{128: ir.Swizzle128B, 64: ir.Swizzle64B, 32: ir.Swizzle32B}
	return tile.Layout{Format: v.Out, Rows: 64, Cols: cols, Swizzle: widths[cols*v.Out.Bytes()], Stages: v.storeStages() * v.Groups}
}

// part is how many columns of the product are finished at a time: a swizzle's width that divides the tile, half of it where
// the accumulator leaves few registers.
func (v Tiled) part() int {
	cols := 128 / v.Out.Bytes()
	if v.rows()*v.N > 64*256 {
		cols /= 2
	}
	for v.N%cols != 0 {
		cols /= 2
	}
	return cols
}

// clusterRows and clusterColumns are the tiles of a cluster.
func (v Tiled) clusterRows() int {
	if v.Share == ShareA {
		return 1
	}
	return v.Cluster
}

func (v Tiled) clusterColumns() int { return v.Cluster / v.clusterRows() }

func (v Tiled) contract() ir.Contract {
	c := ir.Contract{Block: [3]int{128 * (1 + v.Groups)}, DynamicSharedBytes: tile.Bytes(2*v.Stages+v.Groups, v.a(), v.b(), v.d()), ProgrammaticLaunch: true}
	if v.Cluster > 1 {
		c.Cluster = [3]int{v.Cluster, 1, 1}
	}
	return c
}

// registers of the threads that copy and that multiply: all that three, or two, warpgroups can have.
func (v Tiled) registers() (copies, math int) {
	if v.Groups == 1 {
		return 0, 0
	}
	return 24, 240
}

// TiledMatmul multiplies tiles with wgmma.
var TiledMatmul = ir.Algorithm[Tiled]{
	Name:     "OxideSm90MatmulTiled",
	Doc:      "Tiles by wgmma: one warpgroup copies boxes of A and B through a ring of stages, the others multiply; blocks stay and take tile after tile.",
	Variants: tiledVariants(),
	Contract: Tiled.contract,
	Kernel:   tiled,
}

// matmul is one kernel under construction.
type matmul struct {
	k            *ir.Kernel
	v            Tiled
	blk          *tile.Block
	a, b, d      *tile.Tensor
	ta, tb, td   *tile.Shared
	raster       *tile.Raster
	ring         *tile.Ring
	depth        ir.U32 // stages' worth of K
	copies, math *tile.Role
	turns        *tile.Turns
	rank         ir.U32 // of the block in its cluster
	worker, pool ir.U32 // of the cluster, among how many
	finish       *finish
}

func newMatmul(k *ir.Kernel, v Tiled) *matmul {
	b := tile.In(k)
	copies, math := v.registers()
	g := &matmul{k: k, v: v, blk: b, a: b.Tensor("a", v.a().Slice(v.M/v.clusterColumns())), ta: b.Place("tile_a", v.a()), tb: b.Place("tile_b", v.b()), td: b.Place("tile_d", v.d()),
		copies: b.Role("copy", 1, copies), math: b.Role("multiply", v.Groups, math)}
	part := v.b().Slice(v.N / v.clusterRows()) // each block of the cluster copies its part for all
	if v.Finish == SwiGLU {
		g.b = b.ByTurns("b", part, 8, ir.Constant)
	} else {
		g.b = b.Tensor("b", part, ir.Constant)
	}
	g.d = b.Tensor("d", v.d(), ir.Writes)
	g.raster, g.depth = b.Raster(), ir.Param[ir.U32](k, "depth")
	g.finish = newFinish(k, v)
	g.ring = b.Ring("ring", g.copies, g.math, g.ta, g.tb)
	if v.Order == PingPong {
		g.ring.ByTurns()
		g.turns = b.Turns("turns", g.math)
	}
	g.rank, g.worker, g.pool = k.ConstU32(0), k.CTAIDX(), k.NCTAIDX()
	if v.Cluster > 1 {
		g.rank, g.worker, g.pool = k.ClusterCTARank(), k.ClusterIDX(), k.NClusterIDX()
	}
	return g
}

func tiled(k *ir.Kernel, v Tiled) {
	g := newMatmul(k, v)
	k.GridDependencyLaunch()
	g.blk.Ready()
	g.copies.Do(g.copy)
	g.math.Do(g.multiply)
	g.blk.Run()
}

func (g *matmul) c(n int) ir.U32 { return g.k.ConstU32(uint32(n)) }

// firstRow and firstColumn are where a tile of the raster begins for this block.
func (g *matmul) firstRow(row ir.U32) ir.U32 {
	if n := g.v.clusterRows(); n > 1 {
		row = row.Mul(g.c(n)).Add(g.rank)
	}
	return row.Mul(g.c(g.v.M))
}

func (g *matmul) firstColumn(col ir.U32) ir.U32 {
	if n := g.v.clusterColumns(); n > 1 {
		col = col.Mul(g.c(n)).Add(g.rank)
	}
	return col.Mul(g.c(g.v.N))
}

// copy fills the ring: all of K for one tile after the other. B is constant: its first tiles come while the launch before
// this one still runs.
func (g *matmul) copy() {
	g.copies.One(func() {
		g.a.Prefetch()
		g.b.Prefetch()
		fill := g.ring.Fill()
		lead := ir.Select(g.worker.Less(g.raster.Tiles()), g.depth.Min(g.c(g.v.Stages)), g.c(0))
		row, col := g.raster.At(g.worker)
		fill.Lead(lead, g.tb, func(i ir.U32, s *tile.Slot) { g.copyB(s, col, i) }, func(i ir.U32, s *tile.Slot) { g.copyA(s, row, i) })
		from := ir.NewVar(lead)
		for row, col := range g.raster.Each(g.worker, g.pool) {
			for i := range g.k.Loop(from.Get(), g.depth, g.c(1), ir.NoUnroll) {
				s := fill.Acquire()
				g.copyA(s, row, i)
				g.copyB(s, col, i)
				fill.Advance()
			}
			from.Set(g.c(0))
		}
		fill.Drain()
	})
	g.k.GridDependencyWait()
}

// copyA and copyB copy a stage's part of a row, or a column, of tiles.
func (g *matmul) copyA(s *tile.Slot, row, i ir.U32) {
	g.copyTile(s, g.a, g.ta, g.firstRow(row), i, g.v.clusterColumns())
}

func (g *matmul) copyB(s *tile.Slot, col, i ir.U32) {
	g.copyTile(s, g.b, g.tb, g.firstColumn(col), i, g.v.clusterRows())
}

// copyTile copies a tile, or this block's part of what so many blocks share.
func (g *matmul) copyTile(s *tile.Slot, from *tile.Tensor, to *tile.Shared, at, i ir.U32, blocks int) {
	k := i.Mul(g.c(g.v.K()))
	if blocks == 1 {
		s.Load(s.Tile(to), from, at, k)
		return
	}
	part := to.Layout().Rows / blocks
	s.LoadAll(s.Tile(to).RowsFrom(g.rank, part), from, at.Add(g.rank.Mul(g.c(part))), k)
}

// multiply sums a tile in registers, stage by stage, and finishes it. One product stays in flight while the next stage is
// waited for.
func (g *matmul) multiply() {
	g.k.GridDependencyWait()
	acc, use := g.blk.Accumulator("acc", g.v.rows(), g.v.N), g.ring.Use()
	out, wg := g.blk.Staging(g.math, g.td, g.d), g.math.Warpgroup()
	for row, col := range g.mine(use) {
		g.take()
		for i := range g.k.Loop(g.c(0), g.depth, g.c(1), ir.NoUnroll) {
			s := use.Acquire()
			acc.MulAddWhere(i.NotEqual(g.c(0)), g.part(s.Tile(g.ta), wg), s.Tile(g.tb))
			use.Retire()
		}
		g.give()
		use.Finish()
		m := g.firstRow(row)
		if g.v.Order == Cooperate {
			m = m.Add(wg.Mul(g.c(g.v.rows())))
		}
		g.store(acc, out, m, g.firstColumn(col))
		g.skip(use)
	}
	out.Finish()
}

// part is what a warpgroup multiplies of A's tile.
func (g *matmul) part(a *tile.Shared, wg ir.U32) *tile.Shared {
	if g.v.Order == PingPong {
		return a
	}
	return a.RowsFrom(wg, g.v.rows())
}

// mine deals the tiles out: with PingPong every second one of the block's, and the stages of the others are skipped.
func (g *matmul) mine(use *tile.Cursor) func(yield func(row, col ir.U32) bool) {
	if g.v.Order != PingPong {
		return g.raster.Each(g.worker, g.pool)
	}
	g.turns.Begin()
	wg := g.math.Warpgroup()
	use.Skip(wg.Mul(g.depth))
	return g.raster.Each(wg.MulAdd(g.pool, g.worker), g.pool.Mul(g.c(g.v.Groups)))
}

func (g *matmul) skip(use *tile.Cursor) {
	if g.v.Order == PingPong {
		use.Skip(g.depth.Mul(g.c(g.v.Groups - 1)))
	}
}

func (g *matmul) take() {
	if g.turns != nil {
		g.turns.Take()
	}
}

func (g *matmul) give() {
	if g.turns != nil {
		g.turns.Give()
	}
}

// store finishes the accumulator part by part, and copies each to D.
func (g *matmul) store(acc *tile.Accumulator, out *tile.Staging, m, n ir.U32) {
	for i := range g.v.rows() / 64 {
		row := m.Add(g.c(64 * i))
		factor := g.finish.factors(row, acc)
		for at := 0; at < g.v.N; at += g.v.part() {
			v := g.finish.apply(acc.Values(i, at, g.v.part()), row, n, factor)
			col := n.Add(g.c(at))
			if g.v.Finish == SwiGLU {
				col = col.ShiftRight(g.c(1))
			}
			out.Write(v, row, col)
		}
	}
}
