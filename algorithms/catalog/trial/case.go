package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Result is one case with one algorithm.
type Result struct {
	Algorithm, Variant, Entry string
	// Artifacts are all kernels of the plan; Entry is the first one's.
	Artifacts []*oxrt.Artifact
	Elements  int
	MaxUlp    float64
	Took      time.Duration
	// Err is nil if the case passed.
	Err error
}

// RunCase runs a case with every algorithm that supports it, or with the one that it names.
func RunCase(ctx context.Context, stream *oxrt.Stream, b catalog.Binding, c catalog.Case) []Result {
	return runCase(ctx, stream, b, c, false)
}

// ReplayCase is RunCase with every call captured in a graph and replayed.
func ReplayCase(ctx context.Context, stream *oxrt.Stream, b catalog.Binding, c catalog.Case) []Result {
	return runCase(ctx, stream, b, c, true)
}

func runCase(ctx context.Context, stream *oxrt.Stream, b catalog.Binding, c catalog.Case, graph bool) []Result {
	inputs, err := Inputs(b.Operator, c)
	if err != nil {
		return []Result{{Err: err}}
	}
	s := Setup{Spec: c.Spec, Dims: c.Dims, Inputs: inputs, Offset: c.Offset, InPlace: c.InPlace, Graph: graph}
	var all []Result
	for i, refusal := range b.Supports(c.Spec) {
		name := b.Operator.Algorithms[i].Name
		if c.Algorithm != "" && c.Algorithm != name || c.Algorithm == "" && refusal != nil {
			continue
		}
		all = append(all, runOne(ctx, stream, b, s, name))
	}
	if all == nil {
		all = []Result{{Err: errors.New("no algorithm runs this case")}}
	}
	return all
}

func runOne(ctx context.Context, stream *oxrt.Stream, b catalog.Binding, s Setup, algorithm string) Result {
	start := time.Now()
	r := Result{Algorithm: algorithm}
	plan, err := b.Plan(stream.Device(), s.Spec, algorithm)
	if err != nil {
		r.Err = err
		return r
	}
	r.Artifacts = plan.Artifacts()
	r.Variant, r.Entry = r.Artifacts[0].Variant, r.Artifacts[0].Entry
	out, err := Run(ctx, stream, b.Operator, plan, s)
	if err == nil && len(out.Damage) > 0 {
		err = fmt.Errorf("memory that is not an output changed: %s", strings.Join(out.Damage, "; "))
	}
	if err != nil {
		r.Err = err
		return r
	}
	names, verdicts, err := Check(b, s, out.Outputs)
	r.Err = err
	for _, v := range verdicts {
		r.Elements, r.MaxUlp = r.Elements+v.Elements, max(r.MaxUlp, v.MaxUlp)
		if !v.OK() && r.Err == nil {
			r.Err = errors.New(catalog.Summary(names, verdicts))
		}
	}
	r.Took = time.Since(start)
	return r
}
