package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// blockThreads is the block of all activation kernels: one access a thread and row.
const blockThreads = 256

// ColumnsPerBlock is how many columns a block covers, for packet and for element kernels.
func ColumnsPerBlock(packet bool) int {
	if packet {
		return blockThreads * lib.PacketSize
	}
	return blockThreads
}

// Variant is one activation kernel.
type Variant struct {
	Function Function
	In, Out  lib.Format
}

// VariantName is SiLU_BF16_E4M3.
func (v Variant) VariantName() string {
	return string(v.Function) + "_" + string(v.In) + "_" + string(v.Out)
}

func variants() []Variant {
	var all []Variant
	for _, f := range []Function{SiLU, GELU, GELUTanh} {
		for _, in := range []lib.Format{lib.BF16, lib.F16, lib.F32} {
			all = append(all, Variant{f, in, in}, Variant{f, in, lib.E4M3})
		}
	}
	return all
}

func contract(Variant) ir.Contract {
	return ir.Contract{Block: [3]int{blockThreads, 1, 1}, ProgrammaticLaunch: true}
}

// GatedPacket computes y = f(gate)·up; gate and up are separate tensors or the halves of one.
var GatedPacket = ir.Algorithm[Variant]{
	Name:     "OxideSm90GatedActivationPacket",
	Doc:      "y = f(gate)·up, 8 elements a thread and row.",
	Variants: variants(), Contract: contract,
	Kernel: func(k *ir.Kernel, v Variant) { activation(k, v, true, lib.PacketSize) },
}

// GatedElement is GatedPacket for rows that 16-byte accesses cannot read.
var GatedElement = ir.Algorithm[Variant]{
	Name:     "OxideSm90GatedActivationElement",
	Doc:      "y = f(gate)·up, one element a thread and row.",
	Variants: variants(), Contract: contract,
	Kernel: func(k *ir.Kernel, v Variant) { activation(k, v, true, 1) },
}

// PlainPacket computes y = f(x).
var PlainPacket = ir.Algorithm[Variant]{
	Name:     "OxideSm90ActivationPacket",
	Doc:      "y = f(x), 8 elements a thread and row.",
	Variants: variants(), Contract: contract,
	Kernel: func(k *ir.Kernel, v Variant) { activation(k, v, false, lib.PacketSize) },
}

// PlainElement is PlainPacket for rows that 16-byte accesses cannot read.
var PlainElement = ir.Algorithm[Variant]{
	Name:     "OxideSm90ActivationElement",
	Doc:      "y = f(x), one element a thread and row.",
	Variants: variants(), Contract: contract,
	Kernel: func(k *ir.Kernel, v Variant) { activation(k, v, false, 1) },
}

// activation walks down the rows with stride gridDim.y, so that any number of rows fits the grid.
func activation(k *ir.Kernel, v Variant, gated bool, width int) {
	align := 16
	if width == 1 {
		align = 1
	}
	x := lib.ElementsParam(k, "x", v.In, ir.Aligned(align))
	xStride := ir.Param[ir.U64](k, "x_stride")
	up, upStride := x, xStride
	if gated {
		up, upStride = lib.ElementsParam(k, "up", v.In, ir.Aligned(align)), ir.Param[ir.U64](k, "up_stride")
	}
	y := lib.ElementsParam(k, "y", v.Out, ir.Writes, ir.Aligned(align))
	yStride := ir.Param[ir.U64](k, "y_stride")
	rows, size, outScale := ir.Param[ir.U32](k, "rows"), ir.Param[ir.U32](k, "size"), ir.Param[ir.F32](k, "out_scale")
	overlap := lib.OverlapParams(k)
	overlap.Start()
	at := k.CTAIDX().Mul(k.ConstU32(blockThreads)).Add(k.TIDX()).Mul(k.ConstU32(uint32(width)))
	inside := at.Less(size)
	if width > 1 {
		block, first := k.CTAIDY().Mul(k.NCTAIDX()).Add(k.CTAIDX()), k.CTAIDY().ConvertToU64()
		overlap.Prefetch(block, x.At(first.Mul(xStride)), []ir.U32{at}, []ir.Pred{inside})
		if gated {
			overlap.Prefetch(block, up.At(first.Mul(upStride)), []ir.U32{at}, []ir.Pred{inside})
		}
	}
	k.GridDependencyWait()

	for row := range k.Loop(k.CTAIDY(), rows, k.NCTAIDY(), ir.NoUnroll) {
		// One 64-bit sum and one scaling an address: fewer instructions than a row's address and then an element's.
		r, column := row.ConvertToU64(), at.ConvertToU64()
		k.If(inside, func() {
			g := x.At(r.MulAdd(xStride, column)).LoadN(width, ir.L1NoAllocate)
			var u []ir.F32
			if gated {
				u = up.At(r.MulAdd(upStride, column)).LoadN(width, ir.L1NoAllocate)
			}
			overlap.Loaded()
			for i := range g {
				g[i] = v.Function.Apply(g[i])
				if gated {
					g[i] = g[i].Mul(u[i])
				}
				if v.Out == lib.E4M3 {
					g[i] = g[i].Mul(outScale)
				}
			}
			y.At(r.MulAdd(yStride, column)).StoreN(g, ir.CS)
		})
	}
}
