package levels

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// stage is what a scenario plays on: one operator with a small declared case.
type stage struct {
	device  *device.Device
	binding catalog.Binding
	plan    catalog.Plan
	c       catalog.Case
}

// scenario is one promise about scopes, leases, completions or streams.
type scenario struct {
	name string
	play func(context.Context, *stage) error
}

func scenarios() []scenario {
	return []scenario{
		{"a dropped scope runs nothing and releases its operands", dropped},
		{"a refused call leaves the outputs and the stream as they were", refused},
		{"an output over part of an input is refused", overlapping},
		{"a cancelled wait ends the wait and not the work", cancelled},
		{"a completion goes stale and says so", stale},
		{"memory that is closed while in use is freed when the work has settled", closedEarly},
		{"several operators in one scope", severalInOneScope},
		{"work of one stream waits for an event of another", acrossStreams},
		{"eight goroutines with a stream each", concurrent},
		{"plans of equal Specs have equal fingerprints", equalPlans},
		{"a closed stream refuses work", closedStream},
		{"nothing is left open", nothingLeft},
	}
}

func (l Library) lifecycleTasks() []Task {
	var all []Task
	for _, b := range l.Bindings {
		for _, s := range scenarios() {
			if c, ok := ordinary(b, -1); ok {
				all = append(all, Task{evidence.Lifecycle, b.Operator.Name, chosen(b, c), s.name, c.Name})
			}
		}
	}
	return all
}

// chosen is the first algorithm that runs a case.
func chosen(b catalog.Binding, c catalog.Case) string {
	for i, a := range b.Operator.Algorithms {
		if runs(b, c, i) {
			return a.Name
		}
	}
	return ""
}

func (r *Runner) lifecycle(ctx context.Context, b catalog.Binding, t Task, o *Outcome) error {
	c, err := r.declared(b, t)
	if err != nil {
		return err
	}
	o.describe(b, c.Spec, c.Dims)
	o.Case.Seed = trial.Seed
	plan, err := b.Plan(r.device.Dev, c.Spec, t.Algorithm)
	if err != nil {
		return err
	}
	for _, a := range plan.Artifacts() {
		o.Kernel = append(o.Kernel, a.Entry)
	}
	for _, s := range scenarios() {
		if s.name == t.Name {
			return s.play(ctx, &stage{r.device, b, plan, c})
		}
	}
	return fmt.Errorf("no scenario %q", t.Name)
}

// with places the operands on a stream and closes them after use.
func (s *stage) with(stream *oxrt.Stream, use func(*operands) error) (err error) {
	o, err := place(stream, s.binding, s.c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	return use(o)
}

// worksOn demands that the operator still gives right results on a stream.
func (s *stage) worksOn(ctx context.Context, stream *oxrt.Stream) error {
	return s.with(stream, func(o *operands) error {
		done, err := o.submit(s.plan)
		if err != nil {
			return err
		}
		if err := done.Wait(ctx); err != nil {
			return err
		}
		return o.demandRight()
	})
}

func dropped(ctx context.Context, s *stage) error {
	err := s.with(s.device.Stream, func(o *operands) error {
		scope, err := s.device.Stream.Begin()
		if err != nil {
			return err
		}
		if err := s.plan.EnqueueCall(scope, o.call()); err != nil {
			return err
		}
		scope.Drop()
		if _, err := scope.Submit(); !errors.Is(err, oxrt.ErrStale) {
			return fmt.Errorf("submitting the dropped scope: %w, want ErrStale", orNone(err))
		}
		return o.demandUntouched()
	})
	return errors.Join(err, s.worksOn(ctx, s.device.Stream))
}

// refused enqueues a call whose last operand is one element short, and then a right one.
func refused(ctx context.Context, s *stage) error {
	err := s.with(s.device.Stream, func(o *operands) error {
		call := o.call()
		last := len(call.Regions) - 1
		for call.Regions[last].IsZero() {
			last--
		}
		var err error
		if call.Regions[last], err = call.Regions[last].Slice(0, call.Regions[last].Len()-1); err != nil {
			return err
		}
		return s.demandRefused(o, call)
	})
	return errors.Join(err, s.worksOn(ctx, s.device.Stream))
}

// demandRefused demands that a call is refused as a broken contract and that nothing of its scope runs.
func (s *stage) demandRefused(o *operands, call catalog.Call) error {
	scope, err := s.device.Stream.Begin()
	if err != nil {
		return err
	}
	defer scope.Drop()
	enqueued := s.plan.EnqueueCall(scope, call)
	_, submitted := scope.Submit()
	if !errors.Is(errors.Join(enqueued, submitted), oxrt.ErrContract) {
		return fmt.Errorf("enqueue: %w, submit: %w; want ErrContract", orNone(enqueued), orNone(submitted))
	}
	return o.demandUntouched()
}

// overlapping lays the first output over an input, moved by half of it.
func overlapping(ctx context.Context, s *stage) error {
	err := s.with(s.device.Stream, func(o *operands) error {
		call := o.call()
		in, out := -1, -1
		for i, t := range o.tensors {
			if t.Present && t.Operand.Access == catalog.In && in < 0 {
				in = i
			}
			if t.Present && t.Operand.Access == catalog.Out && out < 0 {
				out = i
			}
		}
		size := int64(max(o.tensors[in].DType.Size(), o.tensors[out].DType.Size()))
		bytes := call.Regions[in].Bytes() + call.Regions[out].Bytes() + slack
		shared, err := s.device.Dev.AllocNamed("shared", bytes)
		if err != nil {
			return err
		}
		moved := call.Regions[in].Bytes() / 2 / (16 * size) * (16 * size)
		var errIn, errOut error
		call.Regions[in], errIn = shared.Region(0, call.Regions[in].DType(), call.Regions[in].Len())
		call.Regions[out], errOut = shared.Region(moved, call.Regions[out].DType(), call.Regions[out].Len())
		if err := errors.Join(errIn, errOut); err != nil {
			return errors.Join(err, shared.Close())
		}
		return errors.Join(s.demandRefused(o, call), shared.Close())
	})
	return errors.Join(err, s.worksOn(ctx, s.device.Stream))
}

func cancelled(ctx context.Context, s *stage) error {
	return s.with(s.device.Stream, func(o *operands) error {
		short, cancel := context.WithCancel(ctx)
		cancel()
		done, err := o.submit(s.plan)
		if err != nil {
			return err
		}
		if err := done.Wait(short); err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the cancelled wait: %w", err)
		}
		if err := done.Wait(ctx); err != nil {
			return fmt.Errorf("the wait after it: %w", err)
		}
		return o.demandRight()
	})
}

func stale(ctx context.Context, s *stage) error {
	return s.with(s.device.Stream, func(o *operands) error {
		var first oxrt.Completion
		for i := range 4*oxrt.CompletionsKept + 1 {
			done, err := o.submit(s.plan)
			if err != nil {
				return err
			}
			if err := done.Wait(ctx); err != nil {
				return err
			}
			if i == 0 {
				first = done
			}
		}
		if err := first.Wait(ctx); !errors.Is(err, oxrt.ErrStale) {
			return fmt.Errorf("a completion of long ago: %w, want ErrStale", orNone(err))
		}
		if err := (oxrt.Completion{}).Wait(ctx); !errors.Is(err, oxrt.ErrStale) {
			return fmt.Errorf("a completion of nothing: %w, want ErrStale", orNone(err))
		}
		return o.demandRight()
	})
}

func closedEarly(ctx context.Context, s *stage) error {
	return s.with(s.device.Stream, func(o *operands) error {
		done, err := o.submit(s.plan)
		if err != nil {
			return err
		}
		for i, t := range o.tensors {
			if !t.Present || t.Operand.Access != catalog.In {
				continue
			}
			if err := o.buffers[i].Close(); err != nil && !errors.Is(err, oxrt.ErrLeased) {
				return err
			}
			o.buffers[i] = nil
		}
		if err := done.Wait(ctx); err != nil {
			return err
		}
		if _, err := o.submit(s.plan); !errors.Is(err, oxrt.ErrClosed) {
			return fmt.Errorf("a call on closed memory: %w, want ErrClosed", orNone(err))
		}
		return o.demandRight()
	})
}

func severalInOneScope(ctx context.Context, s *stage) (err error) {
	var all []*operands
	defer func() {
		for _, o := range all {
			err = errors.Join(err, o.close())
		}
	}()
	scope, err := s.device.Stream.Begin()
	if err != nil {
		return err
	}
	for range 5 {
		o, err := place(s.device.Stream, s.binding, s.c)
		if err != nil {
			scope.Drop()
			return err
		}
		all = append(all, o)
		if err := s.plan.EnqueueCall(scope, o.call()); err != nil {
			scope.Drop()
			return err
		}
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	if err := done.Wait(ctx); err != nil {
		return err
	}
	for _, o := range all {
		err = errors.Join(err, o.demandRight())
	}
	return err
}

// acrossStreams writes an input on one stream and reads it on another.
func acrossStreams(ctx context.Context, s *stage) (err error) {
	second, err := s.device.Dev.NewStream()
	if err != nil {
		return err
	}
	event, err := s.device.Dev.NewEvent(false)
	if err != nil {
		return errors.Join(err, second.Close())
	}
	defer func() { err = errors.Join(err, event.Close(), second.Close()) }()
	return s.with(s.device.Stream, func(o *operands) error {
		ready, err := s.device.Stream.Begin()
		if err != nil {
			return err
		}
		if err := ready.Signal(event); err != nil {
			ready.Drop()
			return err
		}
		if _, err := ready.Submit(); err != nil {
			return err
		}
		scope, err := second.Begin()
		if err != nil {
			return err
		}
		if err := errors.Join(scope.WaitFor(event), s.plan.EnqueueCall(scope, o.call())); err != nil {
			scope.Drop()
			return err
		}
		done, err := scope.Submit()
		if err != nil {
			return err
		}
		return errors.Join(done.Wait(ctx), o.demandRight())
	})
}

func concurrent(ctx context.Context, s *stage) error {
	const workers, calls = 8, 8
	failures := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			stream, err := s.device.Dev.NewStream()
			if err != nil {
				failures[w] = err
				return
			}
			for range calls {
				err = errors.Join(err, s.worksOn(ctx, stream))
			}
			failures[w] = errors.Join(err, stream.Close())
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

func equalPlans(_ context.Context, s *stage) error {
	again, err := s.binding.Plan(s.device.Dev, s.c.Spec, s.plan.Algorithm())
	if err != nil {
		return err
	}
	if again.Fingerprint() != s.plan.Fingerprint() || again.String() != s.plan.String() {
		return fmt.Errorf("%s (%s) and %s (%s)", s.plan, s.plan.Fingerprint(), again, again.Fingerprint())
	}
	return nil
}

func closedStream(_ context.Context, s *stage) error {
	stream, err := s.device.Dev.NewStream()
	if err != nil {
		return err
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if err := stream.Close(); err != nil && !errors.Is(err, oxrt.ErrClosed) {
		return fmt.Errorf("closing it again: %w", err)
	}
	if _, err := stream.Begin(); !errors.Is(err, oxrt.ErrClosed) {
		return fmt.Errorf("a scope on it: %w, want ErrClosed", orNone(err))
	}
	return nil
}

// nothingLeft runs the operator on a runtime of its own and demands that closing it finds nothing open.
func nothingLeft(ctx context.Context, s *stage) error {
	var mu sync.Mutex
	var leaks []error
	d, err := device.OpenWith(s.device.Name(), oxrt.Options{OnLeak: func(l oxrt.Leak) {
		mu.Lock()
		defer mu.Unlock()
		leaks = append(leaks, fmt.Errorf("left open: %v", l))
	}})
	if err != nil {
		return err
	}
	plan, err := s.binding.Plan(d.Dev, s.c.Spec, s.plan.Algorithm())
	if err == nil {
		err = (&stage{d, s.binding, plan, s.c}).worksOn(ctx, d.Stream)
	}
	err = errors.Join(err, d.Close())
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(append(leaks, err)...)
}

// errNone stands in messages for the error that there was not.
var errNone = errors.New("no error")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}
