package abi

import (
	"sync"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// plan is a plan with what a call of it needs.
type plan struct {
	device *device
	op     *operator
	plan   catalog.Plan
	access []oxrt.Access
	calls  sync.Pool // of *catalog.Call: the hot path allocates nothing

	prepared preparedCalls
}

// longestName is more than any algorithm's name.
const longestName = 128

// PlanCreate makes a plan from a spec struct. algorithm names one, or is nil or empty for the one that the family recommends.
func (l *Library) PlanCreate(h Ref, spec unsafe.Pointer, algorithm *byte, to *Ref) error {
	return l.devices.on(h, func(d *device) error {
		if err := outValue(to, "plan"); err != nil {
			return err
		}
		name, err := text(algorithm, "algorithm")
		if err != nil {
			return err
		}
		op, s, err := l.spec(spec)
		if err != nil {
			return err
		}
		made, err := op.Plan(d.dev, s, name)
		if err != nil {
			return err
		}
		if err := d.use(); err != nil {
			return err
		}
		*to = l.plans.add(newPlan(d, op, made))
		return nil
	})
}

func newPlan(d *device, op *operator, made catalog.Plan) *plan {
	p := &plan{device: d, op: op, plan: made}
	for _, o := range op.Operator.Operands {
		access := oxrt.Read
		if o.Access == catalog.Out {
			access = oxrt.ReadWrite
		}
		p.access = append(p.access, access)
	}
	dims, regions := len(op.Operator.Dims), len(op.Operator.Operands)
	p.calls.New = func() any { return &catalog.Call{Dims: make([]int, dims), Regions: make([]oxrt.Region, regions)} }
	return p
}

// text reads a short C string.
func text(p *byte, name string) (string, error) {
	if p == nil {
		return "", nil
	}
	for n := range longestName {
		if *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) == 0 {
			return string(unsafe.Slice(p, n)), nil
		}
	}
	return "", refuse(Argument, "%s: no final zero within %d bytes", name, longestName)
}

// PlanDestroy ends a plan. Work that it has submitted goes on.
func (l *Library) PlanDestroy(h Ref) (err error) {
	defer recovered(&err, nil)
	p, err := l.plans.take(h)
	if err != nil {
		return err
	}
	p.device.unuse()
	return nil
}

// PlanInfo writes what a plan decided.
func (l *Library) PlanInfo(h Ref, to *PlanInfo) error {
	return l.plans.on(h, func(p *plan) error { return p.info(to) })
}

func (p *plan) info(to *PlanInfo) error {
	if err := out(to); err != nil {
		return err
	}
	*to = PlanInfo{Header: header[PlanInfo](), WorkspaceBytes: p.plan.WorkspaceBytes(), Launches: int32(len(p.plan.Artifacts())),
		GraphPolicy: int32(p.plan.GraphPolicy())}
	if p.plan.Validation() != nil {
		to.Checked = 1
	}
	setText(to.OperatorName[:], p.op.Operator.Name)
	setText(to.Algorithm[:], p.plan.Algorithm())
	setText(to.Fingerprint[:], p.plan.Fingerprint())
	setText(to.Text[:], p.plan.String())
	return nil
}

// Capabilities writes one answer for each algorithm of the spec's operator, as many as there is room for, and their number. The
// answers are those of plans made for this device, so that they hold for it and count the workspace exactly.
func (l *Library) Capabilities(h Ref, spec unsafe.Pointer, to *Capability, room int32, count *int32) error {
	return l.devices.on(h, func(d *device) error {
		if err := outValue(count, "count"); err != nil {
			return err
		}
		op, s, err := l.spec(spec)
		if err != nil {
			return err
		}
		return d.capabilities(op, s, to, room, count)
	})
}

func (d *device) capabilities(op *operator, spec any, to *Capability, room int32, count *int32) error {
	algorithms := op.Operator.Algorithms
	if room < 0 || room > 1<<20 {
		return refuse(Argument, "room: want 0 or more, got %d", room)
	}
	answers := make([]Capability, min(int(room), len(algorithms)))
	for i := range answers {
		if err := out((*Capability)(unsafe.Add(unsafe.Pointer(to), i*int(unsafe.Sizeof(*to))))); err != nil {
			return err
		}
		answers[i] = capability(op, d.dev, spec, algorithms[i].Name)
	}
	copy(unsafe.Slice(to, len(answers)), answers)
	*count = int32(len(algorithms))
	return nil
}

func capability(op *operator, dev *oxrt.Device, spec any, algorithm string) Capability {
	c := Capability{Header: header[Capability]()}
	setText(c.Algorithm[:], algorithm)
	p, err := op.Plan(dev, spec, algorithm)
	if err != nil {
		setText(c.Reason[:], err.Error())
		return c
	}
	c.Supported, c.WorkspaceBytes = 1, p.WorkspaceBytes()
	return c
}
