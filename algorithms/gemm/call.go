package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// role numbers the tensors of any operator of the family.
type role uint8

const (
	roleA role = iota
	roleB
	roleBByK
	roleAScale
	roleBScale
	roleC
	roleBias
	roleRowFactor
	roleD
	roleRowSquares
	roles
)

// roleNames are the operands' names in the descriptions.
var roleNames = [roles]string{"a", "b", "b_by_k", "a_scale", "b_scale", "c", "bias", "row_factor", "d", "row_squares"}

func roleOf(name string) role {
	for r, n := range roleNames {
		if n == name {
			return role(r)
		}
	}
	return roles
}

// regions are the tensors by role.
func (p *Plan) regions(o *Operands) (all [roles]oxrt.Region) {
	all = [roles]oxrt.Region{roleA: o.A, roleB: o.B, roleAScale: o.AScale, roleBScale: o.BScale, roleC: o.C, roleBias: o.Bias,
		roleRowFactor: o.RowFactor, roleD: o.D, roleRowSquares: o.RowSquares}
	if p.form.byK {
		all[roleB], all[roleBByK] = oxrt.Region{}, o.B
	}
	return all
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *Plan) Enqueue(scope *oxrt.Scope, o Operands) error {
	all := p.regions(&o)
	var room [invoke.MaxOperands]oxrt.Region
	regions, known := room[:len(p.order)], [roles]bool{}
	for i, r := range p.order {
		regions[i], known[r] = all[r], true
	}
	for r := range all {
		if !known[r] && !all[r].IsZero() {
			return scope.Refuse(p.op.Refuse(roleNames[r], "none: the operator has no such operand", "a region"))
		}
	}
	if err := p.Contract().Bind(scope, o.M, regions); err != nil || o.M == 0 {
		return err
	}
	return p.launch(scope, call{m: o.M, a: o.A.Ptr(), b: o.B.Ptr(), aScale: o.AScale.Ptr(), bScale: o.BScale.Ptr(), c: o.C.Ptr(), bias: o.Bias.Ptr(),
		rowFactor: o.RowFactor.Ptr(), d: o.D.Ptr(), rowSquares: o.RowSquares.Ptr()})
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *Plan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	var all [roles]oxrt.Region
	for i, r := range p.order {
		all[r] = c.Regions[i]
	}
	b := all[roleB]
	if p.form.byK {
		if !b.IsZero() {
			return scope.Refuse(p.op.Refuse("b", "none, as the spec excludes it", "a region"))
		}
		b = all[roleBByK]
	} else if !all[roleBByK].IsZero() {
		return scope.Refuse(p.op.Refuse("b_by_k", "none, as the spec excludes it", "a region"))
	}
	return p.Enqueue(scope, Operands{M: c.Dims[0], A: all[roleA], B: b, AScale: all[roleAScale], BScale: all[roleBScale], C: all[roleC],
		Bias: all[roleBias], RowFactor: all[roleRowFactor], D: all[roleD], RowSquares: all[roleRowSquares]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *Plan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
