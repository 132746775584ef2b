package levels

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// Runner runs the tasks of one level on one device, one after the other.
type Runner struct {
	lib      Library
	level    evidence.Level
	device   *device.Device
	versions Versions
	cases    map[string]map[string]catalog.Case // by operator and name
}

// NewRunner runs tasks on an open device, which it does not own.
func NewRunner(lib Library, level evidence.Level, d *device.Device) *Runner {
	return &Runner{lib: lib, level: level, device: d, cases: map[string]map[string]catalog.Case{}}
}

// Run runs one task. What goes wrong is in the outcome, a panic too.
func (r *Runner) Run(ctx context.Context, t Task) (o Outcome) {
	began := time.Now()
	defer func() {
		if p := recover(); p != nil {
			o = t.Ended(evidence.Failed, fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
		}
		o.TookUs = float64(time.Since(began).Nanoseconds()) / 1000
	}()
	o = t.Ended(evidence.Passed, "")
	b, err := r.lib.binding(t.Operator)
	if err == nil {
		err = r.dispatch(ctx, b, t, &o)
	}
	if err != nil {
		o.Case.Status, o.Case.Reason = evidence.Failed, err.Error()
		o.Case.Timings = nil
	}
	var driver *oxrt.DriverError
	o.Lost = r.device.Dev.Lost() != nil || errors.As(err, &driver) && driver.Sticky() && !r.device.IsEmulated()
	return o
}

func (r *Runner) dispatch(ctx context.Context, b catalog.Binding, t Task, o *Outcome) error {
	switch r.level {
	case evidence.Contract:
		return r.contract(b, t)
	case evidence.Emulator, evidence.Correctness:
		return r.compare(ctx, b, t, o, trial.RunCase)
	case evidence.Graph:
		return r.compare(ctx, b, t, o, trial.ReplayCase)
	case evidence.Sanitizer:
		return r.sanitize(ctx, b, t, o)
	case evidence.Lifecycle:
		return r.lifecycle(ctx, b, t, o)
	case evidence.Performance:
		return r.performance(b, t, o)
	}
	return fmt.Errorf("no level %q", r.level)
}

// declared returns the case that a task names, with the task's algorithm.
func (r *Runner) declared(b catalog.Binding, t Task) (catalog.Case, error) {
	byName := r.cases[t.Operator]
	if byName == nil {
		byName = map[string]catalog.Case{}
		for _, c := range cases(b) {
			byName[c.Name] = c
		}
		r.cases[t.Operator] = byName
	}
	c, ok := byName[t.Case]
	if !ok {
		return c, fmt.Errorf("%s declares no case %q", t.Operator, t.Case)
	}
	c.Algorithm = t.Algorithm
	return c, nil
}

// describe puts a case's Spec and sizes into an outcome.
func (o *Outcome) describe(b catalog.Binding, spec any, dims []int) {
	o.Case.Fingerprint, o.Case.Dims = b.Operator.Fingerprint(spec), dims
}

type trialFunc func(context.Context, *oxrt.Stream, catalog.Binding, catalog.Case) []trial.Result

// compare runs a declared case and compares with the reference.
func (r *Runner) compare(ctx context.Context, b catalog.Binding, t Task, o *Outcome, run trialFunc) error {
	c, err := r.declared(b, t)
	if err != nil {
		return err
	}
	o.describe(b, c.Spec, c.Dims)
	o.Case.Seed = trial.Seed
	for _, result := range run(ctx, r.device.Stream, b, c) {
		o.Case.Elements += result.Elements
		o.Case.MaxULP = max(o.Case.MaxULP, result.MaxUlp)
		err = errors.Join(err, result.Err)
		for _, a := range result.Artifacts {
			if c.Dims[0] > 0 { // an empty call launches nothing
				o.Kernel = append(o.Kernel, a.Entry)
			}
		}
	}
	return err
}
