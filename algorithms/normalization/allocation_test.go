package normalization_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// TestEnqueueAllocatesNothing holds for a call with many operands and for one whose tensors interleave.
func TestEnqueueAllocatesNothing(t *testing.T) {
	dev, stream := trialtest.Device(t)
	region := func(elems int) oxrt.Region { return upload(t, stream, make([]byte, 2*elems)).All(oxrt.BF16) }
	add, err := normalization.PlanAddRMSNorm(dev, normalization.AddRMSNormSpec{MaxRows: 4, Hidden: 64, Input: oxrt.BF16})
	if err != nil {
		t.Fatal(err)
	}
	rows := normalization.AddRMSNormOperands{Rows: 4, X: region(256), Residual: region(256), Weight: region(64), Y: region(256)}
	rows.Sum = rows.Residual
	f := fused{tokens: 3, q: 4, k: 2, v: 2, dim: 64}
	f.buffer = upload(t, stream, make([]byte, 2*f.tokens*f.row()))
	head, err := normalization.PlanHeadRMSNorm(dev, f.spec())
	if err != nil {
		t.Fatal(err)
	}
	q, k, w := f.part(t, 0), f.part(t, f.q), region(64)
	heads := normalization.HeadRMSNormOperands{Tokens: f.tokens, Q: q, K: k, QWeight: w, KWeight: w, QOut: q, KOut: k}
	for name, enqueue := range map[string]func(*oxrt.Scope) error{
		"add_rms_norm":  func(s *oxrt.Scope) error { return add.Enqueue(s, rows) },
		"head_rms_norm": func(s *oxrt.Scope) error { return head.Enqueue(s, heads) },
	} {
		call := func() {
			scope, err := stream.Begin()
			if err != nil {
				t.Fatal(err)
			}
			if err := enqueue(scope); err != nil {
				t.Fatal(err)
			}
			scope.Drop()
		}
		for range 200 { // until the pool of scopes is full
			call()
		}
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: Enqueue allocates %v times", name, n)
		}
	}
}
