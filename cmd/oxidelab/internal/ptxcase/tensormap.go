package ptxcase

import (
	"errors"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// mapTypes are the element types of tensor maps by the dtypes of cases. 8-bit floats are bytes to the copy engine.
var mapTypes = map[string]emulate.MapType{
	"u8": emulate.MapU8, "i8": emulate.MapU8, "e4m3": emulate.MapU8, "e5m2": emulate.MapU8, "u16": emulate.MapU16, "i16": emulate.MapU16,
	"u32": emulate.MapU32, "i32": emulate.MapS32, "u64": emulate.MapU64, "i64": emulate.MapS64,
	"f16": emulate.MapF16, "bf16": emulate.MapBF16, "f32": emulate.MapF32, "f64": emulate.MapF64,
}

var (
	mapInterleaves = []string{"none", "16B", "32B"}
	mapSwizzles    = []string{"none", "32B", "64B", "128B"}
	mapPromotions  = []string{"none", "64B", "128B", "256B"}
	mapFills       = []string{"zero", "nan"}
)

// tensorMap translates the description of a case.
func (d *mapDesc) tensorMap(addr map[string]uint64) (*emulate.TensorMap, error) {
	t, ok := mapTypes[d.DType]
	base, known := addr[d.Buffer]
	if !ok || !known || d.Offset < 0 {
		return nil, unreadable("tensor map %q: dtype %q, buffer %q, offset %d", d.Name, d.DType, d.Buffer, d.Offset)
	}
	if d.Rank < 1 || d.Rank > 5 || len(d.Dims) != d.Rank || len(d.Strides) != d.Rank-1 || len(d.Box) != d.Rank || len(d.Steps) != d.Rank {
		return nil, unreadable("tensor map %q: rank %d with %d dims, %d strides, %d box dims and %d element strides", d.Name, d.Rank, len(d.Dims), len(d.Strides), len(d.Box), len(d.Steps))
	}
	m := &emulate.TensorMap{Type: t, Rank: d.Rank, Address: base + uint64(d.Offset)}
	copy(m.Dims[:], d.Dims)
	copy(m.Strides[:], d.Strides)
	copy(m.Box[:], d.Box)
	copy(m.ElementStrides[:], d.Steps)
	inter, swz, l2, fill := slices.Index(mapInterleaves, d.Interleave), slices.Index(mapSwizzles, d.Swizzle), slices.Index(mapPromotions, d.L2Promotion), slices.Index(mapFills, d.OOBFill)
	if min(inter, swz, l2, fill) < 0 {
		return nil, unreadable("tensor map %q: interleave %q, swizzle %q, l2_promotion %q, oob_fill %q", d.Name, d.Interleave, d.Swizzle, d.L2Promotion, d.OOBFill)
	}
	m.Interleave, m.Swizzle, m.Promotion, m.FillNaN = emulate.MapInterleave(inter), emulate.MapSwizzle(swz), emulate.MapPromotion(l2), fill == 1
	return m, nil
}

// encodeMaps encodes the tensor maps of a case. One that the driver would refuse is a finding, and has no bytes.
func (r *Report) encodeMaps(c *loaded, addr map[string]uint64) (map[string][]byte, error) {
	out := map[string][]byte{}
	for i := range c.Maps {
		d := &c.Maps[i]
		m, err := d.tensorMap(addr)
		if err != nil {
			return nil, err
		}
		if _, twice := out[d.Name]; twice {
			return nil, unreadable("tensor map %q is listed twice", d.Name)
		}
		b, err := m.Encode()
		var refused *emulate.TensorMapError
		switch {
		case err == nil:
			out[d.Name] = b[:]
			continue
		case !errors.As(err, &refused) || refused.Unmodelled:
			return nil, &inputError{status: StatusUnmodelled, err: err}
		}
		out[d.Name] = nil
		r.Findings = append(r.Findings, emulate.Finding{Class: emulate.LaunchMap, Severity: emulate.Error, Message: d.Name + ": " + err.Error(), Count: 1})
	}
	return out, nil
}
