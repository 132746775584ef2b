package numfmt

import "math"

// toOdd moves s, a result rounded to nearest whose exact error has the sign of err, to the neighbour with an odd last
// bit when s was not exact.
func toOdd(s, err float64) float64 {
	if err == 0 || math.IsNaN(err) || math.IsInf(s, 0) {
		return s
	}
	b := math.Float64bits(s)
	if b&1 == 1 {
		return s
	}
	if (err > 0) == (s > 0) {
		b++
	} else {
		b--
	}
	return math.Float64frombits(b)
}

// AddOdd returns a+b rounded to odd. The magnitudes must stay far from the ends of float64's range, as sums and
// products of f32 values do.
func AddOdd(a, b float64) float64 {
	s := a + b
	// Knuth's exact error of an addition.
	bb := s - a
	return toOdd(s, (a-(s-bb))+(b-bb))
}

// FMAOdd returns a*b+c rounded to odd for operands of at most 24 significant bits in f32's range: their product is
// exact in float64.
func FMAOdd(a, b, c float64) float64 { return AddOdd(float64(a*b), c) }

// DivOdd returns a/b rounded to odd for operands in f32's range.
func DivOdd(a, b float64) float64 {
	q := a / b
	if b == 0 || math.IsInf(b, 0) || math.IsInf(a, 0) {
		return q
	}
	rem := math.FMA(-q, b, a)
	if b < 0 {
		rem = -rem
	}
	return toOdd(q, rem)
}

// SqrtOdd returns the square root of a value in f32's range, rounded to odd.
func SqrtOdd(a float64) float64 {
	s := math.Sqrt(a)
	if s == 0 || math.IsInf(s, 0) {
		return s
	}
	return toOdd(s, math.FMA(-s, s, a))
}

// FMA32 returns a*b+c with one rounding to nearest even. The product is exact in float64; the sum is, for the purpose
// of rounding to f32, unless it falls on a tie of f32 or below f32's normal range.
func FMA32(a, b, c float32) float32 {
	s := float64(float64(a)*float64(b)) + float64(c)
	bits := math.Float64bits(s)
	if bits&0x1fffffff != 0x10000000 && bits&^(1<<63) >= 0x3810000000000000 {
		return float32(s)
	}
	return fma32Odd(a, b, c)
}

func fma32Odd(a, b, c float32) float32 {
	return float32(FMAOdd(float64(a), float64(b), float64(c)))
}
