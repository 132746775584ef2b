package tensorcore

import (
	"math"

	"github.com/oxideinfer/oxide/internal/numfmt"
)

// NaN results.
const (
	nan32 = 0x7fffffff
	nan16 = 0x7fff
)

// Multiply computes D = A·B + C for every row of A and every column of B: d[i*n+j] from c[i*n+j]. c may be d, or nil
// for no addend. The elements of c and d are f32, f16 or s32 patterns, zero-extended.
func Multiply(d []uint32, a, b *Rows, c []uint32, sum Sum) {
	n := b.Len()
	for i := range a.Len() {
		row := a.data[i*a.blocks : (i+1)*a.blocks]
		out := d[i*n : (i+1)*n]
		add := c
		if c != nil {
			add = c[i*n : (i+1)*n]
		}
		switch {
		case a.format.Integer() || a.Tag != nil:
			integerRow(out, row, b, add, sum)
		case a.blocks == 2 && sum == F32:
			pairRow(out, (*pair)(row), a.special[i], b, add)
		default:
			floatRow(out, row, a.special[i], b, add, sum)
		}
	}
}

// floatRow computes one row of D.
func floatRow(d []uint32, row []block, special bool, b *Rows, c []uint32, sum Sum) {
	frac := sum.fraction()
	for j := range d {
		col := b.data[j*b.blocks : (j+1)*b.blocks]
		addend := uint32(0)
		if c != nil {
			addend = c[j]
		}
		v, exp, odd := sum.addend(addend)
		if special || b.special[j] || odd {
			d[j] = sum.specialResult(row, col, v)
			continue
		}
		e := max(largestExponent(row, col), exp)
		if e <= noTerm { // nothing but zeros
			d[j] = 0
			continue
		}
		e -= 2 * exponentBias
		scale := math.Float64frombits(uint64(1023+frac-e) << 52)
		total := alignedSum(row, col, scale) + int64(v*scale)
		d[j] = sum.round(total, e-frac)
	}
}

// addend decodes C; the exponent has the bias of a product's.
func (s Sum) addend(bits uint32) (v float64, exp int, special bool) {
	if s.half() {
		e, odd := F16.exponent(bits)
		if e == noExponent {
			return 0, 0, false
		}
		return F16.value(bits), int(e) + exponentBias, odd
	}
	mag := bits & 0x7fffffff
	if mag == 0 {
		return 0, 0, false
	}
	return float64(math.Float32frombits(bits)), int(max(mag>>23, 1)) - 127 + 2*exponentBias, mag >= 0x7f800000
}

// largestExponent is the largest sum of two exponents, four pairs at a time.
func largestExponent(a, b []block) int {
	var best uint64
	for i := range a {
		x, y := &a[i].exp, &b[i].exp
		best = larger(best, larger(x[0]+y[0], x[1]+y[1]))
	}
	return int(max(best&0xffff, best>>16&0xffff, best>>32&0xffff, best>>48))
}

// larger picks the larger one of each of four numbers below 2^15: the borrow of a comparison shows in the top bit.
func larger(x, y uint64) uint64 {
	const top = 0x8000_8000_8000_8000
	ge := ((x | top) - y) & top
	return y ^ (x^y)&(ge-ge>>15)
}

// alignedSum adds the products, each cut toward zero to an integer multiple of 1/scale. Every product is exact in
// float64, and so is its scaling by a power of two; the conversion to an integer cuts.
func alignedSum(a, b []block, scale float64) int64 {
	var s0, s1 int64
	for i := range a {
		x, y := &a[i].value, &b[i].value
		s0 += int64(float64(x[0]*y[0])*scale) + int64(float64(x[1]*y[1])*scale)
		s1 += int64(float64(x[2]*y[2])*scale) + int64(float64(x[3]*y[3])*scale)
		s0 += int64(float64(x[4]*y[4])*scale) + int64(float64(x[5]*y[5])*scale)
		s1 += int64(float64(x[6]*y[6])*scale) + int64(float64(x[7]*y[7])*scale)
	}
	return s0 + s1
}

// round turns total·2^exp into the result.
func (s Sum) round(total int64, exp int) uint32 {
	v := float64(total) * math.Float64frombits(uint64(1023+exp)<<52) // exact: at most 33 bits, above 2^-300
	switch s {
	case F32:
		return cutF32(v, 0)
	case F32Short:
		return cutF32(v, 1<<10-1)
	}
	if h := numfmt.F16.Encode(v, numfmt.RN); h&0x7fff != 0 {
		return h
	}
	return 0 // a sum that vanishes is +0
}

// cutF32 rounds toward zero to f32 and clears the mantissa bits in drop. A finite value beyond f32 becomes Inf, one
// below its subnormals +0.
func cutF32(v float64, drop uint32) uint32 {
	bits := math.Float64bits(v)
	sign := uint32(bits >> 32 & 0x80000000)
	exp := int(bits>>52&0x7ff) - 1023
	switch {
	case v == 0:
		return 0
	case exp > 127:
		return sign | 0x7f800000
	case exp >= -126:
		return sign | (uint32(exp+127)<<23|uint32(bits>>29)&0x7fffff)&^drop
	case exp < -149: // a sum that vanishes is +0
		return 0
	}
	man := bits&(1<<52-1) | 1<<52
	return sign | uint32(man>>(29-126-exp))&^drop
}

// specialResult is the sum where a factor or the addend is Inf or NaN: that of exact arithmetic.
func (s Sum) specialResult(a, b []block, c float64) uint32 {
	v := c
	for i := range a {
		for k := range blockSize {
			p := float64(a[i].value[k] * b[i].value[k])
			if !math.IsInf(p, 0) && !math.IsNaN(p) {
				continue
			}
			if math.IsInf(v, 0) || math.IsNaN(v) {
				v += p
			} else {
				v = p
			}
		}
	}
	switch {
	case math.IsNaN(v) && s.half():
		return nan16
	case math.IsNaN(v):
		return nan32
	case s.half():
		return numfmt.F16.Encode(v, numfmt.RN)
	}
	return math.Float32bits(float32(v))
}

// integerRow computes one row of D of an integer product. Sums of products are exact in float64.
func integerRow(d []uint32, row []block, b *Rows, c []uint32, sum Sum) {
	for j := range d {
		col := b.data[j*b.blocks : (j+1)*b.blocks]
		var s float64
		for i := range row {
			x, y := &row[i].value, &col[i].value
			s += float64(x[0]*y[0]) + float64(x[1]*y[1]) + float64(x[2]*y[2]) + float64(x[3]*y[3]) +
				(float64(x[4]*y[4]) + float64(x[5]*y[5]) + float64(x[6]*y[6]) + float64(x[7]*y[7]))
		}
		total := int64(s)
		if c != nil {
			total += int64(int32(c[j]))
		}
		if sum == S32Sat {
			total = min(max(total, math.MinInt32), math.MaxInt32)
		}
		d[j] = uint32(total)
	}
}
