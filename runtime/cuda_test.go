//go:build cgo && linux

package oxrt_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakecuda"
	"github.com/oxideinfer/oxide/runtime/internal/symtab"
)

// cuda is a runtime over the real C shim and a fake libcuda.
type cuda struct {
	testing.TB
	lib    *fakecuda.Lib
	rt     *oxrt.Runtime
	dev    *oxrt.Device
	stream *oxrt.Stream
	kernel *oxrt.Kernel
}

// complete is the fake with every entry point, compiled once.
var complete = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return fakecuda.Compile(dir)
})

func build(t testing.TB, omit ...string) *fakecuda.Lib {
	t.Helper()
	image, err := complete()
	if len(omit) > 0 {
		image, err = fakecuda.Compile(t.TempDir(), omit...)
	}
	must(t, err)
	lib, err := fakecuda.Load(t.TempDir(), image)
	must(t, err)
	return lib
}

func newCuda(t testing.TB, o oxrt.Options, omit ...string) *cuda {
	t.Helper()
	c := &cuda{TB: t, lib: build(t, omit...)}
	o.Library = c.lib.Path
	var err error
	c.rt, err = oxrt.OpenWith(o)
	must(t, err)
	c.dev, err = c.rt.Device(1)
	must(t, err)
	c.stream, err = c.dev.NewStream()
	must(t, err)
	c.kernel, err = c.dev.Load(tiny(t))
	must(t, err)
	c.lib.ParamSizes(8, 4)
	return c
}

func (c *cuda) submit(programmatic bool) (oxrt.Completion, error) {
	c.Helper()
	s, err := c.stream.Begin()
	must(c, err)
	var p oxrt.Params
	p.PutPtr(0, 0x1122334455667788)
	p.PutU32(8, 0x99aabbcc)
	must(c, s.Launch(c.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 5, Y: 6}, DynamicSharedBytes: 256, Programmatic: programmatic}, &p))
	return s.Submit()
}

func TestCudaDevice(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	infos, err := c.rt.Devices()
	must(t, err)
	want := oxrt.DeviceInfo{Name: "Fake H200", Major: 9, SMs: 132, ClockKHz: 13000, MemoryBytes: 11 << 30, L2Bytes: 38000,
		SharedBytesPerSM: 81000, SharedBytesPerBlock: 227 << 10, RegistersPerSM: 82000, ThreadsPerSM: 39000, PCIBus: 33000, PCIDevice: 34000, Clusters: true}
	copy(want.UUID[:], bytes.Repeat([]byte{11}, 16))
	if len(infos) != 2 || infos[1] != want || c.dev.Info() != want {
		t.Errorf("got  %+v\nwant %+v", infos, want)
	}
	if v, err := c.rt.DriverVersion(); err != nil || v != 13000 || c.dev.DriverVersion() != 13000 {
		t.Errorf("version %d, %v", v, err)
	}
	if free, total, err := c.dev.MemInfo(); err != nil || free != 1<<20 || total != 2<<20 {
		t.Errorf("memory %d of %d, %v", free, total, err)
	}
	if n, err := c.kernel.BlocksPerSM(256, 0); err != nil || n != 8 {
		t.Errorf("occupancy %d, %v", n, err)
	}
	if v, err := c.kernel.Attribute(oxrt.FuncRegisters); err != nil || v != 5 {
		t.Errorf("attribute %d, %v", v, err)
	}
}

func TestCudaLaunch(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	done, err := c.submit(false)
	must(t, err)
	must(t, done.Wait(context.Background()))
	l := c.lib.LastLaunch()
	if l.Grid != [3]uint32{5, 6, 1} || l.Block != [3]uint32{32, 1, 1} || l.Shared != 256 || l.Extended || l.Stream != uint64(c.stream.Handle()) {
		t.Errorf("%+v", l)
	}
	if l.Params[0] != 0x1122334455667788 || l.Params[1] != 0x99aabbcc {
		t.Errorf("parameters %x", l.Params)
	}
	_, err = c.submit(true)
	must(t, err)
	if l := c.lib.LastLaunch(); !l.Programmatic || !l.Extended || l.Cluster != [3]uint32{} || l.Params[1] != 0x99aabbcc {
		t.Errorf("programmatic: %+v", l)
	}
	pair := tiny(t)
	pair.Variant, pair.Launch.Cluster = "pair", oxrt.Dim3{X: 5, Y: 2}
	c.kernel, err = c.dev.Load(pair)
	must(t, err)
	_, err = c.submit(true)
	must(t, err)
	if l := c.lib.LastLaunch(); !l.Programmatic || l.Cluster != [3]uint32{5, 2, 0} {
		t.Errorf("cluster: %+v", l)
	}
}

// TestCudaSubmitIsOneCall counts the driver calls behind one scope with two launches: the guard, the capture query, the launches,
// one event.
func TestCudaSubmitIsOneCall(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	names := make(map[string]int)
	for _, s := range symtab.Symbols {
		names[s.Name] = c.lib.Calls(s.Name)
	}
	s, err := c.stream.Begin()
	must(t, err)
	var p oxrt.Params
	p.PutPtr(0, 1)
	p.PutU32(8, 1)
	for range 2 {
		must(t, s.Launch(c.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p))
	}
	_, err = s.Submit()
	must(t, err)
	for name, want := range map[string]int{"cuCtxGetCurrent": 1, "cuStreamIsCapturing": 1, "cuLaunchKernel": 2, "cuEventRecord": 1} {
		if n := c.lib.Calls(name) - names[name]; n != want {
			t.Errorf("%s: %d calls, want %d", name, n, want)
		}
		delete(names, name)
	}
	for name, n := range names {
		if c.lib.Calls(name) != n {
			t.Errorf("%s called", name)
		}
	}
}

func TestCudaContextGuard(t *testing.T) {
	for _, restore := range []bool{false, true} {
		c := newCuda(t, oxrt.Options{RestoreNoContext: restore})
		goruntime.LockOSThread()
		ours := uint64(c.dev.Context())
		for _, foreign := range []uint64{0, 0xF00D, ours} {
			want := foreign
			if foreign == 0 && !restore {
				want = ours
			}
			steps := map[string]func() error{
				"submit": func() error { return second(c.submit(false)) },
				"alloc":  func() error { return second(c.dev.Alloc(8)) },
				"query":  func() error { return second(c.stream.Query()) },
				"event":  func() error { return second(c.dev.NewEvent(true)) },
				"memory": func() error { _, _, err := c.dev.MemInfo(); return err },
				"sync":   c.dev.Synchronize,
			}
			for name, step := range steps {
				c.lib.SetCurrent(foreign)
				must(t, step())
				if got := c.lib.Current(); got != want {
					t.Errorf("restore %v: %s left %#x on a thread that had %#x", restore, name, got, foreign)
				}
				if mode := c.lib.CaptureMode(); mode != 0 {
					t.Errorf("%s left capture mode %d", name, mode)
				}
			}
		}
		goruntime.UnlockOSThread()
		if n := c.lib.WithoutContext(); n != 0 {
			t.Errorf("%d calls without a context", n)
		}
	}
}

// TestCudaContextIsRightOnEveryThread: goroutines move between threads, each call finds its context.
func TestCudaContextIsRightOnEveryThread(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	other, err := c.rt.Device(0)
	must(t, err)
	errs := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			for range 200 {
				d := c.dev
				if i%2 == 0 {
					d = other
				}
				if e := d.Synchronize(); e != nil {
					err = e
				}
				goruntime.Gosched()
			}
			errs <- err
		}()
	}
	for range 8 {
		must(t, <-errs)
	}
	if n := c.lib.WithoutContext(); n != 0 {
		t.Errorf("%d calls without a context", n)
	}
}

func TestCudaMemoryAndCopies(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	buf, err := c.dev.Alloc(16)
	must(t, err)
	must(t, c.stream.Upload(buf.All(oxrt.U8), []byte("0123456789abcdef")))
	half, err := buf.Region(8, oxrt.U8, 8)
	must(t, err)
	front, err := buf.Region(0, oxrt.U8, 8)
	must(t, err)
	s, err := c.stream.Begin()
	must(t, err)
	must(t, s.Copy(front, half))
	must(t, s.Fill(half, 'z'))
	_, err = s.Submit()
	must(t, err)
	got := make([]byte, 16)
	must(t, c.stream.Download(got, buf.All(oxrt.U8)))
	if string(got) != "89abcdefzzzzzzzz" {
		t.Errorf("%q", got)
	}
	if c.lib.LiveBytes() != 16 {
		t.Errorf("%d bytes live", c.lib.LiveBytes())
	}
	must(t, c.dev.Synchronize())
	must(t, buf.Close())
	if c.lib.LiveBytes() != 0 {
		t.Errorf("%d bytes live after Close", c.lib.LiveBytes())
	}
}

func TestCudaEventsAndGraph(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	a, err := c.dev.NewEvent(true)
	must(t, err)
	b, err := c.dev.NewEvent(true)
	must(t, err)
	must(t, a.Record(c.stream))
	must(t, c.stream.WaitEvent(a))
	if d, err := b.Since(a); err != nil || d.Microseconds() != 1500 {
		t.Errorf("%v, %v", d, err)
	}
	must(t, c.stream.BeginCapture())
	done, err := c.submit(true)
	must(t, err)
	if !done.Captured() {
		t.Error("not captured")
	}
	g, err := c.stream.EndCapture()
	must(t, err)
	done, err = g.Launch(c.stream)
	must(t, err)
	must(t, done.Wait(context.Background()))
	must(t, c.stream.BeginCapture())
	_, err = c.submit(true)
	must(t, err)
	must(t, c.stream.EndCaptureInto(g))
	must(t, c.stream.BeginCapture())
	c.lib.Fail("cuGraphExecUpdate_v2", int(oxrt.CodeGraphUpdateFailure), 0)
	if err := c.stream.EndCaptureInto(g); !errors.Is(err, oxrt.CodeGraphUpdateFailure) {
		t.Errorf("got %v", err)
	}
	must(t, g.Close())
	must(t, a.Close())
	must(t, b.Close())
	must(t, c.stream.Synchronize(context.Background()))
	must(t, c.stream.Close())
	for _, name := range []string{"cuGraphUpload", "cuGraphLaunch", "cuGraphExecDestroy", "cuStreamDestroy_v2"} {
		if n := c.lib.Calls(name); n != 1 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
	if begun, gone := c.lib.Calls("cuStreamEndCapture"), c.lib.Calls("cuGraphDestroy"); begun != 3 || gone != 3 {
		t.Errorf("%d graphs captured, %d destroyed", begun, gone)
	}
	must(t, c.rt.Close())
	if created, gone := c.lib.Calls("cuEventCreate"), c.lib.Calls("cuEventDestroy_v2"); created != gone {
		t.Errorf("%d events created, %d destroyed", created, gone)
	}
	if c.lib.Calls("cuModuleUnload") != 1 || c.lib.Calls("cuDevicePrimaryCtxRelease_v2") != 1 {
		t.Error("module or context left")
	}
}

func TestCudaForeignCaptureRecordsNoEvent(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	c.lib.Capturing(true)
	records := c.lib.Calls("cuEventRecord")
	done, err := c.submit(false)
	must(t, err)
	if !done.Captured() || c.lib.Calls("cuEventRecord") != records {
		t.Error("an event was recorded into somebody else's capture")
	}
	launches := c.lib.Calls("cuLaunchKernel")
	s, err := c.stream.Begin()
	must(t, err)
	must(t, s.Restrict("op", oxrt.GraphNowhere))
	var p oxrt.Params
	p.PutPtr(0, 1)
	p.PutU32(8, 1)
	must(t, s.Launch(c.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p))
	if _, err = s.Submit(); !errors.Is(err, oxrt.ErrCapture) || c.lib.Calls("cuLaunchKernel") != launches {
		t.Errorf("an eager operator in somebody else's capture: %v", err)
	}
	c.lib.Fail("cuStreamGetCaptureInfo_v2", int(oxrt.CodeNotPermitted), 0)
	if _, err = c.submit(false); !errors.Is(err, oxrt.CodeNotPermitted) {
		t.Errorf("which capture: %v", err)
	}
}

// TestCudaErrors makes every entry point fail in turn: each has to arrive as a DriverError with its code.
func TestCudaErrors(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	buf, err := c.dev.Alloc(16)
	must(t, err)
	event, err := c.dev.NewEvent(true)
	must(t, err)
	load := func(ptx string) func() error {
		a := tiny(t)
		a.PTXSHA256 = digest([]byte(ptx))
		return func() error { return second(c.dev.Load(a)) }
	}
	begin := func(add func(*oxrt.Scope) error) func() error {
		return func() error {
			s, err := c.stream.Begin()
			must(t, err)
			must(t, add(s))
			return second(s.Submit())
		}
	}
	all := buf.All(oxrt.U8)
	low, _ := all.Slice(0, 8)
	high, _ := all.Slice(8, 8)
	for name, call := range map[string]func() error{
		"cuMemAlloc_v2":                               func() error { return second(c.dev.Alloc(8)) },
		"cuMemGetInfo_v2":                             func() error { _, _, err := c.dev.MemInfo(); return err },
		"cuMemcpyHtoDAsync_v2":                        func() error { return c.stream.Upload(all, []byte{1}) },
		"cuMemcpyDtoHAsync_v2":                        func() error { return c.stream.Download([]byte{1}, all) },
		"cuStreamSynchronize":                         func() error { return c.stream.Download([]byte{1}, all) },
		"cuStreamCreateWithPriority":                  func() error { return second(c.dev.NewStream()) },
		"cuStreamQuery":                               func() error { return second(c.stream.Query()) },
		"cuStreamWaitEvent":                           func() error { return c.stream.WaitEvent(event) },
		"cuEventCreate":                               func() error { return second(c.dev.NewEvent(false)) },
		"cuEventRecord":                               func() error { return event.Record(c.stream) },
		"cuEventQuery":                                func() error { return second(event.Query()) },
		"cuEventElapsedTime":                          func() error { return second(event.Since(event)) },
		"cuCtxSynchronize":                            c.dev.Synchronize,
		"cuCtxGetCurrent":                             func() error { return second(c.submit(false)) },
		"cuStreamIsCapturing":                         func() error { return second(c.submit(false)) },
		"cuLaunchKernel":                              func() error { return second(c.submit(false)) },
		"cuLaunchKernelEx":                            func() error { return second(c.submit(true)) },
		"cuMemsetD8Async":                             begin(func(s *oxrt.Scope) error { return s.Fill(all, 1) }),
		"cuMemcpyDtoDAsync_v2":                        begin(func(s *oxrt.Scope) error { return s.Copy(low, high) }),
		"cuModuleLoadData":                            load("first"),
		"cuModuleGetFunction":                         load("second"),
		"cuFuncGetAttribute":                          func() error { return second(c.kernel.Attribute(oxrt.FuncRegisters)) },
		"cuOccupancyMaxActiveBlocksPerMultiprocessor": func() error { return second(c.kernel.BlocksPerSM(32, 0)) },
		"cuStreamBeginCapture_v2":                     func() error { return c.stream.BeginCapture() },
		"cuCtxGetStreamPriorityRange":                 func() error { return second(c.dev.NewStreamWithPriority(-1)) },
		"cuDeviceGetCount":                            func() error { return second(c.rt.Devices()) },
		"cuDeviceGetName":                             func() error { return second(c.rt.Devices()) },
		"cuThreadExchangeStreamCaptureMode":           func() error { return second(event.Query()) },
	} {
		must(t, c.dev.Synchronize())
		c.lib.Fail(name, int(oxrt.CodeNotPermitted), 0)
		err := call()
		c.lib.Fail(name, 0, 0)
		var driver *oxrt.DriverError
		if !errors.As(err, &driver) || !errors.Is(err, oxrt.CodeNotPermitted) || driver.Sticky() || driver.Op == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	must(t, c.dev.Synchronize())
	if n := c.lib.WithoutContext(); n != 0 {
		t.Errorf("%d calls without a context", n)
	}
}

func TestCudaSecondLaunchFails(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	buf, err := c.dev.Alloc(16)
	must(t, err)
	s, err := c.stream.Begin()
	must(t, err)
	must(t, s.Bind("op", oxrt.Operand{Name: "y", Region: buf.All(oxrt.U8), Access: oxrt.Write}))
	var p oxrt.Params
	p.PutPtr(0, 1)
	p.PutU32(8, 1)
	for range 3 {
		must(t, s.Launch(c.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p))
	}
	c.lib.Fail("cuLaunchKernel", int(oxrt.CodeLaunchOutOfResources), 1)
	c.lib.Hold(true)
	if _, err = s.Submit(); !errors.Is(err, oxrt.CodeLaunchOutOfResources) {
		t.Fatalf("got %v", err)
	}
	if n := c.lib.Calls("cuLaunchKernel"); n != 2 {
		t.Errorf("%d launches tried", n)
	}
	if err := buf.Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("the first launch still runs: %v", err)
	}
	c.lib.Hold(false)
	must(t, c.dev.Synchronize())
	if c.lib.LiveBytes() != 0 {
		t.Error("memory left")
	}
}

func TestCudaMissingSymbols(t *testing.T) {
	for _, s := range symtab.Symbols {
		if s.Optional {
			continue
		}
		switch s.Name { // one of each kind is enough: every build of the fake costs a compiler run
		case "cuInit", "cuStreamIsCapturing", "cuGraphExecDestroy":
		default:
			continue
		}
		_, err := oxrt.OpenWith(oxrt.Options{Library: build(t, s.Name).Path})
		if !errors.Is(err, oxrt.ErrNoDriver) || !strings.Contains(err.Error(), s.Name) {
			t.Errorf("without %s: %v", s.Name, err)
		}
	}
	c := newCuda(t, oxrt.Options{}, "cuLaunchKernelEx", "cuGraphUpload")
	if _, err := c.submit(true); !errors.Is(err, oxrt.CodeMissingSymbol) {
		t.Errorf("programmatic launch without cuLaunchKernelEx: %v", err)
	}
	_, err := c.submit(false)
	must(t, err)
	must(t, c.stream.BeginCapture())
	_, err = c.stream.EndCapture()
	must(t, err)
}

func TestCudaOpenFails(t *testing.T) {
	if _, err := oxrt.OpenWith(oxrt.Options{Library: filepath.Join(t.TempDir(), "libcuda.so.1")}); !errors.Is(err, oxrt.ErrNoDriver) {
		t.Errorf("no library: %v", err)
	}
	text := filepath.Join(t.TempDir(), "libcuda.so.1")
	must(t, os.WriteFile(text, []byte("not a library"), 0o644))
	if _, err := oxrt.OpenWith(oxrt.Options{Library: text}); !errors.Is(err, oxrt.ErrNoDriver) {
		t.Errorf("a text file: %v", err)
	}
	lib := build(t)
	for code, want := range map[oxrt.Code]error{oxrt.CodeNoDevice: oxrt.ErrNoDevice, oxrt.CodeSystemNotReady: oxrt.ErrNoDriver, 803: oxrt.ErrNoDriver} {
		lib.Fail("cuInit", int(code), 0)
		_, err := oxrt.OpenWith(oxrt.Options{Library: lib.Path})
		if !errors.Is(err, want) || !errors.Is(err, code) || !strings.Contains(err.Error(), "cuInit") {
			t.Errorf("cuInit %v: %v", code, err)
		}
	}
	lib.Fail("cuInit", 0, 0)
	rt, err := oxrt.OpenWith(oxrt.Options{Library: lib.Path})
	must(t, err)
	lib.Fail("cuDevicePrimaryCtxRetain", int(oxrt.CodeDeviceUnavailable), 0)
	if _, err := rt.Device(0); !errors.Is(err, oxrt.CodeDeviceUnavailable) {
		t.Errorf("device: %v", err)
	}
	lib.Fail("cuDevicePrimaryCtxRetain", 0, 0)
	lib.Fail("cuEventCreate", int(oxrt.CodeOutOfMemory), 5)
	if _, err := rt.Device(0); !errors.Is(err, oxrt.CodeOutOfMemory) {
		t.Errorf("device: %v", err)
	}
	if lib.Calls("cuDevicePrimaryCtxRelease_v2") != 1 || lib.Calls("cuEventDestroy_v2") != 5 {
		t.Error("a device that did not open left something")
	}
}

func TestCudaCallAllocatesNothing(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	buf, err := c.dev.Alloc(64)
	must(t, err)
	r := &rig{TB: t, stream: c.stream, kernel: c.kernel}
	call := callOf(r, buf.All(oxrt.F32), buf.All(oxrt.F32))
	for range 128 {
		call()
	}
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	must(t, c.stream.BeginCapture())
	_, err = c.submit(false)
	must(t, err)
	g, err := c.stream.EndCapture()
	must(t, err)
	if n := testing.AllocsPerRun(100, func() {
		done, err := g.Launch(c.stream)
		must(t, err)
		must(t, second(done.Poll()))
	}); n != 0 {
		t.Errorf("%v allocations a replay", n)
	}
}

// TestGlibcSymbols: a program with the runtime must start on systems with glibc 2.34.
func TestGlibcSymbols(t *testing.T) {
	path, err := os.Executable()
	must(t, err)
	f, err := elf.Open(path)
	must(t, err)
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	must(t, err)
	dlopen := false
	for _, s := range symbols {
		dlopen = dlopen || s.Name == "dlopen"
		number, ok := strings.CutPrefix(s.Version, "GLIBC_2.")
		if !ok {
			continue
		}
		minor, err := strconv.Atoi(strings.SplitN(number, ".", 2)[0])
		if err != nil || minor > 34 {
			t.Errorf("%s needs %s", s.Name, s.Version)
		}
	}
	if !dlopen {
		t.Error("this is not the program that opens the driver")
	}
	libs, err := f.ImportedLibraries()
	must(t, err)
	for _, l := range libs {
		if strings.HasPrefix(l, "libcuda") {
			t.Errorf("linked to %s", l)
		}
	}
}

func BenchmarkCudaCall(b *testing.B) {
	c := newCuda(b, oxrt.Options{})
	buf, err := c.dev.Alloc(64)
	must(b, err)
	call := callOf(&rig{TB: b, stream: c.stream, kernel: c.kernel}, buf.All(oxrt.F32), buf.All(oxrt.F32))
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
