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

// TensorBox is what a kernel demands of a tensor map: the part of a tensor that one copy moves, and how it lies in shared
// memory. It comes from the shared tile that the kernel copies to, through the generated launch contract; the host adds
// address, sizes and strides.
type TensorBox struct {
	DType     DType
	Rank      uint32
	Dims      [5]uint32 // elements in each dimension, innermost first
	Swizzle   Swizzle
	Promotion uint32 // bytes that L2 fetches around what it misses: 0, 64, 128 or 256
	FillNaN   bool   // elements outside of the tensor read as NaN, not as zero
}

// Bytes is the size of the box.
func (b *TensorBox) Bytes() uint64 {
	n := uint64(b.DType.Size())
	for _, d := range b.Dims[:b.Rank] {
		n *= uint64(d)
	}
	return n
}

// Box is the box of the tensor map that a parameter takes, nil if there is no such parameter or its kernel demands nothing.
func (c *LaunchContract) Box(param string) *TensorBox {
	for i := range c.Params {
		if c.Params[i].Name == param {
			return c.Params[i].Box
		}
	}
	return nil
}
