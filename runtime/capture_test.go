package oxrt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestJoinedStreamsBelongToTheCapture: the graph holds what a stream that joined it touches, too.
func TestJoinedStreamsBelongToTheCapture(t *testing.T) {
	r := newRig(t, false)
	other, err := r.dev.NewStream()
	must(t, err)
	buf := r.buffer(64)
	must(t, r.stream.BeginCapture())
	r.drv.Join(other.Handle(), r.stream.Handle())
	joined := *r
	joined.stream = other
	if done := joined.use(buf); !done.Captured() {
		t.Error("not captured")
	}
	g, err := r.stream.EndCapture()
	must(t, err)
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) || r.drv.LiveBytes() != 64 {
		t.Errorf("memory of a joined stream: %v", err)
	}
	must(t, g.Close())
	if r.drv.LiveBytes() != 0 {
		t.Error("not freed with the graph")
	}
}

func TestEndCaptureInto(t *testing.T) {
	r := newRig(t, true)
	a, b := r.buffer(64), r.buffer(32)
	g := r.graph(a)
	done, err := g.Launch(r.stream)
	must(t, err)
	record := func() {
		must(t, r.stream.BeginCapture())
		r.use(b)
	}
	record()
	if err := r.stream.EndCaptureInto(g); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("during a replay: %v", err)
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, done.Wait(context.Background()))
	record()
	r.drv.Fail("ExecUpdate", oxrt.CodeGraphUpdateFailure)
	if err := r.stream.EndCaptureInto(g); !errors.Is(err, oxrt.CodeGraphUpdateFailure) {
		t.Errorf("another shape: %v", err)
	}
	r.drv.Fail("ExecUpdate", oxrt.CodeSuccess)
	if err := a.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("the graph still is the first one: %v", err)
	}
	record()
	must(t, r.stream.EndCaptureInto(g))
	if n := r.drv.LiveBytes(); n != 32 {
		t.Errorf("%d bytes live: the first recording's were given back", n)
	}
	if err := b.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("the second recording's: %v", err)
	}
	_, err = g.Launch(r.stream)
	must(t, err)
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, g.Close())
	record2 := func() error {
		must(t, r.stream.BeginCapture())
		return r.stream.EndCaptureInto(g)
	}
	if err := record2(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("a closed graph: %v", err)
	}
	if err := r.stream.EndCaptureInto(g); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("not capturing: %v", err)
	}
	if r.drv.LiveBytes() != 0 || r.drv.LiveObjects("graph") != 0 || r.drv.LiveObjects("exec") != 0 {
		t.Error("something is left")
	}
}

func TestGraphPolicies(t *testing.T) {
	for _, c := range []struct {
		policy            oxrt.GraphPolicy
		eager, own, other bool
	}{
		{oxrt.GraphAnywhere, true, true, true},
		{oxrt.GraphSupplied, true, true, true},
		{oxrt.GraphOwn, true, true, false},
		{oxrt.GraphNowhere, true, false, false},
	} {
		r := newRig(t, false)
		buf := r.buffer(64)
		call := func() error {
			s := r.begin()
			defer s.Drop()
			must(t, s.Bind("op", oxrt.Operand{Name: "y", Region: buf.All(oxrt.F32), Access: oxrt.Write}))
			if err := s.Restrict("op", c.policy); err != nil {
				return err
			}
			must(t, r.launch(s))
			return second(s.Submit())
		}
		check := func(where string, err error, allowed bool) {
			if (err == nil) != allowed || (err != nil && !errors.Is(err, oxrt.ErrCapture)) {
				t.Errorf("%v, %s: %v", c.policy, where, err)
			}
		}
		check("eager", call(), c.eager)
		must(t, r.stream.BeginCapture())
		check("own graph", call(), c.own)
		g, err := r.stream.EndCapture()
		must(t, err)
		must(t, g.Close())
		r.drv.Capturing(r.stream.Handle(), true)
		check("foreign capture", call(), c.other)
		must(t, buf.Close()) // nothing keeps a lease
	}
}

// TestOperatorsOfAnEndedCapture cannot be submitted: the record and the workspace that they were given are the graph's.
func TestOperatorsOfAnEndedCapture(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	must(t, r.stream.BeginCapture())
	late := r.begin()
	r.checked(late, buf)
	g, err := r.stream.EndCapture()
	must(t, err)
	if _, err := late.Submit(); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("got %v", err)
	}
	early := r.begin()
	r.checked(early, buf)
	must(t, r.stream.BeginCapture())
	if _, err := early.Submit(); !errors.Is(err, oxrt.ErrCapture) {
		t.Errorf("got %v", err)
	}
	g2, err := r.stream.EndCapture()
	must(t, err)
	must(t, g.Close())
	must(t, g2.Close())
	must(t, buf.Close())
}
