package catalog

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/runtime"
)

// Plan is the immutable decision about one Spec on one device: nothing is chosen after it. It is safe for concurrent use.
type Plan interface {
	// Device is where the plan runs.
	Device() *oxrt.Device
	// Provider is who implements the algorithm, Algorithm the name of the strategy that was chosen.
	Provider() string
	Algorithm() string
	// Artifacts are the kernels that a call launches, in order.
	Artifacts() []*oxrt.Artifact
	// WorkspaceBytes is the exact scratch memory that a call needs.
	WorkspaceBytes() int64
	// GraphPolicy says where calls may be captured.
	GraphPolicy() oxrt.GraphPolicy
	// Validation names what a call checks on the device, nil for nothing.
	Validation() *oxrt.Validation
	// Fingerprint identifies the decision and is a cache key for one model of device: equal inputs give equal plans.
	Fingerprint() string
	// Describe returns all of that as data.
	Describe() Description
	// EnqueueCall is Enqueue for callers that know operands only by number.
	EnqueueCall(scope *oxrt.Scope, call Call) error
	// Prepare returns a call of these sizes that lacks only the addresses of its operands, in the order of [Call.Regions]: for callers
	// that make it again and again. An operator that takes more from its scope than launches refuses.
	Prepare(dims []int) (*oxrt.Prepared, error)
	fmt.Stringer
}

// SamePlan reports whether two plans are the same decision on the same device, so that one can stand for the other.
func SamePlan(a, b Plan) bool {
	return a.Device() == b.Device() && a.Fingerprint() == b.Fingerprint()
}

// Description is a plan as data.
type Description struct {
	Operator    string      `json:"operator"`
	Spec        string      `json:"spec"` // JSON
	Provider    string      `json:"provider"`
	Algorithm   string      `json:"algorithm"`
	Device      DeviceModel `json:"device"`
	Launches    []Launch    `json:"launches"`
	Workspace   int64       `json:"workspace_bytes"`
	Checked     bool        `json:"checked"` // data on the device is validated
	Graph       string      `json:"graph_policy"`
	Fingerprint string      `json:"fingerprint"`
	Reason      string      `json:"reason,omitempty"` // why this algorithm, where there is a choice
}

// DeviceModel is what plans may depend on: devices of one model get equal plans.
type DeviceModel struct {
	Name  string `json:"name"`
	Major int    `json:"major"`
	Minor int    `json:"minor"`
	SMs   int    `json:"sms"`
}

// Launch is one kernel of a call. The grid belongs to the call.
type Launch struct {
	Artifact     string    `json:"artifact"` // algorithm and variant
	Target       string    `json:"target"`
	PTXSHA256    string    `json:"ptx_sha256"`
	CubinSHA256  string    `json:"cubin_sha256"`
	Block        oxrt.Dim3 `json:"block"`
	Cluster      oxrt.Dim3 `json:"cluster"`
	SharedBytes  uint32    `json:"shared_bytes"` // static and dynamic
	Registers    uint32    `json:"registers"`
	Programmatic bool      `json:"programmatic"` // starts while the launch before it still runs
}

// LaunchOf describes a launch of an artifact.
func LaunchOf(a *oxrt.Artifact, programmatic bool) Launch {
	return Launch{Artifact: a.Name(), Target: a.Target, PTXSHA256: a.PTXSHA256, CubinSHA256: a.CubinSHA256, Block: a.Launch.Block,
		Cluster: a.Launch.Cluster, SharedBytes: a.Launch.StaticSharedBytes + a.Launch.DynamicSharedBytes, Registers: a.Resources.Registers,
		Programmatic: programmatic}
}

// String shows the plan on one line.
func (d Description) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s %s on %s (%d SMs)", d.Operator, d.Spec, d.Provider, d.Algorithm, d.Device.Name, d.Device.SMs)
	for _, l := range d.Launches {
		fmt.Fprintf(&b, "; %s for %s, block %d, %d registers, %d bytes shared, cubin %.12s", l.Artifact, l.Target, l.Block.Count(), l.Registers,
			l.SharedBytes, l.CubinSHA256)
		if l.Programmatic {
			b.WriteString(", overlapping")
		}
	}
	fmt.Fprintf(&b, "; %d bytes workspace; %s", d.Workspace, d.Graph)
	if d.Checked {
		b.WriteString("; checked on the device")
	}
	if d.Reason != "" {
		b.WriteString("; " + d.Reason)
	}
	return b.String()
}
