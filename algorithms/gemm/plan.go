package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// Operands are the tensors of one call of M rows. What the Spec excludes stays zero.
type Operands struct {
	M                  int
	A, B               oxrt.Region // B in the layout that the Spec says
	AScale, BScale     oxrt.Region // of the scaled products
	C, Bias, RowFactor oxrt.Region
	D                  oxrt.Region // may be C
	RowSquares         oxrt.Region
}

// Plan runs one Spec of the family on one device.
type Plan struct {
	invoke.Plan
	form   form
	op     *catalog.Operator
	launch launcher
	order  []role // of the operator's operands
}

// PlanMatmul validates the Spec, chooses an algorithm and loads its artifacts on the device.
func PlanMatmul(dev *oxrt.Device, s MatmulSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{unscaled, false}, s, options)
}

// PlanGatedMatmul is PlanMatmul for a product with a gate.
func PlanGatedMatmul(dev *oxrt.Device, s GatedSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{unscaled, true}, s, options)
}

// PlanScaledMatmul is PlanMatmul for e4m3 with one scale for a and one for b.
func PlanScaledMatmul(dev *oxrt.Device, s ScaledSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perTensor, false}, s, options)
}

// PlanRowScaledMatmul is PlanMatmul for e4m3 with a scale for each row of a and of b.
func PlanRowScaledMatmul(dev *oxrt.Device, s ScaledSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perRow, false}, s, options)
}

// PlanBlockScaledMatmul is PlanMatmul for e4m3 with a scale for each 1×128 of a and each 128×128 of b.
func PlanBlockScaledMatmul(dev *oxrt.Device, s ScaledSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perBlock, false}, s, options)
}

// PlanScaledGatedMatmul is PlanGatedMatmul for e4m3 with one scale for a and one for b.
func PlanScaledGatedMatmul(dev *oxrt.Device, s ScaledGatedSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perTensor, true}, s, options)
}

// PlanRowScaledGatedMatmul is PlanGatedMatmul for e4m3 with a scale for each row of a and of b.
func PlanRowScaledGatedMatmul(dev *oxrt.Device, s ScaledGatedSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perRow, true}, s, options)
}

// PlanBlockScaledGatedMatmul is PlanGatedMatmul for e4m3 with a scale for each 1×128 of a and each 128×128 of b.
func PlanBlockScaledGatedMatmul(dev *oxrt.Device, s ScaledGatedSpec, options ...Option) (*Plan, error) {
	return plan(dev, kind{perBlock, true}, s, options)
}

// plan makes the plan of any operator.
func plan[S spec](dev *oxrt.Device, k kind, s S, options []Option) (*Plan, error) {
	op := operator(k)
	if err := validate(op, k.scaling, s); err != nil {
		return nil, err
	}
	op.Complete(&s)
	p := &Plan{form: s.form(k.scaling), op: op}
	all := candidates(op, k, &p.form)
	chosen := choose(op, strategiesOf(k), all, &p.form, invoke.Collect(options).Algorithm)
	if chosen >= 0 {
		options = append(options[:len(options):len(options)], WithAlgorithm(op.Algorithms[chosen].Name))
	}
	var err error
	if p.Plan, err = invoke.New(dev, op, &s, p.form.align, all, options); err != nil {
		return nil, err
	}
	for _, s := range strategiesOf(k) {
		if s.algorithm.Name == p.Algorithm() {
			p.launch = s.prepare(p)
		}
	}
	for _, o := range op.Operands {
		p.order = append(p.order, roleOf(o.Name))
	}
	return p, nil
}
