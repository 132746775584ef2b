package emulated_test

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

//go:embed testdata/scale.ptx
var scalePTX string

func sum(s string) string {
	b := sha256.Sum256([]byte(s))
	return hex.EncodeToString(b[:])
}

func lookup(s string) (string, string, bool) {
	if s != sum(scalePTX) {
		return "", "", false
	}
	return scalePTX, "file scale.go\nfile main.go\nat 1 3 - main\nat 0 7 0 scale\nat 0 8 - scale\n25 1\n27 2\n", true
}

func scaleArtifact() *oxrt.Artifact {
	return &oxrt.Artifact{
		Algorithm: "Scale", Target: "sm_90a", Entry: "scale", PTXSHA256: sum(scalePTX),
		Launch: oxrt.LaunchContract{
			Block: oxrt.Dim3{X: 32}, ParamBytes: 24,
			Params: []oxrt.ParamInfo{
				{Name: "x", Offset: 0, Size: 8, Pointer: true, DType: oxrt.F32}, {Name: "y", Offset: 8, Size: 8, Pointer: true, DType: oxrt.F32},
				{Name: "a", Offset: 16, Size: 4, DType: oxrt.F32}, {Name: "n", Offset: 20, Size: 4, DType: oxrt.U32},
			},
		},
	}
}

type bench struct {
	t      *testing.T
	driver *emulated.Driver
	rt     *oxrt.Runtime
	dev    *oxrt.Device
	stream *oxrt.Stream
	kernel *oxrt.Kernel
}

func open(t *testing.T, o emulated.Options) *bench {
	t.Helper()
	o.Lookups = append(o.Lookups, lookup)
	driver := emulated.New(o)
	rt, err := oxrt.OpenDriver(driver)
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	kernel, err := dev.Load(scaleArtifact())
	must(t, err)
	t.Cleanup(func() { rt.Close() })
	return &bench{t, driver, rt, dev, stream, kernel}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) vector(name string, values ...float32) oxrt.Region {
	b.t.Helper()
	buf, err := b.dev.AllocNamed(name, int64(4*len(values)))
	must(b.t, err)
	data := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
	}
	r := buf.All(oxrt.F32)
	must(b.t, b.stream.Upload(r, data))
	return r
}

func (b *bench) values(r oxrt.Region) []float32 {
	b.t.Helper()
	data := make([]byte, r.Bytes())
	must(b.t, b.stream.Download(data, r))
	out := make([]float32, r.Len())
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

func (b *bench) add(s *oxrt.Scope, x, y oxrt.Region, a float32, n uint32) error {
	if err := s.Bind("scale", oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read},
		oxrt.Operand{Name: "y", Region: y, Access: oxrt.Write, InPlace: "x"}); err != nil {
		return err
	}
	var p oxrt.Params
	p.PutPtr(0, x.Ptr())
	p.PutPtr(8, y.Ptr())
	p.PutF32(16, a)
	p.PutU32(20, n)
	return s.Launch(b.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: (n + 31) / 32}}, &p)
}

func (b *bench) submit(fill func(*oxrt.Scope)) oxrt.Completion {
	b.t.Helper()
	s, err := b.stream.Begin()
	must(b.t, err)
	fill(s)
	done, err := s.Submit()
	must(b.t, err)
	return done
}

func TestScopeRunsOperatorsInOrder(t *testing.T) {
	b := open(t, emulated.Options{})
	x, y := b.vector("x", 1, 2, 3), b.vector("y", 0, 0, 0)
	done := b.submit(func(s *oxrt.Scope) {
		must(t, b.add(s, x, y, 2, 3))
		must(t, b.add(s, y, y, 10, 3))
		must(t, s.Copy(x, y))
		must(t, s.Fill(y, 0))
	})
	must(t, done.Wait(context.Background()))
	if got := b.values(x); got[0] != 20 || got[1] != 40 || got[2] != 60 {
		t.Errorf("x = %v", got)
	}
	if got := b.values(y); got[0] != 0 || got[2] != 0 {
		t.Errorf("y = %v", got)
	}
}

func TestGraphReplays(t *testing.T) {
	b := open(t, emulated.Options{})
	x := b.vector("x", 1, 5)
	must(t, b.stream.BeginCapture())
	done := b.submit(func(s *oxrt.Scope) { must(t, b.add(s, x, x, 2, 2)) })
	if !done.Captured() {
		t.Error("a submission on a capturing stream is not captured")
	}
	graph, err := b.stream.EndCapture()
	must(t, err)
	if got := b.values(x); got[0] != 1 {
		t.Fatalf("the capture ran: %v", got)
	}
	if err := x.Owner().Close(); !errors.Is(err, oxrt.ErrLeased) {
		t.Errorf("memory of a graph: closed with %v", err)
	}
	for range 3 {
		done, err = graph.Launch(b.stream)
		must(t, err)
	}
	must(t, done.Wait(context.Background()))
	data := make([]byte, 8)
	ext, err := oxrt.External(x.Ptr(), 2, oxrt.F32, oxrt.Read)
	must(t, err)
	must(t, b.stream.Download(data, ext))
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data)); got != 8 {
		t.Errorf("after three replays: %v", got)
	}
	must(t, graph.Close())
	if err := b.stream.Download(data, ext); err == nil {
		t.Error("the memory outlived its graph")
	}
}

func TestFindingIsTheErrorOfItsCompletion(t *testing.T) {
	b := open(t, emulated.Options{})
	x, y := b.vector("input", 1, 2, 3), b.vector("output", 0, 0, 0)
	bad := b.submit(func(s *oxrt.Scope) {
		must(t, b.add(s, x, y, 1, 4)) // one element too many
		must(t, s.Fill(x, 0))         // skipped: it is behind the fault
	})
	good := b.submit(func(s *oxrt.Scope) { must(t, b.add(s, x, y, 3, 3)) })

	err := bad.Wait(context.Background())
	var driver *oxrt.DriverError
	if !errors.As(err, &driver) || driver.Code != oxrt.CodeIllegalAddress || driver.Kernel != "" {
		t.Fatalf("got %v", err)
	}
	var fault *emulated.Fault
	if !errors.As(err, &fault) || fault.Kernel != "scale" || fault.Finding.Class != emulate.OOBGlobal || fault.Finding.Line == 0 {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"scale.go:7 < main.go:3", `"input"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
	must(t, good.Wait(context.Background()))
	if got := b.values(y); got[0] != 3 || got[2] != 9 {
		t.Errorf("after the fault: %v", got)
	}
}

func TestStickyLosesTheDevice(t *testing.T) {
	b := open(t, emulated.Options{Sticky: true})
	x := b.vector("x", 1)
	bad := b.submit(func(s *oxrt.Scope) { must(t, b.add(s, x, x, 1, 2)) })
	err := bad.Wait(context.Background())
	var driver *oxrt.DriverError
	if !errors.As(err, &driver) || !driver.Sticky() {
		t.Fatalf("got %v", err)
	}
	if _, again := b.stream.Begin(); again == nil || again.Error() != err.Error() || !errors.Is(again, oxrt.ErrDeviceLost) {
		t.Errorf("the next submission: %v", again)
	}
	must(t, x.Owner().Close())
}

func TestTrapWithoutParameters(t *testing.T) {
	b := open(t, emulated.Options{})
	stop, err := b.dev.Load(&oxrt.Artifact{Algorithm: "Stop", Target: "sm_90a", Entry: "stop", PTXSHA256: sum(scalePTX),
		Launch: oxrt.LaunchContract{MaxThreads: 64}})
	must(t, err)
	var p oxrt.Params
	done := b.submit(func(s *oxrt.Scope) {
		must(t, s.Launch(stop, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Block: oxrt.Dim3{X: 64}}, &p))
	})
	if err := done.Wait(context.Background()); !errors.Is(err, oxrt.CodeLaunchFailed) {
		t.Errorf("got %v", err)
	}
}

func TestLoadRefusals(t *testing.T) {
	stale := func(s string) (string, string, bool) { return scalePTX + " ", "", true }
	for name, c := range map[string]struct {
		edit   func(*oxrt.Artifact)
		lookup emulated.Lookup
		want   error
		say    string
	}{
		"unknown PTX":   {edit: func(a *oxrt.Artifact) { a.PTXSHA256 = sum("x") }, want: oxrt.CodeFileNotFound, say: "no PTX"},
		"stale PTX":     {edit: func(a *oxrt.Artifact) { a.PTXSHA256 = sum("x") }, lookup: stale, want: oxrt.ErrTarget, say: "PTX SHA-256"},
		"entry":         {edit: func(a *oxrt.Artifact) { a.Entry = "scales" }, want: oxrt.ErrTarget, say: "entry"},
		"wrong device":  {edit: func(a *oxrt.Artifact) { a.Target = "sm_100a" }, want: oxrt.ErrTarget, say: "9.0"},
		"offset":        {edit: func(a *oxrt.Artifact) { a.Launch.Params[2].Offset, a.Launch.Params[2].Size = 17, 3 }, want: oxrt.ErrTarget, say: "at 16"},
		"parameter":     {edit: func(a *oxrt.Artifact) { a.Launch.Params = a.Launch.Params[:3]; a.Launch.ParamBytes = 20 }, want: oxrt.ErrTarget, say: "parameters"},
		"broken cubin":  {edit: func(a *oxrt.Artifact) { a.Cubin = []byte("x") }, want: oxrt.ErrTarget, say: "SHA-256"},
		"shared memory": {edit: func(a *oxrt.Artifact) { a.Launch.MaxDynamicSharedBytes = 228 << 10 }, want: oxrt.ErrContract, say: "shared"},
	} {
		o := emulated.Options{}
		if c.lookup != nil {
			o.Lookups = append(o.Lookups, c.lookup)
		}
		rt, err := oxrt.OpenDriver(emulated.New(emulated.Options{Lookups: append(o.Lookups, lookup)}))
		must(t, err)
		dev, err := rt.Device(0)
		must(t, err)
		a := scaleArtifact()
		c.edit(a)
		if _, err = dev.Load(a); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: got %v", name, err)
		}
		must(t, rt.Close())
	}
}

func TestStreamsOrderByEvents(t *testing.T) {
	b := open(t, emulated.Options{})
	other, err := b.dev.NewStream()
	must(t, err)
	ready, err := b.dev.NewEvent(true)
	must(t, err)
	x, y := b.vector("x", 1, 2), b.vector("y", 0, 0)
	for range 20 {
		b.submit(func(s *oxrt.Scope) {
			must(t, b.add(s, x, x, 1, 2))
			must(t, s.Signal(ready))
		})
		s, err := other.Begin()
		must(t, err)
		must(t, s.WaitFor(ready))
		must(t, b.add(s, x, y, 4, 2))
		done, err := s.Submit()
		must(t, err)
		must(t, done.Wait(context.Background()))
	}
	if got := b.values(y); got[1] != 8 {
		t.Errorf("y = %v", got)
	}
	late, err := b.dev.NewEvent(true)
	must(t, err)
	must(t, late.Record(other))
	must(t, other.Synchronize(context.Background()))
	if d, err := late.Since(ready); err != nil || d < 0 {
		t.Errorf("elapsed %v, %v", d, err)
	}
}

func TestCaptureRules(t *testing.T) {
	b := open(t, emulated.Options{})
	fork, err := b.dev.NewStream()
	must(t, err)
	forked, err := b.dev.NewEvent(false)
	must(t, err)
	joined, err := b.dev.NewEvent(false)
	must(t, err)
	x := b.vector("x", 1, 2)
	capture := func(join bool) (*oxrt.Graph, error) {
		must(t, b.stream.BeginCapture())
		b.submit(func(s *oxrt.Scope) { must(t, s.Signal(forked)) })
		s, err := fork.Begin()
		must(t, err)
		must(t, s.WaitFor(forked))
		must(t, b.add(s, x, x, 2, 2))
		must(t, s.Signal(joined))
		if !join {
			must(t, b.add(s, x, x, 2, 2))
		}
		if done, err := s.Submit(); err != nil || !done.Captured() {
			t.Fatalf("joined stream: %v", err)
		}
		b.submit(func(s *oxrt.Scope) { must(t, s.WaitFor(joined)) })
		return b.stream.EndCapture()
	}
	if _, err := capture(false); !errors.Is(err, oxrt.CodeCaptureUnjoined) {
		t.Errorf("an unjoined stream: %v", err)
	}
	g, err := capture(true)
	must(t, err)
	done, err := g.Launch(fork)
	must(t, err)
	must(t, done.Wait(context.Background()))
	if got := b.values(x); got[0] != 2 {
		t.Errorf("x = %v", got)
	}
	if err := oxrt.ExternalStream(b.dev, oxrt.StreamLegacy).BeginCapture(); !errors.Is(err, oxrt.CodeCaptureUnsupported) {
		t.Errorf("legacy stream: %v", err)
	}
	must(t, b.stream.BeginCapture())
	if _, err := b.stream.Query(); !errors.Is(err, oxrt.CodeCaptureUnsupported) {
		t.Errorf("query while capturing: %v", err)
	}
	_, err = b.stream.EndCapture()
	must(t, err)
}

func TestMappedHostMemory(t *testing.T) {
	drv := emulated.New(emulated.Options{})
	ctx, _ := drv.Retain(0)
	mem, ptr, code := drv.AllocHost(ctx, 8)
	if code != oxrt.CodeSuccess || len(mem) != 8 {
		t.Fatal(code)
	}
	copy(mem, "12345678")
	got := make([]byte, 8)
	if code := drv.CopyToHost(ctx, 0, got, ptr); code != oxrt.CodeSuccess || string(got) != "12345678" {
		t.Errorf("%v %q", code, got)
	}
	if code := drv.FreeHost(ctx, mem); code != oxrt.CodeSuccess {
		t.Error(code)
	}
	if code := drv.FreeHost(ctx, mem); code != oxrt.CodeInvalidValue {
		t.Error(code)
	}
}

func TestSeveralDevicesKeepApart(t *testing.T) {
	rt, err := oxrt.OpenDriver(emulated.New(emulated.Options{Devices: 2}))
	must(t, err)
	infos, err := rt.Devices()
	must(t, err)
	if len(infos) != 2 || infos[0].UUID == infos[1].UUID {
		t.Fatalf("%+v", infos)
	}
	a, err := rt.Device(0)
	must(t, err)
	b, err := rt.Device(1)
	must(t, err)
	buf, err := a.Alloc(16)
	must(t, err)
	stream, err := b.NewStream()
	must(t, err)
	s, err := stream.Begin()
	must(t, err)
	if err := s.Fill(buf.All(oxrt.U8), 1); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("memory of another device: %v", err)
	}
	s.Drop()
	if _, err := rt.Device(2); !errors.Is(err, oxrt.ErrNoDevice) {
		t.Errorf("device 2: %v", err)
	}
	must(t, rt.Close())
	if err := buf.Close(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("after the runtime: %v", err)
	}
}
