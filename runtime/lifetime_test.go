package oxrt_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakedriver"
)

func TestRuntimeCloseFreesAndReports(t *testing.T) {
	var reported []oxrt.Leak
	drv := fakedriver.New(true)
	rt, err := oxrt.OpenDriverWith(drv, oxrt.Options{OnLeak: func(l oxrt.Leak) { reported = append(reported, l) }})
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	k, err := dev.Load(tiny(t))
	must(t, err)
	r := &rig{t, drv, rt, dev, stream, k}
	buf, err := dev.AllocNamed("kv", 64)
	must(t, err)
	event, err := dev.NewEvent(false)
	must(t, err)
	done := r.use(buf)
	open := r.begin()
	must(t, open.Fill(buf.All(oxrt.U8), 0))
	r.graph(buf)
	if n := len(rt.OpenObjects()); n != 5 {
		t.Errorf("%d open objects: %v", n, rt.OpenObjects())
	}

	must(t, rt.Close())
	kinds := map[string]bool{}
	for _, l := range reported {
		kinds[l.Kind] = true
		if !strings.Contains(l.Site, "_test.go:") && l.Kind != "scope" {
			t.Errorf("made where? %v", l)
		}
	}
	if len(reported) != 5 || !kinds["scope"] || !kinds["stream"] || !kinds["buffer"] || !kinds["event"] || !kinds["graph"] {
		t.Errorf("reported %v", reported)
	}
	for _, kind := range []string{"stream", "event", "module", "graph", "exec"} {
		if n := drv.LiveObjects(kind); n != 0 {
			t.Errorf("%d %ss left", n, kind)
		}
	}
	if drv.LiveBytes() != 0 || drv.Calls("Release") != 1 || drv.Calls("Close") != 1 {
		t.Error("memory, context or driver left")
	}
	open.Drop() // gives leases of dead memory back without touching the driver
	after := drv.AllCalls()
	for name, err := range map[string]error{
		"runtime": rt.Close(), "buffer": buf.Close(), "event": event.Close(), "stream": stream.Close(),
		"device": second(rt.Device(0)), "alloc": second(dev.Alloc(1)), "begin": second(stream.Begin()), "devices": second(rt.Devices()),
		"new stream": second(dev.NewStream()), "new event": second(dev.NewEvent(false)), "load": second(dev.Load(tiny(t))),
		"sync": dev.Synchronize(),
	} {
		if !errors.Is(err, oxrt.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	for method, n := range drv.AllCalls() {
		if n != after[method] {
			t.Errorf("%s called after Close", method)
		}
	}
	if _, err := done.Poll(); err != nil && !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("completion after Close: %v", err)
	}
}

func TestDroppedObjectsAreReportedNotFreed(t *testing.T) {
	leaks := make(chan oxrt.Leak, 8)
	drv := fakedriver.New(false)
	rt, err := oxrt.OpenDriverWith(drv, oxrt.Options{OnLeak: func(l oxrt.Leak) { leaks <- l }})
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	func() {
		_, err := dev.AllocNamed("forgotten", 64)
		must(t, err)
		b, err := dev.AllocNamed("kept", 32)
		must(t, err)
		must(t, b.Close())
	}()
	select {
	case l := <-collect(leaks):
		if l.Kind != "buffer" || l.Name != "forgotten" || l.Bytes != 64 || !strings.Contains(l.String(), "buffer forgotten of 64 bytes made at ") {
			t.Errorf("reported %v", l)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("not reported")
	}
	if n := len(rt.Leaks()); n != 1 || drv.LiveBytes() != 64 {
		t.Errorf("%d leaks, %d bytes live", n, drv.LiveBytes())
	}
}

// collect runs the garbage collector until a leak arrives.
func collect(leaks chan oxrt.Leak) chan oxrt.Leak {
	out := make(chan oxrt.Leak, 1)
	go func() {
		for {
			goruntime.GC()
			select {
			case l := <-leaks:
				out <- l
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return out
}

func TestAbandonedScopeGivesLeasesBack(t *testing.T) {
	leaks := make(chan oxrt.Leak, 8)
	rt, err := oxrt.OpenDriverWith(fakedriver.New(false), oxrt.Options{OnLeak: func(l oxrt.Leak) { leaks <- l }})
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	buf, err := dev.Alloc(64)
	must(t, err)
	func() {
		s, err := stream.Begin()
		must(t, err)
		must(t, s.Fill(buf.All(oxrt.U8), 0))
		for range 100 { // scopes are collected by the dozen
			next, err := stream.Begin()
			must(t, err)
			next.Drop()
		}
	}()
	if l := <-collect(leaks); l.Kind != "scope" || l.Name != "fill" {
		t.Errorf("reported %v", l)
	}
	must(t, buf.Close())
	goruntime.KeepAlive(stream)
}

func TestAdoptedMemory(t *testing.T) {
	r := newRig(t, true)
	released := 0
	b, err := r.dev.Adopt(0x1000, 64, func() { released++ })
	must(t, err)
	done := r.use(b)
	if err := b.Close(); !errors.Is(err, oxrt.ErrLeased) || released != 0 {
		t.Fatalf("%v, released %d times", err, released)
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, done.Wait(context.Background()))
	if released != 1 || r.drv.Calls("Free") != 0 {
		t.Errorf("released %d times, freed %d times", released, r.drv.Calls("Free"))
	}
	for _, bad := range []struct {
		ptr   oxrt.DevicePtr
		bytes int64
	}{{0, 1}, {1, -1}, {^oxrt.DevicePtr(0), 2}} {
		if _, err := r.dev.Adopt(bad.ptr, bad.bytes, nil); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestConcurrentUse: many goroutines share streams and buffers; afterwards nothing is leased and nothing is left.
func TestConcurrentUse(t *testing.T) {
	r := newRig(t, false)
	shared := r.buffer(64)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				own := r.buffer(64)
				s := r.begin()
				if err := s.Bind("op", oxrt.Operand{Name: "y", Region: own.All(oxrt.F32), Access: oxrt.Write},
					oxrt.Operand{Name: "x", Region: shared.All(oxrt.F32), Access: oxrt.Read}); err != nil {
					t.Error(err)
				}
				if err := r.launch(s); err != nil {
					t.Error(err)
				}
				done, err := s.Submit()
				if err != nil {
					t.Error(err)
				}
				if err := own.Close(); err != nil && !errors.Is(err, oxrt.ErrLeased) {
					t.Error(err)
				}
				if err := done.Wait(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, shared.Close())
	if n := r.drv.LiveBytes(); n != 0 {
		t.Errorf("%d bytes left", n)
	}
}
