package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/operators"
	genactivation "github.com/oxideinfer/oxide/gen/activation"
	gengemm "github.com/oxideinfer/oxide/gen/gemm"
	gennormalization "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// bindings are all operators of the library.
func bindings() []catalog.Binding { return operators.Bindings() }

// artifacts are all kernels of the library.
func artifacts() []*oxrt.Artifact {
	return slices.Concat(gennormalization.Artifacts(), genactivation.Artifacts(), gengemm.Artifacts())
}

// matching lists the operators whose name begins with a prefix.
func matching(prefix string) ([]catalog.Binding, error) {
	var some []catalog.Binding
	for _, b := range bindings() {
		if strings.HasPrefix(b.Operator.Name, prefix) {
			some = append(some, b)
		}
	}
	if len(some) == 0 {
		return nil, noOperator(prefix)
	}
	return some, nil
}

// find returns the operator of that name.
func find(name string) (catalog.Binding, error) {
	for _, b := range bindings() {
		if b.Operator.Name == name {
			return b, nil
		}
	}
	return catalog.Binding{}, noOperator(name)
}

func noOperator(name string) error {
	var names []string
	for _, b := range bindings() {
		names = append(names, b.Operator.Name)
	}
	return fmt.Errorf("no operator %q; there are %s", name, strings.Join(names, ", "))
}
