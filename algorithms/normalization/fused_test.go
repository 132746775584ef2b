package normalization_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// fused is a tensor [tokens, q heads + k heads + v heads, dim] as a QKV projection writes it.
type fused struct {
	tokens, q, k, v, dim int
	buffer               *oxrt.Buffer
}

func (f fused) row() int { return (f.q + f.k + f.v) * f.dim }

// part is the region from a head on, as long as the rest of the tensor: callers rarely cut it short.
func (f fused) part(t *testing.T, head int) oxrt.Region {
	t.Helper()
	all := f.buffer.All(oxrt.BF16)
	r, err := all.Slice(int64(head*f.dim), all.Len()-int64(head*f.dim))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (f fused) spec() normalization.HeadRMSNormSpec {
	return normalization.HeadRMSNormSpec{MaxTokens: f.tokens, QHeads: f.q, KHeads: f.k, HeadDim: f.dim, Input: oxrt.BF16, Epsilon: 1e-6,
		QTokenStride: f.row(), KTokenStride: f.row(), QOutTokenStride: f.row(), KOutTokenStride: f.row()}
}

// TestHeadsOfOneFusedTensor normalises Q and K in place inside a fused QKV tensor, where their address ranges overlap, and
// compares with the same call on separate tensors. V must stay as it is.
func TestHeadsOfOneFusedTensor(t *testing.T) {
	dev, stream := trialtest.Device(t)
	f := fused{tokens: 5, q: 4, k: 2, v: 2, dim: 64}
	b := binding(t, "normalization.head_rms_norm")
	dense := &normalization.HeadRMSNormSpec{MaxTokens: f.tokens, QHeads: f.q, KHeads: f.k, HeadDim: f.dim, Input: oxrt.BF16, Weight: oxrt.BF16, Epsilon: 1e-6}
	inputs, err := trial.Inputs(b.Operator, catalog.Case{Spec: dense, Dims: []int{f.tokens}, Fill: catalog.Normal})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := b.Plan(dev, dense, "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := trial.Run(context.Background(), stream, b.Operator, plan, trial.Setup{Spec: dense, Dims: []int{f.tokens}, Inputs: inputs})
	if err != nil {
		t.Fatal(err)
	}

	host := bytes.Repeat([]byte{0x11}, 2*f.tokens*f.row())
	qBytes, kBytes := 2*f.q*f.dim, 2*f.k*f.dim
	for token := range f.tokens {
		at := 2 * token * f.row()
		copy(host[at:], inputs["q"][token*qBytes:(token+1)*qBytes])
		copy(host[at+qBytes:], inputs["k"][token*kBytes:(token+1)*kBytes])
	}
	f.buffer = upload(t, stream, host)
	qw, kw := upload(t, stream, inputs["q_weight"]), upload(t, stream, inputs["k_weight"])
	p, err := normalization.PlanHeadRMSNorm(dev, f.spec())
	if err != nil {
		t.Fatal(err)
	}
	q, k := f.part(t, 0), f.part(t, f.q)
	submit(t, stream, func(s *oxrt.Scope) error {
		return p.Enqueue(s, normalization.HeadRMSNormOperands{Tokens: f.tokens, Q: q, K: k, QOut: q, KOut: k,
			QWeight: qw.All(oxrt.BF16), KWeight: kw.All(oxrt.BF16)})
	})
	got := make([]byte, len(host))
	if err := stream.Download(got, f.buffer.All(oxrt.U8)); err != nil {
		t.Fatal(err)
	}
	for token := range f.tokens {
		row := got[2*token*f.row():][:2*f.row()]
		if !bytes.Equal(row[:qBytes], want.Outputs["q_out"][token*qBytes:(token+1)*qBytes]) {
			t.Errorf("token %d: q differs from the call on separate tensors", token)
		}
		if !bytes.Equal(row[qBytes:qBytes+kBytes], want.Outputs["k_out"][token*kBytes:(token+1)*kBytes]) {
			t.Errorf("token %d: k differs from the call on separate tensors", token)
		}
		if !bytes.Equal(row[qBytes+kBytes:], host[2*token*f.row()+qBytes+kBytes:2*(token+1)*f.row()]) {
			t.Errorf("token %d: v changed", token)
		}
	}
}

// TestHeadsThatCollide refuses Q and K that share elements of one tensor.
func TestHeadsThatCollide(t *testing.T) {
	dev, stream := trialtest.Device(t)
	f := fused{tokens: 3, q: 4, k: 2, v: 2, dim: 64}
	f.buffer = upload(t, stream, make([]byte, 2*f.tokens*f.row()))
	weight := upload(t, stream, make([]byte, 2*f.dim)).All(oxrt.BF16)
	p, err := normalization.PlanHeadRMSNorm(dev, f.spec())
	if err != nil {
		t.Fatal(err)
	}
	for _, kHead := range []int{1, 3, 7} { // inside Q, on Q's last head, wrapping into the next token's Q
		q, k := f.part(t, 0), f.part(t, kHead)
		scope, err := stream.Begin()
		if err != nil {
			t.Fatal(err)
		}
		err = p.Enqueue(scope, normalization.HeadRMSNormOperands{Tokens: 2, Q: q, K: k, QOut: q, KOut: k, QWeight: weight, KWeight: weight})
		scope.Drop()
		if err == nil {
			t.Errorf("k from head %d on was accepted", kHead)
		}
	}
}

func binding(t *testing.T, name string) catalog.Binding {
	t.Helper()
	for _, b := range normalization.Bindings() {
		if b.Operator.Name == name {
			return b
		}
	}
	t.Fatalf("no operator %s", name)
	return catalog.Binding{}
}

func upload(t *testing.T, stream *oxrt.Stream, data []byte) *oxrt.Buffer {
	t.Helper()
	b, err := stream.Device().Alloc(int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := stream.Upload(b.All(oxrt.U8), data); err != nil {
		t.Fatal(err)
	}
	return b
}

func submit(t *testing.T, stream *oxrt.Stream, enqueue func(*oxrt.Scope) error) {
	t.Helper()
	scope, err := stream.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := enqueue(scope); err != nil {
		t.Fatal(err)
	}
	done, err := scope.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}
