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

	one, several := together(width)
	if add {
		one = several
	}
	squares := ir.NewVar(k.ConstF32(0))
	sweep(k, p.hidden, width, one, func(i ir.U32, at []int) {
		for _, x := range p.firstPass(i, at, v.Types, add, width) {
			for _, e := range x {
				squares.Set(e.MulAdd(e, squares.Get()))
			}
		}
	})
	p.overlap.Loaded()
	rstd := blockSum(k, squares.Get()).MulAdd(p.invHidden, p.eps).ReciprocalSqrt(ir.Approx)
	again := p.x
	if add {
		again = p.sum
	}
	sweep(k, p.hidden, width, several, func(i ir.U32, at []int) {
		x, w := loadAll(again.At(i), at, width), loadAll(p.weight.At(i), at, width, ir.NC)
		for n := range x {
			for j := range x[n] {
				x[n][j] = p.scale(x[n][j], rstd, w[n][j], v.Types, v.RoundBefore)
			}
			p.y.At(i).AtConst(at[n]).StoreN(x[n])
		}
	})
}

// sweep walks a thread over its part of a row. Most of the way several accesses go together, at the constant distances at
// from element i: their loads are in flight at once and share an address. What is left goes one by one.
func sweep(k *ir.Kernel, hidden ir.U32, width, together int, body func(i ir.U32, at []int)) {
	step := width * streamThreads
	at := make([]int, together)
	for n := range at {
		at[n] = n * step
	}
	beyond, stride := k.ConstU32(uint32(at[together-1])), k.ConstU32(uint32(together*step))
	first := k.TIDX().Mul(k.ConstU32(uint32(width)))
	next := ir.NewVar(first)
	for i := range k.Loop(first, hidden.Max(beyond).Sub(beyond), stride, ir.NoUnroll) {
		body(i, at)
		next.Set(i.Add(stride))
	}
	for i := range k.Loop(next.Get(), hidden, k.ConstU32(uint32(step)), ir.NoUnroll) {
		body(i, []int{0})
	}
}

// together is how many accesses of one tensor, and of several, go together: a packet is many registers.
func together(width int) (one, several int) {
	if width > 1 {
		return 4, 2
	}
	return 8, 4
}

// loadAll reads width elements at each of the distances from e.
func loadAll(e lib.Elements, at []int, width int, opts ...ir.LoadOption) [][]ir.F32 {
	all := make([][]ir.F32, len(at))
	for n, d := range at {
		all[n] = e.AtConst(d).LoadN(width, opts...)
	}
	return all
}

// alignment is what accesses of width elements need: 16 bytes for packets, the element's own for one.
func alignment(width int) int {
	if width == 1 {
		return 1
	}
	return 16
}

// firstPass reads width elements at each distance from i, with the residual added and stored where there is one.
func (p params) firstPass(i ir.U32, at []int, t Types, add bool, width int) [][]ir.F32 {
	x := loadAll(p.x.At(i), at, width)
	if !add {
		return x
	}
	for n, residual := range loadAll(p.residual.At(i), at, width) {
		for j, r := range residual {
			x[n][j] = x[n][j].Add(r)
		}
		x[n] = p.sum.At(i).AtConst(at[n]).StoreRounded(x[n])
	}
	return x
}
