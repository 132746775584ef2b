package oxrt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/runtime"
)

func TestCompletionGoesStaleAfterLaterSubmissions(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	first := r.use(buf)
	must(t, first.Wait(context.Background()))
	for range oxrt.CompletionsKept {
		must(t, first.Wait(context.Background())) // may be asked again and again
		must(t, r.use(buf).Wait(context.Background()))
	}
	r.use(buf)
	for range 200 {
		must(t, r.use(buf).Wait(context.Background()))
	}
	if done, err := first.Poll(); !done || !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("got %v, %v", done, err)
	}
	if err := (oxrt.Completion{}).Wait(context.Background()); !errors.Is(err, oxrt.ErrStale) {
		t.Errorf("zero completion: %v", err)
	}
}

func TestCancellingEndsTheWaitNotTheWork(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	done := r.use(buf)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	if err := done.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if err := r.stream.Synchronize(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stream: %v", err)
	}
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("after cancelling: %v", err)
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, done.Wait(context.Background()))
	if r.drv.LiveBytes() != 0 {
		t.Error("the memory is still held")
	}
}

func TestCompletionCarriesTheDeviceError(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	done := r.use(buf)
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeIllegalAddress)
	for range 2 {
		err := done.Wait(context.Background())
		var driver *oxrt.DriverError
		if !errors.As(err, &driver) || driver.Kernel != "op" || !driver.Sticky() || !errors.Is(err, oxrt.CodeIllegalAddress) {
			t.Fatalf("got %v", err)
		}
	}
	must(t, buf.Close())
}

// TestUnwatchedWorkIsReaped: a program that never waits must not pile up slots, events or leases.
func TestUnwatchedWorkIsReaped(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	events := r.drv.LiveObjects("event")
	for range 1000 {
		r.use(buf)
	}
	if n := r.drv.LiveObjects("event"); n != events {
		t.Errorf("%d events more", n-events)
	}
	must(t, buf.Close())
}

// TestManyInFlight: more submissions than warm slots are a matter of more events, never of waiting.
func TestManyInFlight(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	var all []oxrt.Completion
	for range 500 {
		all = append(all, r.use(buf))
	}
	for i, c := range all {
		if done, err := c.Poll(); done {
			t.Fatalf("%d is done: %v", i, err)
		}
	}
	r.drv.Advance(r.stream.Handle(), 500, oxrt.CodeSuccess)
	for i, c := range all {
		if err := c.Wait(context.Background()); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	must(t, buf.Close())
	must(t, r.rt.Close())
	if n := r.drv.LiveObjects("event"); n != 0 {
		t.Errorf("%d events left", n)
	}
}

func TestForeignCapture(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	r.drv.Capturing(r.stream.Handle(), true)
	before := r.drv.AllCalls()
	done := r.use(buf)
	if !done.Captured() {
		t.Fatal("not captured")
	}
	must(t, done.Wait(context.Background()))
	for method, n := range r.drv.AllCalls() {
		if n != before[method] && method != "Submit" {
			t.Errorf("%s called during somebody else's capture", method)
		}
	}
	must(t, buf.Close()) // that graph's owner keeps the memory alive, not we
}
