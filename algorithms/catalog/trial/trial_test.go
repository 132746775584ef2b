package trial_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/runtime"
)

// copySpec is the contract of y = x over rows of 6 elements.
type copySpec struct {
	MaxRows int
	Type    oxrt.DType
	Stride  int
}

func copyOperator() *catalog.Operator {
	return &catalog.Operator{
		Name: "test.copy",
		Fields: []catalog.Field{
			{Name: "max_rows", Go: "MaxRows", Kind: catalog.Int, Max: 100, Doc: "d"},
			{Name: "type", Go: "Type", Kind: catalog.Type, Choices: []string{"bf16", "f32"}, Doc: "d"},
			{Name: "stride", Go: "Stride", Kind: catalog.Int, Max: 1 << 40, Default: "0", Doc: "d"},
		},
		Dims: []catalog.Dim{{Name: "rows", Max: "max_rows"}},
		Operands: []catalog.Operand{
			{Name: "x", Access: catalog.In, DType: "type", Shape: []string{"rows", "6"}, Strides: []string{"stride", "1"}},
			{Name: "y", Access: catalog.Out, DType: "type", Shape: []string{"rows", "6"}, Strides: []string{"stride", "1"}, MayAlias: []string{"x"}},
		},
	}
}

// copyPlan copies row by row and then does what misbehave says.
type copyPlan struct {
	stride    int64
	misbehave func(*oxrt.Scope, catalog.Call) error
}

func (p copyPlan) Device() *oxrt.Device          { return nil }
func (p copyPlan) Provider() string              { return "test" }
func (p copyPlan) Algorithm() string             { return "Copy" }
func (p copyPlan) Artifacts() []*oxrt.Artifact   { return nil }
func (p copyPlan) WorkspaceBytes() int64         { return 0 }
func (p copyPlan) GraphPolicy() oxrt.GraphPolicy { return oxrt.GraphAnywhere }
func (p copyPlan) Validation() *oxrt.Validation  { return nil }
func (p copyPlan) Fingerprint() string           { return "" }
func (p copyPlan) Describe() catalog.Description { return catalog.Description{} }
func (p copyPlan) String() string                { return "copy" }

func (p copyPlan) Prepare([]int) (*oxrt.Prepared, error) { return nil, errors.ErrUnsupported }

func (p copyPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	x, y := c.Regions[0], c.Regions[1]
	for row := range int64(c.Dims[0]) {
		from, err := x.Slice(row*p.stride, 6)
		if err != nil {
			return err
		}
		to, err := y.Slice(row*p.stride, 6)
		if err != nil {
			return err
		}
		if x.Ptr() != y.Ptr() {
			if err := scope.Copy(to, from); err != nil {
				return err
			}
		}
	}
	if p.misbehave == nil {
		return nil
	}
	return p.misbehave(scope, c)
}

func reference(in []float64) catalog.Expected {
	var e catalog.Expected
	for _, v := range in {
		e.Grow(v, catalog.Exactly(v))
	}
	return e
}

// fill overwrites bytes of the whole buffer that a region lies in, guards included.
func fill(scope *oxrt.Scope, r oxrt.Region, first, n int64) error {
	part, err := r.Owner().All(oxrt.U8).Slice(first, n)
	if err != nil {
		return err
	}
	return scope.Fill(part, 0x3c)
}

func TestRunFindsWhatACallMayNotDo(t *testing.T) {
	_, stream := trialtest.Device(t)
	op := copyOperator()
	b := catalog.Binding{Operator: op, Reference: func(_ any, _ []int, in map[string][]float64) map[string]catalog.Expected {
		return map[string]catalog.Expected{"y": reference(in["x"])}
	}}
	const guard = 256 // bytes before the region
	for _, c := range []struct {
		name      string
		misbehave func(*oxrt.Scope, catalog.Call) error
		damage    string // what Damage must name; empty: none
		wrong     bool   // whether the comparison must fail
	}{
		{name: "a right call"},
		{"a byte before y", func(s *oxrt.Scope, c catalog.Call) error { return fill(s, c.Regions[1], guard-1, 1) }, "y: byte -1", false},
		{"the last byte of the guard", func(s *oxrt.Scope, c catalog.Call) error {
			return fill(s, c.Regions[1], c.Regions[1].Owner().Bytes()-1, 1)
		}, "y: byte", false},
		{"the gap between rows of y", func(s *oxrt.Scope, c catalog.Call) error { return fill(s, c.Regions[1], guard+13, 1) }, "y: byte 13", false},
		{"an input", func(s *oxrt.Scope, c catalog.Call) error { return fill(s, c.Regions[0], guard+2, 2) }, "x: byte 2", false},
		{"nothing lies behind an input", func(s *oxrt.Scope, c catalog.Call) error {
			if end, x := c.Regions[0].Owner().Bytes(), c.Regions[0]; end != guard+x.Bytes() {
				return fmt.Errorf("x ends at byte %d of %d: a read past it would go unseen", guard+x.Bytes(), end)
			}
			return nil
		}, "", false},
		{"an element of y", func(s *oxrt.Scope, c catalog.Call) error { return fill(s, c.Regions[1], guard+2, 2) }, "", true},
	} {
		spec := &copySpec{MaxRows: 3, Type: oxrt.BF16, Stride: 8}
		inputs, err := trial.Inputs(op, catalog.Case{Spec: spec, Dims: []int{3}, Fill: catalog.Normal})
		if err != nil {
			t.Fatal(err)
		}
		s := trial.Setup{Spec: spec, Dims: []int{3}, Inputs: inputs}
		out, err := trial.Run(context.Background(), stream, op, copyPlan{8, c.misbehave}, s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if (c.damage == "") != (len(out.Damage) == 0) || !strings.Contains(strings.Join(out.Damage, "; "), c.damage) {
			t.Errorf("%s: damage %q, want %q", c.name, out.Damage, c.damage)
		}
		_, verdicts, err := trial.Check(b, s, out.Outputs)
		if err != nil || verdicts[0].OK() == c.wrong {
			t.Errorf("%s: %v (%v), want wrong %v", c.name, verdicts, err, c.wrong)
		}
	}
}

func TestRunInPlaceAndMisaligned(t *testing.T) {
	_, stream := trialtest.Device(t)
	op, spec := copyOperator(), &copySpec{MaxRows: 2, Type: oxrt.F32}
	inputs, err := trial.Inputs(op, catalog.Case{Spec: spec, Dims: []int{2}, Fill: catalog.Special})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []trial.Setup{{InPlace: true}, {Offset: 1}, {InPlace: true, Offset: 3}} {
		s.Spec, s.Dims, s.Inputs = spec, []int{2}, inputs
		aligned := true
		look := func(_ *oxrt.Scope, c catalog.Call) error {
			aligned = c.Regions[0].AlignedTo(16)
			if same := c.Regions[0].Ptr() == c.Regions[1].Ptr(); same != s.InPlace {
				t.Errorf("in place %v, but x and y share memory: %v", s.InPlace, same)
			}
			return nil
		}
		out, err := trial.Run(context.Background(), stream, op, copyPlan{6, look}, s)
		if err != nil || len(out.Damage) > 0 {
			t.Fatalf("%+v: %v %v", s, err, out.Damage)
		}
		if aligned == (s.Offset > 0) {
			t.Errorf("offset %d, but aligned %v", s.Offset, aligned)
		}
		if !slices.Equal(out.Outputs["y"], inputs["x"]) {
			t.Errorf("in place %v: y is not x", s.InPlace)
		}
	}
}

// TestRunRefusesHugeStrides: two rows that lie 64 GiB apart would ask the host for as much.
func TestRunRefusesHugeStrides(t *testing.T) {
	_, stream := trialtest.Device(t)
	op, spec := copyOperator(), &copySpec{MaxRows: 2, Type: oxrt.F32, Stride: 1 << 34}
	never := copyPlan{6, func(*oxrt.Scope, catalog.Call) error { t.Error("the call was made"); return nil }}
	_, err := trial.Run(context.Background(), stream, op, never, trial.Setup{Spec: spec, Dims: []int{2}})
	if !errors.Is(err, oxrt.ErrContract) || !strings.Contains(err.Error(), "gaps between rows") {
		t.Errorf("got %v", err)
	}
}

func TestInputsRepeat(t *testing.T) {
	op, spec := copyOperator(), &copySpec{MaxRows: 9, Type: oxrt.BF16}
	seen := map[string]catalog.Fill{}
	for _, fill := range []catalog.Fill{catalog.Normal, catalog.Positive, catalog.Cancelling, catalog.Integers, catalog.Zeros,
		catalog.Special, catalog.Tiny, catalog.Huge, catalog.Constant} {
		c := catalog.Case{Spec: spec, Dims: []int{9}, Fill: fill}
		a, errA := trial.Inputs(op, c)
		b, errB := trial.Inputs(op, c)
		if errA != nil || errB != nil || !slices.Equal(a["x"], b["x"]) {
			t.Errorf("%s: two runs differ: %v %v", fill, errA, errB)
		}
		if other, dup := seen[string(a["x"])]; dup {
			t.Errorf("%s and %s are the same values", fill, other)
		}
		seen[string(a["x"])] = fill
	}
}
