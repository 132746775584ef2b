package mufu

import "math/bits"

const (
	nan      = 0x7fffffff
	inf      = 0x7f800000
	one      = 0x3f800000
	signBit  = 0x80000000
	fraction = 1<<fractionBits - 1
	bias     = 127

	fractionBits = 23
)

// Units of the sums: the bit that weighs one.
const (
	ex2One, lg2One, rcpOne, rsqrtOne, sqrtOne, sinOne, tanhOne = 57, 56, 58, 57, 58, 56, 57
)

func isNaN(x uint32) bool { return x&^signBit > inf }

func isZero(x uint32) bool { return x&inf == 0 } // subnormals are read as zero

// compose makes a float of the exponent and a fraction, flushed below the normal range.
func compose(sign uint32, exponent int, fraction uint32) uint32 {
	switch {
	case exponent < 1-bias:
		return sign
	case exponent > bias:
		return sign | inf
	}
	return sign | uint32(exponent+bias)<<fractionBits | fraction
}

// normalise truncates a positive sum, whose bit `unit` weighs one, to a float times 2^exponent.
func normalise(sign uint32, sum uint64, unit, exponent int) uint32 {
	if sum == 0 {
		return sign
	}
	top := bits.Len64(sum) - 1
	var f uint64
	if top >= fractionBits {
		f = sum >> (top - fractionBits)
	} else {
		f = sum << (fractionBits - top)
	}
	return compose(sign, exponent+top-unit, uint32(f)&fraction)
}

// fixed is |x| with 23 + extra bits behind the point, truncated, modulo 2^32.
func fixed(x uint32, extra int) uint32 {
	m := x&fraction | 1<<fractionBits
	if s := int(x&^signBit>>fractionBits) - bias + extra; s >= 0 {
		return m << s
	} else {
		return m >> min(-s, 31)
	}
}

// Ex2 is 2^x. The fraction of a negative argument is complemented bit by bit.
func Ex2(x uint32) uint32 {
	negative := x&signBit != 0
	switch {
	case isNaN(x):
		return nan
	case isZero(x):
		return one
	case x&^signBit >= (bias+8)<<fractionBits && negative:
		return 0
	case x&^signBit >= (bias+8)<<fractionBits:
		return inf
	}
	v := fixed(x, 0)
	n, f := int(v>>fractionBits), v&fraction
	if negative {
		n = -n
		if f != 0 {
			n, f = n-1, ^f&fraction
		}
	}
	return compose(0, n, uint32(ex2Table[f>>offsetBits].at(f&offsetMask)>>(ex2One-fractionBits))&fraction)
}

// Lg2 is log2 x. The integer part is added to the sum before it is truncated and normalised.
func Lg2(x uint32) uint32 {
	const truncated = 20
	switch {
	case isZero(x):
		return inf | signBit
	case isNaN(x) || x&signBit != 0:
		return nan
	case x == inf:
		return inf
	case x == one:
		return 0
	}
	f := x & fraction
	sum := int64(lg2Table[f>>offsetBits].at(f&offsetMask)) + int64(int(x>>fractionBits)-bias)<<lg2One
	sign := uint32(0)
	if sum < 0 {
		sum, sign = -sum, signBit
	}
	return normalise(sign, uint64(sum)>>truncated<<truncated, lg2One, 0)
}

// Rcp is 1/x, with segments half as long as the other functions'.
func Rcp(x uint32) uint32 {
	sign := x & signBit
	switch {
	case isNaN(x):
		return nan
	case isZero(x):
		return sign | inf
	case x&^signBit == inf:
		return sign
	}
	f := x & fraction
	sum := rcpTable[f>>(offsetBits-1)].at(f << 1 & offsetMask)
	return normalise(sign, sum, rcpOne, bias-int(x&^signBit>>fractionBits))
}

// halve splits the exponent of a root's argument into an even part, halved, and the table's row.
func halve(x uint32) (half int, row uint32) {
	e := int(x>>fractionBits) - bias
	return e >> 1, uint32(e&1)<<(fractionBits-offsetBits) | x&fraction>>offsetBits
}

// Rsqrt is 1/√x.
func Rsqrt(x uint32) uint32 {
	switch {
	case isZero(x):
		return x&signBit | inf
	case isNaN(x) || x&signBit != 0:
		return nan
	case x == inf:
		return 0
	}
	half, row := halve(x)
	if row == 0 && x&fraction == 0 {
		return compose(0, -half, 0) // a power of 4 is exact
	}
	return compose(0, -half-1, uint32(rsqrtTable[row].at(x&offsetMask)>>(rsqrtOne-1-fractionBits))&fraction) // below one
}

// Sqrt is √x.
func Sqrt(x uint32) uint32 {
	switch {
	case isZero(x):
		return x & signBit
	case isNaN(x) || x&signBit != 0:
		return nan
	case x == inf:
		return inf
	}
	half, row := halve(x)
	return compose(0, half, uint32(sqrtTable[row].at(x&offsetMask)>>(sqrtOne-fractionBits))&fraction)
}

// quadrant gives the place of an angle in revolutions: which quarter, and how far in it.
func quadrant(x uint32) (q, f uint32) {
	v := fixed(x, 2) // whole turns overflow
	return v >> fractionBits & 3, v & fraction
}

// Sin is sin 2πx: the argument is in revolutions.
func Sin(x uint32) uint32 {
	if x&inf == inf {
		return nan
	}
	q, f := quadrant(x)
	return quarterSine(x&signBit^q>>1<<31, q&1 != 0, f)
}

// Cos is cos 2πx.
func Cos(x uint32) uint32 {
	if x&inf == inf {
		return nan
	}
	q, f := quadrant(x)
	return quarterSine((q+1)>>1<<31, q&1 == 0, f)
}

// quarterSine is the sine of the first quarter, with the angle complemented bit by bit where the quarter runs down.
func quarterSine(sign uint32, down bool, f uint32) uint32 {
	if down {
		f = ^f & fraction
	}
	return normalise(sign, sinTable[f>>offsetBits].at(f&offsetMask), sinOne, 0)
}

// Tanh is tanh x. Below 2^-8 it is x.
func Tanh(x uint32) uint32 {
	const firstOctave, endOctave = -8, 3
	sign, a := x&signBit, x&^signBit
	e := int(a>>fractionBits) - bias
	switch {
	case isNaN(x):
		return nan
	case e >= endOctave:
		return sign | one
	case e < firstOctave:
		return x
	}
	o := tanhOctaves[e-firstOctave]
	v := (x&fraction | 1<<fractionBits) >> o.dropped
	sum := tanhTable[uint32(o.first)+v>>offsetBits-uint32(1)<<(fractionBits-offsetBits)>>o.dropped].at(v & offsetMask)
	return normalise(sign, sum, tanhOne, 0)
}

// tanhOctaves says, for each octave from 2^-8 on, where its segments begin and how many bits of the argument's fraction
// the unit drops: what is left of the leading bit gives the number of segments.
var tanhOctaves = [...]struct{ first, dropped uint8 }{
	{0, 6}, {1, 6}, {2, 6}, {3, 5}, {5, 5}, {7, 4}, {11, 4}, {15, 4}, {19, 3}, {27, 2}, {43, 3},
}
