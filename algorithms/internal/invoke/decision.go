package invoke

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Decision is the part of a plan that is alike for all operators whose call is one launch. It is immutable.
type Decision struct {
	op          *catalog.Operator
	algorithm   string
	kernel      *oxrt.Kernel
	spec        string
	fingerprint string
}

// NewDecision loads the artifact of the chosen algorithm behind the device gate.
func NewDecision(dev *oxrt.Device, op *catalog.Operator, spec any, algorithm string, a *oxrt.Artifact) (Decision, error) {
	if a == nil {
		return Decision{}, op.Refuse("algorithm", "one with an artifact for the spec", algorithm)
	}
	kernel, err := dev.Load(a)
	if err != nil {
		return Decision{}, fmt.Errorf("%s: %w", op.Name, err)
	}
	sum := sha256.Sum256([]byte(op.Fingerprint(spec) + algorithm + a.Variant + a.PTXSHA256 + a.CubinSHA256 + a.Target))
	return Decision{op, algorithm, kernel, string(op.EncodeSpec(spec)), hex.EncodeToString(sum[:])}, nil
}

// Kernel is the loaded kernel that a call launches.
func (d *Decision) Kernel() *oxrt.Kernel { return d.kernel }

// Provider is who implements the algorithm.
func (d *Decision) Provider() string { return "Oxide" }

// Algorithm is the name of the strategy.
func (d *Decision) Algorithm() string { return d.algorithm }

// Artifacts are the kernels that a call launches, in order.
func (d *Decision) Artifacts() []*oxrt.Artifact { return []*oxrt.Artifact{d.kernel.Artifact()} }

// WorkspaceBytes is the scratch memory that a call needs: none.
func (d *Decision) WorkspaceBytes() int64 { return 0 }

// Fingerprint identifies operator, Spec, algorithm and artifact: equal decisions have equal fingerprints.
func (d *Decision) Fingerprint() string { return d.fingerprint }

// String shows the decision on one line.
func (d *Decision) String() string {
	a := d.kernel.Artifact()
	return fmt.Sprintf("%s %s: %s on %s, %d registers, cubin %.12s", d.op.Name, d.spec, a.Name(), a.Target, a.Resources.Registers, a.CubinSHA256)
}
