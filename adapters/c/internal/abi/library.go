package abi

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// Version is that of the functions; structs carry their own.
const Version = 1

// Options says what a library runs on.
type Options struct {
	Bindings []catalog.Binding
	// Open opens the NVIDIA driver; Emulated makes the driver table of the emulated devices.
	Open     func() (*oxrt.Runtime, error)
	Emulated func() *emulated.Driver
}

// Library is the state behind the exported functions: the open runtimes and the tables of handles. It is safe for concurrent use.
type Library struct {
	options Options
	specs   map[uint32]*operator // by the version of their spec struct

	mu       sync.Mutex
	runtimes map[DeviceKind]*openRuntime
	nextID   uint32

	devices table[device]
	streams table[stream]
	plans   table[plan]
	scopes  table[scope]
	// byID finds the device of a completion. A number is used again after 255 others.
	byID [256]atomic.Pointer[device]
}

// operator is a binding with the layouts of its structs.
type operator struct {
	catalog.Binding
	spec, operands Layout
}

// openRuntime is a runtime with the devices that are open on it.
type openRuntime struct {
	rt       *oxrt.Runtime
	emulated *emulated.Driver // nil on a GPU
	open     int
}

// New returns a library that has opened nothing.
func New(o Options) *Library {
	l := &Library{options: o, specs: map[uint32]*operator{}, runtimes: map[DeviceKind]*openRuntime{}}
	l.devices.kind, l.streams.kind, l.plans.kind, l.scopes.kind = deviceKind, streamKind, planKind, scopeKind
	for _, b := range o.Bindings {
		op := &operator{b, SpecLayout(b.Operator), OperandsLayout(b.Operator)}
		l.specs[op.spec.Version] = op
	}
	return l
}

// recovered turns a panic into an error and poisons what the call worked on.
func recovered(err *error, poison func()) {
	if r := recover(); r != nil {
		if poison != nil {
			poison()
		}
		*err = &fault{Panic, fmt.Sprintf("panic: %v\n%s", r, stack())}
	}
}

func stack() []byte {
	text := make([]byte, 700)
	return text[:goruntime.Stack(text, false)]
}

// runtime returns the open runtime of a kind, opening it.
func (l *Library) runtime(k DeviceKind) (*openRuntime, error) {
	if r := l.runtimes[k]; r != nil {
		return r, nil
	}
	r := &openRuntime{}
	var err error
	switch k {
	case CUDA:
		r.rt, err = l.options.Open()
	case Emulated:
		r.emulated = l.options.Emulated()
		r.rt, err = oxrt.OpenDriver(r.emulated)
	default:
		return nil, refuse(Argument, "device kind: want 1 (CUDA) or 2 (emulated), got %d", k)
	}
	if err != nil {
		return nil, err
	}
	l.runtimes[k] = r
	return r, nil
}

// unused closes a runtime without devices.
func (l *Library) unused(k DeviceKind) error {
	r := l.runtimes[k]
	if r == nil || r.open > 0 {
		return nil
	}
	delete(l.runtimes, k)
	return r.rt.Close()
}

// withRuntime runs an action on the open runtime of a kind and closes it again if no device is open then.
func (l *Library) withRuntime(k DeviceKind, do func(*openRuntime) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.runtime(k)
	if err != nil {
		return err
	}
	return errors.Join(do(r), l.unused(k))
}

// DeviceCount counts the devices of a kind.
func (l *Library) DeviceCount(k DeviceKind, count *int32) (err error) {
	defer recovered(&err, nil)
	if err := outValue(count, "count"); err != nil {
		return err
	}
	var infos []oxrt.DeviceInfo
	err = l.withRuntime(k, func(r *openRuntime) (err error) {
		infos, err = r.rt.Devices()
		return err
	})
	if err != nil {
		return err
	}
	*count = int32(len(infos))
	return nil
}
