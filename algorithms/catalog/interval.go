package catalog

import (
	"math"

	"github.com/oxideinfer/oxide/internal/numfmt"
)

// Interval holds every value that a computed quantity may have when each arithmetic step errs within its documented
// bound. References carry one beside the exact value; its width is the tolerance.
//
// Its end points are float64 and their own rounding is not tracked: it is 2^-29 of the f32 steps that they describe.
type Interval struct{ Lo, Hi float64 }

// Unit is the relative error of one correctly rounded f32 operation.
const Unit = 1.0 / (1 << 24)

// Exactly is the interval of a quantity that is not rounded.
func Exactly(x float64) Interval { return Interval{x, x} }

// Unknown is the interval of a quantity about which nothing is promised: not even that it is a number.
func Unknown() Interval { return Interval{math.Inf(1), math.Inf(-1)} }

// IsUnknown reports whether nothing is promised.
func (a Interval) IsUnknown() bool { return a.Lo > a.Hi }

// hull is the smallest interval around the values. A NaN among them comes from zero times infinity or from a NaN input:
// every number is then possible.
func hull(values ...float64) Interval {
	r := Interval{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if math.IsNaN(v) {
			return Interval{math.Inf(-1), math.Inf(1)}
		}
		r.Lo, r.Hi = min(r.Lo, v), max(r.Hi, v)
	}
	return r
}

// Add is the sum, exactly.
func (a Interval) Add(b Interval) Interval {
	if a.IsUnknown() || b.IsUnknown() {
		return Unknown()
	}
	return hull(a.Lo+b.Lo, a.Hi+b.Hi)
}

// Sub is the difference, exactly.
func (a Interval) Sub(b Interval) Interval {
	if a.IsUnknown() || b.IsUnknown() {
		return Unknown()
	}
	return hull(a.Lo-b.Hi, a.Hi-b.Lo)
}

// Mul is the product, exactly.
func (a Interval) Mul(b Interval) Interval {
	if a.IsUnknown() || b.IsUnknown() {
		return Unknown()
	}
	return hull(a.Lo*b.Lo, a.Lo*b.Hi, a.Hi*b.Lo, a.Hi*b.Hi)
}

// Map applies a monotonic function.
func (a Interval) Map(f func(float64) float64) Interval {
	if a.IsUnknown() {
		return a
	}
	return hull(f(a.Lo), f(a.Hi))
}

// Err widens by n times [Unit], relative, and by the spacing of subnormal f32 values, and gives the ends f32's range.
func (a Interval) Err(n float64) Interval {
	if a.IsUnknown() {
		return a
	}
	return hull(F32Range(a.Lo-slack(a.Lo, n)), F32Range(a.Hi+slack(a.Hi, n)))
}

func slack(x, n float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	return math.Abs(x)*n*Unit + 0x1p-149
}

// F32Range gives a value f32's range: an infinity from 2^128 up, zero below half of the smallest subnormal. It does not
// round in between.
func F32Range(x float64) float64 {
	switch a := math.Abs(x); {
	case a >= 0x1p128:
		return math.Copysign(math.Inf(1), x)
	case a <= 0x1p-150:
		return math.Copysign(0, x)
	}
	return x
}

// Round rounds both ends into a format, as an intermediate value is rounded on its way.
func (a Interval) Round(f Format) Interval { return a.Map(f.Round) }

// Format is a number format with its rule for values out of range.
type Format struct{ numfmt.Format }

// Round rounds to nearest even and returns the value; e4m3 saturates.
func (f Format) Round(x float64) float64 { return f.Decode(f.Pattern(x)) }

// Pattern rounds to nearest even and returns the pattern; e4m3 and e5m2 saturate.
func (f Format) Pattern(x float64) uint32 {
	if f.Format == numfmt.E4M3 || f.Format == numfmt.E5M2 {
		return f.EncodeSat(x, numfmt.RN)
	}
	return f.Encode(x, numfmt.RN)
}
