package tensorcore

import (
	"math"
	"sync"

	"github.com/oxideinfer/oxide/internal/numfmt"
)

// Format is the type of a factor.
type Format uint8

// The formats of factors.
const (
	F16 Format = iota
	BF16
	TF32
	E4M3
	E5M2
	S8
	U8
)

func (f Format) String() string {
	return [...]string{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"}[f]
}

// Bytes is the size of an element in registers and shared memory.
func (f Format) Bytes() int {
	switch f {
	case F16, BF16:
		return 2
	case TF32:
		return 4
	}
	return 1
}

// Integer reports whether the format is an integer format.
func (f Format) Integer() bool { return f == S8 || f == U8 }

// FP8 reports whether the format is an 8-bit floating-point format.
func (f Format) FP8() bool { return f == E4M3 || f == E5M2 }

// Sum is the type of C and D.
type Sum uint8

// The types of sums.
const (
	F32      Sum = iota
	F32Short     // f32 of wgmma on fp8: 13 bits behind the binary point, 13 mantissa bits
	F16Sum       // f16
	F16Short     // f16 of wgmma on fp8
	S32          // wraps
	S32Sat       // clamps
)

// fraction is F, the bits kept behind the binary point at the common exponent.
func (s Sum) fraction() int {
	if s == F32Short || s == F16Short {
		return 13
	}
	return 25
}

// half reports whether the sum is an f16.
func (s Sum) half() bool { return s == F16Sum || s == F16Short }

// Exponents are kept with a bias, so that the sum of two is positive and fits 16 bits. A zero factor has none: with
// any other exponent it stays below every sum of two real ones.
const (
	exponentBias = 1024
	noExponent   = 0
	noTerm       = exponentBias + 512 // above every sum with noExponent, below every sum of two real exponents
)

// layout is how a floating-point factor uses its bits.
type layout struct {
	mantissa, bias int
	magnitude      uint32 // mask
	special        uint32 // magnitudes from here on are Inf or NaN
}

var layouts = [...]layout{
	F16:  {10, 15, 0x7fff, 0x7c00},
	BF16: {7, 127, 0x7fff, 0x7f80},
	TF32: {23, 127, 0x7fffe000, 0x7f800000},
	E4M3: {3, 7, 0x7f, 0x7f},
	E5M2: {2, 15, 0x7f, 0x7c},
}

// exponent returns the biased exponent of a factor's binary point (a subnormal has the format's smallest one), and
// whether the factor is Inf or NaN.
func (f Format) exponent(bits uint32) (exp uint64, special bool) {
	l := &layouts[f]
	mag := bits & l.magnitude
	if mag == 0 {
		return noExponent, false
	}
	return uint64(int(max(mag>>l.mantissa, 1)) - l.bias + exponentBias), mag >= l.special
}

// value decodes a factor; every format is exact in float64.
func (f Format) value(bits uint32) float64 {
	switch f {
	case F16:
		return float64(numfmt.F16ToF32(uint16(bits)))
	case BF16:
		return float64(numfmt.BF16ToF32(uint16(bits)))
	case TF32:
		return float64(math.Float32frombits(bits &^ 0x1fff))
	case E4M3, E5M2:
		return float64(fp8Values()[f-E4M3][bits&0xff])
	case S8:
		return float64(int8(bits))
	}
	return float64(uint8(bits))
}

var fp8Values = sync.OnceValue(func() *[2][256]float32 {
	return &[2][256]float32{numfmt.E4M3.Table(), numfmt.E5M2.Table()}
})
