package numfmt

import "math"

// order maps a pattern to an integer so that neighbouring values differ by one and both zeros map to 0.
func (f Format) order(bits uint32) int64 {
	l := layouts[f]
	mag := int64(bits & (f.signBit() - 1) >> l.low)
	if bits&f.signBit() != 0 {
		return -mag
	}
	return mag
}

// UlpDistance counts the representable values between two patterns: 0 for equal ones, for both zeros and for two
// NaNs; MaxUint64 when only one is NaN. An infinity counts as the neighbour of the largest finite value.
func (f Format) UlpDistance(a, b uint32) uint64 {
	na, nb := f.IsNaN(a), f.IsNaN(b)
	if na || nb {
		if na && nb {
			return 0
		}
		return math.MaxUint64
	}
	d := f.order(a) - f.order(b)
	if d < 0 {
		d = -d
	}
	return uint64(d)
}

// Ulp is the spacing of the format's values at x: the last place of the binade that holds |x|, and the subnormal
// spacing below the normal range.
func (f Format) Ulp(x float64) float64 {
	l := layouts[f]
	e := 1 - l.bias
	if x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
		e = max(e, math.Ilogb(x))
	}
	return math.Ldexp(1, e-l.man)
}

// UlpError is |value(got) - want| in units of Ulp(want). It is 0 when got is what want rounds to beyond the finite
// range or when both are NaN, and +Inf when one of them is NaN or infinite and the other is not.
func (f Format) UlpError(got uint32, want float64) float64 {
	g := f.Decode(got)
	switch {
	case math.IsNaN(g) || math.IsNaN(want):
		if math.IsNaN(g) && math.IsNaN(want) {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(g, 0) || math.IsInf(want, 0):
		if got == f.Encode(want, RN) {
			return 0
		}
		return math.Inf(1)
	}
	return math.Abs(g-want) / f.Ulp(want)
}
