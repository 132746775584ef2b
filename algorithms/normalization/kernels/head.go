package kernels

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// headThreads is the block of the per-head kernel; it holds headThreads·8/HeadDim heads of one token.
const headThreads = 128

// HeadVariant is one per-head kernel. The output has the input's format.
type HeadVariant struct {
	In, Weight  lib.Format
	HeadDim     int
	RoundBefore bool
}

// VariantName is BF16_WBF16_D128, with _Before where the rounding comes first.
func (v HeadVariant) VariantName() string {
	name := fmt.Sprintf("%s_W%s_D%d", v.In, v.Weight, v.HeadDim)
	if v.RoundBefore {
		name += "_Before"
	}
	return name
}

// HeadsPerBlock is how many heads of one token a block normalises.
func (v HeadVariant) HeadsPerBlock() int { return headThreads * lib.PacketSize / v.HeadDim }

// HeadRMSNorm normalises every head of Q and of K by itself, both in one launch: grid x is the token, grid y the block of
// heads, Q's heads first.
var HeadRMSNorm = ir.Algorithm[HeadVariant]{
	Name:     "OxideSm90HeadRMSNorm",
	Doc:      "RMSNorm of every head of Q and K in one launch, a head in the registers of 8, 16 or 32 lanes.",
	Variants: headVariants(),
	Contract: func(HeadVariant) ir.Contract {
		return ir.Contract{Block: [3]int{headThreads, 1, 1}, ProgrammaticLaunch: true}
	},
	Kernel: headRMSNorm,
}

func headVariants() []HeadVariant {
	var all []HeadVariant
	for _, t := range typesTable() {
		if t.Out == lib.E4M3 {
			continue
		}
		for _, d := range []int{64, 128, 256} {
			all = append(all, HeadVariant{In: t.In, Weight: t.Weight, HeadDim: d})
			if t.rounded() {
				all = append(all, HeadVariant{In: t.In, Weight: t.Weight, HeadDim: d, RoundBefore: true})
			}
		}
	}
	return all
}

// side is Q or K: where its heads lie. Strides are elements from one token, and one head, to the next.
type side struct {
	in, weight, out                        lib.Elements
	inToken, inHead, outToken, outHeadStep ir.U64
	heads                                  ir.U32
}

func declareSide(k *ir.Kernel, name string, v HeadVariant) side {
	return side{
		in:          lib.ElementsParam(k, name, v.In, ir.Aligned(16)),
		weight:      lib.ElementsParam(k, name+"_weight", v.Weight, ir.Constant, ir.Aligned(16)),
		out:         lib.ElementsParam(k, name+"_out", v.In, ir.Writes, ir.Aligned(16)),
		inToken:     ir.Param[ir.U64](k, name+"_token_stride"),
		inHead:      ir.Param[ir.U64](k, name+"_head_stride"),
		outToken:    ir.Param[ir.U64](k, name+"_out_token_stride"),
		outHeadStep: ir.Param[ir.U64](k, name+"_out_head_stride"),
		heads:       ir.Param[ir.U32](k, name+"_heads"),
	}
}

func headRMSNorm(k *ir.Kernel, v HeadVariant) {
	q, kk := declareSide(k, "q", v), declareSide(k, "k", v)
	eps, offset := ir.Param[ir.F32](k, "eps"), ir.Param[ir.F32](k, "weight_offset")
	overlap := lib.OverlapParams(k)
	overlap.Start()
	lanes := v.HeadDim / lib.PacketSize
	head := k.CTAIDY().Mul(k.ConstU32(uint32(v.HeadsPerBlock()))).Add(k.TIDX().Div(k.ConstU32(uint32(lanes))))
	at := k.TIDX().Rem(k.ConstU32(uint32(lanes))).Mul(k.ConstU32(lib.PacketSize))
	isQ := head.Less(q.heads)
	inside := head.Less(q.heads.Add(kk.heads))
	local := ir.Select(isQ, head, head.Sub(q.heads)).ConvertToU64()
	token, column := k.CTAIDX().ConvertToU64(), at.ConvertToU64()

	weight := kk.weight.At(at).LoadPacketOr(isQ.Not().And(inside), q.weight.At(at).LoadPacketIf(k, isQ, ir.NC), ir.NC).Values()
	in := lib.SelectElements(isQ, q.in, kk.in).
		At(local.MulAdd(ir.Select(isQ, q.inHead, kk.inHead), token.MulAdd(ir.Select(isQ, q.inToken, kk.inToken), column)))
	out := lib.SelectElements(isQ, q.out, kk.out).
		At(local.MulAdd(ir.Select(isQ, q.outHeadStep, kk.outHeadStep), token.MulAdd(ir.Select(isQ, q.outToken, kk.outToken), column)))
	block := k.CTAIDY().Mul(k.NCTAIDX()).Add(k.CTAIDX())
	overlap.Prefetch(block, in, []ir.U32{k.ConstU32(0)}, []ir.Pred{inside})
	k.GridDependencyWait()

	x := in.LoadPacketIf(k, inside, ir.L1NoAllocate).Values()
	overlap.Loaded()
	squares := k.ConstF32(0)
	for _, e := range x {
		squares = e.MulAdd(e, squares)
	}
	total := lib.WarpReduce(squares, lanes, func(a, b ir.F32) ir.F32 { return a.Add(b) })
	rstd := total.MulAdd(k.ConstF32(1/float32(v.HeadDim)), eps).ReciprocalSqrt(ir.Approx)
	p := params{weightOffset: offset}
	for i := range x {
		x[i] = p.scale(x[i], rstd, weight[i], Types{v.In, v.Weight, v.In}, v.RoundBefore)
	}
	out.StorePacketIf(inside, v.In.Pack(x), ir.CS)
}
