package abi

import "github.com/oxideinfer/oxide/runtime"

// stream is a stream of another owner.
type stream struct {
	device *device
	stream *oxrt.Stream
}

// StreamOpen wraps a stream of the device's primary context. The driver's own streams 0, 1 (legacy) and 2 (per thread) have these handles.
func (l *Library) StreamOpen(h Ref, handle uint64, to *Ref) error {
	return l.devices.on(h, func(d *device) error {
		if err := outValue(to, "stream"); err != nil {
			return err
		}
		if err := d.use(); err != nil {
			return err
		}
		*to = l.streams.add(&stream{d, oxrt.ExternalStream(d.dev, oxrt.StreamHandle(handle))})
		return nil
	})
}

// StreamReserveWorkspace makes scratch memory ready for the plans of the stream: the most that one of them says.
func (l *Library) StreamReserveWorkspace(h Ref, bytes int64) error {
	return l.streams.on(h, func(s *stream) error { return s.stream.ReserveWorkspace(bytes) })
}

// StreamClose forgets the stream and leaves it alone; its workspace is freed when the work that uses it is done.
func (l *Library) StreamClose(h Ref) (err error) {
	defer recovered(&err, nil)
	s, err := l.streams.take(h)
	if err != nil {
		return err
	}
	s.device.unuse()
	return s.stream.Close()
}
