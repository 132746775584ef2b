package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Numbers of the formats in d_type, c_type and bias_type.
const (
	TypeF32 = iota
	TypeF16
	TypeBF16
	TypeE4M3
)

// Numbers of the functions in activation.
const (
	ActivationNone = iota
	ActivationSiLU
	ActivationGELU
	ActivationGELUTanh
)

// formats is indexed by the numbers of formats.
var formats = [...]lib.Format{lib.F32, lib.F16, lib.BF16, lib.E4M3}

// Epilogue is what becomes of the sums before they are stored. All of it is chosen by the launch, so that one kernel serves
// every Spec: branches are uniform.
type Epilogue struct {
	k                *ir.Kernel
	d, c, bias       ir.Global[ir.U8]
	dType, cType     ir.U32
	biasType         ir.U32
	dStride, cStride ir.U64
	rowFactor        ir.Global[ir.F32]
	hasC, hasBias    ir.Pred
	hasFactor        ir.Pred
	fromSquares      ir.Pred
	invK, epsilon    ir.F32
	alpha, beta      ir.F32
	activation       ir.U32
	gated            ir.Pred
	m, columns       ir.U32 // of the product: twice d's columns where it is gated
	outScale         ir.F32
}

// EpilogueParams declares the parameters. m and columns are the sizes of the product.
func EpilogueParams(k *ir.Kernel, m, columns ir.U32) *Epilogue {
	e := &Epilogue{k: k, m: m, columns: columns}
	e.d = ir.GlobalParam[ir.U8](k, "d", ir.Writes)
	e.c, e.bias = ir.GlobalParam[ir.U8](k, "c"), ir.GlobalParam[ir.U8](k, "bias", ir.Constant)
	e.rowFactor = ir.GlobalParam[ir.F32](k, "row_factor")
	e.dStride, e.cStride = ir.Param[ir.U64](k, "d_stride"), ir.Param[ir.U64](k, "c_stride")
	e.dType, e.cType, e.biasType = ir.Param[ir.U32](k, "d_type"), ir.Param[ir.U32](k, "c_type"), ir.Param[ir.U32](k, "bias_type")
	present := func(p ir.U64) ir.Pred { return p.NotEqual(k.ConstU64(0)) }
	e.hasC, e.hasBias, e.hasFactor = present(e.c.Address()), present(e.bias.Address()), present(e.rowFactor.Address())
	e.activation = ir.Param[ir.U32](k, "activation")
	e.gated = ir.Param[ir.U32](k, "gated").NotEqual(k.ConstU32(0))
	e.alpha, e.beta = ir.Param[ir.F32](k, "alpha"), ir.Param[ir.F32](k, "beta")
	e.invK, e.epsilon = ir.Param[ir.F32](k, "inv_k"), ir.Param[ir.F32](k, "epsilon")
	e.fromSquares = e.invK.Greater(k.ConstF32(0))
	e.outScale = ir.Param[ir.F32](k, "out_scale")
	return e
}

// Factor is what multiplies all sums of a row: alpha, and the factor that the launch gives or asks to be made of a sum of
// squares, as RMSNorm makes it.
func (e *Epilogue) Factor(row ir.U32) ir.F32 {
	f := e.rowFactor.At(row).LoadIf(e.hasFactor.And(row.Less(e.m)), e.k.ConstF32(1))
	norm := f.MulAdd(e.invK, e.epsilon).ReciprocalSqrt(ir.Approx)
	return e.alpha.Mul(ir.Select(e.fromSquares.And(e.hasFactor), norm, f))
}

// Pair finishes and stores two sums of one row whose columns are neighbours, the first of them even. factor is the row's.
func (e *Epilogue) Pair(row, column ir.U32, sums [2]ir.F32, factor ir.F32) {
	k := e.k
	second := column.Add(k.ConstU32(1))
	inside := [2]ir.Pred{row.Less(e.m).And(column.Less(e.columns)), row.Less(e.m).And(second.Less(e.columns))}
	at := row.ConvertToU64().MulAdd(e.cStride, column.ConvertToU64())
	var y [2]ir.F32
	for i := range y {
		c := loadAny(k, e.c, at.Add(k.ConstU64(uint64(i))), e.cType, e.hasC.And(inside[i]))
		bias := loadAny(k, e.bias, column.Add(k.ConstU32(uint32(i))).ConvertToU64(), e.biasType, e.hasBias.And(inside[i]))
		x := sums[i].Mul(factor)
		x = ir.Select(e.hasC, c.MulAdd(e.beta, x), x)
		y[i] = ir.Select(e.hasBias, x.Add(bias), x)
	}
	y[0] = e.activate(y[0])
	k.If(e.gated, func() {
		e.store(row, column.ShiftRight(k.ConstU32(1)), y[0].Mul(y[1]), inside[1])
	}).Else(func() {
		e.store(row, column, y[0], inside[0])
		e.store(row, second, e.activate(y[1]), inside[1])
	})
}

// activate applies the function of the launch.
func (e *Epilogue) activate(x ir.F32) ir.F32 {
	y := ir.NewVar(x)
	for n, f := range [...]func(ir.F32) ir.F32{lib.SiLU, lib.GELU, lib.GELUTanh} {
		e.k.If(e.activation.Equal(e.k.ConstU32(uint32(n+1))), func() { y.Set(f(x)) })
	}
	return y.Get()
}

// store rounds a value to the output's format.
func (e *Epilogue) store(row, column ir.U32, x ir.F32, mask ir.Pred) {
	k := e.k
	at := row.ConvertToU64().MulAdd(e.dStride, column.ConvertToU64())
	for n, f := range formats {
		k.If(e.dType.Equal(k.ConstU32(uint32(n))).And(mask), func() {
			v := x
			if f == lib.E4M3 {
				v = v.Mul(e.outScale)
			}
			elements(e.d, f, at).store(v)
		})
	}
}

// loadAny reads element i of a format that the launch chooses, zero where mask does not hold. e4m3 is none of them.
func loadAny(k *ir.Kernel, p ir.Global[ir.U8], i ir.U64, format ir.U32, mask ir.Pred) ir.F32 {
	x := k.ConstF32(0)
	for n, f := range formats[:TypeE4M3] {
		this := format.Equal(k.ConstU32(uint32(n)))
		x = ir.Select(this, elements(p, f, i).loadIf(k, mask.And(this)), x)
	}
	return x
}

// element is one element in memory.
type element struct {
	p ir.Global[ir.U8]
	f lib.Format
}

func elements(p ir.Global[ir.U8], f lib.Format, i ir.U64) element {
	switch f.Bytes() {
	case 4:
		p = ir.Cast[ir.U8](ir.Cast[ir.F32](p).At(i))
	case 2:
		p = ir.Cast[ir.U8](ir.Cast[ir.U16](p).At(i))
	default:
		p = p.At(i)
	}
	return element{p, f}
}

func (e element) loadIf(k *ir.Kernel, mask ir.Pred) ir.F32 {
	switch e.f {
	case lib.F32:
		return ir.Cast[ir.F32](e.p).LoadIf(mask, k.ConstF32(0))
	case lib.F16:
		return ir.Cast[ir.F16](e.p).LoadIf(mask, ir.ConstBits[ir.F16](k, 0)).ConvertToF32()
	}
	return ir.Cast[ir.BF16](e.p).LoadIf(mask, ir.ConstBits[ir.BF16](k, 0)).ConvertToF32()
}

func (e element) store(x ir.F32) {
	switch e.f {
	case lib.F32:
		ir.Cast[ir.F32](e.p).Store(x)
	case lib.F16:
		ir.Cast[ir.F16](e.p).Store(x.ConvertToF16())
	case lib.BF16:
		ir.Cast[ir.BF16](e.p).Store(x.ConvertToBF16())
	default:
		lo, _ := x.ConvertToE4M3x2(x).UnpackToE4M3()
		ir.Cast[ir.E4M3](e.p).Store(lo)
	}
}
