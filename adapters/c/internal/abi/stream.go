package abi

import "github.com/oxideinfer/oxide/runtime"

// stream is a stream of another owner.
type stream struct {
	device *device
	stream *oxrt.Stream
}

// StreamOpen wraps a stream of the device's primary context. The driver's own streams 0, 1 (legacy) and 2 (per thread) have these handles.
func (l *Library) StreamOpen(h Ref, handle uint64, to *Ref) (err error) {
	e, err := l.devices.get(h)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	if err := outValue(to, "stream"); err != nil {
		return err
	}
	d := e.value
	d.uses.Add(1)
	*to = l.streams.add(&stream{d, oxrt.ExternalStream(d.dev, oxrt.StreamHandle(handle))})
	return nil
}

// StreamClose forgets the stream and leaves it alone.
func (l *Library) StreamClose(h Ref) (err error) {
	defer recovered(&err, nil)
	s, err := l.streams.take(h)
	if err != nil {
		return err
	}
	s.device.uses.Add(-1)
	return nil
}
