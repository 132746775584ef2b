package timing

import (
	"bytes"
	"context"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
)

// TestChainIsOneComputation: with and without overlap, as a scope and as a graph, the chain leaves the same bits.
func TestChainIsOneComputation(t *testing.T) {
	_, stream := trialtest.Device(t)
	var first []byte
	for _, apart := range []bool{true, false} {
		for _, replay := range []bool{true, false} {
			c, err := newChain(stream, 2, 64, apart)
			if err != nil {
				t.Fatal(err)
			}
			r, err := newRun(stream, c, ChainPairs)
			if err != nil {
				t.Fatal(err)
			}
			launch := r.submit
			if replay {
				launch = r.graph.Launch
			}
			done, err := launch(stream)
			if err != nil {
				t.Fatal(err)
			}
			if err := done.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, c.glu.Y.Bytes())
			if err := stream.Download(got, c.glu.Y); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !bytes.Equal(got, first) || bytes.Equal(got, make([]byte, len(got))) {
				t.Errorf("apart %v, replay %v: other values, or none", apart, replay)
			}
			if err := r.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestChainMeasures(t *testing.T) {
	_, stream := trialtest.Device(t)
	r, err := Chain(stream, 1, 64, 2)
	if err != nil || r.Graph.Rounds != 2 || r.Eager.Rounds != 2 || len(r.Samples) != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}
