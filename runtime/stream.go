package oxrt

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// Stream is an ordered queue of device work: one of ours or somebody else's. It is safe for concurrent use; scopes are submitted in
// the order of their Submit calls.
type Stream struct {
	dev    *Device
	handle StreamHandle
	lease  *lease // nil for an external stream

	order     *streamOrder
	recording atomic.Pointer[recording]

	work      sync.Mutex // guards workspace
	workspace workspace
}

// NewStream creates a stream that does not synchronise with the legacy default stream.
func (d *Device) NewStream() (*Stream, error) { return d.NewStreamWithPriority(0) }

// StreamPriorities returns the least and the greatest stream priority of the device. Greater ones are lower numbers; 0 is the default.
// Where both are 0 the device has none.
func (d *Device) StreamPriorities() (least, greatest int, err error) {
	if err := d.usable(); err != nil {
		return 0, 0, err
	}
	least, greatest, code := d.drv.StreamPriorities(d.ctx)
	if code != CodeSuccess {
		return 0, 0, d.fail("cuCtxGetStreamPriorityRange", "", code)
	}
	return least, greatest, nil
}

// NewStreamWithPriority creates a stream with a priority of the device: waiting blocks of streams with lower numbers start first. The
// driver would silently bring a number outside the range into it; here it is refused.
func (d *Device) NewStreamWithPriority(priority int) (*Stream, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if priority != 0 {
		least, greatest, err := d.StreamPriorities()
		if err != nil {
			return nil, err
		}
		if priority > least || priority < greatest {
			return nil, &ContractError{"Device.NewStreamWithPriority", "priority", fmt.Sprintf("%d to %d", greatest, least), strconv.Itoa(priority)}
		}
	}
	handle, code := d.drv.StreamCreate(d.ctx, priority)
	if code != CodeSuccess {
		return nil, d.fail("cuStreamCreateWithPriority", "", code)
	}
	s := &Stream{dev: d, handle: handle, lease: &lease{}, order: d.orders.of(handle)}
	id := d.rt.live.add(Leak{Kind: "stream", Site: callSite()}, s.lease)
	live, drv, ctx := d.rt.live, d.drv, d.ctx
	s.lease.free = func() {
		d.orders.forget(handle)
		drv.StreamDestroy(ctx, handle)
		live.remove(id)
	}
	watch(s, live, id)
	return s, nil
}

// ExternalStream wraps a stream of another owner on the device's primary context, the handles 0 (default), 1 (legacy) and 2
// (per thread) included. What 2 means depends on the calling OS thread: a goroutine that submits to it more than once locks itself to
// its thread. Closing the wrapper frees its workspace and leaves the stream alone.
func ExternalStream(d *Device, handle StreamHandle) *Stream {
	return &Stream{dev: d, handle: handle, order: d.orders.of(handle)}
}

// Device returns the device of the stream.
func (s *Stream) Device() *Device { return s.dev }

// Handle returns the driver's handle.
func (s *Stream) Handle() StreamHandle { return s.handle }

func (s *Stream) usable() error {
	if s.lease != nil && s.lease.closed() {
		return fmt.Errorf("stream: %w", ErrClosed)
	}
	return s.dev.usable()
}

// Query reports whether everything enqueued so far is done.
func (s *Stream) Query() (bool, error) {
	if err := s.usable(); err != nil {
		return false, err
	}
	switch code := s.dev.drv.StreamQuery(s.dev.ctx, s.handle); code {
	case CodeSuccess:
		return true, nil
	case CodeNotReady:
		return false, nil
	default:
		return false, s.dev.fail("cuStreamQuery", "", code)
	}
}

// Synchronize waits until everything enqueued so far is done, or ctx is. Cancelling ends the wait, not the work.
func (s *Stream) Synchronize(ctx context.Context) error {
	var b backoff
	for {
		if done, err := s.Query(); done || err != nil {
			return err
		}
		if err := b.pause(ctx); err != nil {
			return err
		}
	}
}

// Upload copies host bytes to the start of a region, in stream order, and waits for the copy.
func (s *Stream) Upload(dst Region, src []byte) error {
	if err := s.copyable("Stream.Upload", dst, len(src), Write); err != nil {
		return err
	}
	if len(src) == 0 {
		return nil
	}
	if code := s.dev.drv.CopyToDevice(s.dev.ctx, s.handle, dst.ptr, src); code != CodeSuccess {
		return s.dev.fail("cuMemcpyHtoDAsync", "", code)
	}
	return nil
}

// Download copies the first len(dst) bytes of a region to the host, in stream order, and waits for the copy.
func (s *Stream) Download(dst []byte, src Region) error {
	if err := s.copyable("Stream.Download", src, len(dst), Read); err != nil {
		return err
	}
	if len(dst) == 0 {
		return nil
	}
	if code := s.dev.drv.CopyToHost(s.dev.ctx, s.handle, dst, src.ptr); code != CodeSuccess {
		return s.dev.fail("cuMemcpyDtoHAsync", "", code)
	}
	return nil
}

func (s *Stream) copyable(op string, r Region, n int, access Access) error {
	if err := s.usable(); err != nil {
		return err
	}
	switch {
	case s.recording.Load() != nil:
		return &ContractError{op, "stream", "not capturing", "capturing"}
	case r.mem != nil && r.mem.closed():
		return r.gone(op, "region")
	case r.mem != nil && r.mem.dev != s.dev:
		return &ContractError{op, "region", "on " + s.dev.String(), "on " + r.mem.dev.String()}
	case int64(n) > r.Bytes():
		return &ContractError{op, "bytes", "at most " + strconv.FormatInt(r.Bytes(), 10), strconv.Itoa(n)}
	case r.access&access == 0 && n > 0:
		return &ContractError{op, "access", access.String(), r.access.String()}
	}
	return nil
}

// WaitEvent makes later work of the stream wait for the event.
func (s *Stream) WaitEvent(e *Event) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := e.usable(); err != nil {
		return err
	}
	if code := s.dev.drv.StreamWait(s.dev.ctx, s.handle, e.handle); code != CodeSuccess {
		return s.dev.fail("cuStreamWaitEvent", "", code)
	}
	return nil
}

// Close destroys an own stream once its work is done, without waiting for it. A second Close returns ErrClosed.
func (s *Stream) Close() error {
	if s.lease != nil {
		if first, _ := s.lease.close(); !first {
			return fmt.Errorf("stream: %w", ErrClosed)
		}
	}
	s.closeWorkspace()
	return nil
}
