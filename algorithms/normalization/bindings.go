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
		invoke.Bind(invoke.Family[AddRMSNormSpec]{
			Operator: addRMSNormOperator(), Validate: AddRMSNormSpec.Validate, Candidates: (*AddRMSNormSpec).candidates,
			Plan: func(dev *oxrt.Device, s AddRMSNormSpec, o ...Option) (catalog.Plan, error) {
				return PlanAddRMSNorm(dev, s, o...)
			},
			Reference: addRMSNormReference, Cases: addRMSNormCases,
		}),
		invoke.Bind(invoke.Family[HeadRMSNormSpec]{
			Operator: headRMSNormOperator(), Validate: HeadRMSNormSpec.Validate, Candidates: (*HeadRMSNormSpec).candidates,
			Plan: func(dev *oxrt.Device, s HeadRMSNormSpec, o ...Option) (catalog.Plan, error) {
				return PlanHeadRMSNorm(dev, s, o...)
			},
			Reference: headRMSNormReference, Cases: headRMSNormCases,
		}),
		invoke.Bind(invoke.Family[LayerNormSpec]{
			Operator: layerNormOperator(), Validate: LayerNormSpec.Validate, Candidates: (*LayerNormSpec).candidates,
			Plan: func(dev *oxrt.Device, s LayerNormSpec, o ...Option) (catalog.Plan, error) {
				return PlanLayerNorm(dev, s, o...)
			},
			Reference: layerNormReference, Cases: layerNormCases,
		}),
	}
}
