package invoke

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Plan is the part of a plan that is alike for all operators. It is immutable and safe for concurrent use.
type Plan struct {
	op          *catalog.Operator
	contract    Contract
	kernel      *oxrt.Kernel
	also        []*oxrt.Kernel   // what a call launches behind it
	validation  *oxrt.Validation // nil: nothing is checked on the device
	apart       bool             // by the caller's wish
	overlap     bool
	policy      oxrt.GraphPolicy
	sms         int
	description catalog.Description
}

// Candidate is what an algorithm has to offer for a Spec: an artifact, or why it cannot run it.
type Candidate struct {
	Artifact *oxrt.Artifact
	Refusal  error
	// Also are the artifacts of further launches of a call, in order.
	Also []*oxrt.Artifact
	// Reason says why the plan takes this candidate, for people who read plans; it is not part of the fingerprint.
	Reason string
	// Workspace is the exact scratch memory of a call in bytes.
	Workspace int64
	// Checks are the operands whose values the kernel validates, by the numbers that it reports; none: it reads nothing that can be
	// wrong. A plan checks unless its caller says Trusted.
	Checks []string
	// Graph is the policy of an algorithm that cannot be captured everywhere; zero: as workspace and checks allow.
	Graph oxrt.GraphPolicy
}

// New chooses among the candidates, one for each algorithm of the operator in order, and loads the artifact of the chosen
// one behind the device gate. spec points to a complete, valid Spec; align is what it says about addresses.
func New(dev *oxrt.Device, op *catalog.Operator, spec any, align int, candidates []Candidate, options []Option) (Plan, error) {
	o := Collect(options)
	n, err := o.Choose(op, candidates)
	if err != nil {
		return Plan{}, err
	}
	c, algorithm := candidates[n], &op.Algorithms[n]
	switch {
	case c.Artifact == nil:
		return Plan{}, op.Refuse("algorithm", "one with an artifact for the spec", algorithm.Name)
	case o.Trusted && len(c.Checks) == 0:
		return Plan{}, op.Refuse("trusted", "an operator that checks data on the device", "one that reads none")
	}
	p := Plan{op: op, apart: o.Apart, overlap: !o.Apart && c.Artifact.Launch.ProgrammaticLaunch}
	if p.contract, err = NewContract(op, spec, align); err != nil {
		return Plan{}, err
	}
	if p.kernel, err = dev.Load(c.Artifact); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", op.Name, err)
	}
	for _, a := range c.Also {
		k, err := dev.Load(a)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", op.Name, err)
		}
		p.also = append(p.also, k)
	}
	p.sms = dev.Info().SMs
	if len(c.Checks) > 0 && !o.Trusted {
		p.validation = &oxrt.Validation{Operator: op.Name, Operands: c.Checks}
	}
	p.policy = c.policy(p.validation != nil)
	p.describe(spec, algorithm, c)
	return p, nil
}

// policy is where calls may be captured.
func (c *Candidate) policy(checked bool) oxrt.GraphPolicy {
	switch {
	case c.Graph != 0:
		return c.Graph
	case checked || c.Workspace > 0:
		return oxrt.GraphSupplied
	}
	return oxrt.GraphAnywhere
}

// describe writes the decision down. Its fingerprint covers all that makes two plans behave alike on devices of one model.
func (p *Plan) describe(spec any, algorithm *catalog.Algorithm, c Candidate) {
	info := p.kernel.Device().Info()
	d := catalog.Description{
		Operator: p.op.Name, Spec: string(p.op.EncodeSpec(spec)), Provider: algorithm.Provider, Algorithm: algorithm.Name,
		Device:    catalog.DeviceModel{Name: info.Name, Major: info.Major, Minor: info.Minor, SMs: info.SMs},
		Launches:  []catalog.Launch{catalog.LaunchOf(c.Artifact, p.overlap)},
		Workspace: c.Workspace, Checked: p.validation != nil, Graph: p.policy.String(),
	}
	for _, a := range c.Also {
		d.Launches = append(d.Launches, catalog.LaunchOf(a, !p.apart && a.Launch.ProgrammaticLaunch))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%+v", p.op.Fingerprint(spec), d))
	d.Fingerprint, d.Reason = hex.EncodeToString(sum[:]), c.Reason
	p.description = d
}

// Describe returns everything that was decided.
func (p *Plan) Describe() catalog.Description { return p.description }

// Device is where the plan runs.
func (p *Plan) Device() *oxrt.Device { return p.kernel.Device() }

// Provider is who implements the algorithm.
func (p *Plan) Provider() string { return p.description.Provider }

// Algorithm is the name of the strategy.
func (p *Plan) Algorithm() string { return p.description.Algorithm }

// Artifacts are the kernels that a call launches, in order.
func (p *Plan) Artifacts() []*oxrt.Artifact {
	all := []*oxrt.Artifact{p.kernel.Artifact()}
	for _, k := range p.also {
		all = append(all, k.Artifact())
	}
	return all
}

// WorkspaceBytes is the exact scratch memory that a call needs.
func (p *Plan) WorkspaceBytes() int64 { return p.description.Workspace }

// GraphPolicy says where calls may be captured.
func (p *Plan) GraphPolicy() oxrt.GraphPolicy { return p.policy }

// Validation names what a call checks on the device, nil for nothing.
func (p *Plan) Validation() *oxrt.Validation { return p.validation }

// Fingerprint identifies the decision and is a cache key for one model of device: plans of equal inputs have equal ones.
func (p *Plan) Fingerprint() string { return p.description.Fingerprint }

// String shows the plan on one line.
func (p *Plan) String() string { return p.description.String() }

// Contract is what every call must satisfy.
func (p *Plan) Contract() *Contract { return &p.contract }

// Launch adds the first launch of a call.
func (p *Plan) Launch(scope *oxrt.Scope, grid oxrt.Dim3, params *oxrt.Params) error {
	if p.policy > oxrt.GraphSupplied {
		if err := scope.Restrict(p.op.Name, p.policy); err != nil {
			return err
		}
	}
	return scope.Launch(p.kernel, oxrt.LaunchConfig{Grid: grid, Programmatic: p.overlap}, params)
}

// LaunchAlso adds launch n of those behind the first.
func (p *Plan) LaunchAlso(n int, scope *oxrt.Scope, grid oxrt.Dim3, params *oxrt.Params) error {
	k := p.also[n]
	return scope.Launch(k, oxrt.LaunchConfig{Grid: grid, Programmatic: !p.apart && k.Artifact().Launch.ProgrammaticLaunch}, params)
}

// Status is what the kernel is told about reporting: no record and oxrt.StatusUnchecked for a trusted plan.
func (p *Plan) Status(scope *oxrt.Scope) (oxrt.Status, error) {
	if p.validation == nil {
		return oxrt.Status{Operator: oxrt.StatusUnchecked}, nil
	}
	return scope.Status(p.validation)
}

// Workspace is the scratch memory of a call: the caller's, if it gave any, else the stream's.
func (p *Plan) Workspace(scope *oxrt.Scope, given oxrt.Region) (oxrt.Region, error) {
	need := p.description.Workspace
	switch {
	case given.IsZero() && need == 0:
		return oxrt.Region{}, nil
	case given.IsZero():
		return scope.Workspace(p.op.Name, need)
	case given.Bytes() < need || !given.AlignedTo(oxrt.WorkspaceAlign):
		return oxrt.Region{}, scope.Refuse(p.op.Refuse("workspace", fmt.Sprintf("%d bytes at a multiple of %d", need, oxrt.WorkspaceAlign),
			fmt.Sprintf("%d at %#x", given.Bytes(), uint64(given.Ptr()))))
	}
	return given, nil
}

// CheckCall refuses a call with the wrong number of sizes or regions.
func (p *Plan) CheckCall(c catalog.Call) error {
	if len(c.Dims) != len(p.op.Dims) {
		return p.op.Refuse("sizes", strconv.Itoa(len(p.op.Dims)), strconv.Itoa(len(c.Dims)))
	}
	if len(c.Regions) != len(p.op.Operands) {
		return p.op.Refuse("operands", strconv.Itoa(len(p.op.Operands)), strconv.Itoa(len(c.Regions)))
	}
	return nil
}
