package numfmt

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var allFormats = []Format{F32, F16, BF16, TF32, E4M3, E5M2}
var smallFormats = []Format{F16, BF16, E4M3, E5M2}

// corners are f32 patterns around every place where a rounding rule changes.
func corners() []uint32 {
	var out []uint32
	for _, b := range []uint32{0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x33000000, 0x33000001, 0x33800000, 0x387fc000,
		0x38800000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f801000, 0x3f808000, 0x477fe000, 0x477ff000, 0x477fefff,
		0x43e00000, 0x43e80000, 0x43e80001, 0x47600000, 0x47700000, 0x7f7fffff, 0x7f7f8000, 0x7f7f7fff, 0x7f800000, 0x7fc00000} {
		out = append(out, b, b|1<<31)
	}
	return out
}

// TestDecodeOfEncode checks that every pattern of the small formats is a fixed point of rounding, in every mode.
func TestDecodeOfEncode(t *testing.T) {
	for _, f := range smallFormats {
		for b := uint32(0); b < 1<<f.Bits(); b++ {
			v := f.Decode(b)
			for _, r := range []Rounding{RN, RZ, RM, RP, RNA} {
				got := f.Encode(v, r)
				if f.IsNaN(b) {
					if got != f.NaN() {
						t.Fatalf("%v: NaN %#x encodes to %#x", f, b, got)
					}
				} else if got != b {
					t.Fatalf("%v mode %d: %#x is %g, encodes to %#x", f, r, b, v, got)
				}
			}
		}
	}
}

// TestEncodeNeighbours checks every rounding against the definition: between two neighbouring values, at a quarter,
// the half and three quarters.
func TestEncodeNeighbours(t *testing.T) {
	for _, f := range smallFormats {
		for b := uint32(0); f.Decode(b) < f.Max(); b++ {
			lo, hi := f.Decode(b), f.Decode(b+1)
			even := b + b&1
			want := map[Rounding][3]uint32{RN: {b, even, b + 1}, RNA: {b, b + 1, b + 1}, RZ: {b, b, b}, RM: {b, b, b}, RP: {b + 1, b + 1, b + 1}}
			wantNeg := map[Rounding][3]uint32{RN: {b, even, b + 1}, RNA: {b, b + 1, b + 1}, RZ: {b, b, b}, RP: {b, b, b}, RM: {b + 1, b + 1, b + 1}}
			for r, w := range want {
				for i, x := range []float64{lo + (hi-lo)/4, lo + (hi-lo)/2, lo + (hi-lo)*3/4} {
					if got := f.Encode(x, r); got != w[i] {
						t.Fatalf("%v mode %d: %g gives %#x, want %#x", f, r, x, got, w[i])
					}
					if got := f.Encode(-x, r); got != wantNeg[r][i]|f.signBit() {
						t.Fatalf("%v mode %d: %g gives %#x, want %#x", f, r, -x, got, wantNeg[r][i]|f.signBit())
					}
				}
			}
		}
	}
}

func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		f         Format
		x         float64
		r         Rounding
		want, sat uint32
	}{
		{F16, 65519.99, RN, 0x7bff, 0x7bff}, {F16, 65520, RN, 0x7c00, 0x7bff}, {F16, 1e9, RZ, 0x7bff, 0x7bff},
		{F16, -1e9, RM, 0xfc00, 0xfbff}, {F16, -1e9, RP, 0xfbff, 0xfbff}, {F16, math.Inf(-1), RZ, 0xfc00, 0xfbff},
		{BF16, 3.4e38, RN, 0x7f80, 0x7f7f}, {E4M3, 448, RN, 0x7e, 0x7e}, {E4M3, 463.9, RN, 0x7e, 0x7e}, {E4M3, 464, RN, 0x7e, 0x7e},
		{E4M3, 464.1, RN, 0x7f, 0x7e}, {E4M3, -1e9, RN, 0xff, 0xfe}, {E4M3, math.Inf(1), RN, 0x7f, 0x7e}, {E4M3, math.NaN(), RN, 0x7f, 0x7f},
		{E5M2, 61439, RN, 0x7b, 0x7b}, {E5M2, 61440, RN, 0x7c, 0x7b}, {E5M2, math.Inf(-1), RN, 0xfc, 0xfb}, {TF32, 1e39, RN, 0x7f800000, 0x7f7fe000},
	} {
		if got := c.f.Encode(c.x, c.r); got != c.want {
			t.Errorf("%v(%g) mode %d = %#x, want %#x", c.f, c.x, c.r, got, c.want)
		}
		if got := c.f.EncodeSat(c.x, c.r); got != c.sat {
			t.Errorf("%v(%g) mode %d satfinite = %#x, want %#x", c.f, c.x, c.r, got, c.sat)
		}
	}
}

// TestFastPaths compares the shortcuts with the definition: all 16-bit sources, corners and random f32 patterns.
func TestFastPaths(t *testing.T) {
	for b := range uint32(1 << 16) {
		if got, want := F16ToF32(uint16(b)), float32(F16.Decode(b)); got != want && got == got {
			t.Fatalf("F16ToF32(%#x) = %g, want %g", b, got, want)
		}
		if got, want := BF16ToF32(uint16(b)), float32(BF16.Decode(b)); got != want && got == got {
			t.Fatalf("BF16ToF32(%#x) = %g, want %g", b, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(b uint32) {
		x := math.Float32frombits(b)
		if got, want := F32ToF16(x), F16.Encode(float64(x), RN); uint32(got) != want {
			t.Fatalf("F32ToF16(%#x) = %#x, want %#x", b, got, want)
		}
		if got, want := F32ToBF16(x), BF16.Encode(float64(x), RN); uint32(got) != want {
			t.Fatalf("F32ToBF16(%#x) = %#x, want %#x", b, got, want)
		}
		if x == x {
			if got, want := F32ToTF32RNA(b), TF32.Encode(float64(x), RNA); got != want {
				t.Fatalf("F32ToTF32RNA(%#x) = %#x, want %#x", b, got, want)
			}
			if got := F32.Encode(float64(x), RZ); got != b {
				t.Fatalf("f32 %#x is not its own rounding: %#x", b, got)
			}
		}
	}
	for _, b := range corners() {
		check(b)
	}
	for range 300_000 {
		check(rng.Uint32())
		check(0x33000000 + rng.Uint32N(0x15000000)) // around f16's range
	}
}

func exact(x float32) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(float64(x)) }

// roundBig rounds an exact value to f32 by the same integer rule that the tests above prove for the small formats,
// on a value that big.Float cut to odd: independent of the error-free transformations under test.
func roundBig(v *big.Float, r Rounding) uint32 {
	down := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(v)
	odd, _ := down.Float64()
	if down.Cmp(v) != 0 {
		odd = math.Float64frombits(math.Float64bits(odd) | 1)
	}
	return F32.Encode(odd, r)
}

func TestF32Arithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	cs := corners()
	pick := func() float32 {
		for {
			b := rng.Uint32()
			switch rng.IntN(4) {
			case 0:
				b = cs[rng.IntN(len(cs))]
			case 1:
				b = 0x3f000000 + rng.Uint32N(0x1000000) // near one: ties and cancellation
			case 2:
				b &= 0xfffff000 // few bits: exact ties
			}
			if x := math.Float32frombits(b); x-x == 0 {
				return x
			}
		}
	}
	modes := []Rounding{RN, RZ, RM, RP}
	for range 60_000 {
		a, b, c := pick(), pick(), pick()
		if rng.IntN(8) == 0 {
			c = -float32(a * b) // cancellation
		}
		if c-c != 0 {
			continue
		}
		x, y, z := float64(a), float64(b), float64(c)
		sum := new(big.Float).SetPrec(1200).Add(exact(a), exact(b))
		fma := new(big.Float).SetPrec(1200).Mul(exact(a), exact(b))
		fma.Add(fma, exact(c))
		for _, r := range modes {
			if want, got := roundBig(sum, r), F32.Encode(AddOdd(x, y), r); sum.Sign() != 0 && got != want {
				t.Fatalf("%g+%g mode %d = %#x, want %#x", a, b, r, got, want)
			}
			if want, got := roundBig(fma, r), F32.Encode(FMAOdd(x, y, z), r); fma.Sign() != 0 && got != want {
				t.Fatalf("%g*%g+%g mode %d = %#x, want %#x", a, b, c, r, got, want)
			}
			if b != 0 && a != 0 {
				q := new(big.Float).SetPrec(1200).Quo(exact(a), exact(b))
				if want, got := roundBig(q, r), F32.Encode(DivOdd(x, y), r); got != want {
					t.Fatalf("%g/%g mode %d = %#x, want %#x", a, b, r, got, want)
				}
			}
			if a > 0 {
				q := new(big.Float).SetPrec(200).Sqrt(exact(a))
				if want, got := roundBig(q, r), F32.Encode(SqrtOdd(x), r); got != want {
					t.Fatalf("sqrt(%g) mode %d = %#x, want %#x", a, r, got, want)
				}
			}
		}
		if want, got := roundBig(fma, RN), math.Float32bits(FMA32(a, b, c)); fma.Sign() != 0 && got != want {
			t.Fatalf("FMA32(%g, %g, %g) = %#x, want %#x", a, b, c, got, want)
		}
	}
}

func TestUlp(t *testing.T) {
	for _, f := range smallFormats {
		for b := uint32(0); f.Decode(b) < f.Max(); b++ {
			if d := f.UlpDistance(b, b+1); d != 1 {
				t.Fatalf("%v: distance of %#x and its neighbour is %d", f, b, d)
			}
			mid := (f.Decode(b) + f.Decode(b+1)) / 2
			if e := f.UlpError(b, mid); e != 0.5 {
				t.Fatalf("%v: error at the middle above %#x is %g ulp", f, b, e)
			}
		}
		if d := f.UlpDistance(f.signBit()|1, 1); d != 2 {
			t.Fatalf("%v: distance across zero is %d", f, d)
		}
	}
	if e := F16.UlpError(0x7c00, 1e6); e != 0 {
		t.Errorf("infinity for an overflowing value counts as %g", e)
	}
	if e := F16.UlpError(0x7c00, 100); !math.IsInf(e, 1) {
		t.Errorf("infinity for 100 counts as %g", e)
	}
	if e := F32.UlpError(0x7fc00000, 1); !math.IsInf(e, 1) {
		t.Errorf("NaN for 1 counts as %g", e)
	}
	if d := F32.UlpDistance(0x7fffffff, 0x7f800001); d != 0 {
		t.Errorf("two NaNs are %d apart", d)
	}
}

func TestRelu(t *testing.T) {
	for _, f := range allFormats {
		for _, c := range [][2]uint32{{0, 0}, {f.signBit(), 0}, {f.signBit() | 1, 0}, {1, 1}, {f.NaN(), f.NaN()}} {
			if got := f.Relu(c[0]); got != c[1] {
				t.Errorf("%v relu(%#x) = %#x, want %#x", f, c[0], got, c[1])
			}
		}
	}
}

func BenchmarkFMA32(b *testing.B) {
	x, y := float32(1.0000001), float32(0.9999999)
	acc := float32(0.5)
	for b.Loop() {
		acc = FMA32(acc, x, y-acc)
	}
	if acc != acc {
		b.Fatal("NaN")
	}
}
