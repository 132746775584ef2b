package oxrt

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Device is one opened device. It is safe for concurrent use.
type Device struct {
	rt      *Runtime
	drv     Driver
	ordinal int
	info    DeviceInfo
	driver  int
	ctx     ContextHandle
	shutOff atomic.Bool
	lost    atomic.Pointer[DeviceError]

	explainer Explainer // the driver table, if it explains
	isolates  bool      // a fault does not lose the context

	completions completions
	scopes      scopePool
	status      statusPool
	recordings  recordings
	orders      streamOrders

	mu      sync.Mutex
	modules map[string]*module // by cubin and PTX hash
}

func openDevice(rt *Runtime, ordinal int) (*Device, error) {
	d := &Device{rt: rt, drv: rt.drv, ordinal: ordinal, modules: map[string]*module{}}
	var code Code
	if d.driver, code = d.drv.Version(); code != CodeSuccess {
		return nil, &DriverError{Op: "cuDriverGetVersion", Code: code}
	}
	if d.info, code = d.drv.DeviceInfo(ordinal); code != CodeSuccess {
		return nil, &DriverError{Op: "cuDeviceGet", Code: code}
	}
	if d.ctx, code = d.drv.Retain(ordinal); code != CodeSuccess {
		return nil, &DriverError{Op: "cuDevicePrimaryCtxRetain", Code: code}
	}
	d.explainer, _ = d.drv.(Explainer)
	if x, ok := d.drv.(FaultIsolator); ok {
		d.isolates = x.IsolatesFaults()
	}
	d.completions.dev, d.scopes.dev, d.status.dev = d, d, d
	if err := d.warm(); err != nil {
		d.completions.destroy()
		d.status.destroy()
		d.drv.Release(ordinal)
		return nil, err
	}
	return d, nil
}

// warm makes what submissions take, so that they create nothing.
func (d *Device) warm() error {
	d.status.mu.Lock()
	err := d.status.grow()
	d.status.mu.Unlock()
	if err != nil {
		return err
	}
	return d.completions.warm()
}

// Runtime returns the runtime that the device belongs to.
func (d *Device) Runtime() *Runtime { return d.rt }

// Ordinal returns the driver's number of the device.
func (d *Device) Ordinal() int { return d.ordinal }

// Info returns the device's properties.
func (d *Device) Info() DeviceInfo { return d.info }

// Name returns the product name.
func (d *Device) Name() string { return d.info.Name }

// ComputeCapability returns major and minor, for example 9, 0.
func (d *Device) ComputeCapability() (major, minor int) { return d.info.Major, d.info.Minor }

// DriverVersion returns the driver's CUDA version, for example 13000.
func (d *Device) DriverVersion() int { return d.driver }

// Context returns the primary context, for programs that mix other driver users.
func (d *Device) Context() ContextHandle { return d.ctx }

func (d *Device) String() string {
	return fmt.Sprintf("%s (device %d, compute capability %d.%d)", d.info.Name, d.ordinal, d.info.Major, d.info.Minor)
}

// MemInfo returns free and total bytes of device memory.
func (d *Device) MemInfo() (free, total uint64, err error) {
	if err := d.usable(); err != nil {
		return 0, 0, err
	}
	free, total, code := d.drv.MemInfo(d.ctx)
	if code != CodeSuccess {
		return 0, 0, d.fail("cuMemGetInfo", "", code)
	}
	return free, total, nil
}

// Synchronize waits for all work on the device and settles its completions.
func (d *Device) Synchronize() error {
	if err := d.usable(); err != nil {
		if d.lost.Load() != nil {
			d.completions.reap()
		}
		return err
	}
	var err error
	if code := d.drv.Synchronize(d.ctx); code != CodeSuccess {
		err = d.fail("cuCtxSynchronize", "", code)
	}
	d.completions.reap()
	return err
}

func (d *Device) usable() error {
	if d.shutOff.Load() {
		return fmt.Errorf("device %d: %w", d.ordinal, ErrClosed)
	}
	if lost := d.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// Lost returns why the device's context is lost, nil while it is not.
func (d *Device) Lost() *DeviceError { return d.lost.Load() }

// Explainer is implemented by driver tables that know more than a code: the emulated device names the finding.
type Explainer interface {
	// Explain returns what is behind a code, or nil: of the work in front of an event, or of the last failure with that code
	// where event is zero.
	Explain(ctx ContextHandle, event EventHandle, code Code) error
}

// fail makes the error of a driver call. A code that means a lost context loses the device: from then on every call on it returns the
// first such error without asking the driver, and what is in flight settles with it.
func (d *Device) fail(op, kernel string, code Code) error { return d.failEvent(op, kernel, 0, code) }

// failEvent makes the error of the work in front of an event.
func (d *Device) failEvent(op, kernel string, event EventHandle, code Code) error {
	if lost := d.lost.Load(); lost != nil {
		return lost
	}
	e := &DriverError{Op: op, Kernel: kernel, Code: code}
	if d.explainer != nil {
		e.Detail = d.explainer.Explain(d.ctx, event, code)
	}
	if !code.Sticky() || d.isolates {
		return e
	}
	d.lost.CompareAndSwap(nil, &DeviceError{d.String(), e})
	return d.lost.Load()
}

// drain waits for the device and settles everything; the device can be used no more.
func (d *Device) drain() error {
	d.shutOff.Store(true)
	var err error
	code := CodeSuccess
	if lost := d.lost.Load(); lost != nil {
		err = lost
	} else if code = d.drv.Synchronize(d.ctx); code != CodeSuccess {
		err = d.fail("cuCtxSynchronize", "", code)
	}
	d.completions.settleAll(code)
	return err
}

// shut unloads the modules and releases the context.
func (d *Device) shut() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.modules {
		d.drv.ModuleUnload(d.ctx, m.handle)
	}
	clear(d.modules)
	d.completions.destroy()
	d.status.destroy()
	if code := d.drv.Release(d.ordinal); code != CodeSuccess {
		return &DriverError{Op: "cuDevicePrimaryCtxRelease", Code: code}
	}
	return nil
}
