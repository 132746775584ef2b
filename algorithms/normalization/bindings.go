package normalization

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
		invoke.Bind(invoke.Family[RMSNormSpec]{
			Operator: rmsNormOperator(), Validate: RMSNormSpec.Validate, Candidates: (*RMSNormSpec).candidates,
			Plan: func(dev *oxrt.Device, s RMSNormSpec, o ...Option) (catalog.Plan, error) {
				return PlanRMSNorm(dev, s, o...)
			},
			Reference: rmsNormReference, Cases: rmsNormCases,
		}),
	}
}
