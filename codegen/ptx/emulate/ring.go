package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Ring mode (Config.Ring) computes with floats as integers modulo 2^w, an idea of Triton's FpSan: a bijection gives the
// bits of every float a tag, with 0, 1 and -1 in their places, and arithmetic works on tags. Addition and multiplication
// are then associative and distributive without any rounding, so two ways to tile, split or pipeline the same algebra
// agree in every bit, and one that misses, repeats or misplaces a term does not. What the operations mean:
//
//	add, sub, mul, fma, neg     of the ring; mma and wgmma are sums of products
//	cvt between float types     keep the tag: its low bits, or its sign extended. Integers become their residue
//	ex2                         5^tag, so that ex2(a+b) = ex2(a)·ex2(b)
//	rcp, div                    the inverse of an odd tag; of an even one an arbitrary fixed value
//	sqrt, rsqrt, lg2, sin, cos, tanh   arbitrary fixed bijections
//	min, max                    the order of the tags as signed numbers
//
// Infinities are kept as what they are used for: they absorb addition, subtraction and multiplication, ex2(-Inf) is
// zero, and min and max put them at the ends. Comparisons look at the bits of the floats. Rounding modes and ranges mean
// nothing: rounding, overflow, saturation and NaN are not what this mode is for. f64 arithmetic, floating-point
// atomics and conversions with .relu are refused.

// ring is the residues that stand for the floats of one format.
type ring struct {
	width uint   // bits of the format and of its residues
	one   uint64 // the bits of 1
	inf   uint64 // of infinity; 0: the format has none
}

var (
	ring32   = ring{32, 0x3f800000, 0x7f800000}
	ringF16  = ring{16, 0x3c00, 0x7c00}
	ringBF16 = ring{16, 0x3f80, 0x7f80}
	ringE4M3 = ring{8, 0x38, 0}
	ringE5M2 = ring{8, 0x3c, 0x7c}
)

// ringOf returns the ring of a float type, or of its halves.
func ringOf(t isa.Type) (r ring, packed, ok bool) {
	switch t {
	case isa.F32, isa.TF32:
		return ring32, false, true
	case isa.F16:
		return ringF16, false, true
	case isa.F16X2:
		return ringF16, true, true
	case isa.BF16:
		return ringBF16, false, true
	case isa.BF16X2:
		return ringBF16, true, true
	case isa.E4M3, isa.E4M3X2:
		return ringE4M3, t == isa.E4M3X2, true
	case isa.E5M2, isa.E5M2X2:
		return ringE5M2, t == isa.E5M2X2, true
	}
	return ring{}, false, false
}

func (r ring) sign() uint64 { return 1 << (r.width - 1) }

// infinite reports an infinity of either sign.
func (r ring) infinite(v uint64) bool { return r.inf != 0 && v&^r.sign() == r.inf }

// scramble spreads the bits of a float, so that few trailing zeros are left: products of tags must not vanish. Each
// step is invertible.
func (r ring) scramble(v uint64, factor uint64) uint64 {
	v = mask(v, int(r.width))
	v ^= v >> (r.width / 2)
	v = mask(v*factor, int(r.width))
	return v ^ v>>(r.width/2)
}

const (
	ringFactor  = 0x9e3779b97f4a7c15
	ringInverse = 0xf1de83e19937733d // modulo 2^64
)

// exchange swaps the places that 1 and -1 have with those that they should have.
func (r ring) exchange(v uint64) uint64 {
	minus := mask(^uint64(0), int(r.width))
	a, b := r.scramble(r.one, ringFactor), r.scramble(r.one|r.sign(), ringFactor)
	switch v {
	case a:
		return 1
	case 1:
		return a
	case b:
		return minus
	case minus:
		return b
	}
	return v
}

// tag is the residue of a float, sign-extended.
func (r ring) tag(v uint64) int64 {
	return signed(r.exchange(r.scramble(v, ringFactor)), int(r.width))
}

// float is the float of a residue.
func (r ring) float(t int64) uint64 {
	return r.scramble(r.exchange(mask(uint64(t), int(r.width))), ringInverse)
}

// power is 5^t: 5 generates the odd residues that are 1 modulo 4, and its order divides 2^w.
func (r ring) power(t int64) int64 {
	result, base := int64(1), int64(5)
	for e := mask(uint64(t), int(r.width)); e != 0; e >>= 1 {
		if e&1 != 0 {
			result *= base
		}
		base *= base
	}
	return result
}

// reciprocal is the inverse of an odd residue, by Newton's method; an even one has none, and its bits are spread.
func (r ring) reciprocal(t int64) int64 {
	if t&1 == 0 {
		return r.other("rcp", t)
	}
	x := t // 3 bits
	for range 5 {
		x *= 2 - t*x
	}
	return x
}

// other is a function without algebraic meaning: a fixed bijection for each name.
func (r ring) other(name string, t int64) int64 {
	salt := uint64(0)
	for _, c := range []byte(name) {
		salt = bits.RotateLeft64(salt, 8) ^ uint64(c)
	}
	return int64(r.scramble(uint64(t)^salt, ringFactor) ^ mask(salt, int(r.width)))
}

// add is a+b, with absorbing infinities; a and b are floats.
func (r ring) add(a, b uint64) uint64 {
	switch {
	case r.infinite(a):
		return a
	case r.infinite(b):
		return b
	}
	return r.float(r.tag(a) + r.tag(b))
}

func (r ring) neg(a uint64) uint64 {
	if r.infinite(a) {
		return a ^ r.sign()
	}
	return r.float(-r.tag(a))
}

func (r ring) mul(a, b uint64) uint64 {
	switch {
	case r.infinite(a):
		return a
	case r.infinite(b):
		return b
	}
	return r.float(r.tag(a) * r.tag(b))
}

// less is the order of min and max.
func (r ring) less(a, b uint64) bool { return r.rank(a) < r.rank(b) }

func (r ring) rank(v uint64) int64 {
	if r.infinite(v) {
		if v&r.sign() != 0 {
			return -1 << 62
		}
		return 1 << 62
	}
	return r.tag(v)
}

// function is an instruction of one operand.
func (r ring) function(op string, a uint64) uint64 {
	switch op {
	case "neg":
		return r.neg(a)
	case "abs":
		if r.rank(a) < 0 {
			return r.neg(a)
		}
		return a
	case "ex2":
		if r.infinite(a) && a&r.sign() != 0 {
			return 0
		}
		return r.float(r.power(r.tag(a)))
	case "rcp":
		return r.float(r.reciprocal(r.tag(a)))
	}
	return r.float(r.other(op, r.tag(a)))
}

// combine is an instruction of two operands.
func (r ring) combine(op string, a, b uint64) uint64 {
	switch op {
	case "sub":
		return r.add(a, r.neg(b))
	case "mul":
		return r.mul(a, b)
	case "div":
		return r.mul(a, r.float(r.reciprocal(r.tag(b))))
	case "min", "max":
		if r.less(b, a) == (op == "min") {
			return b
		}
		return a
	}
	return r.add(a, b)
}
