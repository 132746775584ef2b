package oxrt_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

var lostCodes = []oxrt.Code{oxrt.CodeDeviceUnavailable, oxrt.CodeECCUncorrectable, oxrt.CodeIllegalAddress, oxrt.CodeLaunchTimeout}

// ways are the calls that may meet the loss first.
var ways = map[string]func(*rig, oxrt.Completion, oxrt.Code) error{
	"completion": func(r *rig, c oxrt.Completion, code oxrt.Code) error {
		r.drv.Advance(r.stream.Handle(), 1, code)
		return c.Wait(context.Background())
	},
	"submit": func(r *rig, _ oxrt.Completion, code oxrt.Code) error {
		s := r.begin()
		must(r, r.launch(s))
		r.drv.Fail("Submit", code)
		return second(s.Submit())
	},
	"alloc": func(r *rig, _ oxrt.Completion, code oxrt.Code) error {
		r.drv.Fail("Alloc", code)
		return second(r.dev.Alloc(8))
	},
	"copy": func(r *rig, _ oxrt.Completion, code oxrt.Code) error {
		r.drv.Fail("CopyToDevice", code)
		ext, err := oxrt.External(0x5000, 8, oxrt.U8, oxrt.ReadWrite)
		must(r, err)
		return r.stream.Upload(ext, []byte{1})
	},
	"graph": func(r *rig, _ oxrt.Completion, code oxrt.Code) error {
		must(r, r.stream.BeginCapture())
		g, err := r.stream.EndCapture()
		must(r, err)
		r.drv.Fail("ExecLaunch", code)
		err = second(g.Launch(r.stream))
		if e := g.Close(); e != nil {
			r.Error(e)
		}
		return err
	},
	"synchronize": func(r *rig, _ oxrt.Completion, code oxrt.Code) error {
		r.drv.Fail("Synchronize", code)
		return r.dev.Synchronize()
	},
}

// TestDeviceThatDisappears: whichever call meets it, everything in flight and every later call has one typed outcome, at once, and
// nothing is left behind.
func TestDeviceThatDisappears(t *testing.T) {
	for _, code := range lostCodes {
		for name, way := range ways {
			t.Run(fmt.Sprintf("%v/%s", code, name), func(t *testing.T) { testLost(t, code, way) })
		}
	}
}

func testLost(t *testing.T, code oxrt.Code, way func(*rig, oxrt.Completion, oxrt.Code) error) {
	r := newRig(t, true)
	released := 0
	own := r.buffer(64)
	adopted, err := r.dev.Adopt(0x9000_0000, 64, func() { released++ })
	must(t, err)
	event, err := r.dev.NewEvent(false)
	must(t, err)
	flying := []oxrt.Completion{r.use(own), r.use(adopted), r.use(own)}
	open := r.begin()
	must(t, open.Fill(own.All(oxrt.U8), 0))

	err = way(r, flying[0], code)
	var lost *oxrt.DeviceError
	if !errors.As(err, &lost) || !errors.Is(err, oxrt.ErrDeviceLost) || !errors.Is(err, code) || lost != r.dev.Lost() {
		t.Fatalf("got %v", err)
	}
	same := func(what string, err error) {
		t.Helper()
		if err != error(lost) {
			t.Errorf("%s: %v", what, err)
		}
	}
	before := r.drv.AllCalls()
	for i, c := range flying {
		same(fmt.Sprint("in flight ", i), c.Wait(context.Background()))
	}
	same("begin", second(r.stream.Begin()))
	same("submit", second(open.Submit()))
	same("alloc", second(r.dev.Alloc(8)))
	same("stream", second(r.dev.NewStream()))
	same("event", second(r.dev.NewEvent(false)))
	same("load", second(r.dev.Load(tiny(t))))
	same("query", second(r.stream.Query()))
	same("record", event.Record(r.stream))
	same("wait", r.stream.WaitEvent(event))
	same("capture", r.stream.BeginCapture())
	same("upload", r.stream.Upload(own.All(oxrt.U8), []byte{1}))
	same("synchronize", r.dev.Synchronize())
	same("workspace", r.stream.ReserveWorkspace(8))
	for method, n := range r.drv.AllCalls() {
		if n != before[method] {
			t.Errorf("the lost device is asked: %s", method)
		}
	}
	must(t, own.Close())
	must(t, adopted.Close())
	must(t, event.Close())
	must(t, r.stream.Close())
	if released != 1 || r.drv.LiveBytes() != 0 || len(r.rt.OpenObjects()) != 0 {
		t.Errorf("released %d times, %d bytes live, open: %v", released, r.drv.LiveBytes(), r.rt.OpenObjects())
	}
	same("close", errors.Unwrap(onlyError(r.rt.Close())))
	for _, kind := range []string{"stream", "event", "module", "graph", "exec"} {
		if n := r.drv.LiveObjects(kind); n != 0 {
			t.Errorf("%d %ss left", n, kind)
		}
	}
}

// onlyError takes a joined error of one apart.
func onlyError(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
		return fmt.Errorf("%w", joined.Unwrap()[0])
	}
	return fmt.Errorf("%w", err)
}

// TestLostAtOpen: a device that is gone from the start is no device, with its reason.
func TestLostAtOpen(t *testing.T) {
	for _, code := range lostCodes {
		for _, method := range []string{"Retain", "AllocHost", "EventCreate"} {
			r := newRig(t, false)
			r.drv.Fail(method, code)
			_, err := r.rt.Device(1)
			if !errors.Is(err, code) {
				t.Errorf("%s: %v", method, err)
			}
			r.drv.Fail(method, oxrt.CodeSuccess)
			must(t, second(r.rt.Device(1))) // nothing remembers the failure
			must(t, second(r.dev.Alloc(8))) // the other device is unharmed
		}
	}
}

// TestOtherFailuresLoseNothing: out of memory is no lost device.
func TestOtherFailuresLoseNothing(t *testing.T) {
	r := newRig(t, false)
	r.drv.Fail("Alloc", oxrt.CodeOutOfMemory)
	if _, err := r.dev.Alloc(8); !errors.Is(err, oxrt.CodeOutOfMemory) || errors.Is(err, oxrt.ErrDeviceLost) || r.dev.Lost() != nil {
		t.Errorf("got %v", err)
	}
	r.drv.Fail("Alloc", oxrt.CodeSuccess)
	must(t, second(r.dev.Alloc(8)))
}
