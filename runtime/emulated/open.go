package emulated

import (
	"sync"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// Lookup returns the PTX text of a SHA-256 in lower-case hexadecimal and the map of its lines to Go lines: the function of that name
// in a generated package gen/ptx.
type Lookup func(sum string) (text, positions string, ok bool)

// Options describes the device. The zero value has the four SMs of the emulator's default and no PTX.
type Options struct {
	// Lookups are asked in order for the PTX of an artifact.
	Lookups []Lookup
	// Devices is the number of devices, 0 for one.
	Devices int
	// Emulator configures every device.
	Emulator emulate.Config
	// Sticky loses the context at the first fault, as a GPU does.
	Sticky bool
	// Change may change the module of an artifact before it is decoded: for tests of the checkers.
	Change func(a *oxrt.Artifact, m *ptx.Module)
	// OnResult is called after every kernel with what it did; calls do not overlap on one device.
	OnResult func(kernel string, r *emulate.Result)
}

// Open returns a runtime on one emulated device.
func Open(lookups ...Lookup) (*oxrt.Runtime, error) {
	return oxrt.OpenDriver(New(Options{Lookups: lookups}))
}

// New returns a driver table for oxrt.OpenDriver.
func New(o Options) *Driver {
	d := &Driver{options: o, programs: map[string]*program{}}
	for range max(o.Devices, 1) {
		d.devices = append(d.devices, newDevice(o))
	}
	return d
}

// Driver is the driver table. It is safe for concurrent use.
type Driver struct {
	options Options
	devices []*device

	mu       sync.Mutex
	programs map[string]*program // by PTX hash: devices share them
}

var _ interface {
	oxrt.Driver
	oxrt.PTXLoader
	oxrt.Explainer
	oxrt.FaultIsolator
} = (*Driver)(nil)

// Name returns "emulated".
func (d *Driver) Name() string { return "emulated" }

// IsolatesFaults reports whether the device stays usable behind a fault.
func (d *Driver) IsolatesFaults() bool { return !d.options.Sticky }

// LoadsPTX reports true: artifacts are run from their PTX.
func (d *Driver) LoadsPTX() bool { return true }

// Version returns the CUDA version whose behaviour is modelled.
func (d *Driver) Version() (int, oxrt.Code) { return 13000, oxrt.CodeSuccess }

// DeviceCount returns the number of devices.
func (d *Driver) DeviceCount() (int, oxrt.Code) { return len(d.devices), oxrt.CodeSuccess }

// DeviceInfo describes a device with the limits of compute capability 9.0.
func (d *Driver) DeviceInfo(ordinal int) (oxrt.DeviceInfo, oxrt.Code) {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return oxrt.DeviceInfo{}, oxrt.CodeInvalidDevice
	}
	info := oxrt.DeviceInfo{
		Name: "Oxide emulated sm_90a", Major: 9, Minor: 0, SMs: d.devices[ordinal].emu.SMs(), ClockKHz: 1000,
		MemoryBytes: d.devices[ordinal].total, L2Bytes: 50 << 20, SharedBytesPerSM: 228 << 10,
		SharedBytesPerBlock: emulate.MaxSharedPerCTA, RegistersPerSM: 64 << 10, ThreadsPerSM: emulate.MaxThreadsPerSM,
		PCIDevice: ordinal, Clusters: true,
	}
	copy(info.UUID[:], "oxide-emulated-0")
	info.UUID[15] += byte(ordinal)
	return info, oxrt.CodeSuccess
}

// Retain returns the device's only context.
func (d *Driver) Retain(ordinal int) (oxrt.ContextHandle, oxrt.Code) {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return 0, oxrt.CodeInvalidDevice
	}
	return oxrt.ContextHandle(ordinal + 1), oxrt.CodeSuccess
}

// Release gives the context back; memory stays until the driver is closed.
func (d *Driver) Release(ordinal int) oxrt.Code {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return oxrt.CodeInvalidDevice
	}
	return oxrt.CodeSuccess
}

// Close waits for the streams.
func (d *Driver) Close() error {
	for _, v := range d.devices {
		v.synchronize()
	}
	return nil
}

// Explain returns the fault in front of an event, or behind the last failure with that code.
func (d *Driver) Explain(ctx oxrt.ContextHandle, event oxrt.EventHandle, code oxrt.Code) error {
	v := d.device(ctx)
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.events[event]; e != nil && e.mark != nil {
		return e.mark.fail.detail
	}
	if v.last.code == code {
		return v.last.detail
	}
	return nil
}

func (d *Driver) device(ctx oxrt.ContextHandle) *device {
	if ctx == 0 || int(ctx) > len(d.devices) {
		return nil
	}
	return d.devices[ctx-1]
}
