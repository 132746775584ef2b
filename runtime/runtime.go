package oxrt

import (
	"errors"
	"fmt"
	"sync"
)

// Options changes how a runtime is opened. The zero value is right for most programs.
type Options struct {
	// Library is the driver library to load; empty means libcuda.so.1.
	Library string
	// RestoreNoContext gives a caller's thread that had no current context none again after each call. Without it such a thread
	// keeps ours, which saves a driver call; a thread with another context always gets its own back.
	RestoreNoContext bool
	// OnLeak is called for every object that was collected, or was open when the runtime was closed, without Close. It may be
	// called from any goroutine.
	OnLeak func(Leak)
}

// Runtime is an open driver. It is safe for concurrent use.
type Runtime struct {
	drv  Driver
	live *registry

	mu      sync.Mutex
	devices map[int]*Device
	closed  bool
}

// Open loads the NVIDIA driver. It returns ErrNoDriver where there is none, and in programs built without cgo or not for Linux.
func Open() (*Runtime, error) { return OpenWith(Options{}) }

// OpenWith is Open with options.
func OpenWith(o Options) (*Runtime, error) {
	drv, err := openLibrary(o)
	if err != nil {
		return nil, err
	}
	return OpenDriverWith(drv, o)
}

// OpenDriver runs on a given driver table: the emulated device or a test's fake. The runtime owns drv from then on.
func OpenDriver(drv Driver) (*Runtime, error) { return OpenDriverWith(drv, Options{}) }

// OpenDriverWith is OpenDriver with options.
func OpenDriverWith(drv Driver, o Options) (*Runtime, error) {
	if drv == nil {
		return nil, fmt.Errorf("%w: nil driver table", ErrNoDriver)
	}
	return &Runtime{drv: drv, live: newRegistry(o.OnLeak), devices: map[int]*Device{}}, nil
}

// DriverName says what the runtime runs on, for example "libcuda.so.1" or "emulated".
func (rt *Runtime) DriverName() string { return rt.drv.Name() }

// DriverVersion returns the driver's CUDA version, for example 13000.
func (rt *Runtime) DriverVersion() (int, error) {
	if err := rt.usable(); err != nil {
		return 0, err
	}
	v, code := rt.drv.Version()
	if code != CodeSuccess {
		return 0, &DriverError{Op: "cuDriverGetVersion", Code: code}
	}
	return v, nil
}

// Devices describes every device without opening one.
func (rt *Runtime) Devices() ([]DeviceInfo, error) {
	if err := rt.usable(); err != nil {
		return nil, err
	}
	n, code := rt.drv.DeviceCount()
	if code != CodeSuccess {
		return nil, &DriverError{Op: "cuDeviceGetCount", Code: code}
	}
	infos := make([]DeviceInfo, n)
	for i := range infos {
		if infos[i], code = rt.drv.DeviceInfo(i); code != CodeSuccess {
			return nil, &DriverError{Op: "cuDeviceGet", Code: code}
		}
	}
	return infos, nil
}

// Device opens a device: it retains the primary context and creates none. Every call for one ordinal returns the same value, which
// lives as long as the runtime.
func (rt *Runtime) Device(ordinal int) (*Device, error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return nil, fmt.Errorf("runtime: %w", ErrClosed)
	}
	if d := rt.devices[ordinal]; d != nil {
		return d, nil
	}
	n, code := rt.drv.DeviceCount()
	if code != CodeSuccess {
		return nil, &DriverError{Op: "cuDeviceGetCount", Code: code}
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("%w: %d of %d", ErrNoDevice, ordinal, n)
	}
	d, err := openDevice(rt, ordinal)
	if err != nil {
		return nil, err
	}
	rt.devices[ordinal] = d
	return d, nil
}

// Close waits for the devices, frees what is still open and reports it as leaked, and releases the contexts. A second Close returns
// ErrClosed. The other methods must not run at the same time.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return fmt.Errorf("runtime: %w", ErrClosed)
	}
	rt.closed = true
	var errs []error
	for _, d := range rt.devices {
		errs = append(errs, d.drain())
	}
	for _, d := range rt.devices {
		for _, l := range d.scopes.leaks() {
			rt.live.leaked(l)
		}
	}
	for _, o := range rt.live.drain() {
		if !o.lease.closed() {
			rt.live.leaked(o.leak)
		}
		o.lease.force()
	}
	for _, d := range rt.devices {
		errs = append(errs, d.shut())
	}
	errs = append(errs, rt.drv.Close())
	return errors.Join(errs...)
}

func (rt *Runtime) usable() error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return fmt.Errorf("runtime: %w", ErrClosed)
	}
	return nil
}
