package oxrt

import (
	"fmt"
	"time"
)

// Event marks a place in a stream, for ordering between streams and for timing. It is safe for concurrent use.
type Event struct {
	dev    *Device
	handle EventHandle
	timing bool
	lease  *lease
}

// NewEvent creates an event that can be waited for; one with timing can also be measured and is a little slower.
func (d *Device) NewEvent(timing bool) (*Event, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	handle, code := d.drv.EventCreate(d.ctx, timing)
	if code != CodeSuccess {
		return nil, d.fail("cuEventCreate", "", code)
	}
	e := &Event{dev: d, handle: handle, timing: timing, lease: &lease{}}
	id := d.rt.live.add(Leak{Kind: "event", Site: callSite()}, e.lease)
	live, drv, ctx := d.rt.live, d.drv, d.ctx
	e.lease.free = func() {
		drv.EventDestroy(ctx, handle)
		live.remove(id)
	}
	watch(e, live, id)
	return e, nil
}

// ExternalEvent wraps an event of another owner on the device's primary context, for scopes that wait for or signal it. It has no
// timing; closing the wrapper leaves the event alone.
func ExternalEvent(d *Device, handle EventHandle) *Event { return &Event{dev: d, handle: handle} }

func (e *Event) usable() error {
	if e.lease != nil && e.lease.closed() {
		return fmt.Errorf("event: %w", ErrClosed)
	}
	return e.dev.usable()
}

// Handle returns the driver's handle.
func (e *Event) Handle() EventHandle { return e.handle }

// Record places the event behind the stream's work so far.
func (e *Event) Record(s *Stream) error {
	if err := e.usable(); err != nil {
		return err
	}
	if code := e.dev.drv.EventRecord(e.dev.ctx, e.handle, s.handle); code != CodeSuccess {
		return e.dev.fail("cuEventRecord", "", code)
	}
	return nil
}

// Query reports whether the work in front of the last Record is done.
func (e *Event) Query() (bool, error) {
	if err := e.usable(); err != nil {
		return false, err
	}
	switch code := e.dev.drv.EventQuery(e.dev.ctx, e.handle); code {
	case CodeSuccess:
		return true, nil
	case CodeNotReady:
		return false, nil
	default:
		return false, e.dev.fail("cuEventQuery", "", code)
	}
}

// Since returns the device time between start and e; both must have timing and be done.
func (e *Event) Since(start *Event) (time.Duration, error) {
	if err := e.usable(); err != nil {
		return 0, err
	}
	if err := start.usable(); err != nil {
		return 0, err
	}
	if !e.timing || !start.timing {
		return 0, &ContractError{"Event.Since", "events", "made with timing", "made without"}
	}
	ms, code := e.dev.drv.EventElapsed(e.dev.ctx, start.handle, e.handle)
	if code != CodeSuccess {
		return 0, e.dev.fail("cuEventElapsedTime", "", code)
	}
	return time.Duration(float64(ms) * float64(time.Millisecond)), nil
}

// Close destroys the event. A second Close returns ErrClosed.
func (e *Event) Close() error {
	if e.lease == nil {
		return nil
	}
	if first, _ := e.lease.close(); !first {
		return fmt.Errorf("event: %w", ErrClosed)
	}
	return nil
}
