package levels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/evidence"
)

// Tools are compute-sanitizer's, each of which watches every kernel once.
func Tools() []string { return []string{"memcheck", "racecheck", "initcheck", "synccheck"} }

// Tool is the tool of a sanitizer task.
func (t Task) Tool() string {
	tool, _, _ := strings.Cut(t.Name, ": ")
	return tool
}

// covering is the smallest declared case that launches a kernel.
type covering struct {
	operator, algorithm, name string
	bytes                     int64
}

// sanitizerTasks are every kernel under every tool, each with the smallest declared case that launches it.
func (l Library) sanitizerTasks() ([]Task, error) {
	covers, err := l.cover()
	if err != nil {
		return nil, err
	}
	var all []Task
	for _, tool := range Tools() {
		for _, a := range l.Artifacts {
			if c, ok := covers[a.Entry]; ok {
				all = append(all, Task{evidence.Sanitizer, c.operator, c.algorithm, tool + ": " + a.Entry, c.name})
			}
		}
	}
	return all, nil
}

// cover plans every declared case. A kernel that none of them launches is missing from the result: qualify says so.
func (l Library) cover() (covers map[string]covering, err error) {
	d, err := planner()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	covers = map[string]covering{}
	for _, b := range l.Bindings {
		for _, c := range cases(b) {
			for i, a := range b.Operator.Algorithms {
				if c.Dims[0] == 0 || !runs(b, c, i) {
					continue
				}
				plan, err := b.Plan(d.Dev, c.Spec, a.Name)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", b.Operator.Name, c.Name, err)
				}
				bytes, _, err := b.Operator.Work(c.Spec, c.Dims...)
				if err != nil {
					return nil, err
				}
				for _, artifact := range plan.Artifacts() {
					if old, ok := covers[artifact.Entry]; !ok || bytes < old.bytes {
						covers[artifact.Entry] = covering{b.Operator.Name, a.Name, c.Name, bytes}
					}
				}
			}
		}
	}
	return covers, nil
}

// sanitize runs the case behind a task; the tool around the process watches.
func (r *Runner) sanitize(ctx context.Context, b catalog.Binding, t Task, o *Outcome) error {
	if err := r.compare(ctx, b, t, o, trial.RunCase); err != nil {
		return err
	}
	if _, entry, _ := strings.Cut(t.Name, ": "); !slices.Contains(o.Kernel, entry) {
		return fmt.Errorf("the case launched %v", o.Kernel)
	}
	return nil
}
