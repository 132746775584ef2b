package gemm_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// TestRowsDoNotDependOnTheBatch: the bits of a row are the same in every batch and in plans for any number of rows, as long as one
// batch-invariant algorithm serves, and the same when a call is made again.
func TestRowsDoNotDependOnTheBatch(t *testing.T) {
	const most, n, k = 130, 72, 520
	dev, stream := trialtest.Device(t)
	r := &rig{T: t, dev: dev, stream: stream}
	a, b, d := r.region(oxrt.BF16, most*k, 0), r.region(oxrt.BF16, n*k, 0), r.region(oxrt.BF16, most*n, 0)
	for i, region := range []oxrt.Region{a, b} {
		if err := stream.Upload(region.Owner().All(oxrt.U8), small(uint64(i), int(region.Len()))); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for _, algorithm := range gemm.Operators()[0].Algorithms {
		var first []byte // the widest result so far
		for _, m := range []int{1, 7, 60, most, 7} {
			p, err := gemm.PlanMatmul(dev, gemm.MatmulSpec{MaxM: m, N: n, K: k, Input: oxrt.BF16, BatchInvariant: true}, gemm.WithAlgorithm(algorithm.Name))
			if err != nil {
				continue
			}
			tried++
			call(t, stream, p, gemm.Operands{M: m, A: a, B: b, D: d})
			got := make([]byte, m*n*2)
			if err := stream.Download(got, d.Owner().All(oxrt.U8).First(int64(len(got)))); err != nil {
				t.Fatal(err)
			}
			if common := min(len(got), len(first)); !bytes.Equal(got[:common], first[:common]) {
				t.Errorf("%s: rows of a batch of %d differ from those of another", algorithm.Name, m)
			}
			if len(got) > len(first) {
				first = got
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d plans were tried", tried)
	}
}

func call(t *testing.T, stream *oxrt.Stream, p *gemm.Plan, o gemm.Operands) {
	t.Helper()
	scope, err := stream.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer scope.Drop()
	if err := p.Enqueue(scope, o); err != nil {
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

// small are so many numbers of type bf16 around 1 with both signs.
func small(seed uint64, elems int) []byte {
	r, out := rand.New(rand.NewPCG(seed, 7)), make([]byte, 2*elems)
	for i := range elems {
		out[2*i], out[2*i+1] = byte(r.Uint32()), 0x3f|byte(r.Uint32()&0x80)
	}
	return out
}
