package emulate

import (
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// halfMods are the modifiers of 16-bit floating-point arithmetic (manual 9.7.4).
type halfMods struct{ ftz, sat, relu bool }

func halfFormat(t isa.Type) (f numfmt.Format, packed bool) {
	switch t {
	case isa.F16X2:
		return numfmt.F16, true
	case isa.BF16:
		return numfmt.BF16, false
	case isa.BF16X2:
		return numfmt.BF16, true
	}
	return numfmt.F16, false
}

// flush16 replaces a subnormal f16 by zero of its sign.
func flush16(v uint64) uint64 {
	if v&0x7c00 == 0 {
		return v & 0x8000
	}
	return v
}

func halfValue(f numfmt.Format, v uint64) float64 {
	if f == numfmt.BF16 {
		return float64(numfmt.BF16ToF32(uint16(v)))
	}
	return float64(numfmt.F16ToF32(uint16(v)))
}

// finish rounds a result that is exact or rounded to odd, and applies the modifiers.
func (m halfMods) finish(f numfmt.Format, x float64) uint64 {
	v := uint64(f.Encode(x, numfmt.RN))
	if m.ftz && f == numfmt.F16 {
		v = flush16(v)
	}
	if m.sat {
		switch y := halfValue(f, v); {
		case !(y > 0):
			v = 0
		case y > 1:
			v = uint64(f.Encode(1, numfmt.RN))
		}
	}
	if m.relu {
		v = uint64(f.Relu(uint32(v)))
	}
	return v
}

func (m halfMods) load(f numfmt.Format, v uint64) float64 {
	if m.ftz && f == numfmt.F16 {
		v = flush16(v)
	}
	return halfValue(f, v)
}

func halfBinary(op string, t isa.Type, m halfMods) func(a, b uint64) uint64 {
	f, packed := halfFormat(t)
	var g func(x, y float64) float64
	switch op {
	case "add":
		g = numfmt.AddOdd
	case "sub":
		g = func(x, y float64) float64 { return numfmt.AddOdd(x, -y) }
	case "mul":
		g = func(x, y float64) float64 { return x * y } // exact
	case "min", "max":
		return halfMinMax(t, minMaxMods{max: op == "max"})
	default:
		return nil
	}
	one := func(a, b uint64) uint64 { return m.finish(f, g(m.load(f, a), m.load(f, b))) }
	if packed {
		return perHalf(one)
	}
	return one
}

func halfFma(t isa.Type, m halfMods) func(a, b, c uint64) uint64 {
	f, packed := halfFormat(t)
	one := func(a, b, c uint64) uint64 {
		return m.finish(f, numfmt.FMAOdd(m.load(f, a), m.load(f, b), m.load(f, c)))
	}
	if !packed {
		return one
	}
	return func(a, b, c uint64) uint64 {
		return one(a&0xffff, b&0xffff, c&0xffff) | one(a>>16, b>>16, c>>16)<<16
	}
}

func halfMinMax(t isa.Type, m minMaxMods) func(a, b uint64) uint64 {
	f, packed := halfFormat(t)
	inf := uint32(0x7c00)
	if f == numfmt.BF16 {
		inf = 0x7f80
	}
	one := func(a, b uint64) uint64 {
		if m.ftz {
			a, b = flush16(a), flush16(b)
		}
		return uint64(minMaxBits(uint32(a), uint32(b), 0x8000, inf, 0x7fff, m))
	}
	if packed {
		return perHalf(one)
	}
	return one
}
