package numfmt

import "math"

// Decode returns the exact value of a pattern. Bits above the format's size are ignored.
func (f Format) Decode(bits uint32) float64 {
	l := &layouts[f]
	if f == F32 || f == TF32 {
		return float64(math.Float32frombits(bits))
	}
	sign := bits & f.signBit()
	mag := bits & (f.signBit() - 1)
	var v float64
	switch {
	case l.inf != 0 && mag == l.inf:
		v = math.Inf(1)
	case f.IsNaN(mag):
		return math.NaN()
	case mag>>l.man == 0:
		v = math.Ldexp(float64(mag), 1-l.bias-l.man)
	default:
		// Re-bias into a float64: the exponent range of every 16-bit and 8-bit format fits.
		exp := uint64(int(mag>>l.man) - l.bias + 1023)
		v = math.Float64frombits(exp<<52 | uint64(mag&(1<<l.man-1))<<(52-l.man))
	}
	if sign != 0 {
		v = -v
	}
	return v
}

// Table returns the exact values of all 256 patterns of an 8-bit format.
func (f Format) Table() [256]float32 {
	var t [256]float32
	for i := range t {
		t[i] = float32(f.Decode(uint32(i)))
	}
	return t
}
