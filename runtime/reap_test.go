package oxrt_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// Eager submissions that nobody waits for must not ask the driver about every one of them: a query costs half a launch.
func TestOneQuerySettlesManySubmissions(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	for range 2000 {
		r.use(buf)
	}
	if n := r.drv.Calls("EventQuery"); n > 60 {
		t.Errorf("%d queries for 2000 submissions that nobody waited for", n)
	}
}

// A query about one stream says nothing about another: what is in flight there keeps its operands.
func TestSettlingOneStreamLeavesTheOther(t *testing.T) {
	r := newRig(t, true)
	other, err := r.dev.NewStream()
	must(t, err)
	defer other.Close()
	held := r.buffer(64)
	first := r.use(held) // stays in flight
	buf := r.buffer(64)
	for range 600 {
		s, err := other.Begin()
		must(t, err)
		must(t, s.Fill(buf.All(oxrt.U8), 1))
		_, err = s.Submit()
		must(t, err)
		r.drv.Advance(other.Handle(), 1, oxrt.CodeSuccess)
	}
	if done, _ := first.Poll(); done {
		t.Error("a submission in flight was settled by a query about another stream")
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	if done, err := first.Poll(); !done || err != nil {
		t.Errorf("got %v, %v", done, err)
	}
}

// Where the middle of the flight is not done, nothing behind it counts as done.
func TestUnfinishedMiddleSettlesNothingByItself(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	var all []oxrt.Completion
	for range 700 {
		all = append(all, r.use(buf))
	}
	for i, c := range all {
		if done, _ := c.Poll(); done {
			t.Fatalf("submission %d settled although the device has done nothing", i)
		}
	}
	r.drv.Advance(r.stream.Handle(), 400, oxrt.CodeSuccess)
	for range 300 {
		r.use(buf)
	}
	for i, c := range all {
		if done, _ := c.Poll(); done != (i < 400) {
			t.Fatalf("submission %d: settled %v after 400 were done", i, done)
		}
	}
}

// Waiting for one submission after the other, with a window of them in flight, needs a query for a few, not for each.
func TestWaitingInAWindowAsksForAFew(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	var window []oxrt.Completion
	for range 2000 {
		if window = append(window, r.use(buf)); len(window) > 32 {
			if done, err := window[0].Poll(); !done || err != nil {
				t.Fatalf("got %v, %v", done, err)
			}
			window = window[1:]
		}
	}
	if n := r.drv.Calls("EventQuery"); n > 400 {
		t.Errorf("%d queries for 2000 submissions in a window of 32", n)
	}
}
