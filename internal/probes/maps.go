package probes

import (
	"errors"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Maps are descriptions of tensor maps, right ones and such with one or two arguments off, for which the driver's answer is
// recorded: yes or no.
func Maps() (out []*emulate.TensorMap) {
	r := rand.New(rand.NewPCG(1, 20261201))
	for i := range 3000 {
		e := mapElements[r.IntN(len(mapElements))]
		swizzle := swizzles[r.IntN(4)]
		rows := rowsOf(swizzle, r.IntN(21))
		m := newPlan(e, 1+r.IntN(5), swizzle, rows[r.IntN(2)]).m
		m.Address = 0x7f5500000000 + uint64(r.IntN(64))<<8
		m.Promotion = emulate.MapPromotion(r.IntN(4))
		m.FillNaN = r.IntN(4) == 0
		if r.IntN(8) == 0 {
			m.Interleave = emulate.MapInterleave(1 + r.IntN(2))
			if r.IntN(2) == 0 {
				m.Swizzle = emulate.Swizzle32B
			}
		}
		if r.IntN(12) == 0 {
			m.Type = emulate.MapF32Ftz + emulate.MapType(r.IntN(3))
		}
		for range i % 3 {
			spoil(&m, r)
		}
		out = append(out, &m)
	}
	return out
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// spoil sets one argument to a value at or beyond a limit.
func spoil(m *emulate.TensorMap, r *rand.Rand) {
	d := r.IntN(5)
	switch r.IntN(10) {
	case 0:
		m.Address += pick[uint64](r, 1, 8, 16, 32, 64)
	case 1:
		m.Dims[d] = pick[uint64](r, 0, 1, 1<<32-1, 1<<32, 1<<32+1, 1<<40)
	case 2:
		m.Strides[r.IntN(4)] = pick[uint64](r, 0, 8, 16, 24, 32, 48, 1<<39, 1<<40-16, 1<<40, 1<<41)
	case 3:
		m.Box[d] = pick[uint32](r, 0, 1, 2, 3, 255, 256, 257)
	case 4:
		m.Box[0] = pick[uint32](r, 1, 2, 4, 8, 12, 16, 20, 32, 64, 96, 128, 160, 256)
	case 5:
		m.ElementStrides[d] = pick[uint32](r, 0, 2, 7, 8, 9, 100)
	case 6:
		m.Rank = pick(r, 0, 1, 2, 3, 4, 5, 6)
	case 7:
		m.Swizzle = pick(r, emulate.SwizzleNone, emulate.Swizzle32B, emulate.Swizzle64B, emulate.Swizzle128B)
	case 8:
		m.Promotion = pick(r, emulate.Promotion256B, emulate.MapPromotion(4), emulate.MapPromotion(200))
	case 9:
		m.Type = pick(r, emulate.MapU8, emulate.MapF64, emulate.MapBF16, emulate.MapType(13), emulate.MapType(99))
	}
}

// accepts tells whether an encoder's error, or none, means that the driver takes the map.
func accepts(err error) bool {
	var refused *emulate.TensorMapError
	return err == nil || errors.As(err, &refused) && refused.Unmodelled
}

func answer(yes bool) byte {
	if yes {
		return '1'
	}
	return '0'
}
