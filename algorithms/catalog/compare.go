package catalog

import (
	"fmt"
	"math"
	"strings"
)

// Expected is what a reference says about one output: for every logical element, in row-major order, the value of the
// definition and the interval of allowed results before the last rounding into the output's format.
//
// A NaN as value demands a NaN, an infinity demands what the infinity rounds to. [Unknown] allows everything.
type Expected struct {
	Value []float64
	Range []Interval
}

// Grow appends one element.
func (e *Expected) Grow(value float64, r Interval) {
	e.Value = append(e.Value, value)
	e.Range = append(e.Range, r)
}

// Verdict is the result of comparing one output.
type Verdict struct {
	Elements int
	Failures int
	// First is the dense index of the first failure; Got and Want describe it.
	First     int
	Got, Want string
	// MaxUlp is the largest distance from the value of the definition in units of the last place of the output's
	// format, over all elements for which a bound is promised; MeanUlp the mean. Where one of the two is no finite number they
	// have no distance.
	MaxUlp, MeanUlp float64
}

// OK reports whether every element was allowed.
func (v Verdict) OK() bool { return v.Failures == 0 }

func (v Verdict) String() string {
	if v.OK() {
		return fmt.Sprintf("%d elements within bounds, error max %.3g ulp, mean %.3g ulp", v.Elements, v.MaxUlp, v.MeanUlp)
	}
	return fmt.Sprintf("%d of %d elements out of bounds, first at %d: got %s, want %s (max %.3g ulp)",
		v.Failures, v.Elements, v.First, v.Got, v.Want, v.MaxUlp)
}

// Compare checks the strided output bytes of a device against a reference.
func Compare(t Tensor, data []byte, want Expected) (Verdict, error) {
	f, ok := FormatOf(t.DType)
	switch {
	case !ok:
		return Verdict{}, fmt.Errorf("%s: no comparison for %v", t.Operand.Name, t.DType)
	case len(data) < t.Span()*t.DType.Size() || len(want.Value) != t.Elements():
		return Verdict{}, fmt.Errorf("%s: %d bytes and %d expected values for %d elements", t.Operand.Name, len(data), len(want.Value), t.Elements())
	}
	v := Verdict{Elements: t.Elements()}
	sum := 0.0
	t.Offsets(func(i, offset int) {
		got := ReadBits(t.DType, data, offset)
		if !f.allowed(got, want.Value[i], want.Range[i]) {
			if v.Failures == 0 {
				v.First, v.Got, v.Want = i, f.describe(got), describeWant(want.Value[i], want.Range[i])
			}
			v.Failures++
		}
		if ulp := f.ulpError(got, want.Value[i]); !want.Range[i].IsUnknown() && !math.IsInf(ulp, 1) {
			v.MaxUlp = max(v.MaxUlp, ulp)
			sum += ulp
		}
	})
	if v.Elements > 0 {
		v.MeanUlp = sum / float64(v.Elements)
	}
	return v, nil
}

// allowed reports whether a pattern is a rounding of some value of the interval.
func (f Format) allowed(got uint32, value float64, r Interval) bool {
	if r.IsUnknown() {
		return true
	}
	g := f.Decode(got)
	switch {
	case math.IsNaN(value) || math.IsNaN(g):
		return math.IsNaN(value) && math.IsNaN(g)
	case math.IsInf(value, 0):
		return got == f.Pattern(value)
	}
	return g >= f.Round(r.Lo) && g <= f.Round(r.Hi)
}

func (f Format) ulpError(got uint32, value float64) float64 {
	if !f.HasInf() && math.Abs(value) > f.Max() && got == f.Pattern(value) {
		return 0 // saturated as documented
	}
	e := f.UlpError(got, value)
	if math.IsInf(e, 1) && f.allowed(got, value, Exactly(value)) {
		return 0
	}
	return e
}

func (f Format) describe(bits uint32) string {
	return fmt.Sprintf("%.9g (0x%0*x)", f.Decode(bits), f.Bits()/4, bits)
}

func describeWant(value float64, r Interval) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("%.9g within [%.9g, %.9g]", value, r.Lo, r.Hi)
}

// Summary joins the verdicts of several outputs into one line.
func Summary(names []string, verdicts []Verdict) string {
	var parts []string
	for i, v := range verdicts {
		parts = append(parts, names[i]+": "+v.String())
	}
	return strings.Join(parts, "; ")
}
