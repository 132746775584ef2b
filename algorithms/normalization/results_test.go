package normalization_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// TestDocumentedResults writes out what the operators' descriptions say about unusual values, without the reference.
func TestDocumentedResults(t *testing.T) {
	_, stream := trialtest.Device(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name    string
		epsilon float32
		x, want []float32
	}{
		{"a NaN takes the row", 1e-6, []float32{1, nan, 3, 4}, []float32{nan, nan, nan, nan}},
		{"an infinity leaves zeros", 1e-6, []float32{1, inf, -3, 4}, []float32{0, nan, 0, 0}},
		{"squares beyond f32 leave zeros", 1e-6, []float32{1e20, 1, -1e20, 4}, []float32{0, 0, 0, 0}},
		{"a zero row", 1e-6, []float32{0, 0, 0, 0}, []float32{0, 0, 0, 0}},
		{"a zero row without epsilon", 0, []float32{0, 0, 0, 0}, []float32{nan, nan, nan, nan}},
		{"squares below f32 without epsilon", 0, []float32{1e-30, 0, -1e-30, 0}, []float32{inf, nan, -inf, nan}},
		{"subnormal values are not flushed", 1, []float32{0x1p-140, -0x1p-149, 0, 0}, []float32{0x1p-140, -0x1p-149, 0, 0}},
		{"an exact case", 0, []float32{2, -2, 2, 2}, []float32{1, -1, 1, 1}},
	} {
		b := binding(t, "normalization.rms_norm")
		spec := &normalization.RMSNormSpec{Hidden: 4, MaxRows: 1, Input: oxrt.F32, Epsilon: c.epsilon}
		b.Operator.Complete(spec)
		plan, err := b.Plan(stream.Device(), spec, "")
		if err != nil {
			t.Fatal(err)
		}
		out, err := trial.Run(context.Background(), stream, b.Operator, plan, trial.Setup{Spec: spec, Dims: []int{1},
			Inputs: map[string][]byte{"x": floats(c.x...), "weight": floats(1, 1, 1, 1)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			got := math.Float32frombits(binary.LittleEndian.Uint32(out.Outputs["y"][4*i:]))
			if got != want && !(math.IsNaN(float64(got)) && math.IsNaN(float64(want))) {
				t.Errorf("%s: y[%d] = %v, want %v", c.name, i, got, want)
			}
		}
	}
}

func floats(values ...float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// TestReferenceNoticesSmallErrors moves single elements of a right result by two units of the last place of a 16-bit format,
// in both directions: each must be refused, so the bounds are not slack. Results of zero are left out: LayerNorm of a
// constant row may differ from zero by the error of the mean.
func TestReferenceNoticesSmallErrors(t *testing.T) {
	_, stream := trialtest.Device(t)
	for _, b := range normalization.Bindings() {
		for _, c := range b.Cases() {
			if !c.Quick || c.Fill != "normal" || c.Dims[0] == 0 || c.InPlace {
				continue
			}
			inputs, err := trial.Inputs(b.Operator, c)
			if err != nil {
				t.Fatal(err)
			}
			s := trial.Setup{Spec: c.Spec, Dims: c.Dims, Inputs: inputs, Offset: c.Offset}
			plan, err := b.Plan(stream.Device(), c.Spec, "")
			if err != nil {
				t.Fatal(err)
			}
			out, err := trial.Run(context.Background(), stream, b.Operator, plan, s)
			if err != nil {
				t.Fatal(err)
			}
			tensors, err := b.Operator.Tensors(c.Spec, c.Dims...)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range tensors {
				data := out.Outputs[o.Operand.Name]
				if len(data) == 0 || o.DType.Size() != 2 {
					continue
				}
				at := len(data) / 4 * 2
				right := binary.LittleEndian.Uint16(data[at:])
				if right&0x7fff == 0 {
					continue
				}
				for _, wrong := range []uint16{right + 2, right - 2} {
					binary.LittleEndian.PutUint16(data[at:], wrong)
					_, verdicts, err := trial.Check(b, s, out.Outputs)
					if err != nil {
						t.Fatal(err)
					}
					failures := 0
					for _, v := range verdicts {
						failures += v.Failures
					}
					if failures != 1 {
						t.Errorf("%s: %s: %s moved from %#x to %#x gives %d failures", b.Operator.Name, c.Name, o.Operand.Name, right, wrong, failures)
					}
				}
				binary.LittleEndian.PutUint16(data[at:], right)
			}
		}
	}
}
