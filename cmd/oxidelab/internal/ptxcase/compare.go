package ptxcase

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Output is the comparison of one output buffer.
type Output struct {
	Buffer     string `json:"buffer"`
	Class      string `json:"class"`
	DType      string `json:"dtype"`
	Elements   int    `json:"elements"`
	Mismatches int    `json:"mismatches"` // elements outside the rule of the case
	Different  int    `json:"different"`  // elements whose bits differ at all
	MaxUlp     uint64 `json:"max_ulp"`    // over elements of floating-point types that are not both NaN
	First      string `json:"first,omitempty"`
}

const noUlp = 1 << 40 // distance where none is defined: f64, or NaN against a number

// compare compares an output under the rule of its case.
func compare(o *outputDesc, dtype string, got, want []byte) Output {
	size := dtypeSize(dtype)
	out := Output{Buffer: o.Buffer, Class: o.Class, DType: dtype, Elements: len(want) / size}
	for i := range out.Elements {
		g, w := element(got, i, size), element(want, i, size)
		if g == w {
			continue
		}
		out.Different++
		ulps, ok := o.accepts(dtype, g, w)
		out.MaxUlp = max(out.MaxUlp, ulps)
		if ok {
			continue
		}
		if out.Mismatches++; out.Mismatches == 1 {
			out.First = describe(dtype, i, g, w, size)
		}
	}
	return out
}

func element(b []byte, i, size int) uint64 {
	var raw [8]byte
	copy(raw[:], b[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(raw[:])
}

// accepts applies the rule to an element whose bits differ.
func (o *outputDesc) accepts(dtype string, got, want uint64) (ulps uint64, ok bool) {
	if !isFloat(dtype) {
		return 0, false
	}
	g, w := value(dtype, got), value(dtype, want)
	if math.IsNaN(g) && math.IsNaN(w) {
		return 0, o.NaN == "any"
	}
	ulps = noUlp
	if f, isSmall := floatFormat(dtype); isSmall && !math.IsNaN(g) && !math.IsNaN(w) {
		ulps = f.UlpDistance(uint32(got), uint32(want))
	}
	if o.Class == "exact" {
		return ulps, false
	}
	err := math.Abs(g - w)
	return ulps, ulps <= o.Ulp || err <= o.Abs+o.Rel*math.Abs(w)
}

func describe(dtype string, i int, got, want uint64, size int) string {
	if isFloat(dtype) {
		return fmt.Sprintf("element %d is %g (%#0*x), want %g (%#0*x)", i, value(dtype, got), 2*size+2, got, value(dtype, want), 2*size+2, want)
	}
	return fmt.Sprintf("element %d is %#0*x, want %#0*x", i, 2*size+2, got, 2*size+2, want)
}
