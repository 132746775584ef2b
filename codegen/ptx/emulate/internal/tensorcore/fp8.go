package tensorcore

import (
	"math"

	"github.com/oxideinfer/oxide/internal/numfmt"
)

// MultiplyFP8 is mma.sync on fp8 factors, as ptxas 13.0 expands it for sm_90: the factors become f16; one product
// takes the elements 0 and 1 of every register, that is of every four along k, with no addend; a second takes the
// elements 2 and 3 and adds to the first; C is added last, rounded to nearest. a and b hold raw rows of k elements.
func MultiplyFP8(d []uint32, a, b [][]byte, fa, fb Format, c []uint32, sum Sum) {
	d = d[:len(a)*len(b)]
	t := make([]uint32, len(d))
	for half := range 2 {
		var add []uint32
		if half == 1 {
			add = t
		}
		Multiply(t, halfRows(a, fa, half), halfRows(b, fb, half), add, sum)
	}
	for i := range d {
		if sum.half() {
			d[i] = addF16(c[i], t[i])
		} else {
			d[i] = addF32(c[i], t[i])
		}
	}
}

// halfRows widens two of every four elements to f16.
func halfRows(raw [][]byte, f Format, half int) *Rows {
	r := &Rows{}
	r.Reset(F16, len(raw), len(raw[0])/2)
	var wide []byte
	for i, row := range raw {
		wide = wide[:0]
		for k, v := range row {
			if k>>1&1 == half {
				h := fp8ToF16(f, v)
				wide = append(wide, byte(h), byte(h>>8))
			}
		}
		r.Set(i, wide, false)
	}
	return r
}

func fp8ToF16(f Format, v byte) uint16 {
	return uint16(numfmt.F16.Encode(float64(fp8Values()[f-E4M3][v]), numfmt.RN))
}

func addF32(x, y uint32) uint32 {
	v := math.Float32frombits(x) + math.Float32frombits(y)
	if v != v {
		return nan32
	}
	return math.Float32bits(v)
}

func addF16(x, y uint32) uint32 {
	return numfmt.F16.Encode(F16.value(x)+F16.value(y), numfmt.RN) // the sum of two f16 is exact in float64
}
