// Package gather is an operator of oxidelab's own, y = x[ids], with ids that are checked on the device: it shows what checking costs a
// call and a kernel, with as little else in it as can be.
package gather

import (
	"fmt"

	gen "github.com/oxideinfer/oxide/gen/gather"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxRows is the most elements of one call.
const MaxRows = 32

const operator = "lab.gather"

// Plan is the operator on one device.
type Plan struct {
	kernel     *oxrt.Kernel
	signature  *oxrt.Signature
	validation *oxrt.Validation // nil: trusted
}

// Operands are those of one call: x [n] f32, ids [rows] u32 and y [rows] f32, with rows in 1..MaxRows.
type Operands struct{ X, IDs, Y oxrt.Region }

// New loads the kernel. A trusted plan leaves ids unchecked.
func New(dev *oxrt.Device, trusted bool) (*Plan, error) {
	k, err := dev.Load(gen.OxideLabGather("", "sm_90a"))
	if err != nil {
		return nil, err
	}
	p := &Plan{kernel: k, signature: oxrt.NewSignature(operator, oxrt.Operand{Name: "x", Access: oxrt.Read}, oxrt.Operand{Name: "ids", Access: oxrt.Read},
		oxrt.Operand{Name: "y", Access: oxrt.Write})}
	if !trusted {
		p.validation = &oxrt.Validation{Operator: operator, Operands: []string{"ids"}}
	}
	return p, nil
}

// Enqueue adds a call to a scope. Ids of len(x) or more are rejected by a plan that checks.
func (p *Plan) Enqueue(scope *oxrt.Scope, o Operands) error {
	if rows := o.Y.Len(); rows < 1 || rows > MaxRows || o.IDs.Len() != rows {
		return scope.Refuse(fmt.Errorf("%s: %d ids for %d elements, want as many and 1 to %d", operator, o.IDs.Len(), rows, MaxRows))
	}
	if err := scope.BindTo(p.signature, []oxrt.Region{o.X, o.IDs, o.Y}); err != nil {
		return err
	}
	status := oxrt.Status{Operator: oxrt.StatusUnchecked}
	if p.validation != nil {
		var err error
		if status, err = scope.Status(p.validation); err != nil {
			return err
		}
	}
	args := gen.OxideLabGatherArgs{X: o.X.Ptr(), Ids: o.IDs.Ptr(), Y: o.Y.Ptr(), Rows: uint32(o.Y.Len()), Limit: uint32(o.X.Len()),
		Status: status.Record, StatusOperator: status.Operator}
	return args.Launch(scope, p.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: true})
}
