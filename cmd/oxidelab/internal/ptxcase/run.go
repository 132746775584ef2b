package ptxcase

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/trace"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Options choose how a case runs.
type Options struct {
	Device emulate.Config // the zero value: all checkers, round-robin schedule, DefaultMaxSteps
	Trace  *trace.Tracer  // writes what the launches do; nil: nobody does
}

// DefaultMaxSteps bounds the warp instructions of one launch of a case, which is small: an endless loop is reported
// in less than a minute.
const DefaultMaxSteps = 1 << 28

// The values of Report.Status.
const (
	StatusEqual      = "equal"
	StatusDiffers    = "differs"    // an output differs, or a buffer changed that should not
	StatusFinding    = "finding"    // outputs are equal, but a checker reported an error
	StatusUnreadable = "unreadable" // the case or a file it names
	StatusSyntax     = "syntax"     // the PTX is no PTX
	StatusInvalid    = "invalid"    // the PTX cannot be loaded
	StatusUnmodelled = "unmodelled" // the PTX has an instruction that the emulator does not know
)

// Report is the result of a case, and the JSON object that is printed for it.
type Report struct {
	Case     string            `json:"case"`
	Status   string            `json:"status"`
	Error    string            `json:"error,omitempty"` // why the case could not be run
	Line     int               `json:"line,omitempty"`  // of the PTX, for syntax and unmodelled
	Outputs  []Output          `json:"outputs"`
	Changed  []string          `json:"changed,omitempty"` // buffers that are no outputs and changed
	Findings []emulate.Finding `json:"findings"`

	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
}

// ExitCode is the exit status of "oxidelab ptx run".
func (r *Report) ExitCode() int {
	switch r.Status {
	case StatusEqual:
		return 0
	case StatusDiffers, StatusFinding:
		return 1
	}
	return 2
}

// Run runs the case in a file. It does not fail: what goes wrong is in the report.
func Run(path string, opt Options) *Report {
	r := &Report{Case: strings.TrimSuffix(filepath.Base(path), ".json"), Outputs: []Output{}, Findings: []emulate.Finding{}}
	if err := r.run(path, opt); err != nil {
		r.refuse(err)
		return r
	}
	r.settle()
	return r
}

func (r *Report) run(path string, opt Options) error {
	c, err := load(path)
	if err != nil {
		return err
	}
	if c.Name != "" {
		r.Case = c.Name
	}
	return r.runLoaded(c, opt)
}

// runLoaded runs a case with the module that it holds.
func (r *Report) runLoaded(c *loaded, opt Options) error {
	prog, err := emulate.Load(c.module)
	if err != nil {
		return err
	}
	if opt.Device.MaxSteps == 0 {
		opt.Device.MaxSteps = DefaultMaxSteps
	}
	addr := map[string]uint64{}
	if opt.Trace != nil {
		opt.Device.Observe, opt.Device.Workers = opt.Trace.Observe, 1
		opt.Trace.Name = func(a uint64) (string, uint64) { return c.bufferAt(addr, a) }
	}
	dev := emulate.NewDevice(opt.Device)
	before := map[string][]byte{}
	for i := range c.Buffers {
		b := &c.Buffers[i]
		if addr[b.Name], err = dev.Alloc(b.Name, uint64(b.Bytes)); err != nil {
			return err
		}
		data := bytes.Repeat([]byte{b.Fill}, int(b.Bytes))
		if b.Init == "tensor" {
			data = c.data.Find(b.Name).Data
		}
		before[b.Name] = data
		if err := dev.Write(addr[b.Name], data); err != nil {
			return err
		}
	}
	maps, err := r.encodeMaps(c, addr)
	if err != nil {
		return err
	}
	if err := r.launch(dev, prog, c.Launches, addr, maps); err != nil {
		return err
	}
	return r.compare(c, dev, addr, before)
}

// launch runs the launches in stream order and collects their findings.
func (r *Report) launch(dev *emulate.Device, prog *emulate.Program, descs []launchDesc, addr map[string]uint64, maps map[string][]byte) error {
	var list []emulate.StreamLaunch
	for i := range descs {
		l, err := streamLaunch(prog, &descs[i], addr, maps)
		if err != nil {
			return err
		}
		if l.Kernel != nil {
			list = append(list, l)
		}
	}
	results, err := dev.LaunchAll(list)
	for _, res := range results {
		r.Findings = append(r.Findings, res.Findings...)
		r.WarpInstructions += res.WarpInstructions
		r.ThreadInstructions += res.ThreadInstructions
	}
	return err
}

// streamLaunch translates a launch. It has no kernel if it takes a tensor map that was refused: that is a finding, and
// nothing can be launched with it.
func streamLaunch(prog *emulate.Program, l *launchDesc, addr map[string]uint64, maps map[string][]byte) (out emulate.StreamLaunch, err error) {
	k := prog.Kernel(l.Entry)
	if k == nil {
		return out, unreadable("the PTX has no entry %q", l.Entry)
	}
	if len(l.Params) != len(k.Params) {
		return out, unreadable("entry %q takes %d parameters, the launch gives %d", l.Entry, len(k.Params), len(l.Params))
	}
	block := make([]byte, k.ParamBytes())
	for i, p := range k.Params {
		b, err := encodeParam(&l.Params[i], addr, maps)
		if err != nil || b == nil {
			return out, err
		}
		if len(b) != p.Size {
			return out, unreadable("parameter %d of %q has %d bytes, the launch gives %d", i, l.Entry, p.Size, len(b))
		}
		copy(block[p.Offset:], b)
	}
	cfg := emulate.LaunchConfig{Grid: l.Grid, Block: l.Block, Dynamic: l.Dynamic, Dependent: l.PDL}
	if l.Cluster != nil {
		cfg.Cluster, cfg.HasCluster = *l.Cluster, true
	}
	return emulate.StreamLaunch{Kernel: k, Config: cfg, Params: block}, nil
}

// compare reads the buffers back.
func (r *Report) compare(c *loaded, dev *emulate.Device, addr map[string]uint64, before map[string][]byte) error {
	for i := range c.Buffers {
		b := &c.Buffers[i]
		got := make([]byte, b.Bytes)
		if err := dev.Read(addr[b.Name], got); err != nil {
			return err
		}
		isOutput := false
		for j := range c.Outputs {
			if o := &c.Outputs[j]; o.Buffer == b.Name {
				isOutput = true
				r.Outputs = append(r.Outputs, compare(o, b.DType, got, c.data.Find(o.Tensor).Data))
			}
		}
		if !isOutput && b.Role != "scratch" && !bytes.Equal(got, before[b.Name]) {
			r.Changed = append(r.Changed, b.Name)
		}
	}
	return nil
}

// settle chooses the status of a case that ran.
func (r *Report) settle() {
	r.Status = StatusEqual
	if slices.ContainsFunc(r.Findings, func(f emulate.Finding) bool { return f.Severity == emulate.Error }) {
		r.Status = StatusFinding
	}
	if len(r.Changed) > 0 || slices.ContainsFunc(r.Outputs, func(o Output) bool { return o.Mismatches > 0 }) {
		r.Status = StatusDiffers
	}
}

// refuse fills in a report for a case that could not be run.
func (r *Report) refuse(err error) {
	r.Status, r.Error = StatusUnreadable, err.Error()
	var in *inputError
	var dec *emulate.DecodeError
	var target *emulate.TargetError
	switch {
	case errors.As(err, &in):
		r.Status, r.Line = in.status, in.line
	case errors.As(err, &dec):
		r.Status, r.Line = StatusUnmodelled, dec.Line
	case errors.As(err, &target):
		r.Status = StatusInvalid
	}
}

// parse reads PTX and tells the reasons for a refusal apart.
func parse(text []byte) (*ptx.Module, error) {
	m, err := ptx.Parse(text)
	if err == nil {
		return m, nil
	}
	out := &inputError{status: StatusInvalid, err: err}
	switch {
	case errors.Is(err, ptx.ErrSyntax):
		out.status = StatusSyntax
	case errors.Is(err, isa.ErrUnmodelled):
		out.status = StatusUnmodelled
	}
	var list ptx.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		out.line = list[0].Line
	}
	return nil, out
}
