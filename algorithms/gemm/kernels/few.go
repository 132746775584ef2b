package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// few is what the kernels for few rows of a have in common: weights are the rows of their products, and results are stored
// from shared memory.
type few struct {
	k                    *ir.Kernel
	in                   lib.Format
	m, columns           ir.U32
	aScale, bScale       ir.Global[ir.F32]
	aScaleRow, bScaleRow ir.U64
	epilogue             *Epilogue
	plain                ir.Pred // nothing but rounding becomes of the sums
}

// fewParams declares the parameters that follow those of the kernel's copies.
func fewParams(k *ir.Kernel, in lib.Format) few {
	f := few{k: k, in: in, m: ir.Param[ir.U32](k, "m"), columns: ir.Param[ir.U32](k, "columns")}
	// Scales are those of e4m3; all formats have the same parameters.
	f.aScale, f.bScale = ir.GlobalParam[ir.F32](k, "a_scale"), ir.GlobalParam[ir.F32](k, "b_scale")
	f.aScaleRow, f.bScaleRow = ir.Param[ir.U64](k, "a_scale_stride"), ir.Param[ir.U64](k, "b_scale_stride")
	f.epilogue = EpilogueParams(k, f.m, f.columns)
	e := f.epilogue
	f.plain = e.hasC.Or(e.hasBias).Or(e.hasFactor).Or(e.gated).Not().And(e.alpha.Equal(k.ConstF32(1))).
		And(e.activation.Equal(k.ConstU32(ActivationNone))).And(e.dType.Equal(k.ConstU32(f.plainType())))
	return f
}

// plainFormat is the output that has the short way: the input's, or bf16 for e4m3.
func (f *few) plainFormat() lib.Format {
	if f.in == lib.F16 {
		return lib.F16
	}
	return lib.BF16
}

func (f *few) plainType() uint32 {
	if f.in == lib.F16 {
		return TypeF16
	}
	return TypeBF16
}

// scaleA and scaleB are what the sums of a row of a, and of a weight row, are multiplied by: 1 where there are no scales.
func (f *few) scaleA(row ir.U32) ir.F32 {
	if f.in != lib.E4M3 {
		return f.k.ConstF32(1)
	}
	return f.aScale.At(row.ConvertToU64().Mul(f.aScaleRow)).LoadIf(row.Less(f.m), f.k.ConstF32(0))
}

func (f *few) scaleB(column ir.U32) ir.F32 {
	if f.in != lib.E4M3 {
		return f.k.ConstF32(1)
	}
	return f.bScale.At(column.ConvertToU64().Mul(f.bScaleRow)).LoadIf(column.Less(f.columns), f.k.ConstF32(0))
}

// scaled multiplies a sum by what scales have been loaded for it.
func (f *few) scaled(sum ir.F32, scales ...ir.F32) ir.F32 {
	if f.in == lib.E4M3 {
		for _, s := range scales {
			sum = sum.Mul(s)
		}
	}
	return sum
}

// pair finishes the sums of two neighbouring columns, the first of them even, in every way that the launch can ask for.
func (f *few) pair(row, column ir.U32, sums [2]ir.F32) {
	factor := f.scaled(f.epilogue.Factor(row), f.scaleA(row))
	for i := range sums {
		sums[i] = f.scaled(sums[i], f.scaleB(column.Add(f.k.ConstU32(uint32(i)))))
	}
	f.epilogue.Pair(row, column, sums, factor)
}

// out is the place of an element of d in the plain format.
func (f *few) out(row, column ir.U32) ir.Global[ir.U16] {
	return ir.Cast[ir.U16](f.epilogue.d).At(row.ConvertToU64().MulAdd(f.epilogue.dStride, column.ConvertToU64()))
}

// round gives the bits of a result in the plain format.
func (f *few) round(x ir.F32) ir.U16 {
	if f.in == lib.F16 {
		return x.ConvertToF16().AsU16()
	}
	return x.ConvertToBF16().AsU16()
}
