package emulated

import (
	"sync"
	"time"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// device is one emulated device. mu guards the tables and the queues; run guards the emulator, which works on one thing at a time.
// mu may be taken while run is held, never the other way round.
type device struct {
	options Options
	total   uint64

	run    sync.Mutex
	emu    *emulate.Device
	used   uint64
	live   map[oxrt.DevicePtr]uint64 // bytes
	host   map[*byte]oxrt.DevicePtr  // of AllocHost
	mapped map[oxrt.DevicePtr]bool   // by MapHost

	mu      sync.Mutex
	changed *sync.Cond // an event completed or a stream became idle
	working int        // streams with a goroutine, destroyed ones included
	next    uint64     // the last handle given out
	streams map[oxrt.StreamHandle]*stream
	events  map[oxrt.EventHandle]*event
	modules map[oxrt.ModuleHandle]*program
	funcs   map[oxrt.FuncHandle]*emulate.Kernel
	graphs  map[oxrt.GraphHandle]*graph
	execs   map[oxrt.ExecHandle]*graph
	last    failure // of any call or kernel, for Explain
	lost    failure // the context is lost: only with Options.Sticky
}

func newDevice(o Options) *device {
	v := &device{
		options: o, total: o.Emulator.MaxBytes, emu: emulate.NewDevice(o.Emulator), live: map[oxrt.DevicePtr]uint64{}, host: map[*byte]oxrt.DevicePtr{}, mapped: map[oxrt.DevicePtr]bool{},
		next:    uint64(oxrt.StreamPerThread),
		streams: map[oxrt.StreamHandle]*stream{}, events: map[oxrt.EventHandle]*event{},
		modules: map[oxrt.ModuleHandle]*program{}, funcs: map[oxrt.FuncHandle]*emulate.Kernel{},
		graphs: map[oxrt.GraphHandle]*graph{}, execs: map[oxrt.ExecHandle]*graph{},
	}
	if v.total == 0 {
		v.total = 16 << 30 // the emulator's default
	}
	v.changed = sync.NewCond(&v.mu)
	// The default stream is the legacy one under another number; a thread of the caller cannot be told from another here, so that all
	// have one per-thread stream.
	legacy := &stream{dev: v, legacy: true}
	v.streams[oxrt.StreamDefault], v.streams[oxrt.StreamLegacy] = legacy, legacy
	v.streams[oxrt.StreamPerThread] = &stream{dev: v, perThread: true}
	return v
}

func (v *device) handle() uint64 {
	v.next++
	return v.next
}

// note remembers a failure for Explain. mu must be held.
func (v *device) note(f failure) oxrt.Code {
	if f.failed() {
		v.last = f
	}
	return f.code
}

// synchronize waits until every stream is idle and returns the first failure that no completion carried.
func (v *device) synchronize() oxrt.Code {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.working > 0 {
		v.changed.Wait()
	}
	var first failure
	for _, s := range v.streams {
		if f := s.unreported; f.failed() && !first.failed() {
			first = f
		}
		s.unreported = failure{}
	}
	if v.lost.failed() {
		first = v.lost
	}
	return v.note(first)
}

// event names its last record; a wait that was enqueued before a later record still means the earlier one.
type event struct {
	timing  bool
	mark    *mark  // nil before the first record
	capture *graph // recorded during a capture
}

// mark is one record of an event.
type mark struct {
	done bool
	at   time.Time
	fail failure
}

// stream is an ordered queue; at most one goroutine works on it.
type stream struct {
	dev        *device
	legacy     bool // cannot be captured
	perThread  bool // cannot be destroyed
	queue      []command
	working    bool
	fail       failure // since the last completion: commands are skipped
	unreported failure // since the last wait for the stream
	capture    *graph
	dirty      bool // joined a capture and has commands that nobody waits for
}

func (s *stream) busy() bool { return s.working || len(s.queue) > 0 }

// enqueue adds commands and makes sure that a worker runs. mu must be held.
func (s *stream) enqueue(cmds ...command) {
	s.queue = append(s.queue, cmds...)
	if !s.working {
		s.working = true
		s.dev.working++
		go s.work()
	}
}

// work runs commands until the queue is empty.
func (s *stream) work() {
	v := s.dev
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(s.queue) > 0 {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.step(c)
	}
	s.queue = nil
	s.working = false
	v.working--
	v.changed.Broadcast()
}

// step runs one command. mu is held, but not while the emulator works.
func (s *stream) step(c command) {
	v := s.dev
	switch c.kind {
	case record:
		s.record(c)
		return
	case wait:
		for !c.mark.done {
			v.changed.Wait()
		}
		s.failed(c.mark.fail)
		return
	}
	if s.fail.failed() || v.lost.failed() {
		return
	}
	v.mu.Unlock()
	f := v.execute(c)
	v.mu.Lock()
	s.failed(f)
	v.note(f)
	if f.failed() && v.options.Sticky {
		v.lost = f
	}
}

func (s *stream) failed(f failure) {
	if f.failed() && !s.fail.failed() {
		s.fail, s.unreported = f, f
	}
}

// record completes an event. A completion takes the failure with it, so that the next submission starts clean.
func (s *stream) record(c command) {
	v, m := s.dev, c.mark
	m.done, m.at, m.fail = true, time.Now(), s.fail
	if v.lost.failed() {
		m.fail = v.lost
	}
	if c.settles {
		s.fail, s.unreported = failure{}, failure{}
	}
	v.changed.Broadcast()
}
