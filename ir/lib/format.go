package lib

import "github.com/oxideinfer/oxide/ir"

// Format is how an element lies in memory: a build value, so that one kernel function serves all dtypes.
type Format string

// The formats that operators read and write.
const (
	F32  Format = "F32"
	F16  Format = "F16"
	BF16 Format = "BF16"
	E4M3 Format = "E4M3"
)

// Bytes is the size of one element.
func (f Format) Bytes() int {
	switch f {
	case F32:
		return 4
	case E4M3:
		return 1
	}
	return 2
}

// Round gives x as the format would hold it: rounded to nearest even and widened again. F32 changes nothing.
func (f Format) Round(x ir.F32) ir.F32 {
	switch f {
	case F16:
		return x.ConvertToF16().ConvertToF32()
	case BF16:
		return x.ConvertToBF16().ConvertToF32()
	case E4M3:
		lo, _ := wideE4M3(x.ConvertToE4M3x2(x))
		return lo
	}
	return x
}

// Elements is a pointer to global elements of a format that is known while building.
type Elements struct {
	format Format
	p      ir.Global[ir.U8]
}

// ElementsParam declares a kernel parameter that points to elements of a format.
func ElementsParam(k *ir.Kernel, name string, f Format, opts ...ir.ParamOption) Elements {
	switch f {
	case F32:
		return Elements{f, ir.Cast[ir.U8](ir.GlobalParam[ir.F32](k, name, opts...))}
	case F16:
		return Elements{f, ir.Cast[ir.U8](ir.GlobalParam[ir.F16](k, name, opts...))}
	case BF16:
		return Elements{f, ir.Cast[ir.U8](ir.GlobalParam[ir.BF16](k, name, opts...))}
	}
	return Elements{f, ir.Cast[ir.U8](ir.GlobalParam[ir.E4M3](k, name, opts...))}
}

// Format is the format of the elements.
func (e Elements) Format() Format { return e.format }

// At is the address of element i.
func (e Elements) At(i ir.Index) Elements {
	switch e.format.Bytes() {
	case 4:
		e.p = ir.Cast[ir.U8](ir.Cast[ir.U32](e.p).At(i))
	case 2:
		e.p = ir.Cast[ir.U8](ir.Cast[ir.U16](e.p).At(i))
	default:
		e.p = e.p.At(i)
	}
	return e
}

// AtConst is the address of element n, a build value.
func (e Elements) AtConst(n int) Elements {
	e.p = e.p.AtConst(n * e.format.Bytes())
	return e
}

// Prefetch asks for the line of the first element to be brought into a cache. It returns nothing, so it may stand before
// griddepcontrol.wait even where an earlier launch still writes: its stores meet the line in L2.
func (e Elements) Prefetch(level ir.PrefetchLevel) { e.p.Prefetch(level) }

// PrefetchRun asks for a run of elements to be brought to L2. The address and the length are multiples of 16 bytes. One
// thread asks for all.
func (e Elements) PrefetchRun(elements ir.U32) {
	k := ir.KernelOf(elements)
	ir.BulkPrefetch(e.p, elements.Mul(k.ConstU32(uint32(e.format.Bytes()))))
}

// Load reads one element.
func (e Elements) Load(opts ...ir.LoadOption) ir.F32 {
	switch e.format {
	case F32:
		return ir.Cast[ir.F32](e.p).Load(opts...)
	case F16:
		return ir.Cast[ir.F16](e.p).Load(opts...).ConvertToF32()
	case E4M3:
		return fromE4M3(ir.Cast[ir.E4M3](e.p).Load(opts...))
	}
	return ir.Cast[ir.BF16](e.p).Load(opts...).ConvertToF32()
}

// LoadIf reads one element where mask holds and gives zero elsewhere, without touching memory there.
func (e Elements) LoadIf(k *ir.Kernel, mask ir.Pred, opts ...ir.LoadOption) ir.F32 {
	switch e.format {
	case F32:
		return ir.Cast[ir.F32](e.p).LoadIf(mask, k.ConstF32(0), opts...)
	case F16:
		return ir.Cast[ir.F16](e.p).LoadIf(mask, ir.ConstBits[ir.F16](k, 0), opts...).ConvertToF32()
	case E4M3:
		return fromE4M3(ir.Cast[ir.E4M3](e.p).LoadIf(mask, ir.ConstBits[ir.E4M3](k, 0), opts...))
	}
	return ir.Cast[ir.BF16](e.p).LoadIf(mask, ir.ConstBits[ir.BF16](k, 0), opts...).ConvertToF32()
}

// SelectElements gives x where p holds and y elsewhere; both have one format.
func SelectElements(p ir.Pred, x, y Elements) Elements {
	return Elements{x.format, ir.Select(p, x.p, y.p)}
}

// Store rounds and writes one element. E4M3 clamps to ±448.
func (e Elements) Store(x ir.F32, opts ...ir.StoreOption) {
	switch e.format {
	case F32:
		ir.Cast[ir.F32](e.p).Store(x, opts...)
	case F16:
		ir.Cast[ir.F16](e.p).Store(x.ConvertToF16(), opts...)
	case BF16:
		ir.Cast[ir.BF16](e.p).Store(x.ConvertToBF16(), opts...)
	default:
		lo, _ := x.ConvertToE4M3x2(x).UnpackToE4M3()
		ir.Cast[ir.E4M3](e.p).Store(lo, opts...)
	}
}

// ElementsAt is the elements of a format at an address.
func ElementsAt(p ir.Global[ir.U8], f Format) Elements { return Elements{f, p} }

// LoadPairIf reads two neighbouring 16-bit elements, at a multiple of 4 bytes, where mask holds, and gives zeros elsewhere.
func (e Elements) LoadPairIf(k *ir.Kernel, mask ir.Pred, opts ...ir.LoadOption) [2]ir.F32 {
	w := ir.Cast[ir.U32](e.p).LoadIf(mask, k.ConstU32(0), opts...)
	if e.format == F16 {
		lo, hi := w.AsF16x2().ConvertToF32()
		return [2]ir.F32{lo, hi}
	}
	lo, hi := w.AsBF16x2().ConvertToF32()
	return [2]ir.F32{lo, hi}
}

// StoreQuad rounds and writes four neighbouring elements, at a multiple of their size together. E4M3 clamps to ±448.
func (e Elements) StoreQuad(x [4]ir.F32, opts ...ir.StoreOption) {
	w := ir.Cast[ir.U32](e.p)
	switch e.format {
	case F32:
		w.StoreVec(ir.Vec[ir.U32]{x[0].AsU32(), x[1].AsU32(), x[2].AsU32(), x[3].AsU32()}, opts...)
	case E4M3:
		w.Store(e.format.word(x[:]), opts...)
	default:
		w.StoreVec(ir.Vec[ir.U32]{e.format.word(x[:2]), e.format.word(x[2:])}, opts...)
	}
}
