package emulated_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// TestStreamsInParallel: goroutines with a stream each share one input; results are right and all memory comes back.
func TestStreamsInParallel(t *testing.T) {
	b := open(t, emulated.Options{})
	x := b.vector("x", 1, 2, 3, 4)
	start, _, err := b.dev.MemInfo()
	must(t, err)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			stream, err := b.dev.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			own := &bench{t, b.driver, b.rt, b.dev, stream, b.kernel}
			for range 20 {
				own.round(x, float32(i))
			}
			if err := stream.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if end, _, err := b.dev.MemInfo(); err != nil || end != start {
		t.Errorf("%d bytes free, %d at the start, %v", end, start, err)
	}
}

func (b *bench) round(x oxrt.Region, a float32) {
	buf, err := b.dev.Alloc(16)
	if err != nil {
		b.t.Error(err)
		return
	}
	y := buf.All(oxrt.F32)
	done := b.submit(func(s *oxrt.Scope) {
		if err := b.add(s, x, y, a, 4); err != nil {
			b.t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := done.Wait(ctx); err != nil && !errors.Is(err, context.Canceled) {
		b.t.Error(err)
	}
	if got := b.values(y); got[3] != 4*a {
		b.t.Errorf("%v for %v", got, a)
	}
	if err := buf.Close(); err != nil && !errors.Is(err, oxrt.ErrLeased) {
		b.t.Error(err)
	}
}
