package invoke

import (
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// PrepareCall prepares a call of these sizes. enqueue is the EnqueueCall of the operator's plan.
func (p *Plan) PrepareCall(dims []int, enqueue func(*oxrt.Scope, catalog.Call) error) (*oxrt.Prepared, error) {
	c := &p.contract
	if len(dims) != len(p.op.Dims) || dims[0] < 1 || dims[0] > c.max {
		return nil, p.op.Refuse("prepared sizes", "one call's, at least 1", "others")
	}
	dims = slices.Clone(dims)
	operands := make([]oxrt.PreparedOperand, len(c.operands))
	for i := range c.operands {
		if o := &c.operands[i]; !o.absent {
			operands[i] = oxrt.PreparedOperand{DType: o.dtype, Elements: o.span(dims[0]), Align: c.align}
		}
	}
	return oxrt.Prepare(p.Device(), c.signature, operands, func(s *oxrt.Scope, regions []oxrt.Region) error {
		return enqueue(s, catalog.Call{Dims: dims, Regions: regions})
	})
}
