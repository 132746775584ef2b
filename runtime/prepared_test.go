package oxrt_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// pair is an operator y = f(x) over 16 f32 elements at multiples of 16 bytes. Its second argument is a size.
var pair = oxrt.NewSignature("pair", oxrt.Operand{Name: "x", Access: oxrt.Read},
	oxrt.Operand{Name: "y", Access: oxrt.Write, InPlace: "x"})

var pairOperands = []oxrt.PreparedOperand{{DType: oxrt.F32, Elements: 16, Align: 16}, {}, {DType: oxrt.F32, Elements: 16, Align: 16}}

// enqueuePair is the operator's Enqueue: the kernel gets the address of y's second half.
func (r *rig) enqueuePair(s *oxrt.Scope, regions []oxrt.Region) error {
	x, y := regions[0], regions[2]
	if !x.AlignedTo(16) || !y.AlignedTo(16) || x.Len() < 16 || y.Len() < 16 || x.DType() != oxrt.F32 || y.DType() != oxrt.F32 || !regions[1].IsZero() {
		return s.Refuse(&oxrt.ContractError{Kernel: "pair", Field: "x", Want: "right operands", Got: "others"})
	}
	if err := s.BindTo(pair, []oxrt.Region{x.First(16), y.First(16)}); err != nil {
		return err
	}
	var p oxrt.Params
	p.PutPtr(0, y.Ptr()+32)
	p.PutU32(8, 16)
	return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 4}, Programmatic: true}, &p)
}

func (r *rig) preparedPair() *oxrt.Prepared {
	r.Helper()
	p, err := oxrt.Prepare(r.dev, pair, pairOperands, r.enqueuePair)
	must(r, err)
	return p
}

func TestPreparedIsTheCall(t *testing.T) {
	r := newRig(t, false)
	p := r.preparedPair()
	if r.drv.Calls("Submit") != 0 {
		t.Error("preparing submitted something")
	}
	for range 3 {
		x, y := r.buffer(64).All(oxrt.F32), r.buffer(96).All(oxrt.F32)
		regions := []oxrt.Region{x, {}, y}
		s := r.begin()
		must(t, r.enqueuePair(s, regions))
		r.submit(s)
		wantCommands, wantParams := r.drv.LastBatch()
		for name, submit := range map[string]func() error{
			"submit": func() error { _, err := p.Submit(r.stream, regions); return err },
			"detach": func() error { return p.Detach(r.stream, regions) },
		} {
			must(t, submit())
			if commands, params := r.drv.LastBatch(); !slices.Equal(commands, wantCommands) || !slices.Equal(params, wantParams) {
				t.Errorf("%s: %+v %x, want %+v %x", name, commands, params, wantCommands, wantParams)
			}
		}
	}
}

// TestPreparedRefusesWhatTheCallRefuses, with the same words, and submits nothing.
func TestPreparedRefusesWhatTheCallRefuses(t *testing.T) {
	r := newRig(t, false)
	p := r.preparedPair()
	good, closed := r.buffer(256), r.buffer(64)
	gone := closed.All(oxrt.F32)
	must(t, closed.Close())
	otherDevice, err := r.rt.Device(1)
	must(t, err)
	foreign, err := otherDevice.Alloc(64)
	must(t, err)
	part := func(first, elems int64) oxrt.Region {
		region, err := good.All(oxrt.F32).Slice(first, elems)
		must(t, err)
		return region
	}
	must(t, p.Detach(r.stream, []oxrt.Region{part(0, 16), {}, part(0, 16)})) // in place
	before := r.drv.Calls("Submit")
	for name, regions := range map[string][]oxrt.Region{
		"absent x":        {{}, {}, part(0, 16)},
		"present middle":  {part(0, 16), part(16, 16), part(32, 16)},
		"short":           {part(0, 16), {}, part(32, 15)},
		"misaligned":      {part(0, 16), {}, part(33, 16)},
		"type":            {part(0, 16), {}, must1(part(32, 16).As(oxrt.I32))},
		"overlap":         {part(0, 16), {}, part(4, 16)},
		"read only":       {part(0, 16), {}, part(32, 16).ReadOnly()},
		"closed":          {part(0, 16), {}, gone},
		"other device":    {part(0, 16), {}, foreign.All(oxrt.F32)},
		"one overlapping": {part(16, 16), {}, part(15, 17)},
	} {
		s := r.begin()
		want := r.enqueuePair(s, regions)
		s.Drop()
		_, err := p.Submit(r.stream, regions)
		if want == nil || err == nil || err.Error() != want.Error() || errors.Is(err, oxrt.ErrContract) != errors.Is(want, oxrt.ErrContract) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if err := p.Detach(r.stream, regions); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: detached with %v, want %v", name, err, want)
		}
	}
	if n := r.drv.Calls("Submit"); n != before {
		t.Errorf("%d submissions", n-before)
	}
	must(t, good.Close()) // no lease is left
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPreparedHoldsItsOperands until the device is done, asked for or not.
func TestPreparedHoldsItsOperands(t *testing.T) {
	for name, submit := range map[string]func(*oxrt.Prepared, *oxrt.Stream, []oxrt.Region) error{
		"submit": func(p *oxrt.Prepared, s *oxrt.Stream, regions []oxrt.Region) error {
			_, err := p.Submit(s, regions)
			return err
		},
		"detach": (*oxrt.Prepared).Detach,
	} {
		r := newRig(t, true)
		p := r.preparedPair()
		x, y := r.buffer(64), r.buffer(64)
		must(t, submit(p, r.stream, []oxrt.Region{x.All(oxrt.F32), {}, y.All(oxrt.F32)}))
		for _, b := range []*oxrt.Buffer{x, y} {
			if err := b.Close(); !errors.Is(err, oxrt.ErrLeased) {
				t.Errorf("%s: closed with %v", name, err)
			}
		}
		r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
		must(t, r.dev.Synchronize())
		if n := r.drv.LiveBytes(); n != 0 {
			t.Errorf("%s: %d bytes live", name, n)
		}
	}
}

// TestPrepareRefuses calls whose next time may differ in more than addresses.
func TestPrepareRefuses(t *testing.T) {
	r := newRig(t, false)
	must(t, r.stream.ReserveWorkspace(512))
	for name, call := range map[string]func(*oxrt.Scope, []oxrt.Region) error{
		"bound one by one": func(s *oxrt.Scope, regions []oxrt.Region) error {
			if err := s.Bind("pair", oxrt.Operand{Name: "x", Region: regions[0], Access: oxrt.Read}); err != nil {
				return err
			}
			return r.launch(s)
		},
		"two operators": func(s *oxrt.Scope, regions []oxrt.Region) error {
			return errors.Join(r.enqueuePair(s, regions), r.enqueuePair(s, regions))
		},
		"fill": func(s *oxrt.Scope, regions []oxrt.Region) error {
			return errors.Join(r.enqueuePair(s, regions), s.Fill(regions[2], 0))
		},
		"workspace": func(s *oxrt.Scope, regions []oxrt.Region) error {
			_, err := s.Workspace("pair", 16)
			return errors.Join(err, r.enqueuePair(s, regions))
		},
		"status": func(s *oxrt.Scope, regions []oxrt.Region) error {
			_, err := s.Status(tables)
			return errors.Join(err, r.enqueuePair(s, regions))
		},
		"eager only": func(s *oxrt.Scope, regions []oxrt.Region) error {
			return errors.Join(s.Restrict("pair", oxrt.GraphNowhere), r.enqueuePair(s, regions))
		},
		"a size from an address": func(s *oxrt.Scope, regions []oxrt.Region) error {
			if err := s.BindTo(pair, []oxrt.Region{regions[0], regions[2]}); err != nil {
				return err
			}
			var p oxrt.Params
			p.PutPtr(0, regions[0].Ptr())
			p.PutU32(8, uint32(regions[2].Ptr()>>40))
			return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p)
		},
		"an address that is no operand's": func(s *oxrt.Scope, regions []oxrt.Region) error {
			if err := s.BindTo(pair, []oxrt.Region{regions[0], regions[2]}); err != nil {
				return err
			}
			var p oxrt.Params
			p.PutPtr(0, regions[0].Ptr()/2)
			p.PutU32(8, 1)
			return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p)
		},
		"a grid from an address": func(s *oxrt.Scope, regions []oxrt.Region) error {
			if err := s.BindTo(pair, []oxrt.Region{regions[0], regions[2]}); err != nil {
				return err
			}
			var p oxrt.Params
			p.PutPtr(0, regions[0].Ptr())
			p.PutU32(8, 1)
			return s.Launch(r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: uint32(regions[0].Ptr() >> 40)}}, &p)
		},
	} {
		if _, err := oxrt.Prepare(r.dev, pair, pairOperands, call); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := oxrt.Prepare(r.dev, pair, pairOperands[:2], r.enqueuePair); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("an operand too few: %v", err)
	}
	if _, err := oxrt.Prepare(r.dev, pair, append(slices.Clone(pairOperands), pairOperands[0]), r.enqueuePair); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("an operand too many: %v", err)
	}
}

// TestPreparedCallsMayLaunchNothing: those of operators on no columns.
func TestPreparedCallsMayLaunchNothing(t *testing.T) {
	r := newRig(t, false)
	p, err := oxrt.Prepare(r.dev, pair, pairOperands, func(s *oxrt.Scope, regions []oxrt.Region) error {
		return s.BindTo(pair, []oxrt.Region{regions[0].First(16), regions[2].First(16)})
	})
	must(t, err)
	regions := []oxrt.Region{r.buffer(64).All(oxrt.F32), {}, r.buffer(64).All(oxrt.F32)}
	done, err := p.Submit(r.stream, regions)
	must(t, err)
	must(t, done.Wait(context.Background()))
	must(t, p.Detach(r.stream, regions))
	regions[0] = regions[2]
	if err := p.Detach(r.stream, regions); err != nil { // in place, as the signature allows
		t.Error(err)
	}
}

func TestPreparedAllocatesNothing(t *testing.T) {
	r := newRig(t, false)
	p := r.preparedPair()
	regions := []oxrt.Region{r.buffer(64).All(oxrt.F32), {}, r.buffer(64).All(oxrt.F32)}
	call := func() {
		done, err := p.Submit(r.stream, regions)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := done.Poll(); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for range 600 {
		call()
	}
	before := r.drv.AllCalls()
	if n := testing.AllocsPerRun(200, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	for method, n := range r.drv.AllCalls() {
		if n != before[method] && method != "Submit" && method != "EventQuery" {
			t.Errorf("a call does %s", method)
		}
	}
}
