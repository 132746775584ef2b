package oxrt_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// scale is an operator y = x * w that reads w before it waits for the launches ahead.
var scale = oxrt.NewSignature("scale", oxrt.Operand{Name: "w", Access: oxrt.Read, Constant: true},
	oxrt.Operand{Name: "x", Access: oxrt.Read}, oxrt.Operand{Name: "y", Access: oxrt.Write, InPlace: "x"})

// scaled adds the operator to a scope, bound by signature or one by one.
func (r *rig) scaled(s *oxrt.Scope, w, x, y oxrt.Region, byName bool) {
	r.Helper()
	if byName {
		must(r, s.Bind("scale", oxrt.Operand{Name: "w", Region: w, Access: oxrt.Read, Constant: true},
			oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read}, oxrt.Operand{Name: "y", Region: y, Access: oxrt.Write, InPlace: "x"}))
	} else {
		must(r, s.BindTo(scale, []oxrt.Region{w, x, y}))
	}
	r.overlapping(s)
}

func (r *rig) overlapping(s *oxrt.Scope) {
	r.Helper()
	var p oxrt.Params
	p.PutPtr(0, 0x100)
	p.PutU32(8, 3)
	must(r, s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: true}, &p))
}

// overlaps submits and tells of each launch whether it starts before those ahead have ended.
func (r *rig) overlaps(s *oxrt.Scope) []bool {
	r.Helper()
	r.submit(s)
	commands, _ := r.drv.LastBatch()
	var all []bool
	for _, c := range commands {
		if c.Kind == oxrt.CommandLaunch {
			all = append(all, c.Flags&oxrt.LaunchProgrammatic != 0)
		}
	}
	return all
}

func wantOverlaps(t *testing.T, what string, got []bool, want ...bool) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%s: overlapping launches %v, want %v", what, got, want)
			return
		}
	}
}

// TestAConstantIsNotReadWhileItIsWritten: what an operator reads before it waits for the launches ahead has been written by none of them.
func TestAConstantIsNotReadWhileItIsWritten(t *testing.T) {
	for _, byName := range []bool{false, true} {
		r := newRig(t, false)
		f32 := func() oxrt.Region { return r.buffer(64).All(oxrt.F32) }
		w, x, y, z, v := f32(), f32(), f32(), f32(), f32()

		s := r.begin()
		r.scaled(s, w, x, y, byName)
		r.scaled(s, w, y, z, byName) // a chain through x does not matter: kernels wait before they read it
		r.scaled(s, z, x, y, byName) // z was written just now
		r.scaled(s, w, y, v, byName)
		r.scaled(s, z, v, v, byName) // z ended before the third launch began
		r.scaled(s, y, x, x, byName) // y is the third launch's, which may still run
		wantOverlaps(t, "in one scope", r.overlaps(s), true, true, false, true, true, false)

		s = r.begin()
		r.scaled(s, x, y, z, byName)
		wantOverlaps(t, "in the next scope", r.overlaps(s), false)
		s = r.begin()
		r.scaled(s, w, z, x, byName)
		wantOverlaps(t, "after that", r.overlaps(s), true)

		half, err := z.Slice(8, 8)
		must(t, err)
		s = r.begin()
		r.scaled(s, half, w, y, byName)
		wantOverlaps(t, "half of it", r.overlaps(s), false)

		s = r.begin()
		must(t, s.Fill(w, 1))
		r.scaled(s, v, x, y, byName)
		r.scaled(s, w, x, z, byName)
		wantOverlaps(t, "a fill", r.overlaps(s), true, false)

		s = r.begin()
		must(t, s.Copy(v, x))
		r.scaled(s, v, x, y, byName)
		wantOverlaps(t, "a copy", r.overlaps(s), false)
	}
}

// TestOrderBelongsToTheStream: to all wrappers of its handle, and to no other stream.
func TestOrderBelongsToTheStream(t *testing.T) {
	r := newRig(t, false)
	f32 := func() oxrt.Region { return r.buffer(64).All(oxrt.F32) }
	w, x, y := f32(), f32(), f32()
	first, second, other := oxrt.ExternalStream(r.dev, 0x77), oxrt.ExternalStream(r.dev, 0x77), oxrt.ExternalStream(r.dev, 0x78)
	on := func(stream *oxrt.Stream, w, x, y oxrt.Region) bool {
		s, err := stream.Begin()
		must(t, err)
		r.scaled(s, w, x, y, false)
		return r.overlaps(s)[0]
	}
	if !on(first, w, x, y) || on(second, y, x, w) || !on(other, y, x, w) {
		t.Error("the order of one stream was not seen, or another's was")
	}
}

// TestOrderRemembersEnough: more ranges than are remembered make a launch wait, the same few over and over do not.
func TestOrderRemembersEnough(t *testing.T) {
	r := newRig(t, false)
	w, big := r.buffer(64).All(oxrt.F32), r.buffer(1<<16).All(oxrt.F32)
	waits := func(ranges int64) (n int) {
		for i := range int64(1000) {
			y, err := big.Slice(i%ranges*16, 16)
			must(t, err)
			s := r.begin()
			r.scaled(s, w, y, y, false)
			if !r.overlaps(s)[0] {
				n++
			}
		}
		return n
	}
	if n := waits(16); n != 0 {
		t.Errorf("16 buffers: %d of 1000 launches wait", n)
	}
	if n := waits(1000); n < 1000/64-1 || n > 1000/64+1 {
		t.Errorf("1000 buffers: %d of 1000 launches wait, want one in 64", n)
	}
}

// TestAGraphMayWriteConstants: the launch behind a replay waits, as what the graph writes is not looked at.
func TestAGraphMayWriteConstants(t *testing.T) {
	r := newRig(t, false)
	w, x := r.buffer(64).All(oxrt.F32), r.buffer(64).All(oxrt.F32)
	must(t, r.stream.BeginCapture())
	s := r.begin()
	r.scaled(s, x, w, w, false)
	r.submit(s)
	g, err := r.stream.EndCapture()
	must(t, err)
	_, err = g.Launch(r.stream)
	must(t, err)
	s = r.begin()
	r.scaled(s, w, x, x, false)
	r.scaled(s, w, x, x, false)
	wantOverlaps(t, "behind a replay", r.overlaps(s), false, true)
}

// TestPreparedCallsKeepTheOrder, and a prepared call that had to wait once does not wait for ever.
func TestPreparedCallsKeepTheOrder(t *testing.T) {
	r := newRig(t, false)
	f32 := func() oxrt.Region { return r.buffer(64).All(oxrt.F32) }
	w, x, y := f32(), f32(), f32()
	p, err := oxrt.Prepare(r.dev, scale, []oxrt.PreparedOperand{{oxrt.F32, 16, 4}, {oxrt.F32, 16, 4}, {oxrt.F32, 16, 4}},
		func(s *oxrt.Scope, regions []oxrt.Region) error {
			if err := s.BindTo(scale, regions); err != nil {
				return err
			}
			var params oxrt.Params
			params.PutPtr(0, regions[0].Ptr())
			params.PutU32(8, 3)
			return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: true}, &params)
		})
	must(t, err)
	for i, c := range []struct {
		w, x, y oxrt.Region
		want    bool
	}{{w, x, y, true}, {y, x, w, false}, {y, x, x, true}, {w, x, y, false}} {
		must(t, p.Detach(r.stream, []oxrt.Region{c.w, c.x, c.y}))
		commands, _ := r.drv.LastBatch()
		if got := commands[0].Flags&oxrt.LaunchProgrammatic != 0; got != c.want {
			t.Errorf("call %d: overlaps %v, want %v", i, got, c.want)
		}
	}
}
