package soak

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/operators"
)

var duration = flag.Duration("soak", 2*time.Second, "how long to soak the emulated device")

// TestSoak runs on the emulated device. CI gives it 20 seconds under the race detector, acceptance ten minutes.
func TestSoak(t *testing.T) {
	dev, _ := trialtest.Device(t)
	r, err := Run(context.Background(), dev, operators.Bindings(), Config{Goroutines: 64, Streams: 16, For: *duration, Seed: 1, Patience: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls, %v in %v", r.Works, r.Actions, r.Took.Round(time.Second))
	for _, a := range actions {
		if r.Actions[a.name] == 0 {
			t.Errorf("no %s", a.name)
		}
	}
}

// TestSoakSeesWrongResults: an output that is not what it was is an error of the run.
func TestSoakSeesWrongResults(t *testing.T) {
	dev, stream := trialtest.Device(t)
	works, err := prepare(context.Background(), stream, operators.Bindings()[:1], rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	s := &soak{dev: dev, counts: map[string]int{}}
	s.streams = append(s.streams, stream)
	for _, w := range works {
		for _, want := range w.want {
			for i := range want {
				want[i] ^= 1
			}
		}
	}
	s.works, s.denseWorks = works, works[:1]
	if err := s.drive(context.Background(), Config{Goroutines: 2, Streams: 1, For: time.Minute, Seed: 2, Patience: time.Minute}); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("got %v", err)
	}
}

// TestSoakSeesDeadlocks and gives up.
func TestSoakSeesDeadlocks(t *testing.T) {
	s := &soak{}
	if err := s.watch(make(chan struct{}), time.Millisecond); err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("got %v", err)
	}
}
