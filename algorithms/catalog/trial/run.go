package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Setup is one call with its inputs.
type Setup struct {
	Spec any
	Dims []int
	// Inputs hold the elements of every present input without gaps, by operand name.
	Inputs map[string][]byte
	// Offset moves every region by that many elements from an aligned address.
	Offset int
	// InPlace puts every output that may alias an input over that input.
	InPlace bool
	// Graph captures the call and replays it, instead of submitting it: twice, unless the call works in place.
	Graph bool
	// Prepared submits a prepared call instead of enqueueing one.
	Prepared bool
}

// Outcome is what a call left in memory.
type Outcome struct {
	// Outputs hold the elements of every output without gaps, by operand name.
	Outputs map[string][]byte
	// Damage lists what changed and should not have: sentinels, gaps, inputs.
	Damage []string
}

// Run uploads the inputs, runs the call on the stream and waits for it.
func Run(ctx context.Context, stream *oxrt.Stream, op *catalog.Operator, plan catalog.Plan, s Setup) (out Outcome, err error) {
	tensors, err := op.Tensors(s.Spec, s.Dims...)
	if err != nil {
		return out, err
	}
	if err := fits(op, tensors); err != nil {
		return out, err
	}
	var all arena
	defer func() { err = errors.Join(err, all.close()) }()
	call := catalog.Call{Dims: s.Dims}
	for _, t := range tensors {
		m, err := all.place(stream, t, s)
		if err != nil {
			return out, err
		}
		call.Regions = append(call.Regions, m.region)
	}
	launch := submit
	switch {
	case s.Graph:
		launch = replay
	case s.Prepared:
		launch = prepared
	}
	if err := launch(ctx, stream, plan, call, s.InPlace); err != nil {
		return out, err
	}
	return all.collect(stream)
}

// submit runs the call eagerly.
func submit(ctx context.Context, stream *oxrt.Stream, plan catalog.Plan, call catalog.Call, _ bool) error {
	done, err := enqueue(stream, plan, call)
	if err != nil {
		return err
	}
	return done.Wait(ctx)
}

// prepared runs a prepared call.
func prepared(ctx context.Context, stream *oxrt.Stream, plan catalog.Plan, call catalog.Call, _ bool) error {
	p, err := plan.Prepare(call.Dims)
	if err != nil {
		return err
	}
	done, err := p.Submit(stream, call.Regions)
	if err != nil {
		return err
	}
	return done.Wait(ctx)
}

// replay captures the call and launches the graph.
func replay(ctx context.Context, stream *oxrt.Stream, plan catalog.Plan, call catalog.Call, once bool) (err error) {
	if err := stream.BeginCapture(); err != nil {
		return err
	}
	_, enqueued := enqueue(stream, plan, call)
	graph, err := stream.EndCapture()
	if err := errors.Join(enqueued, err); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	for range 2 {
		done, err := graph.Launch(stream)
		if err != nil {
			return err
		}
		if err := done.Wait(ctx); err != nil || once {
			return err
		}
	}
	return nil
}

func enqueue(stream *oxrt.Stream, plan catalog.Plan, call catalog.Call) (oxrt.Completion, error) {
	scope, err := stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	if err := plan.EnqueueCall(scope, call); err != nil {
		scope.Drop()
		return oxrt.Completion{}, err
	}
	return scope.Submit()
}

// Check compares the outputs of a call with the reference, in the order of the operator's outputs.
func Check(b catalog.Binding, s Setup, outputs map[string][]byte) (names []string, verdicts []catalog.Verdict, err error) {
	tensors, err := b.Operator.Tensors(s.Spec, s.Dims...)
	if err != nil {
		return nil, nil, err
	}
	in := map[string][]float64{}
	for _, t := range tensors {
		if t.Present && t.Operand.Access == catalog.In {
			if in[t.Operand.Name], err = catalog.Gather(t.Dense(), s.Inputs[t.Operand.Name]); err != nil {
				return nil, nil, err
			}
		}
	}
	want := b.Reference(s.Spec, s.Dims, in)
	for _, t := range tensors {
		if !t.Present || t.Operand.Access != catalog.Out {
			continue
		}
		v, err := catalog.Compare(t.Dense(), outputs[t.Operand.Name], want[t.Operand.Name])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", b.Operator.Name, err)
		}
		names, verdicts = append(names, t.Operand.Name), append(verdicts, v)
	}
	return names, verdicts, nil
}
