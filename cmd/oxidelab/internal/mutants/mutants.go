// Package mutants makes subjects of mutation from the library's own kernels: each with a case of its operator.
package mutants

import (
	"context"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
	genptx "github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// Subjects returns one subject for each algorithm of an operator: the first kernel of its first quick case.
func Subjects(ctx context.Context, b catalog.Binding) ([]mutate.Subject, error) {
	d, err := open(emulated.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []mutate.Subject
	seen := map[string]bool{}
	for _, c := range b.Cases() {
		if !c.Quick {
			continue
		}
		for _, r := range trial.RunCase(ctx, d.Stream, b, c) {
			if r.Err != nil || len(r.Artifacts) == 0 || seen[r.Algorithm] {
				continue
			}
			seen[r.Algorithm] = true
			own := c
			own.Algorithm = r.Algorithm
			text, _, _ := genptx.Lookup(r.Artifacts[0].PTXSHA256)
			all = append(all, subject(ctx, b, own, r.Artifacts[0], text))
		}
	}
	return all, nil
}

func open(o emulated.Options) (*device.Device, error) {
	o.Lookups = []emulated.Lookup{genptx.Lookup}
	rt, err := oxrt.OpenDriver(emulated.New(o))
	return device.On(rt, err, 0)
}

// subject runs a case with a kernel whose module is replaced.
func subject(ctx context.Context, b catalog.Binding, c catalog.Case, a *oxrt.Artifact, text string) mutate.Subject {
	run := func(m *ptx.Module, cfg emulate.Config) (found []emulate.Finding, right bool, err error) {
		d, err := open(emulated.Options{
			Emulator: cfg,
			OnResult: func(_ string, r *emulate.Result) { found = append(found, r.Findings...) },
			Change: func(loaded *oxrt.Artifact, module *ptx.Module) {
				if loaded.PTXSHA256 == a.PTXSHA256 {
					*module = *m
				}
			},
		})
		if err != nil {
			return nil, false, err
		}
		defer d.Close()
		right = true
		for _, r := range trial.RunCase(ctx, d.Stream, b, c) {
			right = right && r.Err == nil
		}
		return found, right, nil
	}
	return mutate.Subject{Name: a.Name(), Text: []byte(text), Run: run}
}
