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
}

// VariantName is BF16_WBF16_BF16_T512x1, with _Before where the rounding comes first.
func (v RowVariant) VariantName() string {
	name := fmt.Sprintf("%s_T%dx%d", v.Types.VariantName(), v.Threads, v.Packets)
	if v.RoundBefore {
		name += "_Before"
	}
	return name
}

// Capacity is the longest row that the variant holds.
func (v RowVariant) Capacity() int { return v.Threads * v.Packets * lib.PacketSize }

func (v RowVariant) contract() ir.Contract {
	return ir.Contract{Block: [3]int{v.Threads, 1, 1}, ProgrammaticLaunch: true}
}

// RMSNormRow normalises one row a block: y = x · rsqrt(mean(x²) + eps) · (weight + offset), Zhang & Sennrich 2019.
var RMSNormRow = ir.Algorithm[RowVariant]{
	Name:     "OxideSm90RMSNormRow",
	Doc:      "RMSNorm with the row in registers, one row a block.",
	Variants: rowVariants(),
	Contract: RowVariant.contract,
	Kernel:   func(k *ir.Kernel, v RowVariant) { rmsNormRow(k, v, false) },
}

// AddRMSNormRow adds the residual first: sum = x + residual, rounded to the input's format, and y = RMSNorm(sum).
var AddRMSNormRow = ir.Algorithm[RowVariant]{
	Name:     "OxideSm90AddRMSNormRow",
	Doc:      "Residual add and RMSNorm with the row in registers, one row a block.",
	Variants: rowVariants(),
	Contract: RowVariant.contract,
	Kernel:   func(k *ir.Kernel, v RowVariant) { rmsNormRow(k, v, true) },
}

// rowVariants gives the common types a size for every hidden length and the others a small and a large one.
func rowVariants() []RowVariant {
	var all []RowVariant
	for _, t := range typesTable() {
		for _, before := range []bool{false, true} {
			if before && !t.rounded() {
				continue
			}
			for _, size := range rowSizes(t, before) {
				all = append(all, RowVariant{Types: t, RoundBefore: before, Threads: size[0], Packets: size[1]})
			}
		}
	}
	return all
}

// rowSizes lists threads and packets, shortest capacity first. Plan takes the first that holds the row.
func rowSizes(t Types, before bool) [][2]int {
	if t == (Types{lib.BF16, lib.BF16, lib.BF16}) && !before {
		return [][2]int{{64, 1}, {128, 1}, {192, 1}, {256, 1}, {512, 1}, {1024, 1}, {1024, 2}}
	}
	return [][2]int{{256, 1}, {512, 2}}
}

func rmsNormRow(k *ir.Kernel, v RowVariant, add bool) {
	k.GridDependencyLaunch()
	p := declare(k, v.Types, add, 16)
	p = p.row(k.CTAIDX(), add)
	mine := packets(k, v.Threads, v.Packets, p.hidden)

	weights := make([]lib.Packet, v.Packets)
	for i, m := range mine {
		weights[i] = p.weight.At(m.at).LoadPacketIf(k, m.in, ir.NC)
	}
	k.GridDependencyWait()

	rows := make([][]ir.F32, v.Packets)
	for i, m := range mine {
		rows[i] = p.loadRow(k, m, v.Types, add)
	}
	rstd := p.rstd(k, rows)
	for i, m := range mine {
		out := make([]ir.F32, lib.PacketSize)
		for j, w := range weights[i].Values() {
			out[j] = p.scale(rows[i][j], rstd, w, v.Types, v.RoundBefore)
		}
		p.y.At(m.at).StorePacketIf(m.in, v.Out.Pack(out))
	}
}

// place is where one packet of a thread lies in the row, and whether it is inside.
type place struct {
	at ir.U32
	in ir.Pred
}

// packets deals the row out so that neighbouring threads access neighbouring packets.
func packets(k *ir.Kernel, threads, n int, hidden ir.U32) []place {
	all := make([]place, n)
	for i := range all {
		at := k.TIDX().Add(k.ConstU32(uint32(i * threads))).Mul(k.ConstU32(lib.PacketSize))
		all[i] = place{at, at.Less(hidden)}
	}
	return all
}

// loadRow reads one packet of the row, with the residual added and stored where there is one. Outside the row it is zero.
func (p params) loadRow(k *ir.Kernel, m place, t Types, add bool) []ir.F32 {
	x := p.x.At(m.at).LoadPacketIf(k, m.in, ir.L1NoAllocate).Values()
	if !add {
		return x
	}
	for i, r := range p.residual.At(m.at).LoadPacketIf(k, m.in, ir.L1NoAllocate).Values() {
		x[i] = x[i].Add(r)
	}
	sum := t.In.Pack(x)
	p.sum.At(m.at).StorePacketIf(m.in, sum)
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
