package emulated_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// TestGraphUpdate: a graph takes other parameters, operands and grids of the same launches, and refuses another shape unharmed.
func TestGraphUpdate(t *testing.T) {
	b := open(t, emulated.Options{})
	x, y, z := b.vector("x", 1, 2), b.vector("y", 0, 0), b.vector("z", 0, 0)
	record := func(launches int, to oxrt.Region, factor float32) {
		must(t, b.stream.BeginCapture())
		b.submit(func(s *oxrt.Scope) {
			for range launches {
				must(t, b.add(s, x, to, factor, 2))
			}
		})
	}
	record(1, y, 2)
	g, err := b.stream.EndCapture()
	must(t, err)
	replay := func() {
		done, err := g.Launch(b.stream)
		must(t, err)
		must(t, done.Wait(context.Background()))
	}
	replay()
	record(1, z, 5)
	must(t, b.stream.EndCaptureInto(g))
	if err := y.Owner().Close(); err != nil {
		t.Errorf("the graph still holds what it has given up: %v", err)
	}
	replay()
	record(2, x, 7)
	if err := b.stream.EndCaptureInto(g); !errors.Is(err, oxrt.CodeGraphUpdateFailure) {
		t.Errorf("two launches for one: %v", err)
	}
	replay()
	if got := b.values(z); got[0] != 5 || got[1] != 10 {
		t.Errorf("z = %v", got)
	}
	if got := b.values(x); got[0] != 1 {
		t.Errorf("x = %v: the refused recording ran", got)
	}
	must(t, g.Close())
}

// TestDefaultStreams: 0 and 1 are one queue, 2 is another that can be captured.
func TestDefaultStreams(t *testing.T) {
	b := open(t, emulated.Options{})
	x := b.vector("x", 1)
	streams := []*oxrt.Stream{oxrt.ExternalStream(b.dev, oxrt.StreamDefault), oxrt.ExternalStream(b.dev, oxrt.StreamLegacy)}
	var done oxrt.Completion
	for i := range 40 { // any overtaking would lose a factor or a reset
		b.stream = streams[i%2]
		done = b.submit(func(s *oxrt.Scope) {
			must(t, b.add(s, x, x, 2, 1))
			if i%8 == 7 {
				must(t, s.Fill(x, 0))
			}
		})
		if i%8 == 7 {
			b.stream = streams[(i+1)%2]
			must(t, b.stream.Upload(x, []byte{0, 0, 0x80, 0x3f})) // 1.0
		}
	}
	must(t, done.Wait(context.Background()))
	if got := b.values(x); got[0] != 1 {
		t.Errorf("x = %v", got)
	}
	if err := streams[0].BeginCapture(); !errors.Is(err, oxrt.CodeCaptureUnsupported) {
		t.Errorf("capture of the legacy stream: %v", err)
	}
	b.stream = oxrt.ExternalStream(b.dev, oxrt.StreamPerThread)
	must(t, b.stream.BeginCapture())
	b.submit(func(s *oxrt.Scope) { must(t, b.add(s, x, x, 3, 1)) })
	g, err := b.stream.EndCapture()
	must(t, err)
	done, err = g.Launch(b.stream)
	must(t, err)
	must(t, done.Wait(context.Background()))
	if got := b.values(x); got[0] != 3 {
		t.Errorf("x = %v", got)
	}
	must(t, g.Close())
}
