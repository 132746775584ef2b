package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Split is a variant of the split product: the blocks of a cluster divide K of one tile.
type Split struct {
	In, Out lib.Format
	M, N    int // of a tile
	Parts   int // of K, blocks of the cluster
	Stages  int
	Finish  Finish
}

// VariantName is BF16_BF16_64x128_S4.
func (v Split) VariantName() string {
	s := fmt.Sprintf("%s_%s_%dx%d_S%d", v.In, v.Out, v.M, v.N, v.Parts)
	if v.Finish != Linear {
		s += "_" + string(v.Finish)
	}
	return s
}

// tiled is the same tile without the division.
func (v Split) tiled() Tiled {
	return Tiled{In: v.In, Out: v.Out, M: v.M, N: v.N, Groups: v.M / 64, Cluster: 1, Stages: v.Stages, Finish: v.Finish}
}

// K is how many columns of A and B a stage holds.
func (v Split) K() int { return v.tiled().K() }

// sumStride is the distance of the rows of a block's sums in shared memory: four more than a row has, so that the eight rows
// that a warp writes at once lie in different banks.
func (v Split) sumStride() int { return v.N + 4 }

func (v Split) contract() ir.Contract {
	return ir.Contract{Block: [3]int{v.threads()}, Cluster: [3]int{v.Parts, 1, 1}, ProgrammaticLaunch: true,
		DynamicSharedBytes: tile.Bytes(2*v.Stages, v.tiled().a(), v.tiled().b()) + 16 + 4*v.M*v.sumStride()}
}

func (v Split) threads() int { return 128 * (1 + v.M/64) }

// SplitMatmul multiplies few tiles: the blocks of a cluster sum parts of K, then each adds up all sums of its share of the
// rows, in the order of the parts. There are no atomics: the result is the same in every run.
var SplitMatmul = ir.Algorithm[Split]{
	Name:     "OxideSm90MatmulSplit",
	Doc:      "Tiles by wgmma, K divided among the blocks of a cluster; sums meet in distributed shared memory, in a fixed order.",
	Variants: splitVariants(),
	Contract: Split.contract,
	Kernel:   split,
}

func split(k *ir.Kernel, v Split) {
	b, t, c := tile.In(k), v.tiled(), func(n int) ir.U32 { return k.ConstU32(uint32(n)) }
	ga, gb := b.Tensor("a", t.a()), b.Tensor("b", t.b(), ir.Constant)
	d := lib.ElementsAt(ir.GlobalParam[ir.U8](k, "d", ir.Writes, ir.Aligned(8)), v.Out)
	dStride := ir.Param[ir.U64](k, "d_stride")
	ta, tb := b.Place("tile_a", t.a()), b.Place("tile_b", t.b())
	copies, math := b.Role("copy", 1, 0), b.Role("multiply", t.Groups, 0)
	raster, depth, f := b.Raster(), ir.Param[ir.U32](k, "depth"), newFinish(k, t)
	ring := b.Ring("ring", copies, math, ta, tb).Alone()
	sums := ir.DynamicArray[ir.F32](k, "sums", v.M*v.sumStride(), 16)
	k.GridDependencyLaunch()
	b.Ready()
	rank := k.ClusterCTARank()
	row, col := raster.At(k.ClusterIDX())
	m, n := row.Mul(c(v.M)), col.Mul(c(v.N))
	from, to := depth.Mul(rank).Div(c(v.Parts)), depth.Mul(rank.Add(c(1))).Div(c(v.Parts))

	copies.Do(func() {
		copies.One(func() {
			ga.Prefetch()
			gb.Prefetch()
			fill, lead := ring.Fill(), to.Sub(from).Min(c(v.Stages))
			copyA := func(i ir.U32, s *tile.Slot) { s.Load(s.Tile(ta), ga, m, i.Mul(c(v.K()))) }
			copyB := func(i ir.U32, s *tile.Slot) { s.Load(s.Tile(tb), gb, n, i.Mul(c(v.K()))) }
			fill.Lead(lead, tb, func(i ir.U32, s *tile.Slot) { copyB(from.Add(i), s) }, func(i ir.U32, s *tile.Slot) { copyA(from.Add(i), s) })
			for i := range k.Loop(from.Add(lead), to, c(1), ir.NoUnroll) {
				s := fill.Acquire()
				copyA(i, s)
				copyB(i, s)
				fill.Advance()
			}
		})
		k.GridDependencyWait()
	})
	math.Do(func() {
		k.GridDependencyWait()
		acc, use, wg := b.Accumulator("acc", 64, v.N), ring.Use(), math.Warpgroup()
		acc.Fill(k.ConstF32(0)) // a part of K may be empty
		for range k.Loop(from, to, c(1), ir.NoUnroll) {
			s := use.Acquire()
			acc.MulAdd(s.Tile(ta).RowsFrom(wg, 64), s.Tile(tb))
			use.Retire()
		}
		use.Finish()
		x := acc.Values(0, 0, v.N)
		for i := 0; i < x.Len(); i += 2 {
			at := wg.Mul(c(64)).Add(x.Row(i)).Mul(c(v.sumStride())).Add(x.Col(i))
			sums.At(at).StoreVec(ir.Vec[ir.F32]{x.At(i), x.At(i + 1)})
		}
	})
	b.Run()
	k.SyncWarp()
	k.ClusterBarrier() // every block's sums are there
	s := &share{k: k, b: b, v: v, f: f, sums: sums, d: d, dStride: dStride, m: m, n: n, rank: rank}
	s.store()
	k.ClusterBarrier() // no block ends while another may read its sums
}

// share is the part of a tile's rows that one block adds up and stores.
type share struct {
	k       *ir.Kernel
	b       *tile.Block
	v       Split
	f       *finish
	sums    ir.Shared[ir.F32]
	d       lib.Elements
	dStride ir.U64
	m, n    ir.U32 // first row and column of the tile
	rank    ir.U32
}

// store gives each thread four neighbouring columns at a time.
func (s *share) store() {
	k, v, c := s.k, s.v, func(n int) ir.U32 { return s.k.ConstU32(uint32(n)) }
	rows, quads := v.M/v.Parts, v.N/4
	for i := range k.Loop(k.TIDX(), c(rows*quads), c(v.threads()), ir.NoUnroll) {
		inside := i.Div(c(quads))
		r, col := inside.Add(s.rank.Mul(c(rows))), i.Sub(inside.Mul(c(quads))).ShiftLeft(c(2))
		x := s.add(r.Mul(c(v.sumStride())).Add(col))
		row := s.m.Add(r)
		values := s.b.ValuesAt(x, func(int) ir.U32 { return c(0) }, func(i int) ir.U32 { return col.Add(c(i)) })
		factor := s.f.factor(row)
		y := s.f.apply(values, row, s.n, tile.Rows{factor, factor})
		at := s.n.Add(col)
		k.If(row.Less(s.f.m).And(at.Less(s.f.n)), func() {
			s.d.At(row.ConvertToU64().MulAdd(s.dStride, at.ConvertToU64())).StoreQuad([4]ir.F32{y.At(0), y.At(1), y.At(2), y.At(3)})
		})
	}
}

// add sums the parts in their order.
func (s *share) add(at ir.U32) []ir.F32 {
	var total []ir.F32
	for part := range s.v.Parts {
		x := s.sums.At(at).InBlock(s.k.ConstU32(uint32(part))).LoadVec(4)
		if part == 0 {
			total = x
			continue
		}
		for j := range total {
			total[j] = total[j].Add(x[j])
		}
	}
	return total
}
