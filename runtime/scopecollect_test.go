package oxrt_test

import (
	goruntime "runtime"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakedriver"
)

// collecting runs the garbage collector, and what it found to clean up, in the middle of every submission.
type collecting struct{ *fakedriver.Driver }

func (d collecting) Submit(c oxrt.ContextHandle, s oxrt.StreamHandle, b *oxrt.Batch) (int, oxrt.CaptureID, oxrt.Code) {
	for range 3 {
		goruntime.GC()
		time.Sleep(time.Millisecond)
	}
	return d.Driver.Submit(c, s, b)
}

// TestScopeLivesThroughItsLastCall: nobody holds a scope while its last method runs, and the collector may come by then. It
// must not take the scope for one that was abandoned and give its core to somebody else.
func TestScopeLivesThroughItsLastCall(t *testing.T) {
	rt, err := oxrt.OpenDriver(collecting{fakedriver.New(false)})
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	for name, last := range map[string]func(*oxrt.Scope) error{
		"Submit": func(s *oxrt.Scope) error { _, err := s.Submit(); return err },
		"Detach": func(s *oxrt.Scope) error { return s.Detach() },
	} {
		for range 40 { // more than scopes are made, and collected, at once
			scope, err := stream.Begin()
			must(t, err)
			if err := last(scope); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if leaks := rt.Leaks(); len(leaks) > 0 {
		t.Errorf("submitted scopes count as abandoned: %v", leaks)
	}
	must(t, stream.Close())
	must(t, rt.Close())
}
