package fakedriver

import (
	"maps"
	"slices"
	"sync"

	"github.com/oxideinfer/oxide/runtime"
)

// Driver is the fake. The zero value is not usable; call New.
type Driver struct {
	mu       sync.Mutex
	manual   bool
	calls    map[string]int
	fails    map[string]oxrt.Code
	next     uint64
	memory   map[oxrt.DevicePtr]int64
	objects  map[uint64]string // kind of every live handle
	pending  map[oxrt.EventHandle]oxrt.StreamHandle
	flying   map[oxrt.StreamHandle][]oxrt.EventHandle
	codes    map[oxrt.EventHandle]oxrt.Code
	capture  map[oxrt.StreamHandle]oxrt.CaptureID
	host     map[oxrt.DevicePtr][]byte
	log      []oxrt.Command
	params   []byte
	commands int
	freed    func(oxrt.DevicePtr)
}

// New returns a fake with two devices of compute capability 9.0 whose work is done at once, or, if manual, when Advance is called.
func New(manual bool) *Driver {
	return &Driver{manual: manual, calls: map[string]int{}, fails: map[string]oxrt.Code{}, next: 0x1000,
		memory: map[oxrt.DevicePtr]int64{}, objects: map[uint64]string{}, pending: map[oxrt.EventHandle]oxrt.StreamHandle{},
		flying: map[oxrt.StreamHandle][]oxrt.EventHandle{}, codes: map[oxrt.EventHandle]oxrt.Code{},
		capture: map[oxrt.StreamHandle]oxrt.CaptureID{}, host: map[oxrt.DevicePtr][]byte{}}
}

// Fail makes a method return code from now on; CodeSuccess ends that.
func (d *Driver) Fail(method string, code oxrt.Code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails[method] = code
}

// Calls returns how often a method was called.
func (d *Driver) Calls(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// AllCalls returns the counts of all methods.
func (d *Driver) AllCalls() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.calls)
}

// LiveBytes is the device memory that was not freed.
func (d *Driver) LiveBytes() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var n int64
	for _, b := range d.memory {
		n += b
	}
	return n
}

// LiveObjects counts the handles of a kind: "stream", "event", "module", "graph", "exec".
func (d *Driver) LiveObjects(kind string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, k := range d.objects {
		if k == kind {
			n++
		}
	}
	return n
}

// Advance finishes the oldest n submissions of a stream with code and returns how many there were.
func (d *Driver) Advance(s oxrt.StreamHandle, n int, code oxrt.Code) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n = min(n, len(d.flying[s]))
	for _, e := range d.flying[s][:n] {
		delete(d.pending, e)
		d.codes[e] = code
	}
	d.flying[s] = d.flying[s][n:]
	return n
}

// AdvanceOne finishes submission n of a stream, counted from the oldest in flight, before the others.
func (d *Driver) AdvanceOne(s oxrt.StreamHandle, n int, code oxrt.Code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.flying[s][n]
	delete(d.pending, e)
	d.codes[e] = code
	d.flying[s] = slices.Delete(d.flying[s], n, n+1)
}

// OnFree is called with the lock held for every address that is freed.
func (d *Driver) OnFree(f func(oxrt.DevicePtr)) { d.freed = f }

// Capturing makes a stream report that somebody else captures it.
func (d *Driver) Capturing(s oxrt.StreamHandle, on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.capture, s)
	if on {
		d.capture[s] = foreignCapture
	}
}

// foreignCapture is the number of somebody else's capture; ours count from above it.
const foreignCapture = 1

// Join makes a stream part of the capture of another one.
func (d *Driver) Join(s, of oxrt.StreamHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.capture[s] = d.capture[of]
}

// Host returns the host memory from a device address on.
func (d *Driver) Host(ptr oxrt.DevicePtr) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p, mem := range d.host {
		if ptr >= p && ptr < p+oxrt.DevicePtr(len(mem)) {
			return mem[ptr-p:]
		}
	}
	return nil
}

// leave ends the capture of a stream and of all that joined it.
func (d *Driver) leave(s oxrt.StreamHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.capture[s]
	for h, other := range d.capture {
		if other == id {
			delete(d.capture, h)
		}
	}
}

// Commands returns how many commands all batches had.
func (d *Driver) Commands() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.commands
}

// LastCommand returns the last command of the last batch.
func (d *Driver) LastCommand() oxrt.Command {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log[len(d.log)-1]
}

// LastBatch returns the commands and parameters of the last batch.
func (d *Driver) LastBatch() ([]oxrt.Command, []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log), slices.Clone(d.params)
}

// enter takes the lock, counts, and returns the code to fail with.
func (d *Driver) enter(method string) oxrt.Code {
	d.mu.Lock()
	d.calls[method]++
	return d.fails[method]
}

func (d *Driver) simple(method string) oxrt.Code {
	defer d.mu.Unlock()
	return d.enter(method)
}

func (d *Driver) create(method, kind string) (uint64, oxrt.Code) {
	defer d.mu.Unlock()
	if code := d.enter(method); code != oxrt.CodeSuccess {
		return 0, code
	}
	d.next++
	d.objects[d.next] = kind
	return d.next, oxrt.CodeSuccess
}

func (d *Driver) destroy(method, kind string, h uint64) oxrt.Code {
	defer d.mu.Unlock()
	if code := d.enter(method); code != oxrt.CodeSuccess {
		return code
	}
	if d.objects[h] != kind {
		return oxrt.CodeInvalidHandle
	}
	delete(d.objects, h)
	return oxrt.CodeSuccess
}

// fly records an event behind the work of a stream.
func (d *Driver) fly(e oxrt.EventHandle, s oxrt.StreamHandle) {
	delete(d.codes, e)
	if d.manual {
		d.pending[e] = s
		d.flying[s] = append(d.flying[s], e)
	}
}
