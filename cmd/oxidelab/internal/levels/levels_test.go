package levels

import (
	"context"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// outcomes runs a level of one operator on the emulated device.
func outcomes(t *testing.T, b catalog.Binding, level evidence.Level) []Outcome {
	t.Helper()
	d, err := device.Open(device.Emulated)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }() // a spoiled operator may leave something open
	lib := Library{Bindings: []catalog.Binding{b}}
	tasks, err := lib.Tasks(level, Selection{Quick: true})
	if err != nil || len(tasks) < 10 {
		t.Fatalf("%d tasks: %v", len(tasks), err)
	}
	r := NewRunner(lib, level, d)
	var all []Outcome
	for _, task := range tasks {
		all = append(all, r.Run(context.Background(), task))
	}
	return all
}

func binding(t *testing.T, name string) catalog.Binding {
	t.Helper()
	b, err := (Library{Bindings: operators.Bindings()}).binding(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGoodOperators(t *testing.T) {
	for _, b := range operators.Bindings() {
		for _, level := range []evidence.Level{evidence.Contract, evidence.Lifecycle} {
			for _, o := range outcomes(t, b, level) {
				if o.Case.Status != evidence.Passed {
					t.Errorf("%s: %s", o.Task.ID(), o.Case.Reason)
				}
			}
		}
	}
}

// forgetful is a plan that lets every call through to a right one, or forgets to enqueue it.
type forgetful struct {
	catalog.Plan
	skip bool
	name string
}

func (f forgetful) EnqueueCall(scope *oxrt.Scope, call catalog.Call) error {
	if f.skip {
		return nil
	}
	return f.Plan.EnqueueCall(scope, call)
}

func (f forgetful) Fingerprint() string { return f.Plan.Fingerprint() + f.name }

// TestLevelsFindFaults spoils an operator and demands that the case which is about it fails.
func TestLevelsFindFaults(t *testing.T) {
	plans := 0
	for name, c := range map[string]struct {
		level evidence.Level
		spoil func(*catalog.Binding)
		fails string
	}{
		"a Spec is not validated": {evidence.Contract, func(b *catalog.Binding) { b.Validate = func(any) error { return nil } }, "field hidden: a value above the largest is refused"},
		"a description that contradicts itself": {evidence.Contract, func(b *catalog.Binding) { op := *b.Operator; op.Flops = nil; b.Operator = &op },
			"the description agrees with itself and with the Spec"},
		"operands are not checked": {evidence.Contract, func(b *catalog.Binding) {
			replan(b, func(p catalog.Plan) catalog.Plan { return forgetful{p, true, ""} })
		},
			"operand y: a region one element short is refused"},
		"nothing is launched": {evidence.Lifecycle, func(b *catalog.Binding) {
			replan(b, func(p catalog.Plan) catalog.Plan { return forgetful{p, true, ""} })
		},
			"a cancelled wait ends the wait and not the work"},
		"plans that differ": {evidence.Lifecycle, func(b *catalog.Binding) {
			replan(b, func(p catalog.Plan) catalog.Plan { plans++; return forgetful{p, false, strings.Repeat("x", plans)} })
		}, "plans of equal Specs have equal fingerprints"},
	} {
		b := binding(t, "normalization.rms_norm")
		c.spoil(&b)
		found := false
		for _, o := range outcomes(t, b, c.level) {
			found = found || o.Task.Name == c.fails && o.Case.Status == evidence.Failed
		}
		if !found {
			t.Errorf("%s: the case %q does not fail", name, c.fails)
		}
	}
}

func replan(b *catalog.Binding, change func(catalog.Plan) catalog.Plan) {
	plan := b.Plan
	b.Plan = func(dev *oxrt.Device, spec any, algorithm string) (catalog.Plan, error) {
		p, err := plan(dev, spec, algorithm)
		if err != nil {
			return nil, err
		}
		return change(p), nil
	}
}
