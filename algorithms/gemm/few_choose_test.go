package gemm

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestFewRowsAreChosen holds plans for few rows to what was measured fastest on an H200.
func TestFewRowsAreChosen(t *testing.T) {
	k := kind{}
	op := operator(k)
	for _, c := range []struct {
		m, n, k   int
		invariant bool
		want      string
	}{
		{1, 256, 1536, false, "OxideSm90MatmulGemv"},
		{1, 1536, 1536, false, "OxideSm90MatmulGemv"},
		{1, 8960, 1536, false, "OxideSm90MatmulGemv"},
		{1, 17920, 1536, false, "OxideSm90MatmulGemv"},
		{2, 4096, 4096, false, "OxideSm90MatmulSkinnyS2"},
		{4, 17920, 1536, false, "OxideSm90MatmulSkinny"},
		{4, 4096, 4096, false, "OxideSm90MatmulSkinnyS2"},
		{8, 8960, 1536, false, "OxideSm90MatmulSkinny"},
		{16, 4096, 14336, false, "OxideSm90MatmulSkinnyS2"},
		{16, 28672, 4096, false, "OxideSm90MatmulSkinny"},
		{16, 28672, 4096, true, "OxideSm90MatmulSkinny"},
		{16, 151936, 1536, false, "OxideSm90MatmulSkinny"},
		{32, 4096, 4096, false, "OxideSm90MatmulSkinnyS2"},
	} {
		s := MatmulSpec{MaxM: c.m, N: c.n, K: c.k, Input: oxrt.BF16, BatchInvariant: c.invariant}
		op.Complete(&s)
		f := s.form(k.scaling)
		all := candidates(op, k, &f)
		n := choose(op, strategiesOf(k), all, &f, "")
		if got := op.Algorithms[n].Name; got != c.want {
			t.Errorf("%+v: %s: %s", c, got, all[n].Reason)
		}
	}
}
