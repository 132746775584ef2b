package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// RowVariant is one shape of the register-resident kernels: Threads a row, each holding Packets packets.
type RowVariant struct {
	Types
	RoundBefore      bool // round to the input's format before the weight is applied
	Threads, Packets int
	Ahead            bool // every block asks for the row of the block that takes its place
}

// VariantName is BF16_WBF16_BF16_T512x1, with _Before where the rounding comes first and _Ahead where rows are prefetched.
func (v RowVariant) VariantName() string {
	name := fmt.Sprintf("%s_T%dx%d", v.Types.VariantName(), v.Threads, v.Packets)
	if v.RoundBefore {
		name += "_Before"
	}
	if v.Ahead {
		name += "_Ahead"
	}
	return name
}

// Capacity is the longest row that the variant holds.
func (v RowVariant) Capacity() int { return v.Threads * v.Packets * lib.PacketSize }

func (v RowVariant) contract() ir.Contract {
	c := rowContract(v.Threads, v.Packets)
	if v.Threads == 256 && v.Packets == 2 && v.In.Bytes() == 2 && v.Weight == v.In {
		c.MinBlocksPerSM = 6 // 16-bit packets leave the registers for it
	}
	return c
}

// rowContract asks for as many resident blocks as hold 64 KB of a multiprocessor's rows in flight, which is what it takes
// to reach the memory's rate.
func rowContract(threads, packets int) ir.Contract {
	c := ir.Contract{Block: [3]int{threads, 1, 1}, ProgrammaticLaunch: true}
	switch {
	case threads == 256 && packets == 4:
		c.MinBlocksPerSM = 4
	case threads == 512 && packets == 2:
		c.MinBlocksPerSM = 2
	}
	return c
}

// RMSNormRow normalises one row a block: y = x · rsqrt(mean(x²) + eps) · (weight + offset), Zhang & Sennrich 2019.
var RMSNormRow = ir.Algorithm[RowVariant]{
	Name:     "OxideSm90RMSNormRow",
	Doc:      "RMSNorm with the row in registers, one row a block.",
	Variants: rowVariants(false),
	Contract: RowVariant.contract,
	Kernel:   func(k *ir.Kernel, v RowVariant) { rmsNormRow(k, v, false) },
}

// AddRMSNormRow adds the residual first: sum = x + residual, rounded to the input's format, and y = RMSNorm(sum).
var AddRMSNormRow = ir.Algorithm[RowVariant]{
	Name:     "OxideSm90AddRMSNormRow",
	Doc:      "Residual add and RMSNorm with the row in registers, one row a block.",
	Variants: rowVariants(true),
	Contract: RowVariant.contract,
	Kernel:   func(k *ir.Kernel, v RowVariant) { rmsNormRow(k, v, true) },
}

// rowVariants gives the common types a size for every hidden length and the others a small and a large one.
func rowVariants(add bool) []RowVariant {
	var all []RowVariant
	for _, t := range typesTable() {
		for _, before := range []bool{false, true} {
			if before && !t.rounded() {
				continue
			}
			for _, size := range rowSizes(t, before, add) {
				all = append(all, RowVariant{Types: t, RoundBefore: before, Threads: size[0], Packets: size[1]})
			}
			for _, size := range aheadSizes(t, before, add) {
				all = append(all, RowVariant{Types: t, RoundBefore: before, Threads: size[0], Packets: size[1], Ahead: true})
			}
		}
	}
	return all
}

// rowSizes lists threads and packets. The common types have, for every length, a wide shape for few rows and a narrow one
// for many: narrow blocks keep more rows in flight, wide ones take less time over one.
func rowSizes(t Types, before, add bool) [][2]int {
	if t == (Types{lib.BF16, lib.BF16, lib.BF16}) && !before {
		sizes := [][2]int{{64, 1}, {128, 1}, {96, 2}, {192, 1}, {256, 1}, {256, 2}, {512, 2}, {1024, 2}}
		if add {
			sizes = append(sizes, [2]int{512, 1}) // the second input takes the room that makes 256×2 best for one
		}
		return sizes
	}
	return [][2]int{{256, 1}, {256, 2}, {512, 2}}
}

// aheadSizes lists the shapes that have a variant for more rows than the device holds at once. Rows of up to 4096 elements
// gain nothing: there the device holds enough rows for their reads to go on while others store (bench/NOTES.md).
func aheadSizes(t Types, before, add bool) [][2]int {
	switch {
	case t != (Types{lib.BF16, lib.BF16, lib.BF16}) || before:
		return nil
	case add:
		return [][2]int{{512, 2}}
	}
	return [][2]int{{256, 4}}
}

func rmsNormRow(k *ir.Kernel, v RowVariant, add bool) {
	p := declare(k, v.Types, add, 16)
	p.overlap.Start()
	p = p.row(k.CTAIDX(), add)
	mine := packets(k, v.Threads, v.Packets, p.hidden)
	if v.Ahead {
		k.If(p.overlap.Whole(), func() { p.prefetch(k, mine, add) })
	} else {
		p.prefetch(k, mine, add)
	}
	weights := make([]lib.Packet, v.Packets)
	for i, at := range mine.at {
		weights[i] = p.weight.At(at).LoadPacketIf(k, mine.in[i], ir.NC)
	}
	k.GridDependencyWait()

	rows := make([][]ir.F32, v.Packets)
	for i := range rows {
		rows[i] = p.loadRow(k, mine, i, v.Types, add)
	}
	p.overlap.Loaded()
	if v.Ahead {
		p.prefetchAhead(k, add)
	}
	rstd := p.rstd(k, rows)
	for i, at := range mine.at {
		out := make([]ir.F32, lib.PacketSize)
		for j, w := range weights[i].Values() {
			out[j] = p.scale(rows[i][j], rstd, w, v.Types, v.RoundBefore)
		}
		p.y.At(at).StorePacketIf(mine.in[i], v.Out.Pack(out), ir.CS)
	}
}

// prefetch asks for the block's own row before the wait.
func (p params) prefetch(k *ir.Kernel, mine places, add bool) {
	p.overlap.Prefetch(k.CTAIDX(), p.x, mine.at, mine.in)
	if add {
		p.overlap.Prefetch(k.CTAIDX(), p.residual, mine.at, mine.in)
	}
}

// prefetchAhead asks for a later block's row.
func (p params) prefetchAhead(k *ir.Kernel, add bool) {
	runs := []lib.Run{{From: p.x, Stride: p.xStride}}
	if add {
		runs = append(runs, lib.Run{From: p.residual, Stride: p.resStride})
	}
	p.overlap.PrefetchAhead(k.CTAIDX(), p.hidden, runs...)
}

// places are where the packets of a thread lie in the row, and whether they are inside.
type places struct {
	at []ir.U32
	in []ir.Pred
}

// packets deals the row out so that neighbouring threads access neighbouring packets.
func packets(k *ir.Kernel, threads, n int, hidden ir.U32) places {
	var all places
	for i := range n {
		at := k.TIDX().Add(k.ConstU32(uint32(i * threads))).Mul(k.ConstU32(lib.PacketSize))
		all.at, all.in = append(all.at, at), append(all.in, at.Less(hidden))
	}
	return all
}

// loadRow reads packet i of the row, with the residual added and stored where there is one. Outside the row it is zero.
func (p params) loadRow(k *ir.Kernel, mine places, i int, t Types, add bool) []ir.F32 {
	at, in := mine.at[i], mine.in[i]
	x := p.x.At(at).LoadPacketIf(k, in, ir.L1NoAllocate).Values()
	if !add {
		return x
	}
	for j, r := range p.residual.At(at).LoadPacketIf(k, in, ir.L1NoAllocate).Values() {
		x[j] = x[j].Add(r)
	}
	sum := t.In.Pack(x)
	p.sum.At(at).StorePacketIf(in, sum, ir.CS)
	return sum.Values()
}

// rstd is 1/sqrt(mean(x²) + eps) over the block's row. Two chains of additions a thread halve their latency.
func (p params) rstd(k *ir.Kernel, rows [][]ir.F32) ir.F32 {
	even, odd := k.ConstF32(0), k.ConstF32(0)
	for _, row := range rows {
		for i := 0; i < len(row); i += 2 {
			even, odd = row[i].MulAdd(row[i], even), row[i+1].MulAdd(row[i+1], odd)
		}
	}
	return blockSum(k, even.Add(odd)).MulAdd(p.invHidden, p.eps).ReciprocalSqrt(ir.Approx)
}
