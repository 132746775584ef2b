package oxrt

// Swizzle is how 16-byte chunks of a box are permuted in shared memory. The values are those of CUtensorMapSwizzle.
type Swizzle uint8

// The swizzles, by the length of the rows that they permute.
const (
	SwizzleNone Swizzle = iota
	Swizzle32B
	Swizzle64B
	Swizzle128B
)

// Span is the bytes of the rows that the swizzle permutes, 0 for none.
func (s Swizzle) Span() uint64 {
	if s == SwizzleNone {
		return 0
	}
	return 16 << s
}

// Interleave is the layout of interleaved channels in global memory. The values are those of CUtensorMapInterleave.
type Interleave uint8

// The interleaved layouts.
const (
	InterleaveNone Interleave = iota
	Interleave16B
	Interleave32B
)

// TensorBox is what a kernel demands of a tensor map: the part of a tensor that one copy moves, and how it lies in shared
// memory. It comes from the shared tile that the kernel copies to, through the generated launch contract; the host adds
// address, sizes and strides.
type TensorBox struct {
	DType      DType
	Rank       uint32
	Dims       [5]uint32 // elements in each dimension, innermost first
	Steps      [5]uint32 // every how many elements one is copied; 0: 1. That of dimension 0 does nothing
	Interleave Interleave
	Swizzle    Swizzle
	Promotion  uint32 // bytes that L2 fetches around what it misses: 0, 64, 128 or 256
	FillNaN    bool   // elements outside of the tensor read as NaN, not as zero
}

// Bytes is the size of the box.
func (b *TensorBox) Bytes() uint64 {
	n := uint64(b.DType.Size())
	for i, d := range b.Dims[:b.Rank] {
		step := b.Steps[i]
		if i == 0 || step == 0 {
			step = 1
		}
		n *= uint64((d + step - 1) / step)
	}
	return n
}

// MapType is the number of the element type in CUtensorMapDataType, for types of tensors; 8-bit types are bytes to the engine.
func (b *TensorBox) MapType() uint32 { return mapTypes[b.DType] }

// mapTypes is indexed by DType.
var mapTypes = [...]uint32{F64: 8, F32: 7, F16: 6, BF16: 9, E4M3: 0, E5M2: 0, I64: 5, I32: 3, I16: 1, I8: 0, U64: 4, U32: 2, U16: 1, U8: 0, Bool: 0}

// PromotionCode is the promotion as CUtensorMapL2promotion.
func (b *TensorBox) PromotionCode() uint32 { return uint32(max(promotionCode(b.Promotion), 0)) }

// promotionCode is -1 for what is no promotion.
func promotionCode(bytes uint32) int {
	switch bytes {
	case 0:
		return 0
	case 64:
		return 1
	case 128:
		return 2
	case 256:
		return 3
	}
	return -1
}

// Step is every how many elements of a dimension one is copied.
func (b *TensorBox) Step(dimension int) uint32 { return max(b.Steps[dimension], 1) }

// Box is the box of the tensor map that a parameter takes, nil if there is no such parameter or its kernel demands nothing.
func (c *LaunchContract) Box(param string) *TensorBox {
	for i := range c.Params {
		if c.Params[i].Name == param {
			return c.Params[i].Box
		}
	}
	return nil
}
