package invoke

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Plan is the part of a plan that is alike for all operators whose call is one launch. It is immutable.
type Plan struct {
	op          *catalog.Operator
	contract    Contract
	algorithm   string
	kernel      *oxrt.Kernel
	overlap     bool
	sms         int
	spec        string
	fingerprint string
}

// Candidate is what an algorithm has to offer for a Spec: an artifact, or why it cannot run it.
type Candidate struct {
	Artifact *oxrt.Artifact
	Refusal  error
}

// New chooses among the candidates, one for each algorithm of the operator in order, and loads the artifact of the chosen
// one behind the device gate. spec points to a complete, valid Spec; align is what it says about addresses.
func New(dev *oxrt.Device, op *catalog.Operator, spec any, align int, candidates []Candidate, options []Option) (Plan, error) {
	o := Collect(options)
	n, err := o.Choose(op, candidates)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{op: op, algorithm: op.Algorithms[n].Name, overlap: !o.Apart, spec: string(op.EncodeSpec(spec))}
	a := candidates[n].Artifact
	if a == nil {
		return Plan{}, op.Refuse("algorithm", "one with an artifact for the spec", p.algorithm)
	}
	if p.contract, err = NewContract(op, spec, align); err != nil {
		return Plan{}, err
	}
	if p.kernel, err = dev.Load(a); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", op.Name, err)
	}
	p.sms = dev.Info().SMs
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s\n%v", op.Fingerprint(spec), a.Name(), a.Target, a.PTXSHA256, a.CubinSHA256, p.overlap))
	p.fingerprint = hex.EncodeToString(sum[:])
	return p, nil
}

// Provider is who implements the algorithm.
func (p *Plan) Provider() string { return "Oxide" }

// Algorithm is the name of the strategy.
func (p *Plan) Algorithm() string { return p.algorithm }

// Artifacts are the kernels that a call launches, in order.
func (p *Plan) Artifacts() []*oxrt.Artifact { return []*oxrt.Artifact{p.kernel.Artifact()} }

// WorkspaceBytes is the scratch memory that a call needs: none.
func (p *Plan) WorkspaceBytes() int64 { return 0 }

// Fingerprint identifies operator, Spec, algorithm and artifact: equal plans have equal fingerprints.
func (p *Plan) Fingerprint() string { return p.fingerprint }

// String shows the plan on one line.
func (p *Plan) String() string {
	a := p.kernel.Artifact()
	return fmt.Sprintf("%s %s: %s for %s, %d registers, cubin %.12s", p.op.Name, p.spec, a.Name(), a.Target, a.Resources.Registers, a.CubinSHA256)
}

// Contract is what every call must satisfy.
func (p *Plan) Contract() *Contract { return &p.contract }

// Launch adds the one launch of a call.
func (p *Plan) Launch(scope *oxrt.Scope, grid oxrt.Dim3, params *oxrt.Params) error {
	return scope.Launch(p.kernel, oxrt.LaunchConfig{Grid: grid, Programmatic: p.overlap}, params)
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

// Overlap gives the arguments prefetch_blocks and early of a call over that many elements (see lib.Overlap in ir/lib).
//
// The limits were measured on an H200 with the kernels of normalization (bench/NOTES.md): the first two blocks of every
// multiprocessor gain from asking for their input while the launch before still runs, later ones only ask twice; past 64
// MB of bf16 that gain is lost in the requests' own cost. Starting the next launch at once pays where this one fills a
// sixth of the device or less; a larger one would lose its place to blocks that only wait.
func (p *Plan) Overlap(elements int) (prefetchBlocks, early uint32) {
	const smallElements, largeElements = 1 << 15, 1 << 25
	if !p.overlap || elements > largeElements {
		return 0, 0
	}
	if elements <= smallElements {
		early = 1
	}
	return p.Prefetch(), early
}

// Prefetch is the argument prefetch_blocks alone, for kernels with two inputs: there it pays at every size, and an early
// start at none.
func (p *Plan) Prefetch() uint32 {
	if !p.overlap {
		return 0
	}
	return uint32(2 * p.sms)
}
