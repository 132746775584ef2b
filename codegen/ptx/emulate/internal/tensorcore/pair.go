package tensorcore

import "math"

// pair is a row of sixteen factors: all of k in a product of f16 or bf16.
type pair [2]block

// pairRow is floatRow for rows of two blocks and an f32 sum without loops and calls, which is where the emulator spends its time
// in most products.
func pairRow(d []uint32, row *pair, special bool, b *Rows, c []uint32) {
	const frac = 25 // F32.fraction()
	for j := range d {
		col := (*pair)(b.data[2*j:])
		var addend uint32
		if c != nil {
			addend = c[j]
		}
		mag := addend & 0x7fffffff
		v := float64(math.Float32frombits(addend))
		if special || b.special[j] || mag >= 0x7f800000 {
			d[j] = F32.specialResult(row[:], col[:], v)
			continue
		}
		e := row.largestExponent(col)
		if mag != 0 {
			e = max(e, int(max(mag>>23, 1))-127+2*exponentBias)
		}
		if e <= noTerm { // nothing but zeros
			d[j] = 0
			continue
		}
		e -= 2 * exponentBias
		scale := math.Float64frombits(uint64(1023+frac-e) << 52)
		total := row.alignedSum(col, scale) + int64(v*scale)
		// The double's own mantissa, cut to 24 bits, with the exponent moved, is the result in all of f32's normal range.
		bits := math.Float64bits(float64(total))
		if exp := int(bits>>52&0x7ff) - 1023 + e - frac; uint(exp+126) <= 126+127 && total != 0 {
			d[j] = uint32(bits>>32)&0x80000000 | uint32(exp+127)<<23 | uint32(bits>>29)&0x7fffff
			continue
		}
		d[j] = F32.round(total, e-frac)
	}
}

func (p *pair) largestExponent(q *pair) int {
	x, y := &p[0].exp, &q[0].exp
	z, w := &p[1].exp, &q[1].exp
	m := larger(larger(x[0]+y[0], x[1]+y[1]), larger(z[0]+w[0], z[1]+w[1]))
	return int(max(m&0xffff, m>>16&0xffff, m>>32&0xffff, m>>48))
}

func (p *pair) alignedSum(q *pair, scale float64) int64 {
	x, y := &p[0].value, &q[0].value
	s0 := int64(float64(x[0]*y[0])*scale) + int64(float64(x[1]*y[1])*scale) + int64(float64(x[2]*y[2])*scale) + int64(float64(x[3]*y[3])*scale)
	s1 := int64(float64(x[4]*y[4])*scale) + int64(float64(x[5]*y[5])*scale) + int64(float64(x[6]*y[6])*scale) + int64(float64(x[7]*y[7])*scale)
	z, w := &p[1].value, &q[1].value
	s0 += int64(float64(z[0]*w[0])*scale) + int64(float64(z[1]*w[1])*scale) + int64(float64(z[2]*w[2])*scale) + int64(float64(z[3]*w[3])*scale)
	s1 += int64(float64(z[4]*w[4])*scale) + int64(float64(z[5]*w[5])*scale) + int64(float64(z[6]*w[6])*scale) + int64(float64(z[7]*w[7])*scale)
	return s0 + s1
}
