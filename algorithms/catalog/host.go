package catalog

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/runtime"
)

// FormatOf returns the number format of a floating-point element type other than f64.
func FormatOf(d oxrt.DType) (Format, bool) {
	switch d {
	case oxrt.F32:
		return Format{numfmt.F32}, true
	case oxrt.F16:
		return Format{numfmt.F16}, true
	case oxrt.BF16:
		return Format{numfmt.BF16}, true
	case oxrt.E4M3:
		return Format{numfmt.E4M3}, true
	case oxrt.E5M2:
		return Format{numfmt.E5M2}, true
	}
	return Format{}, false
}

// ReadBits returns the pattern of element i of a little-endian array.
func ReadBits(d oxrt.DType, data []byte, i int) uint32 {
	switch d.Size() {
	case 1:
		return uint32(data[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return binary.LittleEndian.Uint32(data[4*i:])
}

// WriteBits stores the pattern of element i of a little-endian array.
func WriteBits(d oxrt.DType, data []byte, i int, bits uint32) {
	switch d.Size() {
	case 1:
		data[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(data[2*i:], uint16(bits))
	default:
		binary.LittleEndian.PutUint32(data[4*i:], bits)
	}
}

// Gather reads the logical elements of a strided tensor as float64.
func Gather(t Tensor, data []byte) ([]float64, error) {
	f, ok := FormatOf(t.DType)
	if !ok || len(data) < t.Span()*t.DType.Size() {
		return nil, fmt.Errorf("%s: %d bytes of %v hold no tensor of %d elements", t.Operand.Name, len(data), t.DType, t.Span())
	}
	out := make([]float64, t.Elements())
	t.Offsets(func(dense, offset int) {
		bits := ReadBits(t.DType, data, offset)
		if t.DType == oxrt.F32 {
			out[dense] = float64(math.Float32frombits(bits))
			return
		}
		out[dense] = f.Decode(bits)
	})
	return out, nil
}
