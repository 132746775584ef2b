package normalization_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// TestAllFindingsAtOnce: a wrong type, a short region and two overlaps are one error, the scope refuses what follows, and no lease
// stays.
func TestAllFindingsAtOnce(t *testing.T) {
	dev, stream := trialtest.Device(t)
	plan, err := normalization.PlanAddRMSNorm(dev, normalization.AddRMSNormSpec{MaxRows: 4, Hidden: 64, Input: oxrt.BF16})
	if err != nil {
		t.Fatal(err)
	}
	buf := upload(t, stream, make([]byte, 4*1024))
	at := func(offset int64, dtype oxrt.DType, elems int64) oxrt.Region {
		r, err := buf.Region(offset, dtype, elems)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	scope, err := stream.Begin()
	if err != nil {
		t.Fatal(err)
	}
	err = plan.Enqueue(scope, normalization.AddRMSNormOperands{Rows: 4, X: at(0, oxrt.F16, 256), Residual: at(512, oxrt.BF16, 256),
		Weight: at(1024, oxrt.BF16, 63), Sum: at(512+128, oxrt.BF16, 256), Y: at(512, oxrt.BF16, 256)})
	for _, part := range []string{"x: want elements of bf16, got f16", "weight: want at least 64 elements, got 63", "sum: want memory apart from residual",
		"y: want memory apart from residual", "y: want memory apart from sum"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if _, again := scope.Submit(); again == nil || err == nil || again.Error() != err.Error() {
		t.Errorf("submitted after that: %v", again)
	}
	if err := buf.Resize(8); err != nil {
		t.Errorf("a lease stays: %v", err)
	}
}

// TestPlansAreEqual: of the same inputs, on the same device.
func TestPlansAreEqual(t *testing.T) {
	dev, _ := trialtest.Device(t)
	plan := func(rows int) catalog.Plan {
		p, err := normalization.PlanRMSNorm(dev, normalization.RMSNormSpec{MaxRows: rows, Hidden: 64, Input: oxrt.BF16})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if !catalog.SamePlan(plan(4), plan(4)) || catalog.SamePlan(plan(4), plan(5)) {
		t.Error("equality does not follow the inputs")
	}
	other, _ := trialtest.Device(t)
	p, err := normalization.PlanRMSNorm(other, normalization.RMSNormSpec{MaxRows: 4, Hidden: 64, Input: oxrt.BF16})
	if err != nil || catalog.SamePlan(plan(4), p) || p.Fingerprint() != plan(4).Fingerprint() {
		t.Errorf("a plan of another device of the same model: %v", err)
	}
}
