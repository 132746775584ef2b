// Package trialtest holds the tests that every family runs over its bindings.
package trialtest

import (
	"context"
	"reflect"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// Device opens an emulated device with a stream for the time of a test and demands that nothing leaks.
func Device(t *testing.T) (*oxrt.Device, *oxrt.Stream) {
	t.Helper()
	rt, err := emulated.Open(ptx.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := rt.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, stream
}

// QuickCases runs the quick cases of every operator with every algorithm that supports them.
func QuickCases(t *testing.T, bindings []catalog.Binding) {
	_, stream := Device(t)
	for _, b := range bindings {
		t.Run(b.Operator.Name, func(t *testing.T) {
			for _, c := range b.Cases() {
				if !c.Quick {
					continue
				}
				for _, r := range trial.RunCase(context.Background(), stream, b, c) {
					if r.Err != nil {
						t.Errorf("%s, %s: %v", c.Name, r.Algorithm, r.Err)
					}
				}
			}
		})
	}
}

// Descriptions checks that descriptions and code agree: fields, operands, algorithms, and the round trip of every case's
// Spec through JSON.
func Descriptions(t *testing.T, bindings []catalog.Binding) {
	for _, b := range bindings {
		for _, problem := range b.Operator.Verify(b.New()) {
			t.Error(problem)
		}
		names := map[string]bool{}
		for _, c := range b.Cases() {
			if names[c.Name] {
				t.Errorf("%s: two cases are named %q", b.Operator.Name, c.Name)
			}
			names[c.Name] = true
			if err := b.Validate(c.Spec); err != nil {
				t.Errorf("%s: %s: %v", b.Operator.Name, c.Name, err)
				continue
			}
			full := completed(b.Operator, c.Spec)
			again, err := b.ParseSpec(b.Operator.EncodeSpec(full))
			if err != nil || b.Operator.Fingerprint(again) != b.Operator.Fingerprint(full) {
				t.Errorf("%s: %s: the Spec does not survive JSON: %v", b.Operator.Name, c.Name, err)
			}
			if n := len(b.Supports(c.Spec)); n != len(b.Operator.Algorithms) {
				t.Errorf("%s: %s: %d answers for %d algorithms", b.Operator.Name, c.Name, n, len(b.Operator.Algorithms))
			}
		}
	}
}

// completed is a copy of a Spec with its defaults: JSON tells a zero from a field that is left out, Go does not.
func completed(op *catalog.Operator, spec any) any {
	from := reflect.Indirect(reflect.ValueOf(spec))
	full := reflect.New(from.Type())
	full.Elem().Set(from)
	op.Complete(full.Interface())
	return full.Interface()
}

// Coverage demands that the cases reach every artifact of the family.
func Coverage(t *testing.T, bindings []catalog.Binding, artifacts []*oxrt.Artifact) {
	dev, _ := Device(t)
	reached := map[string]bool{}
	for _, b := range bindings {
		for _, c := range b.Cases() {
			for i, refusal := range b.Supports(c.Spec) {
				if refusal != nil || c.Dims[0] == 0 {
					continue
				}
				plan, err := b.Plan(dev, c.Spec, b.Operator.Algorithms[i].Name)
				if err != nil {
					t.Errorf("%s: %s: %v", b.Operator.Name, c.Name, err)
					continue
				}
				for _, a := range plan.Artifacts() {
					reached[a.Entry] = true
				}
			}
		}
	}
	for _, a := range artifacts {
		if !reached[a.Entry] {
			t.Errorf("no case launches %s", a.Entry)
		}
	}
}
