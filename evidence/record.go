package evidence

import "time"

// Schema names the format of a record. A change that an old reader would misread gets a new number.
const Schema = "oxide.evidence/1"

// MaxBytes is the largest size of an encoded record; a longer one is split into parts.
const MaxBytes = 256 << 10

// Level is a kind of proof. No level stands in for another.
type Level string

// The levels, in the order in which they are run.
const (
	Contract    Level = "contract"    // descriptions, Specs and refusals, on the host
	Emulator    Level = "emulator"    // results of the PTX on the CPU, with every checker on
	Correctness Level = "correctness" // results on a device against the float64 reference
	Lifecycle   Level = "lifecycle"   // scopes, leases, completions, streams
	Sanitizer   Level = "sanitizer"   // compute-sanitizer's memcheck, racecheck, initcheck and synccheck
	Graph       Level = "graph"       // results of captured and replayed calls
	Performance Level = "performance" // times, by the protocol of package timing
)

// Levels lists all levels in the order in which they are run.
func Levels() []Level {
	return []Level{Contract, Emulator, Correctness, Lifecycle, Sanitizer, Graph, Performance}
}

// Status is how a case ended.
type Status string

// The ways in which a case ends. A case that was not run gives its reason.
const (
	Passed Status = "passed"
	Failed Status = "failed"
	NotRun Status = "not run"
)

// Record is the immutable outcome of one level for one algorithm of one operator on one device.
type Record struct {
	Schema   string `json:"schema"`
	Level    Level  `json:"level"`
	Operator string `json:"operator"`
	Provider string `json:"provider"`
	// Algorithm is empty for the contract level, which belongs to the operator as a whole.
	Algorithm string `json:"algorithm"`
	// Part of Parts, from 1: a record that would be too long is split.
	Part  int `json:"part"`
	Parts int `json:"parts"`

	Source    Source     `json:"source"`
	Toolchain Toolchain  `json:"toolchain"`
	Device    Device     `json:"device"`
	State     State      `json:"state"`
	Began     time.Time  `json:"began"`
	Ended     time.Time  `json:"ended"`
	Artifacts []Artifact `json:"artifacts"`
	Cases     []Case     `json:"cases"`
	// Claims are what the cases show; Excludes what a reader might take them to show and they do not.
	Claims   []string `json:"claims"`
	Excludes []string `json:"excludes"`
}

// Source is where the program that ran came from. A program built from a changed tree cannot record.
type Source struct {
	Module string `json:"module"`
	Commit string `json:"commit"` // full, in lower-case hexadecimal
	Time   string `json:"time"`   // of the commit, RFC 3339
}

// Toolchain is what the program and its kernels were built with.
type Toolchain struct {
	Go    string `json:"go"`
	PTXAS string `json:"ptxas"` // version; empty for the contract level
}

// Device is what the cases ran on.
type Device struct {
	// Kind is "cuda", "emulated" or "host".
	Kind              string `json:"kind"`
	Name              string `json:"name"`
	UUID              string `json:"uuid,omitempty"`
	ComputeCapability string `json:"compute_capability,omitempty"`
	Driver            string `json:"driver,omitempty"` // the driver's version, for example "580.159.04"
	CUDA              int    `json:"cuda,omitempty"`   // the driver's CUDA version, for example 13000
	SMs               int    `json:"sms,omitempty"`
	MemoryBytes       uint64 `json:"memory_bytes,omitempty"`
	L2Bytes           uint64 `json:"l2_bytes,omitempty"`
}

// State is what was seen of a device's clocks and power while the cases ran. Where nothing was seen, Unseen says why.
type State struct {
	Unseen      string   `json:"unseen,omitempty"`
	By          string   `json:"by,omitempty"` // the program that was asked
	Readings    int      `json:"readings,omitempty"`
	SMClockMHz  *Span    `json:"sm_clock_mhz,omitempty"`
	MemClockMHz *Span    `json:"mem_clock_mhz,omitempty"`
	PowerW      *Span    `json:"power_w,omitempty"`
	PowerLimitW float64  `json:"power_limit_w,omitempty"`
	TempC       *Span    `json:"temp_c,omitempty"`
	PStates     []string `json:"pstates,omitempty"`
	Throttle    []string `json:"throttle,omitempty"` // bit masks of the reasons for reduced clocks, as the driver gives them
}

// Span is the least, median and largest of some readings.
type Span struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// Artifact is one kernel that the cases launched.
type Artifact struct {
	Entry       string `json:"entry"`
	Variant     string `json:"variant"`
	Target      string `json:"target"`
	PTXSHA256   string `json:"ptx_sha256"`
	CubinSHA256 string `json:"cubin_sha256"`
}

// Case is one case and how it ended.
type Case struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Reason says why a case failed or was not run.
	Reason string `json:"reason,omitempty"`
	// Fingerprint identifies operator and Spec; empty where a case has no Spec.
	Fingerprint string `json:"spec_fingerprint,omitempty"`
	// Spec is the Spec as JSON text, kept where the numbers of the case mean nothing without it.
	Spec string `json:"spec,omitempty"`
	Dims []int  `json:"dims,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
	// Artifacts are indices into the record's.
	Artifacts []int `json:"artifacts,omitempty"`
	// Elements were compared with the reference; MaxULP is the largest distance from the value of the definition.
	Elements int      `json:"elements,omitempty"`
	MaxULP   float64  `json:"max_ulp,omitempty"`
	Timings  []Timing `json:"timings,omitempty"`
}

// Timing is one comparison: contenders that did the same work in the same process, each in every order.
type Timing struct {
	// Region is what lies between the two clock readings.
	Region string `json:"region"`
	// Bytes and Flops are those of the definition: every input read once, every output written once.
	Bytes int64  `json:"bytes"`
	Flops int64  `json:"flops"`
	Limit *Limit `json:"limit,omitempty"`
	// Sets of operands that calls go round, ColdBytes in all, Calls in a sample.
	Sets       int         `json:"sets"`
	ColdBytes  int64       `json:"cold_bytes"`
	Calls      int         `json:"calls"`
	Contenders []Contender `json:"contenders"`
	// Ranking groups the contenders, fastest first; those in one group cannot be told apart. Refused says why there is none.
	Ranking [][]string `json:"ranking,omitempty"`
	Refused string     `json:"refused,omitempty"`
}

// Limit is the time below which physics lets no implementation go.
type Limit struct {
	Us             float64 `json:"us"`
	By             string  `json:"by"` // "bytes" or "flops"
	BytesPerSecond float64 `json:"bytes_per_second"`
	FlopsPerSecond float64 `json:"flops_per_second"`
	From           string  `json:"from"` // where the two rates come from
}

// Contender is one implementation in a comparison.
type Contender struct {
	Name      string `json:"name"` // unique in the comparison
	Provider  string `json:"provider"`
	Algorithm string `json:"algorithm"`
	Version   string `json:"version"`
	Ours      bool   `json:"ours"`
	// Error says why there are no samples.
	Error  string  `json:"error,omitempty"`
	Rounds []Round `json:"rounds,omitempty"`
	Summary
}

// Round is the samples of one contender in one order.
type Round struct {
	// Order is the order in which this round's contenders ran; Position this one's place in it, both from 0.
	Order    int     `json:"order"`
	Position int     `json:"position"`
	Samples  Samples `json:"samples"`
}

// Summary is computed from the rounds, and computed again whenever a record is read.
type Summary struct {
	MedianUs float64 `json:"median_us,omitempty"`
	// LowUs and HighUs bound the median with 95 % confidence, by bootstrap.
	LowUs  float64 `json:"low_us,omitempty"`
	HighUs float64 `json:"high_us,omitempty"`
	// Drift is the largest relative difference between the medians of two orders.
	Drift float64 `json:"drift,omitempty"`
	// Fraction is the limit's time over the median.
	Fraction float64 `json:"fraction,omitempty"`
}
