package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// The tile of a block, and how four warps share it: 2×2 of 32×32.
const (
	GeneralM, GeneralN = 64, 64
	generalK           = 32
	generalThreads     = 128
	warpM, warpN       = 32, 32
	rowElements        = generalK + 8 // of a shared row: fragments of eight rows then lie in different banks
	outElements        = GeneralN + 2 // of a row of sums
)

// ScaleBlock is the length in k, and in the columns of b, of what shares a scale of a block-scaled product.
const ScaleBlock = 128

// General is one kernel of the general product.
type General struct {
	Input lib.Format
	// Block scales sums of ScaleBlock products before they are added to the total.
	Block bool
}

// VariantName is BF16, or E4M3_Block.
func (v General) VariantName() string {
	if v.Block {
		return string(v.Input) + "_Block"
	}
	return string(v.Input)
}

// MatmulGeneral is the product of any shape, stride and alignment: elements are read one by one into shared tiles, and
// multiplied by mma.sync. Tiles do not depend on m, so that a row's result does not either.
var MatmulGeneral = ir.Algorithm[General]{
	Name:     "OxideSm90MatmulGeneral",
	Doc:      "Any shape, stride and alignment: elements one by one into shared tiles of 64×64×32, multiplied by mma.sync.",
	Variants: []General{{Input: lib.BF16}, {Input: lib.F16}, {Input: lib.E4M3}, {Input: lib.E4M3, Block: true}},
	Contract: func(General) ir.Contract {
		return ir.Contract{Block: [3]int{generalThreads, 1, 1}, ProgrammaticLaunch: true}
	},
	Kernel: matmulGeneral,
}

// general is the state of one kernel while it is being built.
type general struct {
	k                      *ir.Kernel
	v                      General
	a, b                   lib.Elements
	aStride                ir.U64
	bColumn, bRow          ir.U64 // strides of b's columns (n) and of k
	m, columns, depth      ir.U32
	aTile, bTile           ir.Shared[ir.U16]
	out                    ir.Shared[ir.F32]
	firstRow, firstColumn  ir.U32 // of the block's tile
	aScale, bScale         ir.Global[ir.F32]
	aScaleRow, bScaleRow   ir.U64
	epilogue               *Epilogue
	alongColumns           ir.Pred
	lane, warpRow, warpCol ir.U32
}

func matmulGeneral(k *ir.Kernel, v General) {
	g := declareGeneral(k, v)
	k.GridDependencyWait()
	sums := newAccumulators(k)
	total := sums
	if v.Block {
		total = newAccumulators(k)
	}
	for at := range k.Loop(k.ConstU32(0), g.depth, k.ConstU32(generalK), ir.NoUnroll) {
		g.loadTile(at)
		k.Barrier()
		g.multiply(sums)
		k.Barrier()
		if v.Block {
			next := at.Add(k.ConstU32(generalK))
			end := next.And(k.ConstU32(ScaleBlock - 1)).Equal(k.ConstU32(0)).Or(next.GreaterEqual(g.depth))
			k.If(end, func() { g.promote(sums, total, at.ShiftRight(k.ConstU32(7))) })
		}
	}
	g.finish(total)
}

func declareGeneral(k *ir.Kernel, v General) *general {
	g := &general{k: k, v: v}
	g.a, g.b = lib.ElementsParam(k, "a", v.Input), lib.ElementsParam(k, "b", v.Input)
	g.aStride, g.bColumn, g.bRow = ir.Param[ir.U64](k, "a_stride"), ir.Param[ir.U64](k, "b_column_stride"), ir.Param[ir.U64](k, "b_row_stride")
	g.m, g.columns, g.depth = ir.Param[ir.U32](k, "m"), ir.Param[ir.U32](k, "columns"), ir.Param[ir.U32](k, "k")
	tilesM := ir.Param[ir.U32](k, "tiles_m")
	g.aScale, g.bScale = ir.GlobalParam[ir.F32](k, "a_scale"), ir.GlobalParam[ir.F32](k, "b_scale")
	g.aScaleRow, g.bScaleRow = ir.Param[ir.U64](k, "a_scale_stride"), ir.Param[ir.U64](k, "b_scale_stride")
	g.epilogue = EpilogueParams(k, g.m, g.columns)
	g.alongColumns = g.bColumn.Less(g.bRow)
	g.aTile = ir.SharedArray[ir.U16](k, "a_tile", GeneralM*rowElements, 16)
	g.bTile = ir.SharedArray[ir.U16](k, "b_tile", GeneralN*rowElements, 16)
	g.out = ir.SharedArray[ir.F32](k, "sums", GeneralM*outElements, 16)
	g.firstRow = k.CTAIDX().Rem(tilesM).Mul(k.ConstU32(GeneralM))
	g.firstColumn = k.CTAIDX().Div(tilesM).Mul(k.ConstU32(GeneralN))
	warp := k.TIDX().ShiftRight(k.ConstU32(5))
	g.lane = k.TIDX().And(k.ConstU32(31))
	g.warpRow = warp.And(k.ConstU32(1)).Mul(k.ConstU32(warpM))
	g.warpCol = warp.ShiftRight(k.ConstU32(1)).Mul(k.ConstU32(warpN))
	return g
}

// loadTile brings the next generalK columns of a and of b to shared memory, zeros outside. Neighbouring threads read what
// lies side by side in memory: along k, and in b along its columns where those are the closer.
func (g *general) loadTile(at ir.U32) {
	k, tid, c := g.k, g.k.TIDX(), g.k.ConstU32
	kk, row := tid.And(c(generalK-1)), tid.ShiftRight(c(5))
	bk := ir.Select(g.alongColumns, tid.ShiftRight(c(6)), kk)
	bn := ir.Select(g.alongColumns, tid.And(c(GeneralN-1)), row)
	stepK := ir.Select(g.alongColumns, c(generalThreads/GeneralN), c(0))
	stepN := ir.Select(g.alongColumns, c(0), c(generalThreads/generalK))
	const steps = GeneralM * generalK / generalThreads
	for i := range k.Loop(c(0), c(steps), c(1), ir.NoUnroll) {
		r := i.MulAdd(c(generalThreads/generalK), row)
		gr, gk := g.firstRow.Add(r), at.Add(kk)
		x := g.read(g.a.At(gr.ConvertToU64().MulAdd(g.aStride, gk.ConvertToU64())), gr.Less(g.m).And(gk.Less(g.depth)))
		g.aTile.At(r.MulAdd(c(rowElements), kk)).Store(x)

		n, d := i.MulAdd(stepN, bn), i.MulAdd(stepK, bk)
		gn, gd := g.firstColumn.Add(n), at.Add(d)
		offset := gn.ConvertToU64().MulAdd(g.bColumn, gd.ConvertToU64().Mul(g.bRow))
		y := g.read(g.b.At(offset), gn.Less(g.columns).And(gd.Less(g.depth)))
		g.bTile.At(n.MulAdd(c(rowElements), d)).Store(y)
	}
}

// read gives an element as the bits that are multiplied: those of memory, and f16 for e4m3, which it holds exactly.
func (g *general) read(e lib.Elements, mask ir.Pred) ir.U16 {
	if g.v.Input == lib.BF16 {
		return e.LoadIf(g.k, mask).ConvertToBF16().AsU16()
	}
	return e.LoadIf(g.k, mask).ConvertToF16().AsU16()
}

// accumulators are the sums of a warp's tile: 2 by 4 fragments of 16×8.
type accumulators [warpM / 16][warpN / 8][4]ir.Var[ir.F32]

func newAccumulators(k *ir.Kernel) *accumulators {
	var a accumulators
	for i := range a {
		for j := range a[i] {
			for n := range a[i][j] {
				a[i][j][n] = ir.NewVar(k.ConstF32(0))
			}
		}
	}
	return &a
}

// multiply adds the product of the shared tiles (fragments: PTX ISA 9.7.14.5.8).
func (g *general) multiply(sums *accumulators) {
	c := g.k.ConstU32
	group, pair := g.lane.ShiftRight(c(2)), g.lane.And(c(3)).Mul(c(2))
	aRow := g.aTile.At(g.warpRow.Add(group).MulAdd(c(rowElements), pair))
	bRow := g.bTile.At(g.warpCol.Add(group).MulAdd(c(rowElements), pair))
	word := func(p ir.Shared[ir.U16], row, column int) ir.U32 {
		return ir.CastShared[ir.U32](p.AtConst(row*rowElements + column)).Load()
	}
	for at := 0; at < generalK; at += 16 {
		var b [warpN / 8][]ir.U32
		for j := range b {
			b[j] = []ir.U32{word(bRow, 8*j, at), word(bRow, 8*j, at+8)}
		}
		for i := range sums {
			a := []ir.U32{word(aRow, 16*i, at), word(aRow, 16*i+8, at), word(aRow, 16*i, at+8), word(aRow, 16*i+8, at+8)}
			for j := range sums[i] {
				g.mma(a, b[j], &sums[i][j])
			}
		}
	}
}

func (g *general) mma(a, b []ir.U32, sums *[4]ir.Var[ir.F32]) {
	c := ir.Vec[ir.F32]{sums[0].Get(), sums[1].Get(), sums[2].Get(), sums[3].Get()}
	var d ir.Vec[ir.F32]
	if g.v.Input == lib.BF16 {
		d = ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, words(a, ir.U32.AsBF16x2), words(b, ir.U32.AsBF16x2), c)
	} else {
		d = ir.MMA(ir.M16N8K16, ir.MatrixF16, ir.MatrixF16, words(a, ir.U32.AsF16x2), words(b, ir.U32.AsF16x2), c)
	}
	for i := range sums {
		sums[i].Set(d[i])
	}
}

func words[T ir.Elem](x []ir.U32, as func(ir.U32) T) ir.Vec[T] {
	var v ir.Vec[T]
	for _, w := range x {
		v = append(v, as(w))
	}
	return v
}

// each calls f for the fragment rows of a warp's tile: the row, the first of two columns, and the two sums.
func (g *general) each(sums *accumulators, f func(i, j, half int, row, column ir.U32)) {
	c := g.k.ConstU32
	group, pair := g.lane.ShiftRight(c(2)), g.lane.And(c(3)).Mul(c(2))
	for i := range sums {
		for half := range 2 {
			row := g.firstRow.Add(g.warpRow).Add(group).Add(c(uint32(16*i + 8*half)))
			for j := range sums[i] {
				f(i, j, half, row, g.firstColumn.Add(g.warpCol).Add(pair).Add(c(uint32(8*j))))
			}
		}
	}
}

// promote adds the scaled sums of one block of k to the total and clears them.
func (g *general) promote(sums, total *accumulators, block ir.U32) {
	k := g.k
	g.each(sums, func(i, j, half int, row, column ir.U32) {
		inside := row.Less(g.m).And(column.Less(g.columns))
		at := block.ConvertToU64()
		sa := g.aScale.At(row.ConvertToU64().MulAdd(g.aScaleRow, at)).LoadIf(inside, k.ConstF32(0))
		nb := column.ShiftRight(k.ConstU32(7)).ConvertToU64()
		scale := sa.Mul(g.bScale.At(nb.MulAdd(g.bScaleRow, at)).LoadIf(inside, k.ConstF32(0)))
		for n := 2 * half; n < 2*half+2; n++ {
			total[i][j][n].Set(sums[i][j][n].Get().MulAdd(scale, total[i][j][n].Get()))
			sums[i][j][n].Set(k.ConstF32(0))
		}
	})
}

// finish hands the sums from the threads that have them to those that store them: neighbours store neighbours, and the code
// of the epilogue stands in a loop once.
func (g *general) finish(sums *accumulators) {
	k, c := g.k, g.k.ConstU32
	g.each(sums, func(i, j, half int, row, column ir.U32) {
		at := row.Sub(g.firstRow).MulAdd(c(outElements), column.Sub(g.firstColumn))
		for n := range 2 {
			g.out.At(at).AtConst(n).Store(sums[i][j][2*half+n].Get())
		}
	})
	k.Barrier()
	const pairs = GeneralN / 2
	for i := range k.Loop(k.TIDX(), c(GeneralM*pairs), c(generalThreads), ir.NoUnroll) {
		r, n := i.Div(c(pairs)), i.Rem(c(pairs)).Mul(c(2))
		p := g.out.At(r.MulAdd(c(outElements), n))
		row, column := g.firstRow.Add(r), g.firstColumn.Add(n)
		pair := [2]ir.F32{p.Load(), p.AtConst(1).Load()}
		factor := g.epilogue.Factor(row)
		if g.v.Input == lib.E4M3 && !g.v.Block {
			factor = factor.Mul(g.aScale.At(row.ConvertToU64().Mul(g.aScaleRow)).LoadIf(row.Less(g.m), k.ConstF32(0)))
			for n := range pair {
				column := column.Add(c(uint32(n)))
				pair[n] = pair[n].Mul(g.bScale.At(column.ConvertToU64().Mul(g.bScaleRow)).LoadIf(column.Less(g.columns), k.ConstF32(0)))
			}
		}
		g.epilogue.Pair(row, column, pair, factor)
	}
}
