// Package operators lists every operator of the library. It is what tools are made from that know no operator by name:
// oxidelab, the C header, the Python operators and the reference pages.
package operators

import (
	"slices"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/gemm"
	"github.com/oxideinfer/oxide/algorithms/normalization"
)

// Bindings are all operators, family by family.
func Bindings() []catalog.Binding {
	return slices.Concat(normalization.Bindings(), activation.Bindings(), gemm.Bindings())
}
