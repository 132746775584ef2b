// Package peers compares our operators with other libraries' in a process of theirs: a Python program times all of them on one
// stream over the same operands (bench/peers), and this package asks it and turns its samples into cases of records.
package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

const maxAnswer = 32 << 20

// Comparison is one run of the Python program.
type Comparison struct {
	Bindings []catalog.Binding
	// Program is the command line of the Python program, to which the job file is appended.
	Program []string
	Limit   int    // seconds after which it begins no further case
	Commit  string // of this program; the library that Python loads must be of the same one
	GPU     string // the device's name, by which its limits are known
	// Only are the sizes to compare, as their labels; empty: all.
	Only []string
	// Report is called with every outcome.
	Report func(levels.Outcome)
}

// asked is one case of a job.
type asked struct {
	ID        int    `json:"id"`
	Operator  string `json:"operator"`
	Rows      int    `json:"rows"`
	Width     int    `json:"width"`
	Depth     int    `json:"depth,omitempty"`
	Bytes     int64  `json:"bytes"`
	Flops     int64  `json:"flops"`
	Algorithm string `json:"algorithm"`
	Spec      string `json:"spec"`

	task  levels.Task
	base  evidence.Case
	work  evidence.Timing
	used  []string // entries of the plan's kernels
	names []string // the same as algorithm/variant
}

// answer is one line of the program.
type answer struct {
	ID      *int           `json:"id"`
	Reason  string         `json:"reason"`
	Library string         `json:"library"`
	Kernels []string       `json:"kernels"` // of the plans that our library made for the case, as algorithm/variant
	Timings []answerTiming `json:"timings"`
}

type answerTiming struct {
	Region     string            `json:"region"`
	Sets       int               `json:"sets"`
	Calls      int               `json:"calls"`
	ColdBytes  int64             `json:"cold_bytes"`
	Contenders []answerContender `json:"contenders"`
}

type answerContender struct {
	Name      string `json:"name"`
	Provider  string `json:"provider"`
	Algorithm string `json:"algorithm"`
	Version   string `json:"version"`
	Ours      bool   `json:"ours"`
	Error     string `json:"error"`
	Rounds    []struct {
		Order    int       `json:"order"`
		Position int       `json:"position"`
		Us       []float64 `json:"us"`
	} `json:"rounds"`
}

// Run asks for every case and returns an outcome for each. plans makes plans; no kernel runs on it.
func (c Comparison) Run(ctx context.Context, plans *oxrt.Device) ([]levels.Outcome, error) {
	cases, err := c.cases(plans)
	if err != nil {
		return nil, err
	}
	outcomes := make([]levels.Outcome, len(cases))
	ended, err := c.ask(ctx, cases, outcomes)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range cases {
		if outcomes[i].Task.Name != "" {
			continue
		}
		outcomes[i] = cases[i].outcome(evidence.NotRun, "the Python program ended before it: "+ended)
		c.Report(outcomes[i])
	}
	return outcomes, err
}

func (c Comparison) cases(plans *oxrt.Device) ([]asked, error) {
	var all []asked
	for _, p := range timing.PeerCases() {
		for _, b := range c.Bindings {
			if b.Operator.Name != p.Operator || (len(c.Only) > 0 && !slices.Contains(c.Only, p.Label)) {
				continue
			}
			one, err := c.describe(plans, b, p)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", p.Operator, p.Label, err)
			}
			one.ID = len(all)
			all = append(all, one)
		}
	}
	return all, nil
}

func (c Comparison) describe(plans *oxrt.Device, b catalog.Binding, p timing.PeerCase) (asked, error) {
	spec, err := b.ParseSpec([]byte(p.Spec))
	if err != nil {
		return asked{}, err
	}
	plan, err := b.Plan(plans, spec, "")
	if err != nil {
		return asked{}, err
	}
	bytes, flops, err := b.Operator.Work(spec, p.Dims...)
	if err != nil {
		return asked{}, err
	}
	one := asked{Operator: p.Operator, Rows: p.Rows, Width: p.Width, Depth: p.Depth, Bytes: bytes, Flops: flops, Algorithm: plan.Algorithm(), Spec: string(b.Operator.EncodeSpec(spec)),
		task: levels.Task{Level: evidence.Performance, Operator: p.Operator, Algorithm: plan.Algorithm(), Name: p.Label + " against peers"},
		base: evidence.Case{Fingerprint: b.Operator.Fingerprint(spec), Spec: string(b.Operator.EncodeSpec(spec)), Dims: p.Dims, Seed: timing.Seed},
		work: evidence.Timing{Bytes: bytes, Flops: flops, Limit: timing.LimitOn(c.GPU, bytes, flops, timing.TensorType(b.Operator, spec))}}
	for _, a := range plan.Artifacts() {
		one.used, one.names = append(one.used, a.Entry), append(one.names, a.Name())
	}
	return one, nil
}

func (a asked) outcome(status evidence.Status, reason string) levels.Outcome {
	o := a.task.Ended(status, reason)
	o.Case.Fingerprint, o.Case.Spec, o.Case.Dims, o.Case.Seed = a.base.Fingerprint, a.base.Spec, a.base.Dims, a.base.Seed
	o.Kernel = a.used
	return o
}

// ask starts the program and takes its answers. ended says how the program ended.
func (c Comparison) ask(ctx context.Context, cases []asked, outcomes []levels.Outcome) (ended string, err error) {
	dir, err := os.MkdirTemp("", "oxidelab-peers-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	job, err := json.Marshal(map[string]any{"limit_s": c.Limit, "cases": cases})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "job.json")
	if err := os.WriteFile(path, job, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, c.Program[0], append(append([]string(nil), c.Program[1:]...), path)...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	var refused error
	for lines.Scan() {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) != nil || a.ID == nil || *a.ID < 0 || *a.ID >= len(cases) {
			continue // a library of the peers' that prints
		}
		o, err := c.judge(cases[*a.ID], a)
		if err != nil {
			refused = errors.Join(refused, err)
			_ = cmd.Cancel()
			break
		}
		outcomes[*a.ID] = o
		c.Report(o)
	}
	waited := cmd.Wait()
	text := strings.TrimSpace(errOut.String())
	text = text[max(0, len(text)-2000):]
	if waited != nil {
		return fmt.Sprintf("%v; it said: %s", waited, text), refused
	}
	return "it answered no more", refused
}

// judge makes an outcome of an answer. A library of another commit than this program's is an error: no record may mix them.
func (c Comparison) judge(a asked, got answer) (levels.Outcome, error) {
	if got.Reason != "" {
		return a.outcome(evidence.NotRun, got.Reason), nil
	}
	if !strings.Contains(got.Library, c.Commit) {
		return levels.Outcome{}, fmt.Errorf("Python loaded the library %q, and this program is of commit %s", got.Library, c.Commit)
	}
	var all []evidence.Timing
	for _, from := range got.Timings {
		t, oursFailed, err := from.timing(a.work)
		switch {
		case err != nil:
			return levels.Outcome{}, err
		case oursFailed != "":
			return a.outcome(evidence.Failed, oursFailed), nil
		}
		all = append(all, t)
	}
	switch {
	case len(all) == 0:
		return a.outcome(evidence.Failed, "the program sent no timing"), nil
	case !slices.Equal(got.Kernels, a.names):
		return a.outcome(evidence.Failed, fmt.Sprintf("the library planned %v, want %v", got.Kernels, a.names)), nil
	}
	o := a.outcome(evidence.Passed, "")
	o.Case.Timings = all
	return o, nil
}

// timing makes a timing of a record, or says what is wrong with our own part in it.
func (from answerTiming) timing(t evidence.Timing) (_ evidence.Timing, oursFailed string, err error) {
	t.Region, t.Sets, t.Calls, t.ColdBytes = from.Region, from.Sets, from.Calls, from.ColdBytes
	if timing.OnHost(t.Region) {
		t.Limit = nil
	}
	for _, from := range from.Contenders {
		to := evidence.Contender{Name: from.Name, Provider: from.Provider, Algorithm: from.Algorithm, Version: from.Version, Ours: from.Ours, Error: from.Error}
		if from.Ours && from.Error != "" {
			return t, from.Error, nil
		}
		for _, r := range from.Rounds {
			packed, err := evidence.Pack(r.Us)
			if err != nil {
				return t, "", err
			}
			to.Rounds = append(to.Rounds, evidence.Round{Order: r.Order, Position: r.Position, Samples: packed})
		}
		t.Contenders = append(t.Contenders, to)
	}
	return t, "", t.Summarise()
}
