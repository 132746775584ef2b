package oxrt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func TestScopeSubmitsOnceAndInOrder(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	s := r.begin()
	for range 3 {
		must(t, s.Bind("op", oxrt.Operand{Name: "y", Region: buf.All(oxrt.F32), Access: oxrt.ReadWrite}))
		must(t, r.launch(s))
	}
	if n := r.drv.Calls("Submit"); n != 0 {
		t.Fatalf("%d submissions before Submit", n)
	}
	done, err := s.Submit()
	must(t, err)
	if n := r.drv.Calls("Submit"); n != 1 {
		t.Errorf("%d driver calls for one scope", n)
	}
	must(t, done.Wait(context.Background()))
	if n := r.drv.Calls("EventRecord"); n != 0 {
		t.Errorf("%d separate event records", n)
	}
	c := r.drv.LastCommand()
	if c.Kind != oxrt.CommandLaunch || c.ParamStart != 32 || c.ParamBytes != 12 || c.OffsetStart != 4 || c.OffsetCount != 2 ||
		c.Block != (oxrt.Dim3{X: 32, Y: 1, Z: 1}) || c.Grid != (oxrt.Dim3{X: 1, Y: 1, Z: 1}) {
		t.Errorf("third launch: %+v", c)
	}
}

func TestScopeEndsOnce(t *testing.T) {
	r := newRig(t, false)
	s := r.begin()
	_, err := s.Submit()
	must(t, err)
	var p oxrt.Params
	for name, err := range map[string]error{
		"launch": s.Launch(r.kernel, oxrt.LaunchConfig{}, &p), "bind": s.Bind("op"), "submit": second(s.Submit()),
	} {
		if !errors.Is(err, oxrt.ErrStale) {
			t.Errorf("%s after Submit: %v", name, err)
		}
	}
	s.Drop()
	if s.Stream() != nil {
		t.Error("an ended scope has a stream")
	}
	// However many scopes come later, an ended one ends none of them.
	for range 1000 {
		next := r.begin()
		s.Drop()
		if err := r.launch(s); next == s || !errors.Is(err, oxrt.ErrStale) || next.Stream() == nil {
			t.Fatalf("an ended scope has become another one: %v", err)
		}
		next.Drop()
	}
}

func second[T any](_ T, err error) error { return err }

func TestDropReleasesLeases(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	s := r.begin()
	must(t, s.Fill(buf.All(oxrt.U8), 0))
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Fatalf("closed while in a scope: %v", err)
	}
	if r.drv.LiveBytes() != 64 {
		t.Fatal("freed while leased")
	}
	s.Drop()
	if r.drv.LiveBytes() != 0 || r.drv.Calls("Submit") != 0 {
		t.Error("a dropped scope keeps memory or has submitted")
	}
}

func TestFreeIsDeferredUntilTheWorkIsDone(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	first, last := r.use(buf), r.use(buf)
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Fatalf("got %v", err)
	}
	if err := buf.Close(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
	s := r.begin()
	if err := s.Fill(buf.All(oxrt.U8), 0); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("use after close: %v", err)
	}
	s.Drop()
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, first.Wait(context.Background()))
	if r.drv.LiveBytes() != 64 {
		t.Fatal("freed before the last use was done")
	}
	if done, _ := last.Poll(); done {
		t.Fatal("the second submission is done too early")
	}
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, last.Wait(context.Background()))
	if r.drv.LiveBytes() != 0 {
		t.Error("not freed when the work was done")
	}
}

// TestCloseSettlesWhatIsDone: nobody waited for the work, but it is done, so Close frees at once.
func TestCloseSettlesWhatIsDone(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	done := r.use(buf)
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, buf.Close())
	must(t, done.Wait(context.Background()))
}

func TestAliasing(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(1024)
	at := func(offset, elems int64) oxrt.Region {
		reg, err := buf.Region(offset, oxrt.F32, elems)
		must(t, err)
		return reg
	}
	foreign, err := oxrt.External(buf.Ptr()+128, 16, oxrt.F32, oxrt.ReadWrite)
	must(t, err)
	op := func(name string, reg oxrt.Region, a oxrt.Access, in string) oxrt.Operand {
		return oxrt.Operand{Name: name, Region: reg, Access: a, InPlace: in}
	}
	for name, c := range map[string]struct {
		a, b    oxrt.Operand
		refused bool
	}{
		"apart":                      {op("x", at(0, 32), oxrt.Read, ""), op("y", at(128, 32), oxrt.Write, ""), false},
		"both read":                  {op("x", at(0, 32), oxrt.Read, ""), op("y", at(64, 32), oxrt.Read, ""), false},
		"exact":                      {op("x", at(0, 32), oxrt.Read, ""), op("y", at(0, 32), oxrt.Write, ""), true},
		"exact in place":             {op("x", at(0, 32), oxrt.Read, ""), op("y", at(0, 32), oxrt.Write, "x"), false},
		"in place said by the other": {op("x", at(0, 32), oxrt.Read, "y"), op("y", at(0, 32), oxrt.Write, ""), false},
		"in place with a third":      {op("x", at(0, 32), oxrt.Read, ""), op("y", at(0, 32), oxrt.Write, "z"), true},
		"shifted in place":           {op("x", at(0, 32), oxrt.Read, ""), op("y", at(4, 32), oxrt.Write, "x"), true},
		"one byte":                   {op("x", at(0, 33), oxrt.Read, ""), op("y", at(128, 32), oxrt.Write, ""), true},
		"inside":                     {op("x", at(0, 64), oxrt.ReadWrite, ""), op("y", at(64, 1), oxrt.Read, ""), true},
		"through another object":     {op("x", at(128, 4), oxrt.Write, ""), op("y", foreign, oxrt.Read, ""), true},
		"empty":                      {op("x", at(0, 64), oxrt.Write, ""), op("y", at(64, 0), oxrt.Read, ""), false},
	} {
		s := r.begin()
		err := s.Bind("op", c.a, c.b)
		if (err != nil) != c.refused || (err != nil && (!errors.Is(err, oxrt.ErrContract) || !strings.Contains(err.Error(), "y: want memory apart from x"))) {
			t.Errorf("%s: %v", name, err)
		}
		if _, submitErr := s.Submit(); (submitErr != nil) != c.refused {
			t.Errorf("%s: Submit after that: %v", name, submitErr)
		}
	}
	must(t, buf.Close()) // no lease is left behind
}

func TestBindReportsEverythingAtOnce(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	s := r.begin()
	err := s.Bind("norm",
		oxrt.Operand{Name: "x", Access: oxrt.Read},
		oxrt.Operand{Name: "w", Region: buf.All(oxrt.F32)},
		oxrt.Operand{Name: "y", Region: buf.All(oxrt.F32).ReadOnly(), Access: oxrt.Write})
	for _, part := range []string{"x: want a region, got none", "w: want a declared access", "y: want write access, got read access", "apart from w"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if again := r.launch(s); fmt.Sprint(again) != fmt.Sprint(err) {
		t.Errorf("after a refusal: %v", again)
	}
	s.Drop()
	must(t, buf.Close())
}

func TestLaunchContract(t *testing.T) {
	r := newRig(t, false)
	clustered := tiny(t)
	clustered.Variant, clustered.Launch.Cluster, clustered.Launch.ProgrammaticLaunch = "clustered", oxrt.Dim3{X: 2}, false
	pair, err := r.dev.Load(clustered)
	must(t, err)
	loose := tiny(t)
	loose.Variant, loose.Launch.Block, loose.Launch.MaxThreads = "loose", oxrt.Dim3{}, 64
	loose.Cubin = nil
	other, err := r.rt.Device(1)
	must(t, err)
	elsewhere, err := other.Load(tiny(t))
	must(t, err)
	good := func() oxrt.Params {
		var p oxrt.Params
		p.PutPtr(0, 1<<40)
		p.PutU32(8, 1)
		return p
	}
	x := func(n uint32) oxrt.Dim3 { return oxrt.Dim3{X: n} }
	for field, c := range map[string]struct {
		k      *oxrt.Kernel
		cfg    oxrt.LaunchConfig
		params func() oxrt.Params
	}{
		"grid: want at least one":  {r.kernel, oxrt.LaunchConfig{}, good},
		"grid: want at most":       {r.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1, Y: 1 << 16}}, good},
		"grid: want a multiple":    {pair, oxrt.LaunchConfig{Grid: x(3)}, good},
		"programmatic launch":      {pair, oxrt.LaunchConfig{Grid: x(2), Programmatic: true}, good},
		"block":                    {r.kernel, oxrt.LaunchConfig{Grid: x(1), Block: x(64)}, good},
		"dynamic shared":           {r.kernel, oxrt.LaunchConfig{Grid: x(1), DynamicSharedBytes: 2048}, good},
		"device":                   {elsewhere, oxrt.LaunchConfig{Grid: x(1)}, good},
		"parameters: want 12":      {r.kernel, oxrt.LaunchConfig{Grid: x(1)}, func() oxrt.Params { var p oxrt.Params; p.PutPtr(0, 1); return p }},
		"parameters: want aligned": {r.kernel, oxrt.LaunchConfig{Grid: x(1)}, func() oxrt.Params { p := good(); p.PutU32(6, 1); return p }},
	} {
		s := r.begin()
		p := c.params()
		err := s.Launch(c.k, c.cfg, &p)
		var contract *oxrt.ContractError
		if !errors.As(err, &contract) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v", field, err)
		}
		s.Drop()
	}
	s := r.begin()
	p := good()
	must(t, s.Launch(pair, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 4, Z: 3}, Block: x(32), DynamicSharedBytes: 1024}, &p))
	_, err = s.Submit()
	must(t, err)
	if c := r.drv.LastCommand(); c.Cluster != x(2) || c.SharedBytes != 1024 || c.Grid != (oxrt.Dim3{X: 4, Y: 1, Z: 3}) || c.Flags != 0 {
		t.Errorf("%+v", c)
	}
}

func TestSubmitFailureKeepsWhatWasEnqueued(t *testing.T) {
	r := newRig(t, true)
	buf := r.buffer(64)
	s := r.begin()
	must(t, s.Bind("op", oxrt.Operand{Name: "y", Region: buf.All(oxrt.F32), Access: oxrt.Write}))
	must(t, r.launch(s))
	must(t, r.launch(s))
	r.drv.Fail("Submit", oxrt.CodeLaunchOutOfResources) // the fake has enqueued half by then
	_, err := s.Submit()
	var driver *oxrt.DriverError
	if !errors.As(err, &driver) || driver.Kernel != "Tiny/v" || !errors.Is(err, oxrt.CodeLaunchOutOfResources) || driver.Sticky() {
		t.Fatalf("got %v", err)
	}
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("memory of the half that runs: %v", err)
	}
	r.drv.Fail("Submit", oxrt.CodeSuccess)
	r.drv.Advance(r.stream.Handle(), 1, oxrt.CodeSuccess)
	must(t, r.dev.Synchronize())
	if r.drv.LiveBytes() != 0 {
		t.Error("not freed when that half was done")
	}
}

func TestClosedStream(t *testing.T) {
	r := newRig(t, false)
	buf := r.buffer(64)
	s := r.begin()
	must(t, s.Fill(buf.All(oxrt.U8), 1))
	must(t, r.stream.Close())
	if _, err := s.Submit(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("submit: %v", err)
	}
	if _, err := r.stream.Begin(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("begin: %v", err)
	}
	if err := r.stream.Close(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("close: %v", err)
	}
	must(t, buf.Close())
	ext := oxrt.ExternalStream(r.dev, oxrt.StreamLegacy)
	must(t, ext.Close())
	if _, err := ext.Begin(); err != nil {
		t.Errorf("an external stream is not ours to close: %v", err)
	}
}
