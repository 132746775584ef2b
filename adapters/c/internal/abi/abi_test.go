//go:build linux

package abi

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

const rows, hidden = 3, 64

// bench is a library with an emulated device, a stream and a plan of RMSNorm.
type bench struct {
	*Library
	t                    testing.TB
	device, stream, plan Ref
	x, weight, y         []float32
}

// rmsNormSpec mirrors the generated struct; TestLayout compares them.
type rmsNormSpec struct {
	Header
	MaxRows, Hidden       int64
	Input, Weight, Output int32
	XStride, YStride      int64
	Align                 int64
	Epsilon, WeightOffset float32
	Rounding              int32
	OutputScale           float32
}

type rmsNormCall struct {
	Header
	Rows         int64
	X, Weight, Y Tensor
}

func bindings(name string) catalog.Binding {
	for _, b := range operators.Bindings() {
		if b.Operator.Name == name {
			return b
		}
	}
	panic("no operator " + name)
}

func newBench(t testing.TB, all ...catalog.Binding) *bench {
	t.Helper()
	b := &bench{t: t, x: foreign(t, rows*hidden), weight: foreign(t, hidden), y: foreign(t, rows*hidden)}
	b.Library = New(Options{
		Bindings: all,
		Open:     func() (*oxrt.Runtime, error) { return nil, fmt.Errorf("%w: none in this test", oxrt.ErrNoDriver) },
		Emulated: func() *emulated.Driver { return emulated.New(emulated.Options{Lookups: []emulated.Lookup{ptx.Lookup}}) },
	})
	b.must(b.DeviceOpen(Emulated, 0, &b.device))
	b.must(b.StreamOpen(b.device, 0, &b.stream))
	for i := range b.x {
		b.x[i], b.weight[i%hidden] = float32(i), 1
	}
	for _, mem := range [][]float32{b.x, b.weight, b.y} {
		b.must(b.HostMap(b.device, unsafe.Pointer(unsafe.SliceData(mem)), uint64(4*len(mem))))
	}
	spec := b.spec()
	b.must(b.PlanCreate(b.device, unsafe.Pointer(&spec), nil, &b.plan))
	return b
}

// foreign returns memory as a C program has it: the addresses of Go's own heap may be those of the emulator's windows.
func foreign(t testing.TB, n int) []float32 {
	mem, err := syscall.Mmap(-1, 0, 4*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), n)
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) spec() rmsNormSpec {
	l := SpecLayout(bindings("normalization.rms_norm").Operator)
	return rmsNormSpec{Header: Header{l.Bytes, l.Version}, MaxRows: 64, Hidden: hidden, Input: int32(oxrt.F32), Align: 16, OutputScale: 1}
}

func (b *bench) call() rmsNormCall {
	l := OperandsLayout(bindings("normalization.rms_norm").Operator)
	tensor := func(mem []float32) Tensor {
		return Tensor{Data: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))), Elements: int64(len(mem)), DType: int32(oxrt.F32)}
	}
	return rmsNormCall{Header: Header{l.Bytes, l.Version}, Rows: rows, X: tensor(b.x), Weight: tensor(b.weight), Y: tensor(b.y)}
}

func (b *bench) wants(status Status, err error) {
	b.t.Helper()
	if got := StatusOf(err); got != status {
		b.t.Errorf("status %v (%v), want %v", got, err, status)
	}
}

func TestCall(t *testing.T) {
	b := newBench(t, bindings("normalization.rms_norm"))
	call := b.call()
	var done Ref
	b.must(b.Enqueue(b.plan, b.stream, unsafe.Pointer(&call), &done))
	b.must(b.CompletionWait(done, -1))
	b.must(b.CompletionPoll(done))
	if want := 1 / math.Sqrt(1333.5); math.Abs(float64(b.y[1])-want) > 1e-6 {
		t.Errorf("y[1] = %g, want %g", b.y[1], want)
	}
	info := PlanInfo{Header: header[PlanInfo]()}
	b.must(b.PlanInfo(b.plan, &info))
	if text := string(info.Text[:]); !strings.Contains(text, `"hidden": 64`) || !strings.Contains(text, `"align": 16`) {
		t.Errorf("plan is %s", text)
	}
	b.wants(Leased, b.DeviceClose(b.device))
	b.must(b.PlanDestroy(b.plan))
	b.wants(Handle, b.PlanDestroy(b.plan))
	b.wants(Handle, b.Enqueue(b.plan, b.stream, unsafe.Pointer(&call), nil))
	b.wants(Handle, b.Enqueue(b.stream, b.stream, unsafe.Pointer(&call), nil))
	b.must(b.StreamClose(b.stream))
	b.must(b.DeviceClose(b.device))
	b.wants(Handle, b.DeviceClose(b.device))
	b.wants(Handle, b.CompletionPoll(done))
	if len(b.runtimes) != 0 {
		t.Error("the runtime is open after its last device was closed")
	}
	var again Ref
	b.must(b.DeviceOpen(Emulated, 0, &again))
	if again == b.device {
		t.Error("a handle was given out twice")
	}
}

func TestScope(t *testing.T) {
	b := newBench(t, bindings("normalization.rms_norm"))
	call := b.call()
	var scope, done Ref
	b.must(b.ScopeBegin(b.stream, &scope))
	b.must(b.ScopeEnqueue(scope, b.plan, unsafe.Pointer(&call)))
	b.must(b.ScopeEnqueue(scope, b.plan, unsafe.Pointer(&call)))
	b.must(b.ScopeSubmit(scope, &done))
	b.wants(Handle, b.ScopeSubmit(scope, &done))
	b.must(b.CompletionWait(done, -1))

	bad := call
	bad.Rows = 65
	b.must(b.ScopeBegin(b.stream, &scope))
	b.wants(Contract, b.ScopeEnqueue(scope, b.plan, unsafe.Pointer(&bad)))
	b.must(b.ScopeDrop(scope))
	b.wants(Handle, b.ScopeDrop(scope))
}

// faulty plans panic when they are called.
type faulty struct{ catalog.Plan }

func (faulty) EnqueueCall(*oxrt.Scope, catalog.Call) error { panic("broken") }
func (f faulty) Prepare(dims []int) (*oxrt.Prepared, error) {
	if dims[0] > 1 {
		panic("broken")
	}
	return nil, errors.ErrUnsupported
}

func TestPanicPoisonsTheHandle(t *testing.T) {
	binding := bindings("normalization.rms_norm")
	plan := binding.Plan
	binding.Plan = func(dev *oxrt.Device, spec any, algorithm string) (catalog.Plan, error) {
		p, err := plan(dev, spec, algorithm)
		return faulty{p}, err
	}
	b := newBench(t, binding)
	call := b.call()
	err := b.Enqueue(b.plan, b.stream, unsafe.Pointer(&call), nil)
	b.wants(Panic, err)
	if !strings.Contains(err.Error(), "broken") {
		t.Errorf("the error does not say what happened: %v", err)
	}
	b.wants(Poisoned, b.Enqueue(b.plan, b.stream, unsafe.Pointer(&call), nil))
	b.must(b.PlanDestroy(b.plan))

	binding.Plan = func(*oxrt.Device, any, string) (catalog.Plan, error) { panic("worse") }
	b.specs[SpecLayout(binding.Operator).Version].Binding = binding
	spec := b.spec()
	b.wants(Panic, b.PlanCreate(b.device, unsafe.Pointer(&spec), nil, &b.plan))
	b.wants(Poisoned, b.PlanCreate(b.device, unsafe.Pointer(&spec), nil, &b.plan))
}

func TestEnqueueAllocatesNothing(t *testing.T) {
	b := newBench(t, bindings("normalization.rms_norm"))
	p, err := b.plans.get(b.plan)
	b.must(err)
	s, err := b.streams.get(b.stream)
	b.must(err)
	call := b.call()
	once := func() { // all of Enqueue but the emulated kernel
		scope, err := s.value.stream.Begin()
		b.must(err)
		c := p.value.calls.Get().(*catalog.Call)
		b.must(p.value.read(c, s.value, unsafe.Pointer(&call)))
		if p.value.prepared.get(p.value.plan, c.Dims) == nil {
			t.Fatal("the call was not prepared")
		}
		b.must(p.value.plan.EnqueueCall(scope, *c))
		p.value.calls.Put(c)
		scope.Drop()
		if _, err := b.plans.get(b.plan); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		once()
	}
	if n := testing.AllocsPerRun(200, once); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func TestManyThreads(t *testing.T) {
	b := newBench(t, bindings("normalization.rms_norm"))
	spec := b.spec()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				var plan, done Ref
				if err := b.PlanCreate(b.device, unsafe.Pointer(&spec), nil, &plan); err != nil {
					t.Error(err)
					return
				}
				call := b.call()
				call.Rows = 1
				call.X.Elements, call.Y.Elements = hidden, hidden
				err := errors.Join(b.Enqueue(plan, b.stream, unsafe.Pointer(&call), &done), b.CompletionWait(done, -1), b.PlanDestroy(plan))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := b.plans.count(); n != 1 {
		t.Errorf("%d plans are left, want 1", n)
	}
}

func TestLayout(t *testing.T) {
	op := bindings("normalization.rms_norm").Operator
	var spec rmsNormSpec
	l := SpecLayout(op)
	if l.Bytes != uint32(unsafe.Sizeof(spec)) || l.Members[5].Offset != uint32(unsafe.Offsetof(spec.XStride)) ||
		l.Members[11].Offset != uint32(unsafe.Offsetof(spec.OutputScale)) {
		t.Errorf("layout %+v", l)
	}
	if c := OperandsLayout(op); c.Bytes != uint32(unsafe.Sizeof(rmsNormCall{})) {
		t.Errorf("layout %+v", c)
	}
	for i, size := range []uintptr{unsafe.Sizeof(DeviceInfo{}), unsafe.Sizeof(PlanInfo{}), unsafe.Sizeof(Capability{}), unsafe.Sizeof(Error{})} {
		if l := Fixed()[i]; l.Bytes != uint32(size) {
			t.Errorf("%s: %d bytes in the layout, %d in Go", l.Name, l.Bytes, size)
		}
	}
	changed := *op
	changed.Fields = append([]catalog.Field{}, op.Fields...)
	changed.Fields[11].Name = "scale"
	if SpecLayout(&changed).Version == l.Version {
		t.Error("a changed struct has the same version")
	}
}

func TestStatusOf(t *testing.T) {
	driver := func(c oxrt.Code) error { return &oxrt.DriverError{Op: "cuMemAlloc", Code: c} }
	for _, c := range []struct {
		err  error
		want Status
	}{
		{nil, OK},
		{refuse(Argument, "x"), Argument},
		{fmt.Errorf("wrapped: %w", refuse(Struct, "x")), Struct},
		{&oxrt.ContractError{Kernel: "k"}, Contract},
		{fmt.Errorf("scope: %w", oxrt.ErrStale), Stale},
		{&oxrt.TargetError{}, Target},
		{driver(oxrt.CodeOutOfMemory), Driver},
		{driver(oxrt.CodeIllegalAddress), DeviceLost},
		{&oxrt.RejectedError{}, Rejected},
		{&oxrt.DeviceError{Cause: &oxrt.DriverError{Code: oxrt.CodeDeviceUnavailable}}, DeviceLost},
		{&oxrt.CaptureError{}, Capture},
		{errors.New("other"), Unknown},
	} {
		if got := StatusOf(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
	e := Describe(fmt.Errorf("a: %w", &oxrt.ContractError{Kernel: "op", Field: "x", Want: strings.Repeat("ä", 200), Got: "b"}))
	want := string(e.Want[:254])
	if e.Want[254] != 0 || want != strings.Repeat("ä", 127) || string(e.Field[:2]) != "x\x00" {
		t.Errorf("want is cut to %q, field %q", want, e.Field[:4])
	}
	if r := Describe(&oxrt.RejectedError{Operator: "op", Operand: "ids", Index: 7, Wanted: 9, Got: -1}); r.Index != 7 || string(r.Field[:4]) != "ids\x00" {
		t.Errorf("a rejection is told as %+v", r)
	}
	if d := Describe(driver(oxrt.CodeOutOfMemory)); d.DriverCode != 2 || Status(d.Status) != Driver {
		t.Errorf("driver error is told as %+v", d)
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{"L2Bytes": "l2_bytes", "DType": "dtype", "UUID": "uuid", "DriverVersion": "driver_version", "PlanInfo": "plan_info"} {
		if got := Snake(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A device is closed or has a new stream or plan, never both, however the threads meet.
func TestDeviceCloseMeetsUsers(t *testing.T) {
	b := newBench(t, operators.Bindings()...)
	spec := b.spec()
	opened := 0
	for n := range 400 {
		var device, user Ref
		b.must(b.DeviceOpen(Emulated, 0, &device))
		made, end := make(chan error), b.StreamClose
		go func() {
			if n%2 == 0 {
				made <- b.StreamOpen(device, 0, &user)
			} else {
				made <- b.PlanCreate(device, unsafe.Pointer(&spec), nil, &user)
			}
		}()
		for range n / 2 % 100 * 20 { // a little later every time, so that both come first
			runtime.Gosched()
		}
		closed, err := b.DeviceClose(device), <-made
		if n%2 == 1 {
			end = b.PlanDestroy
		}
		switch {
		case (err == nil) == (closed == nil):
			t.Fatalf("closed with %v, and used with %v", closed, err)
		case err == nil:
			opened++
			b.wants(Leased, closed)
			b.must(end(user))
			b.must(b.DeviceClose(device))
		default:
			b.wants(Handle, err)
		}
	}
	t.Logf("%d of 400 were used first", opened)

	d := &device{}
	b.must(d.use())
	d.unuse()
	d.uses.Store(closedUses)
	b.wants(Handle, d.use())
	if n := d.uses.Load(); n != closedUses {
		t.Errorf("a closed device counts %d uses", n)
	}
}
