package activation

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/activation"
	"github.com/oxideinfer/oxide/runtime"
)

// GatedOperands are the tensors of one call of Rows rows: GateUp with Packed, Gate and Up without.
type GatedOperands struct {
	Rows     int
	GateUp   oxrt.Region
	Gate, Up oxrt.Region
	Y        oxrt.Region // may be Gate
}

// GatedPlan runs one SwiGLUSpec or GeGLUSpec on one device.
type GatedPlan struct {
	invoke.Plan
	args   gen.OxideSm90GatedActivationPacketArgs // of every call, whatever the algorithm
	grid   grid
	packed bool
	half   oxrt.DevicePtr // bytes from the gate to the up of a packed row
}

// Both algorithms take the same arguments.
var _ = gen.OxideSm90GatedActivationElementArgs(gen.OxideSm90GatedActivationPacketArgs{})

// Validate refuses a Spec that no algorithm could run.
func (s SwiGLUSpec) Validate() error { return validate(swigluOperator(), s) }

// Validate refuses a Spec that no algorithm could run.
func (s GeGLUSpec) Validate() error { return validate(gegluOperator(), s) }

// PlanSwiGLU validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanSwiGLU(dev *oxrt.Device, s SwiGLUSpec, options ...Option) (*GatedPlan, error) {
	return planGated(dev, swigluOperator(), s, options)
}

// PlanGeGLU validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanGeGLU(dev *oxrt.Device, s GeGLUSpec, options ...Option) (*GatedPlan, error) {
	return planGated(dev, gegluOperator(), s, options)
}

func planGated[S spec](dev *oxrt.Device, op *catalog.Operator, s S, options []Option) (*GatedPlan, error) {
	plan, f, g, err := prepare(dev, op, s, options)
	if err != nil {
		return nil, err
	}
	p := &GatedPlan{Plan: plan, grid: g, packed: f.packed, half: oxrt.DevicePtr(f.size * f.input.Size())}
	p.args = gen.OxideSm90GatedActivationPacketArgs{
		XStride: uint64(rows.Dense(f.gate, f.size)), UpStride: uint64(rows.Dense(f.up, f.size)),
		YStride: uint64(rows.Dense(f.y, f.size)), Size: uint32(f.size), OutScale: 1 / f.scale,
	}
	if f.packed {
		p.args.XStride = uint64(rows.Dense(f.gateUp, 2*f.size))
		p.args.UpStride = p.args.XStride
	}
	return p, nil
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *GatedPlan) Enqueue(scope *oxrt.Scope, o GatedOperands) error {
	regions := [...]oxrt.Region{o.GateUp, o.Gate, o.Up, o.Y}
	if err := p.Contract().Bind(scope, o.Rows, regions[:]); err != nil || o.Rows == 0 {
		return err
	}
	args := p.args
	args.X, args.Up, args.Y = o.Gate.Ptr(), o.Up.Ptr(), o.Y.Ptr()
	if p.packed {
		args.X = o.GateUp.Ptr()
		args.Up = args.X + p.half
	}
	args.Rows = uint32(o.Rows)
	args.PrefetchBlocks, args.Early = p.Overlap(o.Rows * int(p.args.Size))
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, p.grid.of(o.Rows), &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *GatedPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	return p.Enqueue(scope, GatedOperands{Rows: c.Dims[0], GateUp: c.Regions[0], Gate: c.Regions[1], Up: c.Regions[2], Y: c.Regions[3]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *GatedPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
