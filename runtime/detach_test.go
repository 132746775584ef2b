//go:build cgo && linux

package oxrt_test

import (
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestDetach: a submission without a completion records no event, and is a plain one where memory of ours has to be held.
func TestDetach(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	begin := func() *oxrt.Scope {
		s, err := c.stream.Begin()
		must(t, err)
		var p oxrt.Params
		p.PutPtr(0, 1)
		p.PutU32(8, 1)
		must(t, s.Launch(c.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p))
		return s
	}
	counts := func() (launches, events int) { return c.lib.Calls("cuLaunchKernel"), c.lib.Calls("cuEventRecord") }
	launches, events := counts()
	s := begin()
	must(t, s.Detach())
	if l, e := counts(); l != launches+1 || e != events {
		t.Errorf("%d launches and %d events, want 1 and none", l-launches, e-events)
	}
	if err := s.Detach(); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("detached twice: %v", err)
	}

	buffer, err := c.dev.Alloc(64)
	must(t, err)
	s = begin()
	must(t, s.Bind("op", oxrt.Operand{Name: "x", Region: buffer.All(oxrt.F32), Access: oxrt.Read}))
	must(t, s.Detach())
	if _, e := counts(); e != events+1 {
		t.Errorf("%d events for a scope that holds a buffer, want 1", e-events)
	}

	c.lib.Fail("cuLaunchKernel", 701, 0)
	if err := begin().Detach(); !errors.Is(err, oxrt.CodeLaunchOutOfResources) {
		t.Errorf("a launch that the driver refuses: %v", err)
	}
	must(t, buffer.Close())
}
