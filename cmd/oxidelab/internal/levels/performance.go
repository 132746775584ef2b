package levels

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	"github.com/oxideinfer/oxide/evidence"
)

// Versions are what contenders are called by in timings.
type Versions struct {
	Program string `json:"program"` // the commit
	Driver  string `json:"driver"`
}

// performanceTasks are the declared sizes, under the algorithm that the family recommends for each.
func (l Library) performanceTasks() (all []Task, err error) {
	d, err := planner()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, c := range timing.Cases() {
		b, err := l.binding(c.Operator)
		if err != nil {
			continue // the operator was not selected
		}
		spec, err := b.ParseSpec([]byte(c.Spec))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Operator, c.Label, err)
		}
		plan, err := b.Plan(d.Dev, spec, "")
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Operator, c.Label, err)
		}
		all = append(all, Task{evidence.Performance, c.Operator, plan.Algorithm(), c.Label, ""})
	}
	return all, nil
}

// SetVersions names the program and the driver in timings.
func (r *Runner) SetVersions(v Versions) { r.versions = v }

func (r *Runner) performance(b catalog.Binding, t Task, o *Outcome) error {
	for _, c := range timing.Cases() {
		if c.Operator != t.Operator || c.Label != t.Name {
			continue
		}
		spec, err := b.ParseSpec([]byte(c.Spec))
		if err != nil {
			return err
		}
		o.describe(b, spec, c.Dims)
		o.Case.Spec, o.Case.Seed = string(b.Operator.EncodeSpec(spec)), timing.Seed
		result, err := timing.Compare(r.device.Stream, timing.Job{Binding: b, Spec: spec, Dims: c.Dims, InPlace: c.InPlace}, r.versions.Program, r.versions.Driver)
		for _, a := range result.Artifacts {
			o.Kernel = append(o.Kernel, a.Entry)
		}
		if err == nil && result.Algorithm != t.Algorithm {
			err = fmt.Errorf("the plan chose %s", result.Algorithm)
		}
		for _, timed := range result.Timings {
			if first := timed.Contenders[0]; first.Error != "" {
				err = errors.Join(err, fmt.Errorf("%s: %s", timed.Region, first.Error))
			}
		}
		o.Case.Timings = result.Timings
		return err
	}
	return fmt.Errorf("no size %q of %s", t.Name, t.Operator)
}
