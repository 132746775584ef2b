package oxrt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func (r *rig) scratch(bytes int64) (oxrt.Region, oxrt.Completion, error) {
	r.Helper()
	s := r.begin()
	w, err := s.Workspace("op", bytes)
	if err != nil {
		s.Drop()
		return w, oxrt.Completion{}, err
	}
	must(r, r.launch(s))
	done, err := s.Submit()
	return w, done, err
}

func TestWorkspaceIsOneReservedBlock(t *testing.T) {
	r := newRig(t, true)
	if _, _, err := r.scratch(100); !errors.Is(err, oxrt.ErrContract) {
		t.Fatalf("nothing reserved: %v", err)
	}
	must(t, r.stream.ReserveWorkspace(1000))
	must(t, r.stream.ReserveWorkspace(500)) // is there
	a, first, err := r.scratch(1000)
	must(t, err)
	b, _, err := r.scratch(10)
	must(t, err)
	if a.Ptr() != b.Ptr() || a.Bytes() != 1000 || b.Bytes() != 10 || !a.AlignedTo(oxrt.WorkspaceAlign) || a.Owner() != nil {
		t.Errorf("%d bytes at %#x, %d at %#x", a.Bytes(), uint64(a.Ptr()), b.Bytes(), uint64(b.Ptr()))
	}
	if _, _, err := r.scratch(2000); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("more than reserved: %v", err)
	}
	if reserved, high := r.stream.WorkspaceBytes(); reserved != 1000 || high != 2000 {
		t.Errorf("%d reserved, high-water mark %d", reserved, high)
	}
	// Growing leaves the block to the work in flight.
	must(t, r.stream.ReserveWorkspace(2000))
	if n := r.drv.LiveBytes(); n != 3000 {
		t.Errorf("%d bytes live", n)
	}
	r.drv.Advance(r.stream.Handle(), 2, oxrt.CodeSuccess)
	must(t, first.Wait(context.Background()))
	must(t, r.dev.Synchronize())
	if n := r.drv.LiveBytes(); n != 2000 {
		t.Errorf("%d bytes live after the work", n)
	}
	must(t, r.stream.Close())
	if n := r.drv.LiveBytes(); n != 0 || len(r.rt.OpenObjects()) != 0 {
		t.Errorf("%d bytes live after the stream: %v", n, r.rt.OpenObjects())
	}
}

func TestWorkspaceRefusals(t *testing.T) {
	r := newRig(t, false)
	thread := oxrt.ExternalStream(r.dev, oxrt.StreamPerThread)
	if err := thread.ReserveWorkspace(8); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("per-thread stream: %v", err)
	}
	if err := r.stream.ReserveWorkspace(-8); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("negative: %v", err)
	}
	if _, _, err := r.scratch(-1); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("negative call: %v", err)
	}
	must(t, r.stream.ReserveWorkspace(64))
	r.drv.Capturing(r.stream.Handle(), true)
	if _, _, err := r.scratch(8); !errors.Is(err, oxrt.ErrCapture) {
		t.Errorf("somebody else's capture: %v", err)
	}
	external := oxrt.ExternalStream(r.dev, oxrt.StreamLegacy)
	must(t, external.ReserveWorkspace(64))
	must(t, external.Close())
	must(t, external.Close())
	must(t, r.stream.Close())
	if n := r.drv.LiveBytes(); n != 0 {
		t.Errorf("%d bytes live", n)
	}
}

// TestGraphHasItsOwnWorkspace: a replay may run beside eager work of the stream that it was captured on.
func TestGraphHasItsOwnWorkspace(t *testing.T) {
	r := newRig(t, false)
	must(t, r.stream.ReserveWorkspace(64))
	eager, _, err := r.scratch(64)
	must(t, err)
	must(t, r.stream.BeginCapture())
	if err := r.stream.ReserveWorkspace(128); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("reserved while capturing: %v", err)
	}
	a, done, err := r.scratch(64)
	must(t, err)
	b, _, err := r.scratch(32)
	must(t, err)
	if !done.Captured() || a.Ptr() == eager.Ptr() || a.Ptr() != b.Ptr() {
		t.Errorf("eager %#x, captured %#x and %#x", uint64(eager.Ptr()), uint64(a.Ptr()), uint64(b.Ptr()))
	}
	g, err := r.stream.EndCapture()
	must(t, err)
	must(t, r.dev.Synchronize())
	must(t, r.stream.Close())
	if n := r.drv.LiveBytes(); n != 64 {
		t.Errorf("%d bytes live, the graph needs 64", n)
	}
	must(t, g.Close())
	if n := r.drv.LiveBytes(); n != 0 {
		t.Errorf("%d bytes live", n)
	}
}

// TestUnusedWorkspaceOfAGraphIsFreed at the end of the capture.
func TestUnusedWorkspaceOfAGraphIsFreed(t *testing.T) {
	r := newRig(t, false)
	must(t, r.stream.ReserveWorkspace(64))
	g := r.graph(r.buffer(32))
	if n := r.drv.LiveBytes(); n != 96 {
		t.Errorf("%d bytes live", n)
	}
	must(t, g.Close())
}
