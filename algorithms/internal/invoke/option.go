package invoke

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// Options are a caller's wishes about a plan.
type Options struct {
	Algorithm string // empty: the first that supports the Spec
	Eager     bool   // without programmatic dependent launch
}

// Option changes the options of a plan.
type Option func(*Options)

// Collect applies options.
func Collect(options []Option) Options {
	var o Options
	for _, set := range options {
		set(&o)
	}
	return o
}

// Choose returns the index of the algorithm to use. refusals says for each algorithm of the operator why it cannot run
// the Spec. An algorithm that the caller named is used or refused, never replaced.
func (o Options) Choose(op *catalog.Operator, refusals []error) (int, error) {
	var names []string
	for i, a := range op.Algorithms {
		names = append(names, a.Name)
		if o.Algorithm == a.Name {
			return i, refusals[i]
		}
	}
	if o.Algorithm != "" {
		return 0, op.Refuse("algorithm", "one of "+strings.Join(names, ", "), o.Algorithm)
	}
	for i, err := range refusals {
		if err == nil {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: no algorithm runs this spec: %w", op.Name, refusals[len(refusals)-1])
}
