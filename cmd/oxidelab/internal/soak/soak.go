package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Config says how hard. Every field must be set.
type Config struct {
	Goroutines, Streams int
	For                 time.Duration
	Seed                uint64
	// Patience is how long no goroutine may finish anything before that counts as a deadlock.
	Patience time.Duration
}

// Report is what was done.
type Report struct {
	Works   int            `json:"works"` // different calls
	Actions map[string]int `json:"actions"`
	Took    time.Duration  `json:"took"`
	// FreeBefore and FreeAfter are the device's free bytes.
	FreeBefore uint64 `json:"free_before"`
	FreeAfter  uint64 `json:"free_after"`
}

type soak struct {
	dev        *oxrt.Device
	streams    []*oxrt.Stream
	works      []*work
	denseWorks []*work
	finished   atomic.Int64 // actions

	mu     sync.Mutex
	counts map[string]int
	errs   []error
}

// Run soaks the device and returns the first errors, a deadlock or leak among them.
func Run(ctx context.Context, dev *oxrt.Device, bindings []catalog.Binding, c Config) (r Report, err error) {
	s := &soak{dev: dev, counts: map[string]int{}}
	for range c.Streams {
		stream, err := dev.NewStream()
		if err != nil {
			return r, errors.Join(err, s.close())
		}
		s.streams = append(s.streams, stream)
	}
	if s.works, err = prepare(ctx, s.streams[0], bindings, rand.New(rand.NewPCG(c.Seed, ^uint64(0)))); err != nil {
		return r, errors.Join(err, s.close())
	}
	for _, w := range s.works {
		if w.dense {
			s.denseWorks = append(s.denseWorks, w)
		}
	}
	if err = s.warm(ctx, c); err != nil {
		return r, errors.Join(err, s.close())
	}
	open, leaks := len(dev.Runtime().OpenObjects()), len(dev.Runtime().Leaks())
	if r.FreeBefore, _, err = dev.MemInfo(); err != nil {
		return r, errors.Join(err, s.close())
	}
	start := time.Now()
	err = s.drive(ctx, c)
	if err == nil {
		err = dev.Synchronize()
	}
	r.Works, r.Actions, r.Took = len(s.works), s.counts, time.Since(start)
	if err == nil {
		err = s.leftovers(&r, open, leaks)
	}
	return r, errors.Join(err, s.close())
}

// warm soaks for a tenth of the time, at most ten seconds, before the free bytes are read for the first time: a driver keeps memory of
// its own for streams, graphs and events that it has once had.
func (s *soak) warm(ctx context.Context, c Config) error {
	c.For = min(c.For/10, 10*time.Second)
	c.Seed++
	return errors.Join(s.drive(ctx, c), s.dev.Synchronize())
}

// driverMemory is how much more of it a GPU's driver may keep at the end; our own memory is counted exactly, by the runtime's list of
// open objects. The emulated device has no such memory.
const driverMemory = 32 << 20

func (s *soak) close() error {
	var all []error
	for _, stream := range s.streams {
		all = append(all, stream.Close())
	}
	return errors.Join(all...)
}

// drive runs the goroutines until the time is over or one fails.
func (s *soak) drive(ctx context.Context, c Config) error {
	ctx, stop := context.WithTimeout(ctx, c.For)
	defer stop()
	var all sync.WaitGroup
	for i := range c.Goroutines {
		w := &worker{s, rand.New(rand.NewPCG(c.Seed, uint64(i)))}
		all.Go(func() {
			for ctx.Err() == nil {
				if !s.step(w) {
					stop()
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	if err := s.watch(ended, c.Patience); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// step does one action. An action is always seen through, so that its result is checked.
func (s *soak) step(w *worker) bool {
	a := w.choose()
	err := a.run(w, context.Background())
	s.finished.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[a.name]++
	if err != nil && len(s.errs) < 10 {
		s.errs = append(s.errs, fmt.Errorf("%s: %w", a.name, err))
	}
	return err == nil
}

// watch waits for the end, and for signs of life until then.
func (s *soak) watch(ended chan struct{}, patience time.Duration) error {
	for {
		before := s.finished.Load()
		select {
		case <-ended:
			return nil
		case <-time.After(patience):
		}
		if s.finished.Load() == before {
			stacks := make([]byte, 1<<20)
			return fmt.Errorf("nothing was finished for %v: a deadlock\n%s", patience, stacks[:goruntime.Stack(stacks, true)])
		}
	}
}

// leftovers compares the device with what it was before.
func (s *soak) leftovers(r *Report, open, leaks int) error {
	rt := s.dev.Runtime()
	var err error
	if r.FreeAfter, _, err = s.dev.MemInfo(); err != nil {
		return err
	}
	var all []error
	slack := uint64(driverMemory)
	if rt.DriverName() == "emulated" {
		slack = 0
	}
	if r.FreeAfter+slack < r.FreeBefore {
		all = append(all, fmt.Errorf("%d bytes of device memory are missing", r.FreeBefore-r.FreeAfter))
	}
	if now := rt.OpenObjects(); len(now) != open {
		all = append(all, fmt.Errorf("%d objects are open, %d at the start: %v", len(now), open, now))
	}
	if now := rt.Leaks(); len(now) != leaks {
		all = append(all, fmt.Errorf("leaked: %v", now[leaks:]))
	}
	return errors.Join(all...)
}
