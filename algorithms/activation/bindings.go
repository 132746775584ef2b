package activation

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
	return []catalog.Binding{
		bind(swigluOperator(), PlanSwiGLU, swigluCases),
		bind(gegluOperator(), PlanGeGLU, gegluCases),
		bind(siluOperator(), PlanSiLU, siluCases),
		bind(geluOperator(), PlanGELU, geluCases),
	}
}

func bind[S spec, P catalog.Plan](op *catalog.Operator, plan func(*oxrt.Device, S, ...Option) (P, error), cases func() []catalog.Case) catalog.Binding {
	return invoke.Bind(invoke.Family[S]{
		Operator: op, Validate: func(s S) error { return validate(op, s) }, Candidates: candidates[S],
		Plan: func(dev *oxrt.Device, s S, o ...Option) (catalog.Plan, error) {
			p, err := plan(dev, s, o...)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Reference: reference[S], Cases: cases,
	})
}
