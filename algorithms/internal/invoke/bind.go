package invoke

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Family is the typed code of one operator with Spec S.
type Family[S any] struct {
	Operator   *catalog.Operator
	Validate   func(S) error
	Candidates func(*S, *catalog.Operator) []Candidate
	Plan       func(*oxrt.Device, S, ...Option) (catalog.Plan, error)
	// Reference gets a complete Spec.
	Reference func(s *S, size int, in map[string][]float64) map[string]catalog.Expected
	Cases     func() []catalog.Case
}

// Bind turns typed code into a binding. Every Spec that passes through a binding is a pointer to S.
func Bind[S any](f Family[S]) catalog.Binding {
	complete := func(spec any) *S {
		s := *spec.(*S)
		f.Operator.Complete(&s)
		return &s
	}
	return catalog.Binding{
		Operator: f.Operator,
		New: func() any {
			s := new(S)
			f.Operator.Defaults(s)
			return s
		},
		Validate: func(spec any) error { return f.Validate(*spec.(*S)) },
		Supports: func(spec any) []error { return Refusals(f.Candidates(complete(spec), f.Operator)) },
		Plan: func(dev *oxrt.Device, spec any, algorithm string) (catalog.Plan, error) {
			p, err := f.Plan(dev, *spec.(*S), WithAlgorithm(algorithm))
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Reference: func(spec any, dims []int, in map[string][]float64) map[string]catalog.Expected {
			return f.Reference(complete(spec), dims[0], in)
		},
		Cases: f.Cases,
	}
}
