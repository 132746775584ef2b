package invoke

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// Options are a caller's wishes about a plan.
type Options struct {
	Algorithm string // empty: the first that supports the Spec
	Apart     bool   // without programmatic dependent launch
	Trusted   bool   // without checks of data on the device
}

// Option changes the options of a plan.
type Option func(*Options)

// WithAlgorithm binds the plan to one algorithm.
func WithAlgorithm(name string) Option { return func(o *Options) { o.Algorithm = name } }

// WithoutOverlap makes every launch wait for the end of the one before it.
func WithoutOverlap() Option { return func(o *Options) { o.Apart = true } }

// Trusted leaves out the checks of what an operator reads from device memory: tables, ids, lengths. Wrong data is then undefined
// behaviour. An operator that checks nothing refuses it.
func Trusted() Option { return func(o *Options) { o.Trusted = true } }

// Collect applies options.
func Collect(options []Option) Options {
	var o Options
	for _, set := range options {
		set(&o)
	}
	return o
}

// Choose returns the index of the algorithm to use. An algorithm that the caller named is used or refused, never
// replaced.
func (o Options) Choose(op *catalog.Operator, candidates []Candidate) (int, error) {
	var names []string
	for i, a := range op.Algorithms {
		names = append(names, a.Name)
		if o.Algorithm == a.Name {
			return i, candidates[i].Refusal
		}
	}
	if o.Algorithm != "" {
		return 0, op.Refuse("algorithm", "one of "+strings.Join(names, ", "), o.Algorithm)
	}
	for i, c := range candidates {
		if c.Refusal == nil {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: no algorithm runs this spec: %w", op.Name, candidates[len(candidates)-1].Refusal)
}

// Refusals lists why each candidate cannot run, nil for those that can.
func Refusals(candidates []Candidate) []error {
	var all []error
	for _, c := range candidates {
		all = append(all, c.Refusal)
	}
	return all
}
