package activation

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/activation"
	"github.com/oxideinfer/oxide/runtime"
)

// PlainOperands are the tensors of one call of Rows rows.
type PlainOperands struct {
	Rows int
	X, Y oxrt.Region // Y may be X
}

// PlainPlan runs one SiLUSpec or GELUSpec on one device.
type PlainPlan struct {
	invoke.Plan
	args gen.OxideSm90ActivationPacketArgs // of every call, whatever the algorithm
	grid grid
}

// Both algorithms take the same arguments.
var _ = gen.OxideSm90ActivationElementArgs(gen.OxideSm90ActivationPacketArgs{})

// Validate refuses a Spec that no algorithm could run.
func (s SiLUSpec) Validate() error { return validate(siluOperator(), s) }

// Validate refuses a Spec that no algorithm could run.
func (s GELUSpec) Validate() error { return validate(geluOperator(), s) }

// PlanSiLU validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanSiLU(dev *oxrt.Device, s SiLUSpec, options ...Option) (*PlainPlan, error) {
	return planPlain(dev, siluOperator(), s, options)
}

// PlanGELU validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanGELU(dev *oxrt.Device, s GELUSpec, options ...Option) (*PlainPlan, error) {
	return planPlain(dev, geluOperator(), s, options)
}

func planPlain[S spec](dev *oxrt.Device, op *catalog.Operator, s S, options []Option) (*PlainPlan, error) {
	plan, f, g, err := prepare(dev, op, s, options)
	if err != nil {
		return nil, err
	}
	return &PlainPlan{plan, gen.OxideSm90ActivationPacketArgs{
		XStride: uint64(rows.Dense(f.x, f.size)), YStride: uint64(rows.Dense(f.y, f.size)),
		Size: uint32(f.size), OutScale: 1 / f.scale,
	}, g}, nil
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *PlainPlan) Enqueue(scope *oxrt.Scope, o PlainOperands) error {
	regions := [...]oxrt.Region{o.X, o.Y}
	if err := p.Contract().Bind(scope, o.Rows, regions[:]); err != nil || o.Rows == 0 {
		return err
	}
	args := p.args
	args.X, args.Y, args.Rows = o.X.Ptr(), o.Y.Ptr(), uint32(o.Rows)
	args.PrefetchBlocks, args.Early = p.Overlap(o.Rows * int(p.args.Size))
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, p.grid.of(o.Rows), &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *PlainPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	return p.Enqueue(scope, PlainOperands{Rows: c.Dims[0], X: c.Regions[0], Y: c.Regions[1]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *PlainPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
