package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Tile is a tiled product's variant: what a block computes, and how.
type Tile struct {
	In, Out lib.Format
	M, N    int // of the result, a block
	Cluster int // blocks above one another that share the tile of B
	Stages  int
	Columns bool // B is [K,N]: its rows lie in columns
}

// tileK is what a stage holds of each row: the widest swizzle.
const tileKBytes = 128

func (v Tile) k() int { return tileKBytes / v.In.Bytes() }

// VariantName is BF16_BF16_128x256_C2.
func (v Tile) VariantName() string {
	s := fmt.Sprintf("%s_%s_%dx%d_C%d", v.In, v.Out, v.M, v.N, v.Cluster)
	if v.Columns {
		s += "_KN"
	}
	return s
}

// warpgroups is how many multiply, 64 rows each.
func (v Tile) warpgroups() int { return v.M / 64 }

func (v Tile) a() tile.Layout {
	return tile.Layout{Format: v.In, Rows: v.M, Cols: v.k(), Swizzle: ir.Swizzle128B, Stages: v.Stages}
}

func (v Tile) b() tile.Layout {
	l := tile.Layout{Format: v.In, Rows: v.N, Cols: v.k(), Swizzle: ir.Swizzle128B, Stages: v.Stages}
	if v.Columns {
		l.Major = tile.ColumnMajor
	}
	return l
}

// storeStages is how many parts of the result a warpgroup has on their way.
const storeStages = 2

func (v Tile) d() tile.Layout {
	return tile.Layout{Format: v.Out, Rows: 64, Cols: 128 / v.Out.Bytes(), Swizzle: ir.Swizzle128B, Stages: storeStages * v.warpgroups()}
}

func (v Tile) contract() ir.Contract {
	c := ir.Contract{Block: [3]int{128 * (1 + v.warpgroups())}, DynamicSharedBytes: tile.Bytes(2*v.Stages, v.a(), v.b(), v.d())}
	if v.Cluster > 1 {
		c.Cluster = [3]int{v.Cluster, 1, 1}
	}
	return c
}

// Cooperative multiplies tiles of M×N, every warpgroup 64 rows of them.
var Cooperative = ir.Algorithm[Tile]{
	Name: "OxideSm90WgmmaGemmCooperative",
	Doc:  "D = epilogue(A·Bᵀ): one warpgroup copies, the others multiply 64 rows each of one tile.",
	Variants: []Tile{
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 256, Cluster: 2, Stages: 4},
	},
	Contract: Tile.contract,
	Kernel:   cooperative,
}

// gemm is one kernel under construction.
type gemm struct {
	k       *ir.Kernel
	v       Tile
	blk     *tile.Block
	a, b    *tile.Tensor
	d       *tile.Tensor
	ta, tb  *tile.Shared
	td      *tile.Shared
	raster  *tile.Raster
	ring    *tile.Ring
	depth   ir.U32 // stages' worth of K
	copies  *tile.Role
	math    *tile.Role
	rank    ir.U32 // of the block in its cluster
	cluster ir.U32
	count   ir.U32 // of clusters
	alpha   ir.F32
}

func newGEMM(k *ir.Kernel, v Tile) *gemm {
	b := tile.In(k)
	g := &gemm{k: k, v: v, blk: b,
		a:  b.Tensor("a", v.a(), ir.Constant),
		b:  b.Tensor("b", v.b().Slice(v.N/v.Cluster), ir.Constant),
		d:  b.Tensor("d", v.d(), ir.Writes),
		ta: b.Place("tile_a", v.a()), tb: b.Place("tile_b", v.b()), td: b.Place("tile_d", v.d()),
		copies: b.Role("copy", 1, 24), math: b.Role("multiply", v.warpgroups(), 240),
		raster: b.Raster(8), depth: ir.Param[ir.U32](k, "depth"), alpha: ir.Param[ir.F32](k, "alpha"),
	}
	g.ring = b.Ring("ring", g.copies, g.math, g.ta, g.tb)
	g.rank, g.cluster, g.count = k.ConstU32(0), k.CTAIDX(), k.NCTAIDX()
	if v.Cluster > 1 {
		g.rank, g.cluster = k.ClusterCTARank(), k.ClusterIDX()
		g.count = k.NClusterIDX()
	}
	return g
}

func cooperative(k *ir.Kernel, v Tile) {
	g := newGEMM(k, v)
	g.blk.Ready()
	g.copies.Do(g.copy)
	g.math.Do(g.multiply)
	g.blk.Run()
}

// copy fills the ring: all of K for one tile after the other.
func (g *gemm) copy() {
	k, v := g.k, g.v
	g.copies.One(func() {
		g.a.Prefetch()
		g.b.Prefetch()
		fill := g.ring.Fill()
		for row, col := range g.raster.Each(g.cluster, g.count) {
			m := row.Mul(k.ConstU32(uint32(v.Cluster))).Add(g.rank).Mul(k.ConstU32(uint32(v.M)))
			part := uint32(v.N / v.Cluster)
			n := col.Mul(k.ConstU32(uint32(v.N))).Add(g.rank.Mul(k.ConstU32(part)))
			for i := range k.Loop(k.ConstU32(0), g.depth, k.ConstU32(1), ir.NoUnroll) {
				at := i.Mul(k.ConstU32(uint32(v.k())))
				s := fill.Acquire()
				s.Load(s.Tile(g.ta), g.a, m, at)
				s.LoadAll(s.Tile(g.tb).RowsFrom(g.rank, v.N/v.Cluster), g.b, n, at)
				fill.Advance()
			}
		}
		fill.Drain()
	})
}

// multiply sums a tile in registers, 64 rows a warpgroup, and stores it.
func (g *gemm) multiply() {
	k, v := g.k, g.v
	acc := g.blk.Accumulator("acc", 64, v.N)
	use, out := g.ring.Use(), g.blk.Staging(g.math, g.td, g.d)
	wg := g.math.Warpgroup()
	for row, col := range g.raster.Each(g.cluster, g.count) {
		for i := range k.Loop(k.ConstU32(0), g.depth, k.ConstU32(1), ir.NoUnroll) {
			s := use.Acquire()
			acc.MulAddWhere(i.NotEqual(k.ConstU32(0)), s.Tile(g.ta).RowsFrom(wg, 64), s.Tile(g.tb))
			use.Retire()
		}
		use.Finish()
		m := row.Mul(k.ConstU32(uint32(v.Cluster))).Add(g.rank).Mul(k.ConstU32(uint32(v.M))).Add(wg.Mul(k.ConstU32(64)))
		n := col.Mul(k.ConstU32(uint32(v.N)))
		for at := 0; at < v.N; at += v.d().Cols {
			part := acc.Values(0, at, v.d().Cols).Map(func(x ir.F32) ir.F32 { return x.Mul(g.alpha) })
			out.Write(part, m, n.Add(k.ConstU32(uint32(at))))
		}
	}
	out.Finish()
}
