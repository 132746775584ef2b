package oxrt

import (
	"fmt"
	goruntime "runtime"
)

// TensorMapAlign is the alignment of a tensor map in memory and in the parameters of a launch.
const TensorMapAlign = 64

// TensorMap is an encoded tensor map, CUtensorMap: 128 bytes that a kernel takes by value. They describe a tensor in device
// memory to the engine that copies boxes of it, and hold its address; they are made for one place in memory.
type TensorMap [128]byte

// TensorView is where a tensor lies: what the host adds to a [TensorBox]. Dimensions are innermost first, and neighbours in
// the innermost one are adjacent.
type TensorView struct {
	Base    DevicePtr
	Dims    [5]uint64 // elements
	Strides [4]uint64 // bytes between neighbours in dimensions 1, 2, …
}

// EncodeTensorMap encodes the map of a view in boxes. It is a pure function of its arguments that the driver computes in well
// under a microsecond: it needs no context, allocates nothing, and is legal while a stream is being captured.
//
// What the driver would refuse is refused before it is asked, with a ContractError that names the field.
func (d *Device) EncodeTensorMap(to *TensorMap, b *TensorBox, v *TensorView) error {
	if f := fault(b, v); f != nil {
		return f.contract()
	}
	if code := d.drv.EncodeTensorMap(to, b, v); code != CodeSuccess {
		return &DriverError{Op: "cuTensorMapEncodeTiled", Code: code}
	}
	return nil
}

// EncodeTensorMap is [Device.EncodeTensorMap] for the parameters of a launch in this scope; v lies in an operand. Prepared calls encode
// the map again for the operands that they are given.
func (s *Scope) EncodeTensorMap(to *TensorMap, b *TensorBox, v *TensorView) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	c.view = *v // what the driver is shown lives on the heap
	if c.maps != nil {
		err = c.maps.note(&c.encoded, b, &c.view)
	} else {
		err = c.dev.EncodeTensorMap(&c.encoded, b, &c.view)
	}
	if err != nil {
		return c.refuse(err)
	}
	*to = c.encoded
	return nil
}

// Check refuses a view that the driver would refuse in these boxes.
func (b *TensorBox) Check(v *TensorView) error {
	if f := fault(b, v); f != nil {
		return f.contract()
	}
	return nil
}

// mapFault is the first thing wrong with a tensor map. Its texts are made only where somebody reads them.
type mapFault struct {
	field     string
	dimension int // -1: the field has none
	want      string
	got       uint64
}

func (f *mapFault) contract() error {
	field := f.field
	if f.dimension >= 0 {
		field = fmt.Sprintf("%s[%d]", f.field, f.dimension)
	}
	return &ContractError{Kernel: "tensor map", Field: field, Want: f.want, Got: fmt.Sprint(f.got)}
}

// Limits of tensor maps (CUDA driver API, cuTensorMapEncodeTiled).
const (
	maxMapDims   = 1 << 32
	maxMapStride = 1 << 40
	maxBoxDims   = 256
	maxSteps     = 8
	maxBoxBytes  = 227 << 10 // shared memory of a block; a driver took 196608 and refused 245760
)

// fault finds what the driver would refuse, in the order of the call's arguments.
func fault(b *TensorBox, v *TensorView) *mapFault {
	one := func(field, want string, got uint64) *mapFault { return &mapFault{field, -1, want, got} }
	align, alignment := uint64(16), "a multiple of 16 bytes"
	if b.Interleave == Interleave32B {
		align, alignment = 32, "a multiple of 32 bytes"
	}
	switch {
	case !b.DType.Valid():
		return one("dtype", "an element type", uint64(b.DType))
	case b.Rank < 1 || b.Rank > 5:
		return one("rank", "1 to 5", uint64(b.Rank))
	case b.Interleave > Interleave32B:
		return one("interleave", "none, 16B or 32B", uint64(b.Interleave))
	case b.Swizzle > Swizzle128B:
		return one("swizzle", "none, 32B, 64B or 128B", uint64(b.Swizzle))
	case promotionCode(b.Promotion) < 0:
		return one("promotion", "0, 64, 128 or 256 bytes", uint64(b.Promotion))
	case b.Interleave != InterleaveNone && b.Rank < 3:
		return one("rank", "3 to 5 with an interleaved layout", uint64(b.Rank))
	case uint64(v.Base)%align != 0:
		return one("base", alignment, uint64(v.Base))
	case b.FillNaN && (!b.DType.IsFloat() || b.DType.Size() == 1):
		return one("fill", "zero for elements that are no floating-point numbers of 16 bits or more", 1)
	}
	for i := range int(b.Rank) {
		if f := dimensionFault(b, v, i, align, alignment); f != nil {
			return f
		}
	}
	row, span := uint64(b.Dims[0])*uint64(b.DType.Size()), b.Swizzle.Span()
	bytes := row
	for _, n := range b.Dims[1:b.Rank] {
		bytes *= uint64(n)
	}
	switch {
	case row%16 != 0:
		return &mapFault{"box", 0, "rows of a multiple of 16 bytes", row}
	case b.Interleave == InterleaveNone && span != 0 && row > span:
		return &mapFault{"box", 0, "rows of at most as many bytes as the swizzle permutes", row}
	case bytes > maxBoxBytes:
		return one("box", "at most 227 KB", bytes)
	}
	return nil
}

func dimensionFault(b *TensorBox, v *TensorView, i int, align uint64, alignment string) *mapFault {
	switch {
	case v.Dims[i] == 0 || v.Dims[i] > maxMapDims:
		return &mapFault{"dims", i, "1 to 2^32 elements", v.Dims[i]}
	case b.Dims[i] == 0 || b.Dims[i] > maxBoxDims:
		return &mapFault{"box", i, "1 to 256 elements", uint64(b.Dims[i])}
	case b.Steps[i] > maxSteps:
		return &mapFault{"steps", i, "0 to 8", uint64(b.Steps[i])}
	case i > 0 && v.Strides[i-1]%align != 0:
		return &mapFault{"strides", i - 1, alignment, v.Strides[i-1]}
	case i > 0 && v.Strides[i-1] >= maxMapStride:
		return &mapFault{"strides", i - 1, "less than 2^40 bytes", v.Strides[i-1]}
	}
	return nil
}
