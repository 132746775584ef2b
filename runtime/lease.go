package oxrt

import "sync/atomic"

// lease counts the submitted work that uses an object, so that an object closed early is freed late. The count and the closed mark
// share one word: the free function runs exactly once, on whichever of close and last release comes second.
type lease struct {
	state atomic.Int64
	free  func()
}

const (
	leaseClosed = int64(1) << 62
	leaseDead   = leaseClosed | 1<<61 // no count of releases gets from here to leaseClosed
)

// acquire takes a lease; false means that the object was closed.
func (l *lease) acquire() bool {
	for {
		v := l.state.Load()
		if v&leaseClosed != 0 {
			return false
		}
		if l.state.CompareAndSwap(v, v+1) {
			return true
		}
	}
}

// release gives a lease back.
func (l *lease) release() {
	if l.state.Add(-1) == leaseClosed {
		l.free()
	}
}

// close marks the object closed and frees it if nothing uses it. first is false if it was closed before; idle is false if the
// object is still leased and will be freed later.
func (l *lease) close() (first, idle bool) {
	for {
		v := l.state.Load()
		if v&leaseClosed != 0 {
			return false, v == leaseClosed
		}
		if l.state.CompareAndSwap(v, v|leaseClosed) {
			if v == 0 {
				l.free()
			}
			return true, v == 0
		}
	}
}

// closeIdle closes and frees the object if nothing uses it.
func (l *lease) closeIdle() bool {
	if !l.state.CompareAndSwap(0, leaseClosed) {
		return false
	}
	l.free()
	return true
}

// force frees the object whatever leases are held: the runtime is closing and the device has finished. Later releases do nothing.
func (l *lease) force() {
	if l.state.Swap(leaseDead) != leaseClosed {
		l.free()
	}
}

func (l *lease) closed() bool { return l.state.Load()&leaseClosed != 0 }

// count returns the leases held.
func (l *lease) count() int64 { return l.state.Load() &^ leaseDead }
