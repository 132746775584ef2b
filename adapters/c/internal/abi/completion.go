package abi

import (
	"context"
	"time"

	"github.com/oxideinfer/oxide/runtime"
)

// A completion's handle holds the number of its device and of its slot: nothing is kept for it here, and none needs to be destroyed.
const (
	completionSlotBits = slotBits - 8
	capturedRef        = 1<<completionSlotBits - 1 // the slot of a submission that went into a graph
)

// completion makes the handle of a submission.
func (d *device) completion(c oxrt.Completion) Ref {
	slot, generation := c.Slot()
	if c.Captured() {
		slot, generation = capturedRef, 0
	}
	return newRef(completionKind, uint32(d.id)<<completionSlotBits|slot, generation)
}

// CompletionPoll reports without waiting how a submission ended: nil, NotReady or its error.
func (l *Library) CompletionPoll(h Ref) (err error) {
	defer recovered(&err, nil)
	c, captured, err := l.completion(h)
	if err != nil || captured {
		return err
	}
	settled, err := c.Poll()
	if !settled {
		return NotReady
	}
	return err
}

// CompletionWait waits until a submission has settled or the time is over, which is NotReady; a negative time waits for ever.
func (l *Library) CompletionWait(h Ref, nanoseconds int64) (err error) {
	defer recovered(&err, nil)
	c, captured, err := l.completion(h)
	if err != nil || captured {
		return err
	}
	if settled, err := c.Poll(); settled {
		return err
	}
	ctx := context.Background()
	if nanoseconds >= 0 {
		timed, cancel := context.WithTimeout(ctx, time.Duration(nanoseconds))
		defer cancel()
		ctx = timed
	}
	if err := c.Wait(ctx); err != nil {
		if ctx.Err() != nil && err == ctx.Err() {
			return NotReady
		}
		return err
	}
	return nil
}

// completion reads a handle.
func (l *Library) completion(h Ref) (c oxrt.Completion, captured bool, err error) {
	slot := h.slot() & capturedRef
	d := l.byID[h.slot()>>completionSlotBits].Load()
	switch {
	case h.kind() != completionKind:
		if k := h.kind(); k != 0 && int(k) < len(kindNames) {
			return c, false, refuse(Handle, "handle %#x is that of a %s, want a completion", uint64(h), kindNames[k])
		}
		return c, false, refuse(Handle, "%#x is no completion handle", uint64(h))
	case d == nil:
		return c, false, refuse(Handle, "completion %#x: its device was closed", uint64(h))
	case slot == capturedRef && h.generation() == 0:
		return c, true, nil
	}
	return d.dev.Completion(slot, h.generation()), false, nil
}
