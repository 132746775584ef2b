package build

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// TestDigestIsOfContentsAlone: equal contracts in different memory have one digest, and a changed box has another.
func TestDigestIsOfContentsAlone(t *testing.T) {
	of := func(dim int) string {
		t.Helper()
		d, err := digest([]artifact{{kernel: &bundle.Kernel{Algorithm: "Tiled"}, row: Row{
			PTXSHA256: "ab", Launch: bundle.Contract{Params: []bundle.Param{{Name: "a", Box: &bundle.Box{Elem: "bf16", Dims: []int{64, dim}}}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if a, b := of(128), of(128); a != b {
		t.Errorf("two digests of one contract: %s and %s", a, b)
	}
	if of(128) == of(256) {
		t.Error("boxes of different sizes have one digest")
	}
}
