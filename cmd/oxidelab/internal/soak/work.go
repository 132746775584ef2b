package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/runtime"
)

// work is one call with its plan and the outputs that it must have.
type work struct {
	name    string
	op      *catalog.Operator
	plan    catalog.Plan
	setup   trial.Setup
	tensors []catalog.Tensor
	want    map[string][]byte
	dense   bool // no gaps, no offset, not in place
}

const (
	maxElements = 512 // keeps a call short: the soak is about many of them
	maxWorks    = 48  // different calls
)

// candidate is a case with an algorithm that takes it.
type candidate struct {
	binding   catalog.Binding
	c         catalog.Case
	tensors   []catalog.Tensor
	algorithm string
}

// candidates are the small quick cases with every algorithm that takes them.
func candidates(bindings []catalog.Binding) ([]candidate, error) {
	var all []candidate
	for _, b := range bindings {
		for _, c := range b.Cases() {
			tensors, err := b.Operator.Tensors(c.Spec, c.Dims...)
			if err != nil {
				return nil, err
			}
			if !c.Quick || elements(tensors) > maxElements {
				continue
			}
			for i, refusal := range b.Supports(c.Spec) {
				name := b.Operator.Algorithms[i].Name
				if refusal == nil && (c.Algorithm == "" || c.Algorithm == name) {
					all = append(all, candidate{b, c, tensors, name})
				}
			}
		}
	}
	return all, nil
}

// prepare plans a random choice of cases and runs each alone: its outputs must agree with the reference and are what every later call
// must give.
func prepare(ctx context.Context, stream *oxrt.Stream, bindings []catalog.Binding, random *rand.Rand) ([]*work, error) {
	some, err := candidates(bindings)
	if err != nil {
		return nil, err
	}
	random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	var all []*work
	for _, c := range some[:min(len(some), maxWorks)] {
		w, err := newWork(ctx, stream, c.binding, c.c, c.tensors, c.algorithm)
		if err != nil {
			return nil, fmt.Errorf("%s, %s, %s: %w", c.binding.Operator.Name, c.c.Name, c.algorithm, err)
		}
		all = append(all, w)
	}
	if !slices.ContainsFunc(all, func(w *work) bool { return w.dense }) {
		return nil, errors.New("no case is small enough")
	}
	return all, nil
}

func elements(tensors []catalog.Tensor) int {
	n := 0
	for _, t := range tensors {
		if t.Present {
			n += t.Span()
		}
	}
	return n
}

func newWork(ctx context.Context, stream *oxrt.Stream, b catalog.Binding, c catalog.Case, tensors []catalog.Tensor, algorithm string) (*work, error) {
	inputs, err := trial.Inputs(b.Operator, c)
	if err != nil {
		return nil, err
	}
	w := &work{name: c.Name, op: b.Operator, tensors: tensors, dense: !c.InPlace && c.Offset == 0,
		setup: trial.Setup{Spec: c.Spec, Dims: c.Dims, Inputs: inputs, Offset: c.Offset, InPlace: c.InPlace}}
	for _, t := range tensors {
		w.dense = w.dense && (!t.Present || t.Span() == t.Elements())
	}
	if w.plan, err = b.Plan(stream.Device(), c.Spec, algorithm); err != nil {
		return nil, err
	}
	out, err := trial.Run(ctx, stream, w.op, w.plan, w.setup)
	if err != nil {
		return nil, err
	}
	names, verdicts, err := trial.Check(b, w.setup, out.Outputs)
	if err != nil {
		return nil, err
	}
	for _, v := range verdicts {
		if !v.OK() {
			return nil, errors.New(catalog.Summary(names, verdicts))
		}
	}
	w.want = out.Outputs
	return w, nil
}

// check compares what a call left with what it must.
func (w *work) check(out trial.Outcome) error {
	if len(out.Damage) > 0 {
		return fmt.Errorf("memory that is not an output changed: %s", strings.Join(out.Damage, "; "))
	}
	for name, want := range w.want {
		if !bytes.Equal(out.Outputs[name], want) {
			return fmt.Errorf("%s differs from the call that ran alone", name)
		}
	}
	return nil
}

// operands are buffers of one call, dense.
type operands struct {
	work *work
	bufs []*oxrt.Buffer // by tensor, nil for an absent one
	call catalog.Call
}

// place allocates and uploads the operands of a call.
func (w *work) place(stream *oxrt.Stream) (*operands, error) {
	o := &operands{work: w, call: catalog.Call{Dims: w.setup.Dims}}
	for _, t := range w.tensors {
		if !t.Present {
			o.bufs, o.call.Regions = append(o.bufs, nil), append(o.call.Regions, oxrt.Region{})
			continue
		}
		bytes := int64(t.Span() * t.DType.Size())
		buf, err := stream.Device().AllocNamed(t.Operand.Name, max(bytes, 1))
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		region, err := buf.Region(0, t.DType, int64(t.Span()))
		if err != nil {
			return nil, errors.Join(err, buf.Close(), o.close())
		}
		o.bufs, o.call.Regions = append(o.bufs, buf), append(o.call.Regions, region)
		if in := w.setup.Inputs[t.Operand.Name]; t.Operand.Access == catalog.In {
			if err := stream.Upload(region, in); err != nil {
				return nil, errors.Join(err, o.close())
			}
		}
	}
	return o, nil
}

// verify downloads the outputs, behind the work of the stream.
func (o *operands) verify(stream *oxrt.Stream) error {
	for i, t := range o.work.tensors {
		if !t.Present || t.Operand.Access != catalog.Out {
			continue
		}
		got := make([]byte, t.Span()*t.DType.Size())
		if err := stream.Download(got, o.call.Regions[i]); err != nil {
			return err
		}
		if !bytes.Equal(got, o.work.want[t.Operand.Name]) {
			return fmt.Errorf("%s: %s differs from the call that ran alone", o.work.op.Name, t.Operand.Name)
		}
	}
	return nil
}

// close frees the buffers; memory in use is freed later.
func (o *operands) close() error {
	var all []error
	for _, b := range o.bufs {
		if b == nil {
			continue
		}
		if err := b.Close(); err != nil && !errors.Is(err, oxrt.ErrLeased) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
