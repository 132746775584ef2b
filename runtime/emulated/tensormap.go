package emulated

import (
	"errors"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// EncodeTensorMap encodes with the emulator's own encoder: the chip's format is not documented. What the emulator does not model is
// CodeNotSupported.
func (d *Driver) EncodeTensorMap(to *oxrt.TensorMap, b *oxrt.TensorBox, v *oxrt.TensorView) oxrt.Code {
	m := mapOf(b, v)
	encoded, err := m.Encode()
	if err != nil {
		return refusal(err)
	}
	*to = encoded
	return oxrt.CodeSuccess
}

func mapOf(b *oxrt.TensorBox, v *oxrt.TensorView) emulate.TensorMap {
	m := emulate.TensorMap{Type: emulate.MapType(b.MapType()), Rank: int(b.Rank), Address: uint64(v.Base), Dims: v.Dims, Strides: v.Strides,
		Box: b.Dims, Interleave: emulate.MapInterleave(b.Interleave), Swizzle: emulate.MapSwizzle(b.Swizzle),
		Promotion: emulate.MapPromotion(b.PromotionCode()), FillNaN: b.FillNaN}
	for i := range m.ElementStrides {
		m.ElementStrides[i] = b.Step(i)
	}
	return m
}

func refusal(err error) oxrt.Code {
	var refused *emulate.TensorMapError
	if errors.As(err, &refused) && refused.Unmodelled {
		return oxrt.CodeNotSupported
	}
	return oxrt.CodeInvalidValue
}
