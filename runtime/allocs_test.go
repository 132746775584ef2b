package oxrt_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestCallsAllocateNothing: a whole operator call, from Begin to the settled completion, leaves no work for the garbage collector
// and makes one driver call besides the query.
func TestCallsAllocateNothing(t *testing.T) {
	r := newRig(t, false)
	x, y := r.buffer(64).All(oxrt.F32), r.buffer(64).All(oxrt.F32)
	call := callOf(r, x, y)
	for range 2 * oxrt.ScopesKept {
		call()
	}
	before := r.drv.AllCalls()
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	for method, n := range r.drv.AllCalls() {
		if n != before[method] && method != "Submit" && method != "EventQuery" {
			t.Errorf("a call does %s", method)
		}
	}
}

// callOf is what an operator's Enqueue does.
func callOf(r *rig, x, y oxrt.Region) func() {
	check := func(err error) { // without Helper, which costs as much as the call
		if err != nil {
			r.Fatal(err)
		}
	}
	return func() {
		s, err := r.stream.Begin()
		check(err)
		check(s.Bind("op", oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read}, oxrt.Operand{Name: "y", Region: y, Access: oxrt.Write, InPlace: "x"}))
		var p oxrt.Params
		p.PutPtr(0, x.Ptr())
		p.PutU32(8, 16)
		check(s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: true}, &p))
		done, err := s.Submit()
		check(err)
		for {
			if ok, err := done.Poll(); ok {
				check(err)
				return
			}
		}
	}
}

func BenchmarkCall(b *testing.B) {
	r := newRig(b, false)
	call := callOf(r, r.buffer(64).All(oxrt.F32), r.buffer(64).All(oxrt.F32))
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
