package numfmt

import "math"

// Encode rounds x once into the format. Overflow gives an infinity or the largest finite value, as the mode says;
// where the format has no infinity it gives NaN.
func (f Format) Encode(x float64, r Rounding) uint32 {
	bits, over := f.encode(x, r)
	if !over {
		return bits
	}
	l := layouts[f]
	if l.inf == 0 {
		return l.nan | bits&f.signBit()
	}
	return bits&f.signBit() | l.inf<<l.low
}

// EncodeSat rounds x once into the format; what would overflow, infinities included, becomes the largest finite value
// of its sign (PTX .satfinite). NaN stays NaN.
func (f Format) EncodeSat(x float64, r Rounding) uint32 {
	bits, over := f.encode(x, r)
	if !over {
		return bits
	}
	l := layouts[f]
	return bits&f.signBit() | l.maxFinite<<l.low
}

// encode returns the rounded bits, or the sign bit alone and true when the result is infinite.
func (f Format) encode(x float64, r Rounding) (bits uint32, over bool) {
	l := &layouts[f]
	b := math.Float64bits(x)
	neg := b>>63 != 0
	var sign uint32
	if neg {
		sign = f.signBit()
	}
	exp := int(b >> 52 & 0x7ff)
	man := b & (1<<52 - 1)
	switch {
	case exp == 0x7ff && man != 0:
		return l.nan, false
	case exp == 0x7ff:
		return sign, true
	case exp == 0 && man == 0:
		return sign, false
	case exp == 0:
		exp = 1
	default:
		man |= 1 << 52
	}
	e := exp - 1023 // x = man * 2^(e-52); a float64 subnormal is far below every format here
	emin := 1 - l.bias
	top := max(e, emin)
	q := roundShift(man, uint(52-l.man+top-e), r, neg)
	mag := uint64(top+l.bias-1)<<l.man + q
	if mag > uint64(l.maxFinite) {
		if toInf(r, neg) {
			return sign, true
		}
		mag = uint64(l.maxFinite)
	}
	return sign | uint32(mag)<<l.low, false
}

// roundShift returns man / 2^shift, rounded to an integer.
func roundShift(man uint64, shift uint, r Rounding, neg bool) uint64 {
	if shift == 0 {
		return man
	}
	if shift > 63 { // only a sticky bit below half is left
		man, shift = min(man, 1), 2
	}
	q, rem, half := man>>shift, man&(1<<shift-1), uint64(1)<<(shift-1)
	up := false
	switch r {
	case RN:
		up = rem > half || rem == half && q&1 == 1
	case RNA:
		up = rem >= half
	case RM:
		up = neg && rem != 0
	case RP:
		up = !neg && rem != 0
	}
	if up {
		q++
	}
	return q
}

// toInf reports whether a finite value beyond the largest one rounds to infinity.
func toInf(r Rounding, neg bool) bool {
	switch r {
	case RZ:
		return false
	case RM:
		return neg
	case RP:
		return !neg
	}
	return true
}
