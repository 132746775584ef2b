package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// LayerRowVariant is one shape of the register-resident LayerNorm.
type LayerRowVariant struct {
	Types
	Threads, Packets int
}

// VariantName is BF16_WBF16_BF16_T256x1.
func (v LayerRowVariant) VariantName() string {
	return fmt.Sprintf("%s_T%dx%d", v.Types.VariantName(), v.Threads, v.Packets)
}

// LayerNormRow normalises one row a block: y = (x - mean) · rsqrt(var + eps) · weight + bias, Ba et al. 2016. The variance
// is that of the differences from the mean, so it cannot cancel.
var LayerNormRow = ir.Algorithm[LayerRowVariant]{
	Name:     "OxideSm90LayerNormRow",
	Doc:      "LayerNorm with the row in registers, one row a block.",
	Variants: layerRowVariants(),
	Contract: func(v LayerRowVariant) ir.Contract {
		c := ir.Contract{Block: [3]int{v.Threads, 1, 1}, ProgrammaticLaunch: true}
		if v.In == lib.F32 && v.Out == lib.F32 && v.Packets == 2 {
			c.MinBlocksPerSM = 2 // left alone, ptxas aims at three blocks and spills
		}
		if v.Packets == 4 {
			c.MinBlocksPerSM = 3
		}
		return c
	},
	Kernel: layerNormRow,
}

// LayerNormStreamPacket takes rows of any length whose packets are aligned.
var LayerNormStreamPacket = ir.Algorithm[Types]{
	Name:     "OxideSm90LayerNormStreamPacket",
	Doc:      "LayerNorm in three passes over the row, 8 elements at a time, one row a block.",
	Variants: typesTable(),
	Contract: func(Types) ir.Contract { return streamContract(StreamVariant{}) },
	Kernel:   func(k *ir.Kernel, t Types) { layerNormStream(k, t, lib.PacketSize) },
}

// LayerNormStreamElement takes any row.
var LayerNormStreamElement = ir.Algorithm[Types]{
	Name:     "OxideSm90LayerNormStreamElement",
	Doc:      "LayerNorm in three passes over the row, one element at a time, one row a block.",
	Variants: typesTable(),
	Contract: func(Types) ir.Contract { return streamContract(StreamVariant{}) },
	Kernel:   func(k *ir.Kernel, t Types) { layerNormStream(k, t, 1) },
}

func layerRowVariants() []LayerRowVariant {
	var all []LayerRowVariant
	for _, t := range typesTable() {
		sizes := [][2]int{{192, 1}, {256, 2}, {512, 2}}
		if t == (Types{lib.BF16, lib.BF16, lib.BF16}) {
			sizes = append(sizes, [2]int{96, 2}, [2]int{256, 4}) // for many rows, as in rowSizes
		}
		for _, size := range sizes {
			all = append(all, LayerRowVariant{t, size[0], size[1]})
		}
	}
	return all
}

// layerParams are the parameters of LayerNorm. has_bias is 0 where there is no bias: it then counts as zero.
type layerParams struct {
	x, weight, bias, y lib.Elements
	xStride, yStride   ir.U64
	hidden, hasBias    ir.U32
	invHidden, eps     ir.F32
	outScale           ir.F32
	overlap            lib.Overlap
}

func declareLayer(k *ir.Kernel, t Types, align int) layerParams {
	p := layerParams{
		x:      lib.ElementsParam(k, "x", t.In, ir.Aligned(align)),
		weight: lib.ElementsParam(k, "weight", t.Weight, ir.Constant, ir.Aligned(align)),
		bias:   lib.ElementsParam(k, "bias", t.Weight, ir.Constant, ir.Aligned(align)),
		y:      lib.ElementsParam(k, "y", t.Out, ir.Writes, ir.Aligned(align)),
	}
	p.xStride, p.yStride = ir.Param[ir.U64](k, "x_stride"), ir.Param[ir.U64](k, "y_stride")
	p.hidden, p.hasBias = ir.Param[ir.U32](k, "hidden"), ir.Param[ir.U32](k, "has_bias")
	p.invHidden, p.eps = ir.Param[ir.F32](k, "inv_hidden"), ir.Param[ir.F32](k, "eps")
	p.outScale = ir.Param[ir.F32](k, "out_scale")
	p.overlap = lib.OverlapParams(k)
	p.overlap.Start()
	row := k.CTAIDX().ConvertToU64()
	p.x, p.y = p.x.At(row.Mul(p.xStride)), p.y.At(row.Mul(p.yStride))
	return p
}

// finish gives d·rstd·weight + bias, scaled where the output is e4m3; d is the difference from the mean.
func (p layerParams) finish(d, rstd, weight, bias ir.F32, t Types) ir.F32 {
	y := d.Mul(rstd).MulAdd(weight, bias)
	if t.Out == lib.E4M3 {
		y = y.Mul(p.outScale)
	}
	return y
}

func layerNormRow(k *ir.Kernel, v LayerRowVariant) {
	p := declareLayer(k, v.Types, 16)
	mine := packets(k, v.Threads, v.Packets, p.hidden)
	biased := p.hasBias.NotEqual(k.ConstU32(0))
	block := lib.NewExchange(k, "sum", 0)
	p.overlap.Prefetch(k.CTAIDX(), p.x, mine.at, mine.in)
	weights, biases := make([]lib.Packet, v.Packets), make([]lib.Packet, v.Packets)
	for i, at := range mine.at {
		weights[i] = p.weight.At(at).LoadPacketIf(k, mine.in[i], ir.NC)
		biases[i] = p.bias.At(at).LoadPacketIf(k, mine.in[i].And(biased), ir.NC)
	}
	k.GridDependencyWait()

	rows := make([][]ir.F32, v.Packets)
	sum := k.ConstF32(0)
	for i, at := range mine.at {
		rows[i] = p.x.At(at).LoadPacketIf(k, mine.in[i], ir.L1NoAllocate).Values()
		for _, x := range rows[i] {
			sum = sum.Add(x)
		}
	}
	p.overlap.Loaded()
	mean := block.Sum(sum)[0].Mul(p.invHidden)
	squares := k.ConstF32(0)
	for i := range rows {
		for j, x := range rows[i] {
			d := ir.Select(mine.in[i], x.Sub(mean), k.ConstF32(0))
			rows[i][j], squares = d, d.MulAdd(d, squares)
		}
	}
	rstd := block.Sum(squares)[0].MulAdd(p.invHidden, p.eps).ReciprocalSqrt(ir.Approx)
	for i, at := range mine.at {
		w, b := weights[i].Values(), biases[i].Values()
		for j, d := range rows[i] {
			rows[i][j] = p.finish(d, rstd, w[j], b[j], v.Types)
		}
		p.y.At(at).StorePacketIf(mine.in[i], v.Out.Pack(rows[i]), ir.CS)
	}
}

func layerNormStream(k *ir.Kernel, t Types, width int) {
	p := declareLayer(k, t, alignment(width))
	biased := p.hasBias.NotEqual(k.ConstU32(0))
	block := lib.NewExchange(k, "sum", 0)
	k.GridDependencyWait()

	one, several := together(width)
	sum := ir.NewVar(k.ConstF32(0))
	sweep(k, p.hidden, width, one, func(i ir.U32, at []int) {
		for _, x := range loadAll(p.x.At(i), at, width) {
			for _, e := range x {
				sum.Set(sum.Get().Add(e))
			}
		}
	})
	p.overlap.Loaded()
	mean := block.Sum(sum.Get())[0].Mul(p.invHidden)
	squares := ir.NewVar(k.ConstF32(0))
	sweep(k, p.hidden, width, one, func(i ir.U32, at []int) {
		for _, x := range loadAll(p.x.At(i), at, width) {
			for _, e := range x {
				d := e.Sub(mean)
				squares.Set(d.MulAdd(d, squares.Get()))
			}
		}
	})
	rstd := block.Sum(squares.Get())[0].MulAdd(p.invHidden, p.eps).ReciprocalSqrt(ir.Approx)
	sweep(k, p.hidden, width, several, func(i ir.U32, at []int) {
		x, w := loadAll(p.x.At(i), at, width), loadAll(p.weight.At(i), at, width, ir.NC)
		for n, d := range at {
			b := p.bias.At(i).AtConst(d).LoadNIf(k, biased, width, ir.NC)
			for j := range x[n] {
				x[n][j] = p.finish(x[n][j].Sub(mean), rstd, w[n][j], b[j], t)
			}
			p.y.At(i).AtConst(d).StoreN(x[n])
		}
	})
}
