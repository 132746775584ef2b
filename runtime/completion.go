package oxrt

import (
	"context"
	goruntime "runtime"
	"time"
)

// Completion is the outcome of one [Scope.Submit] or [Graph.Launch]: a small value, safe to copy and for concurrent use. It settles
// with nil or a typed error, and every operand is held until then. An outcome that was read can be read again until
// [CompletionsKept] more submissions have been made on the device, one that was not read for much longer; from then on the
// completion is ErrStale.
type Completion struct {
	dev  *Device
	slot uint32
	gen  uint32
}

// CompletionsKept is the number of later submissions that an outcome survives after it was read.
const CompletionsKept = 64

// capturedSlot marks the completion of a submission that went into a graph: nothing runs, so it is settled.
const capturedSlot = ^uint32(0)

// Captured reports whether the submission was recorded into a graph instead of being run.
func (c Completion) Captured() bool { return c.dev != nil && c.slot == capturedSlot }

// Slot returns the two numbers that name the completion on its device, for use as a foreign handle.
func (c Completion) Slot() (slot, generation uint32) { return c.slot, c.gen }

// Poll reports without waiting whether the work has settled, and with what. A stale or zero completion is done with ErrStale.
func (c Completion) Poll() (done bool, err error) {
	if c.dev == nil {
		return true, ErrStale
	}
	if c.slot == capturedSlot {
		return true, nil
	}
	return c.dev.completions.poll(c)
}

// Wait waits until the work has settled or ctx is done. In the second case it returns the context's error and the work goes on: the
// operands stay held and the completion can be waited for again.
func (c Completion) Wait(ctx context.Context) error {
	var b backoff
	for {
		if done, err := c.Poll(); done {
			return err
		}
		if err := b.pause(ctx); err != nil {
			return err
		}
	}
}

// Then calls f once with the outcome, on a goroutine of its own, when the work has settled; for a stale completion that is ErrStale.
func (c Completion) Then(f func(error)) {
	go func() { f(c.Wait(context.Background())) }()
}

// backoff spins for about as long as a short kernel takes and sleeps after that, so that a decode step is noticed at once and a long
// wait costs no processor.
type backoff struct {
	start time.Time
	tries int
}

const (
	spinFor  = 100 * time.Microsecond
	sleepFor = 20 * time.Microsecond
	sleepMax = time.Millisecond
)

func (b *backoff) pause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.tries == 0 {
		b.start = time.Now()
	}
	b.tries++
	waited := time.Since(b.start)
	if waited < spinFor {
		goruntime.Gosched()
		return nil
	}
	time.Sleep(min(max(sleepFor, waited/16), sleepMax))
	return nil
}
