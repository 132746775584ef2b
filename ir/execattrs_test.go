package ir_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
)

// TestF32Modifiers checks rounding, flushing and saturation of f32 arithmetic and of conversions against their
// definitions; operands include subnormals, halfway cases and overflows.
func TestF32Modifiers(t *testing.T) {
	type binary func(x, y ir.F32) ir.F32
	odd := map[string]func(a, b float64) float64{"add": numfmt.AddOdd, "mul": func(a, b float64) float64 { return a * b }}
	rounding := map[ir.Rounding]numfmt.Rounding{ir.RN: numfmt.RN, ir.RZ: numfmt.RZ, ir.RM: numfmt.RM, ir.RP: numfmt.RP}
	m := newMachine(t)
	for _, r := range []ir.Rounding{ir.RN, ir.RZ, ir.RM, ir.RP} {
		for name, on := range map[string]binary{
			"add": func(x, y ir.F32) ir.F32 { return x.Add(y, r) },
			"mul": func(x, y ir.F32) ir.F32 { return x.Mul(y, r) },
		} {
			m.binary(fmt.Sprint(name, ".", r), on, func(a, b float32) float64 {
				if r == ir.RM && name == "add" && a == -b && math.Signbit(float64(a)) != math.Signbit(float64(b)) {
					return math.Copysign(0, -1) // IEEE 754 6.3: an exact zero sum is -0 when rounding down
				}
				return numfmt.F32.Decode(numfmt.F32.Encode(odd[name](float64(a), float64(b)), rounding[r]))
			})
		}
	}
	flush := func(x float32) float64 {
		if math.Abs(float64(x)) < numfmt.F32.SmallestNormal() {
			return math.Copysign(0, float64(x))
		}
		return float64(x)
	}
	m.binary("add.ftz", func(x, y ir.F32) ir.F32 { return x.Add(y, ir.FTZ) }, func(a, b float32) float64 { return flush(float32(flush(a) + flush(b))) })
	m.binary("mul.ftz", func(x, y ir.F32) ir.F32 { return x.Mul(y, ir.FTZ) }, func(a, b float32) float64 { return flush(float32(flush(a) * flush(b))) })
	m.binary("add.sat", func(x, y ir.F32) ir.F32 { return x.Add(y, ir.Sat) }, func(a, b float32) float64 {
		s := float64(a + b)
		if s != s {
			return 0
		}
		return min(max(s, 0), 1)
	})
	m.binary("max.nan", func(x, y ir.F32) ir.F32 { return x.Max(y, ir.NaN) }, func(a, b float32) float64 { return math.Max(float64(a), float64(b)) })
	m.binary("bf16 relu", func(x, y ir.F32) ir.F32 { lo, _ := x.ConvertToBF16x2(y, ir.ReLU).ConvertToF32(); return lo }, func(a, _ float32) float64 {
		if a <= 0 {
			return 0
		}
		return numfmt.BF16.Decode(numfmt.BF16.Encode(float64(a), numfmt.RN))
	})
	m.binary("f16 rz", func(x, y ir.F32) ir.F32 { return y.ConvertToF16(ir.RZ).ConvertToF32() }, func(_, b float32) float64 {
		return numfmt.F16.Decode(numfmt.F16.Encode(float64(b), numfmt.RZ))
	})
	m.binary("to int", func(x, y ir.F32) ir.F32 { return x.ConvertToS32(ir.RNI).ConvertToF32() }, func(a, _ float32) float64 {
		switch v := math.RoundToEven(float64(a)); {
		case v != v, v == 0:
			return 0
		default:
			return float64(float32(min(max(v, math.MinInt32), math.MaxInt32)))
		}
	})
}

func (m *machine) binary(name string, on func(x, y ir.F32) ir.F32, ref func(a, b float32) float64) {
	m.t.Helper()
	const n = 256
	k := m.build("binary", block(n), func(k *ir.Kernel) {
		x, y, z := ir.GlobalParam[ir.F32](k, "x"), ir.GlobalParam[ir.F32](k, "y"), ir.GlobalParam[ir.F32](k, "z")
		z.At(k.TIDX()).Store(on(x.At(k.TIDX()).Load(), y.At(k.TIDX()).Load()))
	})
	r := rand.New(rand.NewPCG(5, 6))
	operand := func(i int) uint32 {
		corner := []uint32{0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0x7fc00000, 0x3f800001, 0x33800000, 0xcf000000, 0x41bb3333, 0x3f008000}
		if i < n/2 {
			return corner[r.IntN(len(corner))]
		}
		return math.Float32bits(float32((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(280)-140)))
	}
	x, y, z := sequence(n, operand), sequence(n, operand), &buffer{data: make([]byte, 4*n)}
	m.run(k, one, x, y, z)
	for i, got := range z.u32() {
		a, b := x.f32()[i], y.f32()[i]
		want := math.Float32bits(float32(ref(a, b)))
		if got != want && !(numfmt.F32.IsNaN(got) && numfmt.F32.IsNaN(want)) {
			m.t.Errorf("%s(%v, %v) = %#x, want %#x", name, a, b, got, want)
			return
		}
	}
}
