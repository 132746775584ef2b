package timing

import (
	"bytes"
	"context"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
)

// TestLayerIsOneComputation: with and without overlap, as a scope and as a graph, a layer leaves the same bits.
func TestLayerIsOneComputation(t *testing.T) {
	_, stream := trialtest.Device(t)
	small := LayerSizes{Hidden: 64, QKV: 96, Attention: 64, MLP: 80}
	var first []byte
	for _, apart := range []bool{true, false} {
		for _, replay := range []bool{true, false} {
			l, err := newLayer(stream, small, 2, apart)
			if err != nil {
				t.Fatal(err)
			}
			r, err := newRun(stream, l, Layers)
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
			got := make([]byte, l.norms.X.Bytes())
			if err := stream.Download(got, l.norms.X); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !bytes.Equal(got, first) || bytes.Equal(got, normal(l.norms.X.DType())[:len(got)]) {
				t.Errorf("apart %v, replay %v: other values, or none", apart, replay)
			}
			if err := r.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLayerMeasures(t *testing.T) {
	_, stream := trialtest.Device(t)
	r, algorithms, err := Layer(stream, LayerSizes{Hidden: 64, QKV: 96, Attention: 64, MLP: 80}, 1, 2)
	if err != nil || r.Graph.Rounds != 2 || r.Eager.Rounds != 2 || len(r.Samples) != 4 || len(algorithms) != 4 {
		t.Errorf("%+v, %v, %v", r, algorithms, err)
	}
}
