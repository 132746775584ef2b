package tensorcore

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// number is a decoded element as exact integers: sig·2^(exp-man), sig < 2^(man+1).
type number struct {
	neg, inf, nan bool
	sig           int64
	exp, man      int
}

// formatOf lists exponent bits, mantissa bits, and whether the top exponent means Inf and NaN.
var formatOf = map[string]struct {
	exp, man int
	ieee     bool
}{"f16": {5, 10, true}, "bf16": {8, 7, true}, "tf32": {8, 10, true}, "e4m3": {4, 3, false}, "e5m2": {5, 2, true}, "f32": {8, 23, true}}

// parseNumber decodes by the definition of the formats.
func parseNumber(name string, bits uint32) number {
	f := formatOf[name]
	if name == "tf32" {
		bits >>= 13
	}
	man := int64(bits & (1<<f.man - 1))
	exp := int(bits>>f.man) & (1<<f.exp - 1)
	n := number{neg: bits>>(f.man+f.exp)&1 != 0, man: f.man}
	switch {
	case f.ieee && exp == 1<<f.exp-1:
		n.nan, n.inf = man != 0, man == 0
	case !f.ieee && exp == 1<<f.exp-1 && man == 1<<f.man-1:
		n.nan = true
	case exp == 0:
		n.sig, n.exp = man, 2-1<<(f.exp-1)
	default:
		n.sig, n.exp = man|1<<f.man, exp+1-1<<(f.exp-1)
	}
	return n
}

// term is one addend of the fused sum: sig·2^(exp-point).
type term struct {
	sig        *big.Int
	exp, point int
}

// fusedReference is the rule of the package text with big integers, one element of D.
func fusedReference(a, b []uint32, fa, fb string, c uint32, sum Sum) uint32 {
	cFormat, nan := "f32", uint32(nan32)
	if sum.half() {
		cFormat, nan = "f16", nan16
	}
	var terms []term
	inf := [2]bool{}
	isNaN := false
	add := func(neg, infinite bool, sig int64, exp, point int) {
		if infinite {
			inf[map[bool]int{true: 1}[neg]] = true
			return
		}
		if sig != 0 {
			if neg {
				sig = -sig
			}
			terms = append(terms, term{big.NewInt(sig), exp, point})
		}
	}
	for i := range a {
		x, y := parseNumber(fa, a[i]), parseNumber(fb, b[i])
		zero := func(n number) bool { return n.sig == 0 && !n.inf && !n.nan }
		if x.nan || y.nan || x.inf && zero(y) || y.inf && zero(x) {
			isNaN = true
		}
		add(x.neg != y.neg, x.inf || y.inf, x.sig*y.sig, x.exp+y.exp, x.man+y.man)
	}
	z := parseNumber(cFormat, c)
	isNaN = isNaN || z.nan
	add(z.neg, z.inf, z.sig, z.exp, z.man)
	switch {
	case isNaN || inf[0] && inf[1]:
		return nan
	case inf[0]:
		return map[bool]uint32{false: 0x7f800000, true: 0x7c00}[sum.half()]
	case inf[1]:
		return map[bool]uint32{false: 0xff800000, true: 0xfc00}[sum.half()]
	}
	if len(terms) == 0 {
		return 0
	}
	e := math.MinInt
	for _, t := range terms {
		e = max(e, t.exp)
	}
	frac := 25
	if sum == F32Short || sum == F16Short {
		frac = 13
	}
	total := new(big.Int)
	for _, t := range terms {
		// In units of 2^(e-frac): sig·2^(exp-point-e+frac), cut.
		shift := t.exp - t.point - e + frac
		v := new(big.Int)
		if shift >= 0 {
			v.Lsh(t.sig, uint(shift))
		} else {
			v.Quo(t.sig, new(big.Int).Lsh(big.NewInt(1), uint(-shift))) // Quo cuts toward zero
		}
		total.Add(total, v)
	}
	return roundReference(total, e-frac, sum)
}

// roundReference rounds total·2^exp.
func roundReference(total *big.Int, exp int, sum Sum) uint32 {
	man, bias, keep := 23, 127, 23
	if sum.half() {
		man, bias, keep = 10, 15, 10
	}
	if sum == F32Short {
		keep = 13
	}
	sign := uint32(0)
	if total.Sign() < 0 {
		sign = 1 << (map[bool]uint{false: 31, true: 15}[sum.half()])
	}
	mag := new(big.Int).Abs(total)
	top := max(mag.BitLen()-1+exp, 1-bias) // exponent of the result's leading place
	unit := top - keep                     // of the last place kept
	q, r := new(big.Int), new(big.Int)
	if unit >= exp {
		d := new(big.Int).Lsh(big.NewInt(1), uint(unit-exp))
		q.QuoRem(mag, d, r)
		if sum.half() {
			if c := r.Lsh(r, 1).Cmp(d); c > 0 || c == 0 && q.Bit(0) == 1 {
				q.Add(q, big.NewInt(1))
			}
		}
	} else {
		q.Lsh(mag, uint(exp-unit))
	}
	m := q.Int64() << (man - keep)
	field := top + bias
	if m == 0 {
		return 0
	}
	if m < 1<<man { // subnormal
		return sign | uint32(m)
	}
	if m >= 2<<man {
		m, field = m>>1, field+1
	}
	if field >= 2*bias+1 {
		return sign | uint32(2*bias+1)<<man
	}
	return sign | uint32(field)<<man | uint32(m)&(1<<man-1)
}

// operands makes rows of random patterns of several kinds.
func operands(rng *rand.Rand, f Format, n int, kind int) []uint32 {
	out := make([]uint32, n)
	bits := 8 * f.Bytes()
	for i := range out {
		v := rng.Uint32() >> (32 - bits)
		switch kind {
		case 0: // exponents near one
			v = encodeNear(rng, f)
		case 1: // any finite value
			for _, odd := f.exponent(v); odd; _, odd = f.exponent(v) {
				v = rng.Uint32() >> (32 - bits)
			}
		case 2: // subnormals and zeros among others
			if rng.IntN(3) == 0 {
				v &= 1<<(bits-1) | 1<<layouts[f].mantissa - 1
			}
			if rng.IntN(4) == 0 {
				v &= 1 << (bits - 1)
			}
			if _, odd := f.exponent(v); odd {
				v = 0
			}
		case 3: // anything, Inf and NaN included
			if rng.IntN(8) == 0 {
				v |= layouts[f].special
			}
		}
		out[i] = v
	}
	return out
}

// encodeNear is a random value with an exponent within a few of zero.
func encodeNear(rng *rand.Rand, f Format) uint32 {
	l := layouts[f]
	bits := 8 * f.Bytes()
	exp := uint32(l.bias - 3 + rng.IntN(6))
	return uint32(rng.IntN(2))<<(bits-1) | exp<<l.mantissa | rng.Uint32()&(1<<l.mantissa-1)
}

func rowsOf(f Format, n, k int, v []uint32, negate bool) *Rows {
	r := &Rows{}
	r.Reset(f, n, k)
	for i := range n {
		var raw []byte
		for _, x := range v[i*k : (i+1)*k] {
			for b := range f.Bytes() {
				raw = append(raw, byte(x>>(8*b)))
			}
		}
		r.Set(i, raw, negate)
	}
	return r
}

func TestFusedSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		a, b Format
		k    int
		sum  Sum
	}{
		{F16, F16, 16, F32}, {F16, F16, 8, F32}, {F16, F16, 16, F16Sum}, {BF16, BF16, 16, F32}, {BF16, BF16, 8, F32}, {TF32, TF32, 8, F32}, {TF32, TF32, 4, F32},
		{E4M3, E4M3, 32, F32Short}, {E5M2, E4M3, 32, F32Short}, {E5M2, E5M2, 32, F16Short}, {E4M3, E5M2, 32, F16Short},
	} {
		const m, n = 16, 8
		for round := range 60 {
			kind := round % 4
			a, b := operands(rng, c.a, m*c.k, kind), operands(rng, c.b, n*c.k, kind)
			add := make([]uint32, m*n)
			for i := range add {
				add[i] = addendOf(rng, c.sum, kind)
			}
			if round%5 == 0 { // cancelling: the second half of k is minus the first
				for i := range a {
					if i%c.k >= c.k/2 {
						a[i] = a[i-c.k/2] ^ 1<<(8*c.a.Bytes()-1)
					}
				}
				for i := range b {
					if i%c.k >= c.k/2 && rng.IntN(8) != 0 {
						b[i] = b[i-c.k/2]
					}
				}
			}
			d := make([]uint32, m*n)
			Multiply(d, rowsOf(c.a, m, c.k, a, false), rowsOf(c.b, n, c.k, b, false), add, c.sum)
			for i := range d {
				want := fusedReference(a[i/n*c.k:][:c.k], b[i%n*c.k:][:c.k], c.a.String(), c.b.String(), add[i], c.sum)
				if d[i] != want {
					t.Fatalf("%v·%v k%d sum %d kind %d: element %d is %#x, want %#x (c %#x)\na %#x\nb %#x", c.a, c.b, c.k, c.sum, kind, i, d[i], want, add[i], a[i/n*c.k:][:c.k], b[i%n*c.k:][:c.k])
				}
			}
		}
	}
}

func addendOf(rng *rand.Rand, s Sum, kind int) uint32 {
	v := rng.Uint32()
	if s.half() {
		v >>= 16
	}
	switch {
	case kind == 3:
		return v
	case rng.IntN(4) == 0:
		return v & (1<<31 | 1<<15) & map[bool]uint32{false: 1 << 31, true: 1 << 15}[s.half()]
	case s.half():
		return v &^ 0x4000
	case kind == 0:
		return v&0x807fffff | uint32(120+rng.IntN(14))<<23
	}
	return v &^ 0x40000000 & 0xbfffffff
}

// TestIntegerSums: where every partial sum fits 13 bits, all types agree with integer arithmetic.
func TestIntegerSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range []Format{F16, BF16, TF32, E4M3, E5M2, S8, U8} {
		k := 32 / f.Bytes()
		sum := map[bool]Sum{true: S32, false: F32}[f.Integer()]
		if f.FP8() {
			sum = F32Short
		}
		const m, n = 64, 16
		a, b := make([]int, m*k), make([]int, n*k)
		fill := func(v []int) (bits []uint32) {
			for i := range v {
				v[i] = rng.IntN(9)
				if f != U8 {
					v[i] -= 4
				}
				bits = append(bits, encodeInt(f, v[i]))
			}
			return bits
		}
		ab, bb := fill(a), fill(b)
		c := make([]uint32, m*n)
		want := make([]int, m*n)
		for i := range c {
			add := rng.IntN(100) - 50
			c[i] = uint32(add)
			if !f.Integer() {
				c[i] = math.Float32bits(float32(add))
			}
			want[i] = add
			for l := range k {
				want[i] += a[i/n*k+l] * b[i%n*k+l]
			}
		}
		d := make([]uint32, m*n)
		Multiply(d, rowsOf(f, m, k, ab, false), rowsOf(f, n, k, bb, false), c, sum)
		for i := range d {
			got := int(int32(d[i]))
			if !f.Integer() {
				got = int(math.Float32frombits(d[i]))
			}
			if got != want[i] {
				t.Fatalf("%v: element %d is %d, want %d", f, i, got, want[i])
			}
		}
	}
}

// encodeInt is a small integer in a format.
func encodeInt(f Format, v int) uint32 {
	if f.Integer() {
		return uint32(v) & 0xff
	}
	for bits := range uint32(1) << min(8*f.Bytes(), 16) {
		if f == TF32 {
			return math.Float32bits(float32(v))
		}
		if f == BF16 {
			return math.Float32bits(float32(v)) >> 16
		}
		if _, odd := f.exponent(bits); !odd && f.value(bits) == float64(v) {
			return bits
		}
	}
	panic("no such value")
}

// TestIntegerLimits: s32 sums wrap, or clamp with .satfinite.
func TestIntegerLimits(t *testing.T) {
	a := rowsOf(U8, 1, 32, fillWith(32, 255), false)
	b := rowsOf(S8, 2, 32, append(fillWith(32, 127), fillWith(32, 0x80)...), false)
	c := []uint32{math.MaxInt32, 1 << 31}
	d := make([]uint32, 2)
	Multiply(d, a, b, c, S32Sat)
	if int32(d[0]) != math.MaxInt32 || int32(d[1]) != math.MinInt32 {
		t.Errorf("clamped: %d %d", int32(d[0]), int32(d[1]))
	}
	Multiply(d, a, b, c, S32)
	up, down := int64(math.MaxInt32)+32*255*127, int64(math.MinInt32)-32*255*128
	if int32(d[0]) != int32(up) || int32(d[1]) != int32(down) {
		t.Errorf("wrapped: %d %d, want %d %d", int32(d[0]), int32(d[1]), int32(up), int32(down))
	}
}

func fillWith(n int, v uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestNegate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a, b := operands(rng, BF16, 16*16, 0), operands(rng, BF16, 8*16, 0)
	d, e := make([]uint32, 128), make([]uint32, 128)
	Multiply(d, rowsOf(BF16, 16, 16, a, false), rowsOf(BF16, 8, 16, b, false), nil, F32)
	Multiply(e, rowsOf(BF16, 16, 16, a, true), rowsOf(BF16, 8, 16, b, false), nil, F32)
	for i := range d {
		if d[i]^e[i] != 1<<31 && d[i] != 0 {
			t.Fatalf("element %d: %#x and %#x", i, d[i], e[i])
		}
	}
}

// BenchmarkMultiply is a wgmma of 64 by 128, decoding included.
func BenchmarkMultiply(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, f := range []Format{BF16, F16, TF32, E4M3, S8} {
		b.Run(fmt.Sprint(f), func(b *testing.B) {
			const m, n = 64, 128
			k := 32 / f.Bytes()
			sum := map[bool]Sum{true: S32, false: F32}[f.Integer()]
			raw := make([]byte, 32)
			for i := range raw {
				raw[i] = byte(rng.IntN(0x40))
			}
			var x, y Rows
			d := make([]uint32, m*n)
			for b.Loop() {
				x.Reset(f, m, k)
				y.Reset(f, n, k)
				for i := range m {
					x.Set(i, raw, false)
				}
				for i := range n {
					y.Set(i, raw, false)
				}
				Multiply(d, &x, &y, d, sum)
			}
			b.ReportMetric(float64(2*m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
