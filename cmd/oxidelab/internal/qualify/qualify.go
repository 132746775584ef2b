package qualify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/gpu"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
)

// Qualification is one run.
type Qualification struct {
	Library levels.Library
	// Program starts a child when "worker" and a job file are appended.
	Program []string
	Levels  []evidence.Level
	Device  string // as a --device flag names it
	Quick   bool
	Prefix  string // of the operators that Library was reduced to
	Jobs    int    // processes at a time; performance has one
	Timeout time.Duration
	State   string // the state file, or ""
	Commit  string // what the program calls itself in timings
	// Report is called with every outcome, one at a time.
	Report func(levels.Outcome)

	journal   *journal
	identity  Identity
	device    string // the name that opens the probed device
	driver    string
	sanitizer string
	mu        sync.Mutex // of the journal and Report
}

// Result is everything that a run found.
type Result struct {
	Device   evidence.Device
	Levels   []LevelResult
	Resumed  int // outcomes that were in the state file already
	Emulator evidence.Device
}

// LevelResult is one level: its outcomes in the order of its tasks.
type LevelResult struct {
	Level    evidence.Level
	Outcomes []levels.Outcome
	// NotRun is why the whole level could not be run here, or "".
	NotRun string
	Seen
}

// Run runs the levels one after the other. An error means that the run could not go on; what was found is in the state file.
func (q *Qualification) Run(ctx context.Context) (r Result, err error) {
	probed, err := q.probe(ctx, q.Device)
	if err != nil {
		return r, err
	}
	if r.Device = *probed.device; r.Device.Kind == "cuda" {
		if q.driver, err = gpu.Driver(ctx); err != nil {
			q.driver = fmt.Sprintf("unknown, for CUDA %d", r.Device.CUDA)
		}
		r.Device.Driver = q.driver
	}
	q.device = probed.name
	r.Emulator = r.Device
	if r.Device.Kind != "emulated" && slices.Contains(q.Levels, evidence.Emulator) {
		emulator, err := q.probe(ctx, device.Emulated)
		if err != nil {
			return r, err
		}
		r.Emulator = *emulator.device
	}
	if q.identity, err = q.identify(r.Device); err != nil {
		return r, err
	}
	if q.journal, err = openJournal(q.State, q.identity); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, q.journal.close()) }()
	r.Resumed = len(q.journal.outcomes)
	for _, level := range q.Levels {
		one, err := q.level(ctx, level, r.Device)
		if err != nil {
			return r, err
		}
		r.Levels = append(r.Levels, one)
	}
	return r, nil
}

// probe opens the device in a child and asks what it is.
func (q *Qualification) probe(ctx context.Context, name string) (*child, error) {
	c, err := q.start(ctx, Job{Level: evidence.Contract, Device: name}, "", nil)
	switch {
	case err != nil:
		return nil, err
	case c.unable != "":
		return nil, errors.New(c.unable)
	case c.device == nil:
		return nil, errors.New(c.how(q.Timeout))
	}
	return c, nil
}

func (q *Qualification) identify(d evidence.Device) (Identity, error) {
	id := Identity{Schema: "oxide.qualify/1", Device: d, Quick: q.Quick, Prefix: q.Prefix}
	f, err := os.Open(q.Program[0])
	if err != nil {
		return id, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return id, err
	}
	id.Program = hex.EncodeToString(h.Sum(nil))
	return id, nil
}

// unavailable says why a level cannot be run on a device, or "".
func (q *Qualification) unavailable(level evidence.Level, d evidence.Device) (reason string) {
	emulated := d.Kind != "cuda"
	switch level {
	case evidence.Correctness:
		if emulated {
			return "there is no GPU: what the emulated device computes is level emulator"
		}
	case evidence.Performance:
		if emulated {
			return "there is no GPU: the emulated device has no time"
		}
	case evidence.Sanitizer:
		if emulated {
			return "there is no GPU that compute-sanitizer could watch"
		}
		q.sanitizer, reason = findSanitizer()
	}
	return reason
}

func (q *Qualification) level(ctx context.Context, level evidence.Level, d evidence.Device) (r LevelResult, err error) {
	r.Level = level
	tasks, err := q.Library.Tasks(level, levels.Selection{Quick: q.Quick})
	if err != nil {
		return r, err
	}
	if r.NotRun = q.unavailable(level, d); r.NotRun != "" {
		for _, t := range tasks {
			r.Outcomes = append(r.Outcomes, t.Ended(evidence.NotRun, r.NotRun))
		}
		return r, nil
	}
	began := time.Now().UTC().Truncate(time.Millisecond)
	stop := q.watch(ctx, level)
	err = q.groups(ctx, level, tasks)
	state := stop()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return r, err
	}
	now := Seen{level, began, time.Now().UTC().Truncate(time.Millisecond), state}
	if err := errors.Join(q.journal.write(entry{Seen: &now}), q.journal.sync()); err != nil {
		return r, err
	}
	r.Seen = q.journal.seen[level]
	for _, t := range tasks {
		r.Outcomes = append(r.Outcomes, q.journal.outcomes[t.ID()])
	}
	return r, nil
}

// watch reads the GPU's state while a level runs on it.
func (q *Qualification) watch(ctx context.Context, level evidence.Level) (stop func() evidence.State) {
	number, ok := strings.CutPrefix(q.deviceOf(level), "cuda:")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return func() evidence.State { return evidence.State{Unseen: "no GPU was used"} }
	}
	return gpu.Start(ctx, n).Stop
}

// deviceOf is what the tasks of a level run on. Contracts need memory to make regions of, and nothing is submitted to it.
func (q *Qualification) deviceOf(level evidence.Level) string {
	if level == evidence.Contract || level == evidence.Emulator {
		return device.Emulated
	}
	return q.device
}

// groups runs what is not yet in the journal, a group for each algorithm (and tool), several at a time.
func (q *Qualification) groups(ctx context.Context, level evidence.Level, tasks []levels.Task) error {
	var order []string
	members := map[string][]levels.Task{}
	for _, t := range tasks {
		if _, done := q.journal.outcomes[t.ID()]; done {
			continue
		}
		key := t.Operator + " " + t.Algorithm
		if level == evidence.Sanitizer {
			key += " " + t.Tool()
		}
		if members[key] == nil {
			order = append(order, key)
		}
		members[key] = append(members[key], t)
	}
	jobs := max(q.Jobs, 1)
	if level == evidence.Performance {
		jobs = 1 // nothing else may use the device
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	free := make(chan struct{}, jobs)
	for _, key := range order {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			if err := q.group(ctx, level, members[key]); err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
				cancel()
			}
		})
	}
	all.Wait()
	return failed
}

// group runs tasks in a child, and what a child leaves over in another one.
func (q *Qualification) group(ctx context.Context, level evidence.Level, tasks []levels.Task) error {
	tool := ""
	if level == evidence.Sanitizer {
		tool = tasks[0].Tool()
	}
	for len(tasks) > 0 && ctx.Err() == nil {
		var ended []levels.Outcome
		c, err := q.start(ctx, Job{level, q.deviceOf(level), tasks, levels.Versions{Program: q.Commit, Driver: q.driver}}, tool, func(o levels.Outcome) error {
			ended = append(ended, o)
			if tool != "" {
				return nil // its tool has the last word
			}
			return q.keep(o)
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		if tool != "" {
			ended = c.judge(ended, tool)
		}
		ended = append(ended, q.lost(c, tasks, ended)...)
		for _, o := range ended {
			if err := q.keep(o); err != nil {
				return err
			}
		}
		tasks = slices.DeleteFunc(slices.Clone(tasks), func(t levels.Task) bool {
			return slices.ContainsFunc(ended, func(o levels.Outcome) bool { return o.Task.ID() == t.ID() })
		})
	}
	return nil
}

// lost gives an outcome to what a child did not finish: the case that ended it, or all if it could not begin. It is nothing
// if the child stopped because its context was lost: then the rest goes to another child.
func (q *Qualification) lost(c *child, tasks []levels.Task, ended []levels.Outcome) []levels.Outcome {
	var all []levels.Outcome
	for _, t := range tasks {
		finished := slices.ContainsFunc(ended, func(o levels.Outcome) bool { return o.Task.ID() == t.ID() })
		switch {
		case finished:
		case c.unable != "":
			all = append(all, t.Ended(evidence.NotRun, "the device cannot be opened: "+c.unable))
		case c.begun == t.ID():
			all = append(all, t.Ended(evidence.Failed, c.how(q.Timeout)))
		case c.device == nil || len(ended) == 0 && c.begun == "":
			all = append(all, t.Ended(evidence.NotRun, "before the first case: "+c.how(q.Timeout)))
		}
	}
	return all
}

// judge lets a tool's findings overrule outcomes: the case of a kernel that a finding names fails, every case if it names
// none, and without a summary no case was watched.
func (c *child) judge(ended []levels.Outcome, tool string) []levels.Outcome {
	if !c.tool.complete {
		if c.begun != "" { // the case that ended the process took the summary with it: its neighbours run again
			return nil
		}
		for i, o := range ended {
			ended[i] = o.Task.Ended(evidence.NotRun, fmt.Sprintf("%s gave no summary: %s", tool, c.tool.first))
		}
		return ended
	}
	if c.tool.errors == 0 {
		return ended
	}
	for i, o := range ended {
		for kernel, finding := range c.tool.findings {
			if kernel == "" || slices.Contains(o.Kernel, kernel) {
				ended[i].Case.Status, ended[i].Case.Reason = evidence.Failed, finding
			}
		}
		if len(c.tool.findings) == 0 {
			ended[i].Case.Status, ended[i].Case.Reason = evidence.Failed, fmt.Sprintf("%s counted %d errors", tool, c.tool.errors)
		}
	}
	return ended
}

// keep writes an outcome to the journal once and reports it.
func (q *Qualification) keep(o levels.Outcome) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, there := q.journal.outcomes[o.Task.ID()]; there {
		return nil
	}
	if err := q.journal.write(entry{Outcome: &o}); err != nil {
		return err
	}
	if q.Report != nil {
		q.Report(o)
	}
	return nil
}
