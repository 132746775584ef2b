package operators_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/runtime"
)

// unprepared are the operators whose calls bind in a way that depends on their addresses.
var unprepared = map[string]bool{"normalization.head_rms_norm": true}

// TestPreparedCallsGiveTheResults runs every operator through prepared calls, in place and beside misaligned memory too.
func TestPreparedCallsGiveTheResults(t *testing.T) {
	_, stream := trialtest.Device(t)
	for _, b := range operators.Bindings() {
		ran, seen := 0, map[bool]bool{}
		for i, c := range b.Cases() {
			if !c.Quick || c.Dims[0] == 0 || i%7 != 0 && seen[c.InPlace] {
				continue
			}
			seen[c.InPlace] = true
			inputs, err := trial.Inputs(b.Operator, c)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := b.Plan(stream.Device(), c.Spec, c.Algorithm)
			if err != nil {
				t.Fatal(err)
			}
			s := trial.Setup{Spec: c.Spec, Dims: c.Dims, Inputs: inputs, Offset: c.Offset, InPlace: c.InPlace, Prepared: true}
			out, err := trial.Run(context.Background(), stream, b.Operator, plan, s)
			if unprepared[b.Operator.Name] {
				if !errors.Is(err, oxrt.ErrContract) {
					t.Errorf("%s: prepared, %v", b.Operator.Name, err)
				}
				continue
			}
			if err != nil || len(out.Damage) > 0 {
				t.Fatalf("%s %s: %v, %v", b.Operator.Name, c.Name, err, out.Damage)
			}
			names, verdicts, err := trial.Check(b, s, out.Outputs)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range verdicts {
				if !v.OK() {
					t.Errorf("%s %s: %s", b.Operator.Name, c.Name, catalog.Summary(names, verdicts))
				}
			}
			ran++
		}
		if ran < 3 && !unprepared[b.Operator.Name] {
			t.Errorf("%s: only %d cases", b.Operator.Name, ran)
		}
	}
}
