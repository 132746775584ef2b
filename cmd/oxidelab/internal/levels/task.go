package levels

import (
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// Library is what is qualified: operators and all kernels that are committed for them.
type Library struct {
	Bindings  []catalog.Binding
	Artifacts []*oxrt.Artifact
}

// Task is one case of one level.
type Task struct {
	Level     evidence.Level `json:"level"`
	Operator  string         `json:"operator"`
	Algorithm string         `json:"algorithm"`
	// Name is unique among the tasks of the other three.
	Name string `json:"name"`
	// Case is the name of the declared case behind it, if there is one.
	Case string `json:"case,omitempty"`
}

// ID tells tasks apart.
func (t Task) ID() string {
	return fmt.Sprintf("%s %s %s: %s", t.Level, t.Operator, t.Algorithm, t.Name)
}

// Outcome is how a task ended.
type Outcome struct {
	Task   Task          `json:"task"`
	Case   evidence.Case `json:"case"`              // Artifacts are left to the record
	Kernel []string      `json:"kernels,omitempty"` // entries of the kernels that were launched
	TookUs float64       `json:"took_us,omitempty"`
	// Lost says that the device's context is gone: what follows in the same process would fail for that reason alone.
	Lost bool `json:"lost,omitempty"`
}

// Ended makes an outcome without a run.
func (t Task) Ended(status evidence.Status, reason string) Outcome {
	return Outcome{Task: t, Case: evidence.Case{Name: t.Name, Status: status, Reason: reason}}
}

// Selection says which tasks are wanted.
type Selection struct {
	// Quick leaves out the cases that only a GPU runs in reasonable time.
	Quick bool
}

// Tasks lists the cases of a level, in the order in which they are run.
func (l Library) Tasks(level evidence.Level, s Selection) ([]Task, error) {
	switch level {
	case evidence.Contract:
		return l.contractTasks(), nil
	case evidence.Emulator, evidence.Correctness, evidence.Graph:
		return l.caseTasks(level, s), nil
	case evidence.Lifecycle:
		return l.lifecycleTasks(), nil
	case evidence.Sanitizer:
		return l.sanitizerTasks()
	case evidence.Performance:
		return l.performanceTasks()
	}
	return nil, fmt.Errorf("no level %q; there are %v", level, evidence.Levels())
}

// caseTasks are the declared cases, each with every algorithm that supports it or with the one that it names.
func (l Library) caseTasks(level evidence.Level, s Selection) []Task {
	var all []Task
	for _, b := range l.Bindings {
		for i, a := range b.Operator.Algorithms {
			for _, c := range cases(b) {
				if s.Quick && !c.Quick || !runs(b, c, i) {
					continue
				}
				all = append(all, Task{level, b.Operator.Name, a.Name, c.Name, c.Name})
			}
		}
	}
	return all
}

// runs tells whether a case is to be run with the algorithm of that number.
func runs(b catalog.Binding, c catalog.Case, algorithm int) bool {
	if c.Algorithm != "" {
		return c.Algorithm == b.Operator.Algorithms[algorithm].Name
	}
	return b.Supports(c.Spec)[algorithm] == nil
}

func (l Library) binding(operator string) (catalog.Binding, error) {
	i := slices.IndexFunc(l.Bindings, func(b catalog.Binding) bool { return b.Operator.Name == operator })
	if i < 0 {
		return catalog.Binding{}, fmt.Errorf("no operator %q", operator)
	}
	return l.Bindings[i], nil
}

// planner is an emulated device, on which plans are made without a GPU: the choice of a kernel depends on the Spec alone.
func planner() (*device.Device, error) { return device.Open(device.Emulated) }

// cases are the declared cases, their Specs complete: a field that a case leaves at zero asks for its default.
func cases(b catalog.Binding) []catalog.Case {
	all := b.Cases()
	for _, c := range all {
		b.Operator.Complete(c.Spec)
	}
	return all
}
