package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// params are the parameters of the RMSNorm kernels. Strides are elements from one row to the next.
type params struct {
	x, weight, y      lib.Elements
	hidden            ir.U32
	xStride, yStride  ir.U64
	invHidden, eps    ir.F32
	weightOffset      ir.F32 // added to the weight: 0, or 1 for Gemma
	outScale          ir.F32 // multiplies the result before it becomes e4m3
	residual, sum     lib.Elements
	resStride, sumStr ir.U64
	overlap           lib.Overlap
}

func declare(k *ir.Kernel, t Types, add bool, align int) params {
	p := params{
		x:      lib.ElementsParam(k, "x", t.In, ir.Aligned(align)),
		weight: lib.ElementsParam(k, "weight", t.Weight, ir.Constant, ir.Aligned(align)),
		y:      lib.ElementsParam(k, "y", t.Out, ir.Writes, ir.Aligned(align)),
	}
	p.xStride, p.yStride = ir.Param[ir.U64](k, "x_stride"), ir.Param[ir.U64](k, "y_stride")
	if add {
		p.residual = lib.ElementsParam(k, "residual", t.In, ir.Aligned(align))
		p.sum = lib.ElementsParam(k, "sum", t.In, ir.Writes, ir.Aligned(align))
		p.resStride, p.sumStr = ir.Param[ir.U64](k, "residual_stride"), ir.Param[ir.U64](k, "sum_stride")
	}
	p.hidden = ir.Param[ir.U32](k, "hidden")
	p.invHidden, p.eps = ir.Param[ir.F32](k, "inv_hidden"), ir.Param[ir.F32](k, "eps")
	p.weightOffset, p.outScale = ir.Param[ir.F32](k, "weight_offset"), ir.Param[ir.F32](k, "out_scale")
	p.overlap = lib.OverlapParams(k)
	return p
}

// row moves the activations to one row.
func (p params) row(i ir.U32, add bool) params {
	at := i.ConvertToU64()
	p.x, p.y = p.x.At(at.Mul(p.xStride)), p.y.At(at.Mul(p.yStride))
	if add {
		p.residual, p.sum = p.residual.At(at.Mul(p.resStride)), p.sum.At(at.Mul(p.sumStr))
	}
	return p
}

// scale gives x·rstd·(weight + offset), rounded to the input's format before the weight where before is set, and scaled
// where the output is e4m3.
func (p params) scale(x, rstd, weight ir.F32, t Types, before bool) ir.F32 {
	x = x.Mul(rstd)
	if before {
		x = t.In.Round(x)
	}
	x = x.Mul(weight.Add(p.weightOffset))
	if t.Out == lib.E4M3 {
		x = x.Mul(p.outScale)
	}
	return x
}

// blockSum adds x over the block.
func blockSum(k *ir.Kernel, x ir.F32) ir.F32 { return lib.NewExchange(k, "sum", 0).Sum(x)[0] }
