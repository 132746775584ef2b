package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/runtime"
)

// worker is one goroutine.
type worker struct {
	*soak
	random *rand.Rand
}

func (w *worker) stream() *oxrt.Stream { return w.streams[w.random.IntN(len(w.streams))] }

func (w *worker) any() *work { return w.works[w.random.IntN(len(w.works))] }

func (w *worker) anyDense() *work { return w.denseWorks[w.random.IntN(len(w.denseWorks))] }

// action is one thing that a worker does, with its share of all.
type action struct {
	name  string
	share int
	run   func(*worker, context.Context) error
}

var actions = []action{
	{"call", 4, (*worker).call},
	{"several operators", 3, (*worker).several},
	{"graph", 2, (*worker).graph},
	{"cancelled wait", 3, (*worker).cancelled},
	{"early close", 3, (*worker).earlyClose},
	{"dropped scope", 2, (*worker).dropped},
}

func (w *worker) choose() action {
	total := 0
	for _, a := range actions {
		total += a.share
	}
	n := w.random.IntN(total)
	for _, a := range actions {
		if n -= a.share; n < 0 {
			return a
		}
	}
	return actions[0]
}

// call is one operator, with sentinels around every operand.
func (w *worker) call(ctx context.Context) error {
	work := w.any()
	out, err := trial.Run(ctx, w.stream(), work.op, work.plan, work.setup)
	if err != nil {
		return fmt.Errorf("%s: %w", work.op.Name, err)
	}
	return work.check(out)
}

// graph captures and replays on a stream of its own: a stream that others submit to would record their work too.
func (w *worker) graph(ctx context.Context) (err error) {
	stream, err := w.dev.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	work := w.any()
	setup := work.setup
	setup.Graph = true
	out, err := trial.Run(ctx, stream, work.op, work.plan, setup)
	if err != nil {
		return fmt.Errorf("%s: %w", work.op.Name, err)
	}
	return work.check(out)
}

// cancelled gives up waiting at a random time. The work goes on with operands that were closed meanwhile.
func (w *worker) cancelled(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, time.Duration(w.random.IntN(2000))*time.Microsecond)
	defer cancel()
	work := w.any()
	out, err := trial.Run(patience, w.stream(), work.op, work.plan, work.setup)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", work.op.Name, err)
	}
	return work.check(out)
}

// several puts up to four operators into one scope and follows it with Then or Wait.
func (w *worker) several(ctx context.Context) (err error) {
	stream := w.stream()
	scope, err := stream.Begin()
	if err != nil {
		return err
	}
	defer scope.Drop()
	var all []*operands
	defer func() {
		for _, o := range all {
			err = errors.Join(err, o.close())
		}
	}()
	for range 1 + w.random.IntN(4) {
		o, err := w.anyDense().place(stream)
		if err != nil {
			return err
		}
		all = append(all, o)
		if err := o.work.plan.EnqueueCall(scope, o.call); err != nil {
			return err
		}
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	if err := w.await(ctx, done); err != nil {
		return err
	}
	for _, o := range all {
		if err := o.verify(stream); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) await(ctx context.Context, done oxrt.Completion) error {
	if w.random.IntN(2) == 0 {
		return done.Wait(ctx)
	}
	outcome := make(chan error, 1)
	done.Then(func(err error) { outcome <- err })
	select {
	case err := <-outcome:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// earlyClose closes every operand while the work is in flight, and perhaps never looks at it again.
func (w *worker) earlyClose(ctx context.Context) error {
	stream := w.stream()
	o, err := w.anyDense().place(stream)
	if err != nil {
		return err
	}
	scope, err := stream.Begin()
	if err != nil {
		return errors.Join(err, o.close())
	}
	if err := o.work.plan.EnqueueCall(scope, o.call); err != nil {
		scope.Drop()
		return errors.Join(err, o.close())
	}
	first := w.random.IntN(2) == 0 // before or behind the submission
	if first {
		err = o.close()
	}
	done, submitErr := scope.Submit()
	if !first {
		err = o.close()
	}
	if err := errors.Join(err, submitErr); err != nil || w.random.IntN(2) == 0 {
		return err
	}
	return done.Wait(ctx)
}

// dropped fills a scope and leaves it.
func (w *worker) dropped(context.Context) error {
	stream := w.stream()
	o, err := w.anyDense().place(stream)
	if err != nil {
		return err
	}
	scope, err := stream.Begin()
	if err != nil {
		return errors.Join(err, o.close())
	}
	err = o.work.plan.EnqueueCall(scope, o.call)
	if w.random.IntN(2) == 0 {
		err = errors.Join(err, o.close())
		scope.Drop()
		return err
	}
	scope.Drop()
	return errors.Join(err, o.close())
}
