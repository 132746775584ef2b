package emulated

import (
	"github.com/oxideinfer/oxide/runtime"
)

// withStream runs f under the device's lock with a valid stream.
func (d *Driver) withStream(ctx oxrt.ContextHandle, h oxrt.StreamHandle, f func(*device, *stream) oxrt.Code) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.streams[h]
	if s == nil {
		return oxrt.CodeInvalidHandle
	}
	if v.lost.failed() {
		return v.note(v.lost)
	}
	return f(v, s)
}

// StreamCreate makes a stream; priorities change nothing.
func (d *Driver) StreamCreate(ctx oxrt.ContextHandle, _ int) (oxrt.StreamHandle, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	h := oxrt.StreamHandle(v.handle())
	v.streams[h] = &stream{dev: v}
	return h, oxrt.CodeSuccess
}

// StreamPriorities returns the range of an H200. Any order of streams is allowed, the emulated one is that of submission.
func (d *Driver) StreamPriorities(ctx oxrt.ContextHandle) (least, greatest int, code oxrt.Code) {
	if d.device(ctx) == nil {
		return 0, 0, oxrt.CodeInvalidContext
	}
	return 0, -5, oxrt.CodeSuccess
}

// StreamDestroy forgets the stream; queued work still runs.
func (d *Driver) StreamDestroy(ctx oxrt.ContextHandle, h oxrt.StreamHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.streams[h]
	if s == nil || s.legacy || s.perThread {
		return oxrt.CodeInvalidHandle
	}
	delete(v.streams, h)
	return oxrt.CodeSuccess
}

// StreamQuery reports whether the stream is idle, and once what went wrong on it.
func (d *Driver) StreamQuery(ctx oxrt.ContextHandle, h oxrt.StreamHandle) oxrt.Code {
	return d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		if s.capture != nil {
			return oxrt.CodeCaptureUnsupported
		}
		if s.busy() {
			return oxrt.CodeNotReady
		}
		return s.outcome()
	})
}

// StreamSynchronize waits until the stream is idle.
func (d *Driver) StreamSynchronize(ctx oxrt.ContextHandle, h oxrt.StreamHandle) oxrt.Code {
	return d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		if s.capture != nil {
			return oxrt.CodeCaptureUnsupported
		}
		for s.busy() {
			v.changed.Wait()
		}
		return s.outcome()
	})
}

// outcome returns a failure once. The stream then starts clean.
func (s *stream) outcome() oxrt.Code {
	f := s.unreported
	s.unreported, s.fail = failure{}, failure{}
	return s.dev.note(f)
}

// StreamWait makes the stream wait for an event.
func (d *Driver) StreamWait(ctx oxrt.ContextHandle, h oxrt.StreamHandle, eh oxrt.EventHandle) oxrt.Code {
	return d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		e := v.events[eh]
		if e == nil {
			return oxrt.CodeInvalidHandle
		}
		return s.add(command{kind: wait, event: e})
	})
}

// EventCreate makes an event that counts as done.
func (d *Driver) EventCreate(ctx oxrt.ContextHandle, timing bool) (oxrt.EventHandle, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	h := oxrt.EventHandle(v.handle())
	v.events[h] = &event{timing: timing}
	return h, oxrt.CodeSuccess
}

func (d *Driver) withEvent(ctx oxrt.ContextHandle, h oxrt.EventHandle, f func(*device, *event) oxrt.Code) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.events[h]
	if e == nil {
		return oxrt.CodeInvalidHandle
	}
	return f(v, e)
}

// EventDestroy forgets the event; a record on its way still happens.
func (d *Driver) EventDestroy(ctx oxrt.ContextHandle, h oxrt.EventHandle) oxrt.Code {
	return d.withEvent(ctx, h, func(v *device, _ *event) oxrt.Code {
		delete(v.events, h)
		return oxrt.CodeSuccess
	})
}

// EventRecord places the event behind the stream's work so far.
func (d *Driver) EventRecord(ctx oxrt.ContextHandle, h oxrt.EventHandle, sh oxrt.StreamHandle) oxrt.Code {
	return d.withStream(ctx, sh, func(v *device, s *stream) oxrt.Code {
		e := v.events[h]
		if e == nil {
			return oxrt.CodeInvalidHandle
		}
		return s.add(command{kind: record, event: e})
	})
}

// EventQuery reports whether the work in front of the last record is done, and how it ended.
func (d *Driver) EventQuery(ctx oxrt.ContextHandle, h oxrt.EventHandle) oxrt.Code {
	return d.withEvent(ctx, h, func(v *device, e *event) oxrt.Code {
		switch {
		case e.capture != nil:
			return oxrt.CodeCapturedEvent
		case e.mark == nil:
			return oxrt.CodeSuccess
		case !e.mark.done:
			return oxrt.CodeNotReady
		}
		return v.note(e.mark.fail)
	})
}

// EventSynchronize waits for the last record.
func (d *Driver) EventSynchronize(ctx oxrt.ContextHandle, h oxrt.EventHandle) oxrt.Code {
	return d.withEvent(ctx, h, func(v *device, e *event) oxrt.Code {
		if e.capture != nil {
			return oxrt.CodeCapturedEvent
		}
		m := e.mark
		if m == nil {
			return oxrt.CodeSuccess
		}
		for !m.done {
			v.changed.Wait()
		}
		return v.note(m.fail)
	})
}

// EventElapsed returns host time: the emulator's speed, not a device's.
func (d *Driver) EventElapsed(ctx oxrt.ContextHandle, start, end oxrt.EventHandle) (float32, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	a, b := v.events[start], v.events[end]
	switch {
	case a == nil || b == nil || !a.timing || !b.timing || a.mark == nil || b.mark == nil:
		return 0, oxrt.CodeInvalidHandle
	case !a.mark.done || !b.mark.done:
		return 0, oxrt.CodeNotReady
	}
	return float32(b.mark.at.Sub(a.mark.at).Seconds() * 1e3), oxrt.CodeSuccess
}
