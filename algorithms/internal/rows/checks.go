package rows

import (
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// CheckStride refuses rows that overlap.
func CheckStride(op *catalog.Operator, name string, got, atLeast int) error {
	if got != 0 && got < atLeast {
		return op.Refuse(name, fmt.Sprintf("0 or at least %d", atLeast), fmt.Sprint(got))
	}
	return nil
}

// CheckAlign refuses an alignment that is no power of two or less than an element.
func CheckAlign(op *catalog.Operator, align int, input oxrt.DType) error {
	if align&(align-1) != 0 || align < input.Size() {
		return op.Refuse("align", fmt.Sprintf("a power of two, %d or more", input.Size()), fmt.Sprint(align))
	}
	return nil
}

// CheckOutput refuses an output type that is neither the input's nor e4m3.
func CheckOutput(op *catalog.Operator, input, output oxrt.DType) error {
	if output != input && output != oxrt.E4M3 {
		return op.Refuse("output", "e4m3 or the input's type "+input.String(), output.String())
	}
	return nil
}

// CheckScale refuses a scale that would be ignored.
func CheckScale(op *catalog.Operator, output oxrt.DType, scale float32) error {
	if output != oxrt.E4M3 && scale != 1 {
		return op.Refuse("output_scale", "1 unless the output is e4m3", fmt.Sprint(scale))
	}
	return nil
}

// Dense replaces a stride of 0.
func Dense(stride, packed int) int {
	if stride == 0 {
		return packed
	}
	return stride
}

// Named is a field with its value.
type Named struct {
	Field string
	Value int
}

// NotPacked says why 16-byte accesses cannot read the rows, nil if they can. Alignment, size and strides are what counts.
func NotPacked(op *catalog.Operator, align int, sizes ...Named) error {
	if align%16 != 0 {
		return op.Refuse("align", "a multiple of 16 for this algorithm", fmt.Sprint(align))
	}
	for _, s := range sizes {
		if s.Value%Packet != 0 {
			return op.Refuse(s.Field, fmt.Sprintf("a multiple of %d for this algorithm", Packet), fmt.Sprint(s.Value))
		}
	}
	return nil
}
