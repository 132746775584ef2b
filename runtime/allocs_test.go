package oxrt_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakedriver"
)

// TestCallsAllocateNothing: a whole operator call, from Begin to the settled completion, leaves no work for the garbage collector
// and makes one driver call besides the query.
func TestCallsAllocateNothing(t *testing.T) {
	r := newRig(t, false)
	x, y := r.buffer(64).All(oxrt.F32), r.buffer(64).All(oxrt.F32)
	call := callOf(r, x, y)
	for range 128 {
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

// instant is a driver that does nothing, so that a benchmark sees this package alone.
type instant struct{ oxrt.Driver }

func (instant) Submit(_ oxrt.ContextHandle, _ oxrt.StreamHandle, b *oxrt.Batch) (int, oxrt.CaptureID, oxrt.Code) {
	return len(b.Commands), 0, oxrt.CodeSuccess
}
func (instant) EventQuery(oxrt.ContextHandle, oxrt.EventHandle) oxrt.Code { return oxrt.CodeSuccess }

func instantRig(b *testing.B) *rig {
	b.Helper()
	drv := fakedriver.New(false)
	rt, err := oxrt.OpenDriver(instant{drv})
	must(b, err)
	dev, err := rt.Device(0)
	must(b, err)
	stream, err := dev.NewStream()
	must(b, err)
	kernel, err := dev.Load(tiny(b))
	must(b, err)
	return &rig{b, drv, rt, dev, stream, kernel}
}

// BenchmarkEnqueueSubmit is the Go side of an eager call that nobody waits for, as in a decode step: everything but the driver.
func BenchmarkEnqueueSubmit(b *testing.B) {
	r := instantRig(b)
	x, y := r.buffer(64).All(oxrt.F32), r.buffer(64).All(oxrt.F32)
	b.ReportAllocs()
	for b.Loop() {
		s, err := r.stream.Begin()
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Bind("op", oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read}, oxrt.Operand{Name: "y", Region: y, Access: oxrt.Write, InPlace: "x"}); err != nil {
			b.Fatal(err)
		}
		var p oxrt.Params
		p.PutPtr(0, x.Ptr())
		p.PutU32(8, 16)
		if err := s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: true}, &p); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Submit(); err != nil {
			b.Fatal(err)
		}
	}
}
