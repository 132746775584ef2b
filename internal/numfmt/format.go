package numfmt

import "math"

// Format names a floating-point format of at most 32 bits.
type Format uint8

// The formats. TF32 values occupy 32 bits: an f32 pattern whose low 13 bits are zero.
const (
	F32 Format = iota
	F16
	BF16
	TF32
	E4M3
	E5M2
)

// Rounding is a rounding mode, named as in PTX.
type Rounding uint8

const (
	RN  Rounding = iota // nearest, ties to even
	RZ                  // toward zero
	RM                  // toward minus infinity
	RP                  // toward plus infinity
	RNA                 // nearest, ties away from zero
)

// layout describes how a format uses its bits.
type layout struct {
	name      string
	bits      int    // storage size
	man       int    // explicit mantissa bits
	bias      int    // exponent bias
	low       int    // unused low bits (TF32)
	maxFinite uint32 // magnitude bits of the largest finite value, before the shift by low
	inf       uint32 // magnitude bits of infinity; 0: the format has none
	nan       uint32 // canonical NaN, after the shift by low
}

var layouts = [...]layout{
	F32:  {"f32", 32, 23, 127, 0, 0x7f7fffff, 0x7f800000, 0x7fffffff},
	F16:  {"f16", 16, 10, 15, 0, 0x7bff, 0x7c00, 0x7fff},
	BF16: {"bf16", 16, 7, 127, 0, 0x7f7f, 0x7f80, 0x7fff},
	TF32: {"tf32", 32, 10, 127, 13, 0x3fbff, 0x3fc00, 0x7fffe000},
	E4M3: {"e4m3", 8, 3, 7, 0, 0x7e, 0, 0x7f},
	E5M2: {"e5m2", 8, 2, 15, 0, 0x7b, 0x7c, 0x7f},
}

func (f Format) String() string { return layouts[f].name }

// Bits is the storage size in bits.
func (f Format) Bits() int { return layouts[f].bits }

// MantissaBits is the number of explicit mantissa bits.
func (f Format) MantissaBits() int { return layouts[f].man }

// MinExponent is the exponent of the smallest normal value: 2^MinExponent.
func (f Format) MinExponent() int { return 1 - layouts[f].bias }

// HasInf reports whether the format can hold infinities; e4m3 cannot.
func (f Format) HasInf() bool { return layouts[f].inf != 0 }

// NaN returns the canonical NaN of the format.
func (f Format) NaN() uint32 { return layouts[f].nan }

// Max returns the largest finite value.
func (f Format) Max() float64 {
	l := layouts[f]
	return f.Decode(l.maxFinite << l.low)
}

// SmallestNormal returns the smallest positive normal value.
func (f Format) SmallestNormal() float64 { return math.Ldexp(1, f.MinExponent()) }

// SmallestSubnormal returns the smallest positive value.
func (f Format) SmallestSubnormal() float64 {
	return math.Ldexp(1, f.MinExponent()-layouts[f].man)
}

func (f Format) signBit() uint32 { return 1 << (layouts[f].bits - 1) }

// IsNaN reports whether the pattern is a NaN.
func (f Format) IsNaN(bits uint32) bool {
	l := layouts[f]
	mag := bits &^ f.signBit() >> l.low
	if l.inf == 0 {
		return mag > l.maxFinite
	}
	if l.low != 0 { // the hardware ignores the low bits only when it computes; a NaN there is still a NaN of f32
		return bits&0x7fffffff > 0x7f800000
	}
	return mag > l.inf
}

// IsInf reports whether the pattern is an infinity.
func (f Format) IsInf(bits uint32) bool {
	l := layouts[f]
	return l.inf != 0 && bits&^f.signBit() == l.inf<<l.low
}
