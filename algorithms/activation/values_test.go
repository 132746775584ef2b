package activation_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/runtime"
)

// plain names the three functions as plain operators.
var plain = []struct {
	name string
	spec func(elems int, in, out oxrt.DType) (operator string, spec any)
}{
	{"SiLU", func(n int, in, out oxrt.DType) (string, any) {
		return "activation.silu", &activation.SiLUSpec{MaxRows: 1, Size: n, Input: in, Output: out, Align: 16, OutputScale: 1}
	}},
	{"GELU", func(n int, in, out oxrt.DType) (string, any) {
		return "activation.gelu", &activation.GELUSpec{MaxRows: 1, Size: n, Input: in, Output: out, Align: 16, OutputScale: 1}
	}},
	{"GELUTanh", func(n int, in, out oxrt.DType) (string, any) {
		return "activation.gelu", &activation.GELUSpec{MaxRows: 1, Size: n, Input: in, Output: out, Align: 16, OutputScale: 1,
			Approximation: activation.Tanh}
	}},
}

func binding(t *testing.T, name string) catalog.Binding {
	t.Helper()
	for _, b := range activation.Bindings() {
		if b.Operator.Name == name {
			return b
		}
	}
	t.Fatalf("no operator %s", name)
	return catalog.Binding{}
}

// run runs one row and returns its outputs with the comparison.
func run(t *testing.T, stream *oxrt.Stream, operator string, spec any, inputs map[string][]byte) ([]byte, catalog.Verdict) {
	t.Helper()
	b := binding(t, operator)
	plan, err := b.Plan(stream.Device(), spec, "")
	if err != nil {
		t.Fatal(err)
	}
	s := trial.Setup{Spec: spec, Dims: []int{1}, Inputs: inputs}
	out, err := trial.Run(context.Background(), stream, b.Operator, plan, s)
	if err != nil {
		t.Fatal(err)
	}
	_, verdicts, err := trial.Check(b, s, out.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	return out.Outputs["y"], verdicts[0]
}

// TestEveryValue runs every value of the narrow formats and a sample of f32 through every function.
func TestEveryValue(t *testing.T) {
	_, stream := trialtest.Device(t)
	// The largest error in ulp of the output: narrow results err by their own rounding and little else; in f32 the power of
	// a large argument shows, as it does in every implementation with one f32 exponent.
	limits := map[oxrt.DType]float64{oxrt.BF16: 0.51, oxrt.F16: 0.51, oxrt.F32: 400}
	for in, limit := range limits {
		n := 1 << 16
		if in == oxrt.F32 {
			n = 1 << 14
		}
		data := make([]byte, n*in.Size())
		random := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			bits := uint32(i)
			if in == oxrt.F32 {
				bits = math.Float32bits(float32(random.NormFloat64() * 5))
				if i%4 == 0 {
					bits = random.Uint32()
				}
			}
			catalog.WriteBits(in, data, i, bits)
		}
		for _, f := range plain {
			operator, spec := f.spec(n, in, in)
			_, v := run(t, stream, operator, spec, map[string][]byte{"x": data})
			t.Logf("%s %v: %v", f.name, in, v)
			if !v.OK() || v.MaxUlp > limit {
				t.Errorf("%s %v: %v, limit %g", f.name, in, v, limit)
			}
		}
	}
}

// TestDocumentedResults holds the operators to the special cases in their descriptions.
func TestDocumentedResults(t *testing.T) {
	_, stream := trialtest.Device(t)
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		x    float64
		want [3]float64 // SiLU, GELU, GELUTanh
	}{
		{nan, [3]float64{nan, nan, nan}},
		{inf, [3]float64{inf, inf, inf}},
		{-inf, [3]float64{nan, nan, nan}},
		{0, [3]float64{0, 0, 0}},
		{zero, [3]float64{zero, zero, zero}},
		{0x1p-149, [3]float64{0, 0, 0}}, // half of the smallest value is a tie, to even
		{0x1p-148, [3]float64{0x1p-149, 0x1p-149, 0x1p-149}},
		{math.MaxFloat32, [3]float64{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}},
		{-math.MaxFloat32, [3]float64{zero, zero, zero}},
		{-88.75, [3]float64{zero, zero, zero}},
		{-15, [3]float64{-15 / (1 + math.Exp(15)), zero, zero}},
		{-10.125, [3]float64{-10.125 / (1 + math.Exp(10.125)), -10.125 * math.Erfc(10.125/math.Sqrt2) / 2, zero}},
	} {
		for i, f := range plain {
			operator, spec := f.spec(8, oxrt.F32, oxrt.F32)
			y, v := run(t, stream, operator, spec, map[string][]byte{"x": row(oxrt.F32, c.x)})
			demandValue(t, fmt.Sprintf("%s(%g)", f.name, c.x), oxrt.F32, y, c.want[i])
			if !v.OK() {
				t.Errorf("%s(%g): the reference disagrees: %v", f.name, c.x, v)
			}
		}
	}
	for x, want := range map[float64]float64{inf: 448, 1000: 448, nan: nan, -inf: nan} {
		for _, f := range plain {
			operator, spec := f.spec(8, oxrt.F32, oxrt.E4M3)
			y, _ := run(t, stream, operator, spec, map[string][]byte{"x": row(oxrt.F32, x)})
			demandValue(t, fmt.Sprintf("%s(%g) in e4m3", f.name, x), oxrt.E4M3, y, want)
		}
	}
}

// TestDocumentedProducts does so for the factor of the gated operators.
func TestDocumentedProducts(t *testing.T) {
	_, stream := trialtest.Device(t)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ gate, up, want float64 }{
		{1, nan, nan}, {nan, 1, nan}, {0, inf, nan}, {-100, inf, nan}, {100, -inf, -inf}, {inf, 0, nan}, {inf, -2, -inf},
		{0x1p100, 0x1p100, inf}, {0x1p100, -0x1p100, -inf}, {100, 2, 200}, {0, 5, 0},
	} {
		in := map[string][]byte{"gate": row(oxrt.F32, c.gate), "up": row(oxrt.F32, c.up)}
		base := activation.GeGLUSpec{MaxRows: 1, Size: 8, Input: oxrt.F32, Output: oxrt.F32, Align: 16, OutputScale: 1}
		tanh := base
		tanh.Approximation = activation.Tanh
		for _, s := range []struct {
			operator string
			spec     any
		}{
			{"activation.swiglu", &activation.SwiGLUSpec{MaxRows: 1, Size: 8, Input: oxrt.F32, Output: oxrt.F32, Align: 16, OutputScale: 1}},
			{"activation.geglu", &base}, {"activation.geglu", &tanh},
		} {
			y, v := run(t, stream, s.operator, s.spec, in)
			demandValue(t, fmt.Sprintf("%s of %g and %g", s.operator, c.gate, c.up), oxrt.F32, y, c.want)
			if !v.OK() {
				t.Errorf("%s of %g and %g: the reference disagrees: %v", s.operator, c.gate, c.up, v)
			}
		}
	}
}

// row is 8 times a value.
func row(d oxrt.DType, x float64) []byte {
	f, _ := catalog.FormatOf(d)
	data := make([]byte, 8*d.Size())
	for i := range 8 {
		catalog.WriteBits(d, data, i, f.Pattern(x))
	}
	return data
}

// demandValue compares a row with a value: equal, NaN for NaN, zeros with their sign, other f32 within 1e-4.
func demandValue(t *testing.T, what string, d oxrt.DType, data []byte, want float64) {
	t.Helper()
	f, _ := catalog.FormatOf(d)
	for i := range 8 {
		got := f.Decode(catalog.ReadBits(d, data, i))
		same := got == want && math.Signbit(got) == math.Signbit(want) || math.IsNaN(got) && math.IsNaN(want)
		if !same && !(math.Abs(got-want) < 1e-4*math.Abs(want)) {
			t.Errorf("%s is %g, want %g", what, got, want)
			return
		}
	}
}
