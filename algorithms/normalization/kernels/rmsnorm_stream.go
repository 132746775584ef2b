package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// streamThreads is the block of the stream kernels: enough warps to hide latency with one access a thread in flight.
const streamThreads = 512

// StreamVariant is one kernel that walks over its row.
type StreamVariant struct {
	Types
	RoundBefore bool // round to the input's format before the weight is applied
}

// VariantName is BF16_WF32_E4M3, with _Before where the rounding comes first.
func (v StreamVariant) VariantName() string {
	if v.RoundBefore {
		return v.Types.VariantName() + "_Before"
	}
	return v.Types.VariantName()
}

func streamContract(StreamVariant) ir.Contract {
	return ir.Contract{Block: [3]int{streamThreads, 1, 1}, ProgrammaticLaunch: true}
}

// RMSNormStreamPacket takes rows of any length whose packets are aligned.
var RMSNormStreamPacket = ir.Algorithm[StreamVariant]{
	Name:     "OxideSm90RMSNormStreamPacket",
	Doc:      "RMSNorm in two passes over the row, 8 elements at a time, one row a block.",
	Variants: streamVariants(),
	Contract: streamContract,
	Kernel:   func(k *ir.Kernel, v StreamVariant) { rmsNormStream(k, v, false, lib.PacketSize) },
}

// RMSNormStreamElement takes any row.
var RMSNormStreamElement = ir.Algorithm[StreamVariant]{
	Name:     "OxideSm90RMSNormStreamElement",
	Doc:      "RMSNorm in two passes over the row, one element at a time, one row a block.",
	Variants: streamVariants(),
	Contract: streamContract,
	Kernel:   func(k *ir.Kernel, v StreamVariant) { rmsNormStream(k, v, false, 1) },
}

// AddRMSNormStreamPacket takes rows of any length whose packets are aligned.
var AddRMSNormStreamPacket = ir.Algorithm[StreamVariant]{
	Name:     "OxideSm90AddRMSNormStreamPacket",
	Doc:      "Residual add and RMSNorm in two passes over the row, 8 elements at a time, one row a block.",
	Variants: streamVariants(),
	Contract: streamContract,
	Kernel:   func(k *ir.Kernel, v StreamVariant) { rmsNormStream(k, v, true, lib.PacketSize) },
}

// AddRMSNormStreamElement takes any row.
var AddRMSNormStreamElement = ir.Algorithm[StreamVariant]{
	Name:     "OxideSm90AddRMSNormStreamElement",
	Doc:      "Residual add and RMSNorm in two passes over the row, one element at a time, one row a block.",
	Variants: streamVariants(),
	Contract: streamContract,
	Kernel:   func(k *ir.Kernel, v StreamVariant) { rmsNormStream(k, v, true, 1) },
}

func streamVariants() []StreamVariant {
	var all []StreamVariant
	for _, t := range typesTable() {
		all = append(all, StreamVariant{Types: t})
		if t.rounded() {
			all = append(all, StreamVariant{Types: t, RoundBefore: true})
		}
	}
	return all
}

// rmsNormStream reads the row, sums its squares, and reads it again to scale it. A thread reads in the second pass what
// it read, or wrote as the residual sum, in the first: no other thread's writes matter, so outputs may lie over inputs.
func rmsNormStream(k *ir.Kernel, v StreamVariant, add bool, width int) {
	p := declare(k, v.Types, add, alignment(width))
	p.overlap.Start()
	p = p.row(k.CTAIDX(), add)
	k.GridDependencyWait()

	first, step := k.TIDX().Mul(k.ConstU32(uint32(width))), k.ConstU32(uint32(width*streamThreads))
	squares := ir.NewVar(k.ConstF32(0))
	for i := range k.Loop(first, p.hidden, step) {
		for _, x := range p.firstPass(i, v.Types, add, width) {
			squares.Set(x.MulAdd(x, squares.Get()))
		}
	}
	p.overlap.Loaded()
	rstd := blockSum(k, squares.Get()).MulAdd(p.invHidden, p.eps).ReciprocalSqrt(ir.Approx)
	again := p.x
	if add {
		again = p.sum
	}
	for i := range k.Loop(first, p.hidden, step) {
		x, w := again.At(i).LoadN(width), p.weight.At(i).LoadN(width, ir.NC)
		for j := range x {
			x[j] = p.scale(x[j], rstd, w[j], v.Types, v.RoundBefore)
		}
		p.y.At(i).StoreN(x)
	}
}

// alignment is what accesses of width elements need: 16 bytes for packets, the element's own for one.
func alignment(width int) int {
	if width == 1 {
		return 1
	}
	return 16
}

// firstPass reads width elements, with the residual added and stored where there is one.
func (p params) firstPass(i ir.U32, t Types, add bool, width int) []ir.F32 {
	x := p.x.At(i).LoadN(width)
	if !add {
		return x
	}
	for j, r := range p.residual.At(i).LoadN(width) {
		x[j] = t.In.Round(x[j].Add(r))
	}
	p.sum.At(i).StoreN(x)
	return x
}
