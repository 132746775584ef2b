// Package trialtest holds the tests that every family runs over its bindings.
package trialtest

import (
	"context"
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
