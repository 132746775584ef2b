package oxrt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func TestResize(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	old := buf.All(oxrt.F32)
	done := r.use(buf)
	if err := buf.Resize(128); !errors.Is(err, oxrt.ErrLeased) || buf.Bytes() != 64 || r.drv.LiveBytes() != 64 {
		t.Fatalf("resized while leased: %v, %d bytes", err, buf.Bytes())
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, buf.Resize(128))
	must(t, done.Wait(context.Background()))
	if buf.Bytes() != 128 || r.drv.LiveBytes() != 128 || buf.Ptr() == old.Ptr() {
		t.Errorf("%d bytes at %#x, %d live", buf.Bytes(), uint64(buf.Ptr()), r.drv.LiveBytes())
	}
	s := r.begin()
	if err := s.Fill(old, 0); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("a region of the old memory: %v", err)
	}
	s.Drop()
	if err := r.stream.Upload(old, []byte{1}); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("upload to the old memory: %v", err)
	}
	if old.Owner() != buf {
		t.Error("the old region has lost its owner")
	}
	r.drv.Fail("Alloc", oxrt.CodeOutOfMemory)
	if err := buf.Resize(256); !errors.Is(err, oxrt.CodeOutOfMemory) || buf.Bytes() != 128 {
		t.Errorf("%v, %d bytes", err, buf.Bytes())
	}
	if err := buf.Resize(-1); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("negative size: %v", err)
	}
	if err := buf.Replace(0x1000, 64, nil); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("an owned buffer replaced: %v", err)
	}
	must(t, buf.Close())
	if err := buf.Resize(1); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	if r.drv.LiveBytes() != 0 || len(r.rt.OpenObjects()) != 1 {
		t.Errorf("%d bytes live, open: %v", r.drv.LiveBytes(), r.rt.OpenObjects())
	}
}

func TestReplace(t *testing.T) {
	r := newRig(t, true)
	var released []string
	release := func(name string) func() { return func() { released = append(released, name) } }
	buf, err := r.dev.Adopt(0x1000, 64, release("first"))
	must(t, err)
	old := buf.All(oxrt.F32)
	must(t, r.stream.BeginCapture())
	r.use(buf)
	g, err := r.stream.EndCapture()
	must(t, err)
	if err := buf.Replace(0x2000, 64, release("refused")); !errors.Is(err, oxrt.ErrLeased) || buf.Ptr() != 0x1000 {
		t.Fatalf("replaced while a graph uses it: %v", err)
	}
	must(t, g.Close())
	must(t, buf.Replace(0x2000, 32, release("second")))
	if buf.Ptr() != 0x2000 || buf.Bytes() != 32 || len(released) != 1 || released[0] != "first" {
		t.Errorf("%d bytes at %#x, released %v", buf.Bytes(), uint64(buf.Ptr()), released)
	}
	s := r.begin()
	if err := s.Fill(old, 0); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("a region of the old memory: %v", err)
	}
	s.Drop()
	if err := buf.Replace(0, 8, nil); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("null: %v", err)
	}
	if err := buf.Resize(8); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("an adopted buffer resized: %v", err)
	}
	must(t, buf.Close())
	if len(released) != 2 || released[1] != "second" {
		t.Errorf("released %v", released)
	}
}

// TestClosedButLeasedIsNoLeak: the garbage collector may come before the work is done.
func TestClosedButLeasedIsNoLeak(t *testing.T) {
	r := newRig(t, true)
	func() {
		buf := r.buffer(64)
		r.use(buf)
		if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
			t.Fatal(err)
		}
	}()
	collectGarbage()
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, r.dev.Synchronize())
	if leaks := r.rt.Leaks(); len(leaks) != 0 || r.drv.LiveBytes() != 0 {
		t.Errorf("%v, %d bytes live", leaks, r.drv.LiveBytes())
	}
}
