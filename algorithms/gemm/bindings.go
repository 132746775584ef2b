package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// Operators describes the family's operators.
func Operators() []*catalog.Operator {
	var all []*catalog.Operator
	for _, b := range Bindings() {
		all = append(all, b.Operator)
	}
	return all
}

// Bindings joins the family's operators to their code.
func Bindings() []catalog.Binding {
	var all []catalog.Binding
	for _, k := range kinds {
		switch {
		case k == kind{}:
			all = append(all, bind[MatmulSpec](k))
		case k.scaling == unscaled:
			all = append(all, bind[GatedSpec](k))
		case k.gated:
			all = append(all, bind[ScaledGatedSpec](k))
		default:
			all = append(all, bind[ScaledSpec](k))
		}
	}
	return all
}

func bind[S spec](k kind) catalog.Binding {
	op := operator(k)
	return invoke.Bind(invoke.Family[S]{
		Operator: op, Validate: func(s S) error { return validate(op, k.scaling, s) },
		Candidates: func(s *S, op *catalog.Operator) []invoke.Candidate {
			f := (*s).form(k.scaling)
			return candidates(op, k, &f)
		},
		Plan: func(dev *oxrt.Device, s S, o ...Option) (catalog.Plan, error) {
			p, err := plan(dev, k, s, o)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Reference: func(s *S, m int, in map[string][]float64) map[string]catalog.Expected {
			f := (*s).form(k.scaling)
			return f.reference(m, in)
		},
		Cases: func() []catalog.Case { return cases(k) },
	})
}
