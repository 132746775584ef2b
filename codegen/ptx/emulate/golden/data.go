package golden

import (
	"math/rand/v2"
)

// Kind is a way to fill the matrices of one problem: each aims at one part of the rule by which a tensor core adds.
type Kind uint8

// The kinds of inputs.
const (
	Near       Kind = iota // values near one
	Wide                   // any finite values
	Cancelling             // the products of one half of k are nearly minus those of the other
	LargeC                 // the addend is far above the products
	SmallC                 // and far below
	Edge                   // one product near one, others at and around the last bit that is kept
	Subnormal              // subnormal factors and sums
	ZeroHuge               // zeros whose partner is the largest number, beside tiny products
	Zeros                  // zeros of both signs
	Special                // Inf and NaN among others
	Large                  // sums beyond the format
	Integer                // small integers: exact in any order
	Underflow              // sums below the format, of both signs
)

// encoding is how a floating-point type uses its bits.
type encoding struct {
	exponent, mantissa int
	ieee               bool // the largest exponent means Inf and NaN
	shift              int  // unused low bits
}

var encodings = map[string]encoding{
	"f16": {5, 10, true, 0}, "bf16": {8, 7, true, 0}, "tf32": {8, 10, true, 13}, "e4m3": {4, 3, false, 0}, "e5m2": {5, 2, true, 0}, "f32": {8, 23, true, 0},
}

func (e encoding) bias() int { return 1<<(e.exponent-1) - 1 }

// largest is the largest finite exponent.
func (e encoding) largest() int {
	if e.ieee {
		return e.bias()
	}
	return e.bias() + 1
}

// make builds a number of an exponent; below the format it is subnormal or zero, above it the largest finite one.
func (e encoding) make(negative bool, exp int, mantissa uint32) uint32 {
	mantissa &= 1<<e.mantissa - 1
	field := exp + e.bias()
	switch {
	case field <= 0:
		mantissa = (1<<e.mantissa | mantissa) >> min(1-field, 31)
		field = 0
	case exp > e.largest():
		field, mantissa = e.largest()+e.bias(), 1<<e.mantissa-1
	}
	if !e.ieee && field == 1<<e.exponent-1 && mantissa == 1<<e.mantissa-1 { // the NaN of e4m3
		mantissa--
	}
	v := uint32(field)<<e.mantissa | mantissa
	if negative {
		v |= 1 << (e.exponent + e.mantissa)
	}
	return v << e.shift
}

// integer encodes a small integer.
func (e encoding) integer(v int) uint32 {
	if v == 0 {
		return 0
	}
	m, exp := uint32(max(v, -v)), 0
	for m>>(exp+1) != 0 {
		exp++
	}
	return e.make(v < 0, exp, m<<e.mantissa>>exp)
}

// problem is the logical content of one product.
type problem struct {
	a, b, c []uint32 // m×k, n×k, m×n element patterns
}

// makeProblem fills one product of a kind.
func makeProblem(rng *rand.Rand, kind Kind, ta, tb, tc string, m, n, k int) problem {
	p := problem{a: make([]uint32, m*k), b: make([]uint32, n*k), c: make([]uint32, m*n)}
	if ta == "s8" || ta == "u8" {
		for i := range p.a {
			p.a[i] = rng.Uint32() & 0xff
		}
		for i := range p.b {
			p.b[i] = rng.Uint32() & 0xff
		}
		for i := range p.c {
			p.c[i] = rng.Uint32()
			if kind == Large { // near the limits, for .satfinite
				p.c[i] = p.c[i]&0x80000fff | (p.c[i]>>31-1)&0x7ffff000
			}
			if kind == Integer {
				p.c[i] = uint32(int32(p.c[i]) >> 20)
			}
		}
		return p
	}
	fillFactor(rng, kind, p.a, ta, k, true)
	fillFactor(rng, kind, p.b, tb, k, false)
	if kind == Cancelling {
		cancel(rng, p, ta, tb, k)
	}
	fillAddend(rng, kind, p.c, tc)
	return p
}

// fillFactor fills a matrix of rows of k elements.
func fillFactor(rng *rand.Rand, kind Kind, v []uint32, typ string, k int, first bool) {
	e := encodings[typ]
	bit := func() bool { return rng.IntN(2) == 1 }
	for i := range v {
		near := e.make(bit(), rng.IntN(6)-3, rng.Uint32())
		switch kind {
		case Wide:
			span := min(2*e.bias(), 126) // sums stay below the largest f32
			v[i] = e.make(bit(), rng.IntN(span)-span/2, rng.Uint32())
		case Edge:
			v[i] = edge(rng, e, i%k, first)
		case Subnormal:
			if v[i] = near; rng.IntN(3) > 0 {
				v[i] = e.make(bit(), -e.bias()-rng.IntN(e.mantissa+2), rng.Uint32())
			}
		case ZeroHuge:
			v[i] = e.make(bit(), -e.bias()/2-rng.IntN(3), rng.Uint32())
			if (i%k)%3 == 0 { // zeros of A meet the largest numbers of B, and the other way round
				v[i] = map[bool]uint32{true: e.make(bit(), -1000, 0), false: e.make(bit(), 1000, 0)}[first == (i%k%2 == 0)]
			}
		case Underflow:
			v[i] = e.make(bit(), -e.bias()+2-rng.IntN(e.mantissa+2), rng.Uint32())
		case Zeros:
			if v[i] = e.make(bit(), -1000, 0); rng.IntN(4) == 0 && !first {
				v[i] = near
			}
		case Special:
			if v[i] = near; rng.IntN(2*k) == 0 {
				v[i] = (1<<(e.exponent+e.mantissa) - 1 - uint32(rng.IntN(2))*(1<<e.mantissa-1)) << e.shift
			}
			if rng.IntN(6) == 0 {
				v[i] = 0
			}
			if e.shift > 0 && rng.IntN(3*k) == 0 { // a NaN of f32 whose payload tf32 drops
				v[i] = 0x7f800001
			}
		case Large:
			v[i] = e.make(rng.IntN(8) == 0, e.largest()/2+rng.IntN(2), rng.Uint32())
		case Integer:
			v[i] = e.integer(rng.IntN(9) - 4)
		default:
			v[i] = near
		}
		if e.shift > 0 && kind != Integer { // bits that tf32 ignores
			v[i] |= rng.Uint32() & 0x0fff
		}
	}
}

// edge makes products at 1 and around 2^-13 and 2^-25: some of A's elements are one, others so small that the product
// with B's, which are in [1, 4), touches the last bits.
func edge(rng *rand.Rand, e encoding, k int, first bool) uint32 {
	if e.exponent+e.mantissa == 7 {
		exp := -rng.IntN(8)
		if k == 0 {
			exp = 0
		}
		return e.make(rng.IntN(2) == 1, exp, rng.Uint32())
	}
	if !first {
		return e.make(rng.IntN(2) == 1, rng.IntN(2), rng.Uint32())
	}
	if k == 0 {
		return e.make(rng.IntN(2) == 1, 0, rng.Uint32())
	}
	exp := -10 - rng.IntN(8)
	if e.bias() > 20 && rng.IntN(2) == 0 || e.mantissa == 10 && rng.IntN(2) == 0 {
		exp = -20 - rng.IntN(8)
	}
	return e.make(rng.IntN(2) == 1, exp, rng.Uint32())
}

// cancel makes the second half of k minus the first, apart from a few low bits.
func cancel(rng *rand.Rand, p problem, ta, tb string, k int) {
	sign := uint32(1) << (encodings[ta].exponent + encodings[ta].mantissa + encodings[ta].shift)
	for i := range p.a {
		if i%k >= k/2 {
			p.a[i] = p.a[i-k/2] ^ sign
		}
	}
	for i := range p.b {
		if i%k >= k/2 {
			p.b[i] = p.b[i-k/2] ^ uint32(rng.IntN(8)/7)<<encodings[tb].shift
		}
	}
}

func fillAddend(rng *rand.Rand, kind Kind, c []uint32, typ string) {
	e := encodings[typ]
	for i := range c {
		exp := rng.IntN(10) - 5
		switch kind {
		case Wide:
			exp = rng.IntN(2*e.bias()-1) - e.bias()
		case LargeC:
			exp = 8 + rng.IntN(30)
		case SmallC:
			exp = -8 - rng.IntN(30)
		case Cancelling:
			exp = -4 - rng.IntN(20)
		case ZeroHuge:
			exp = -40 - rng.IntN(80)
		case Subnormal:
			exp = -e.bias() - rng.IntN(e.mantissa)
		case Large:
			exp = e.largest() - rng.IntN(3)
		case Underflow:
			exp = -1000
		}
		c[i] = e.make(rng.IntN(2) == 1, exp, rng.Uint32())
		switch {
		case kind == Integer:
			c[i] = e.integer(rng.IntN(200) - 100)
		case kind == Zeros || kind == ZeroHuge && rng.IntN(2) == 0 || kind == Subnormal && rng.IntN(4) == 0:
			c[i] = e.make(rng.IntN(2) == 1, -1000, 0)
		case kind == Special && rng.IntN(32) == 0:
			c[i] = (1<<(e.exponent+e.mantissa) - 1 - uint32(rng.IntN(2))*(1<<e.mantissa-1))
		}
	}
}

// elementBytes is the size of a type in memory.
func elementBytes(typ string) int {
	switch typ {
	case "f16", "bf16":
		return 2
	case "tf32", "f32", "s32":
		return 4
	}
	return 1
}
