package oxrt_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func TestPriorities(t *testing.T) {
	r := newRig(t, false)
	least, greatest, err := r.dev.StreamPriorities()
	if err != nil || least != 0 || greatest != -5 {
		t.Fatalf("%d to %d, %v", least, greatest, err)
	}
	for priority, ok := range map[int]bool{0: true, -5: true, -6: false, 1: false} {
		s, err := r.dev.NewStreamWithPriority(priority)
		if (err == nil) != ok || (err != nil && !errors.Is(err, oxrt.ErrContract)) {
			t.Errorf("priority %d: %v", priority, err)
		}
		if s != nil {
			must(t, s.Close())
		}
	}
}

// TestPerThreadStreamsAreNotOneQueue: a later submission that is done says nothing about an earlier one of another thread.
func TestPerThreadStreamsAreNotOneQueue(t *testing.T) {
	for handle, through := range map[oxrt.StreamHandle]bool{oxrt.StreamLegacy: true, oxrt.StreamDefault: true, oxrt.StreamPerThread: false} {
		r := newRig(t, true)
		r.stream = oxrt.ExternalStream(r.dev, handle)
		buf := r.buffer(64)
		var done [8]oxrt.Completion
		for i := range done {
			done[i] = r.use(buf)
		}
		r.drv.AdvanceOne(handle, 4, oxrt.CodeSuccess) // the one in the middle, as on a queue of its own
		if ok, err := done[0].Poll(); err != nil || ok != through {
			t.Errorf("stream %d: the first is done: %v, %v", handle, ok, err)
		}
	}
}

func TestExternalEvents(t *testing.T) {
	r := newRig(t, false)
	theirs := oxrt.ExternalEvent(r.dev, 0x77)
	s := r.begin()
	must(t, s.WaitFor(theirs))
	must(t, r.launch(s))
	must(t, s.Signal(theirs))
	must(t, r.submit(s).Wait(context.Background()))
	if c := r.drv.LastCommand(); c.Kind != oxrt.CommandRecord || c.Event != 0x77 {
		t.Errorf("%+v", c)
	}
	must(t, r.stream.WaitEvent(theirs))
	for range 2 {
		must(t, theirs.Close())
	}
	if r.drv.Calls("EventDestroy") != 0 {
		t.Error("somebody else's event destroyed")
	}
}

func TestThen(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	got := make(chan error)
	first, second := r.use(buf), r.use(buf)
	for _, c := range []oxrt.Completion{first, second} {
		c.Then(func(err error) { got <- err })
	}
	select {
	case err := <-got:
		t.Fatalf("called before the work is done, with %v", err)
	default:
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, <-got)
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeLaunchFailed)
	if err := <-got; !errors.Is(err, oxrt.CodeLaunchFailed) {
		t.Errorf("got %v", err)
	}
	oxrt.Completion{}.Then(func(err error) { got <- err })
	if err := <-got; !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("got %v", err)
	}
}

// collectGarbage runs the collector until cleanups that are due have run.
func collectGarbage() {
	for range 3 {
		done := make(chan bool)
		goruntime.AddCleanup(new([16]int), func(c chan bool) { close(c) }, done)
		for open := true; open; {
			goruntime.GC()
			select {
			case <-done:
				open = false
			default:
				goruntime.Gosched()
			}
		}
	}
}
