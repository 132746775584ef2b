package oxrt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func (r *rig) graph(b *oxrt.Buffer) *oxrt.Graph {
	r.Helper()
	must(r, r.stream.BeginCapture())
	if done := r.use(b); !done.Captured() {
		r.Error("not captured")
	}
	g, err := r.stream.EndCapture()
	must(r, err)
	return g
}

func TestGraphOwnsWhatItTouches(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	g := r.graph(buf)
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Fatalf("got %v", err)
	}
	done, err := g.Launch(r.stream)
	must(t, err)
	if err := g.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("closed during a replay: %v", err)
	}
	if _, err := g.Launch(r.stream); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("launch after close: %v", err)
	}
	if r.drv.LiveObjects("exec") != 1 || r.drv.LiveBytes() != 64 {
		t.Error("destroyed during a replay")
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, done.Wait(context.Background()))
	if r.drv.LiveObjects("exec") != 0 || r.drv.LiveObjects("graph") != 0 || r.drv.LiveBytes() != 0 {
		t.Error("something is left of the graph")
	}
	if err := g.Close(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
}

func TestOneReplayAtATime(t *testing.T) {
	r := newRig(t, true)
	g := r.graph(r.buffer(64))
	other, err := r.dev.NewStream()
	must(t, err)
	_, err = g.Launch(r.stream)
	must(t, err)
	_, err = g.Launch(r.stream) // behind the first one
	must(t, err)
	if _, err := g.Launch(other); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("on another stream: %v", err)
	}
	r.drv.Advance(r.stream.Handle(), 2, oxrt.CodeSuccess)
	_, err = g.Launch(other)
	must(t, err)
}

func TestCaptureRefusals(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	if _, err := r.stream.EndCapture(); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("end without begin: %v", err)
	}
	g := r.graph(buf)
	must(t, r.stream.BeginCapture())
	for name, err := range map[string]error{
		"begin":    r.stream.BeginCapture(),
		"upload":   r.stream.Upload(buf.All(oxrt.U8), []byte{1}),
		"download": r.stream.Download([]byte{1}, buf.All(oxrt.U8)),
		"replay":   second(g.Launch(r.stream)),
	} {
		if !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s while capturing: %v", name, err)
		}
	}
	r.use(buf)
	must(t, g.Close())
	r.drv.Fail("GraphInstantiate", oxrt.CodeOutOfMemory)
	if _, err := r.stream.EndCapture(); !errors.Is(err, oxrt.CodeOutOfMemory) {
		t.Errorf("got %v", err)
	}
	if r.drv.LiveObjects("graph") != 0 {
		t.Error("the captured graph is left")
	}
	must(t, buf.Close()) // its leases are back
	r.drv.Fail("CaptureBegin", oxrt.CodeCaptureUnsupported)
	if err := r.stream.BeginCapture(); !errors.Is(err, oxrt.CodeCaptureUnsupported) {
		t.Errorf("got %v", err)
	}
	if err := r.stream.Upload(r.buffer(4).All(oxrt.U8), []byte{1}); err != nil {
		t.Errorf("a capture that did not begin: %v", err)
	}
}
