package abi

import (
	"sync/atomic"
	"unsafe"

	"github.com/oxideinfer/oxide/runtime"
)

// device is an open device. uses counts its plans and streams.
type device struct {
	kind    DeviceKind
	id      uint8
	dev     *oxrt.Device
	runtime *openRuntime
	uses    atomic.Int64
}

// DeviceOpen opens a device: it retains the primary context and leaves the caller's current context alone.
func (l *Library) DeviceOpen(k DeviceKind, ordinal int32, to *Ref) (err error) {
	defer recovered(&err, nil)
	if err := outValue(to, "device"); err != nil {
		return err
	}
	return l.withRuntime(k, func(r *openRuntime) error {
		dev, err := r.rt.Device(int(ordinal))
		if err != nil {
			return err
		}
		d := &device{kind: k, dev: dev, runtime: r}
		if !l.number(d) {
			return refuse(Leased, "255 devices are open")
		}
		r.open++
		*to = l.devices.add(d)
		return nil
	})
}

// number gives the device the number that its completions carry.
func (l *Library) number(d *device) bool {
	for range 255 {
		l.nextID = l.nextID%255 + 1
		d.id = uint8(l.nextID)
		if l.byID[d.id].CompareAndSwap(nil, d) {
			return true
		}
	}
	return false
}

// DeviceClose ends a device that has no plans and streams any more. The last device of a kind closes its driver.
func (l *Library) DeviceClose(h Ref) (err error) {
	defer recovered(&err, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.devices.find(h)
	if e == nil {
		return l.devices.unknown(h)
	}
	d := e.value
	if n := d.uses.Load(); n > 0 {
		return refuse(Leased, "device: %d plans and streams are open", n)
	}
	if _, err := l.devices.take(h); err != nil {
		return err
	}
	l.byID[d.id].Store(nil)
	d.runtime.open--
	return l.unused(d.kind)
}

// DeviceInfo writes the properties of a device.
func (l *Library) DeviceInfo(h Ref, to *DeviceInfo) (err error) {
	e, err := l.devices.get(h)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	if err := out(to); err != nil {
		return err
	}
	dev := e.value.dev
	i := dev.Info()
	*to = DeviceInfo{
		Header: header[DeviceInfo](), Kind: int32(e.value.kind), Ordinal: int32(dev.Ordinal()), Major: int32(i.Major), Minor: int32(i.Minor),
		Multiprocessors: int32(i.SMs), DriverVersion: int32(dev.DriverVersion()), MemoryBytes: i.MemoryBytes,
		L2Bytes: int32(i.L2Bytes), SharedBytes: int32(i.SharedBytesPerBlock), UUID: i.UUID,
	}
	setText(to.Name[:], i.Name)
	return nil
}

// HostMap lets an emulated device work on memory of the host, at the host's own address.
func (l *Library) HostMap(h Ref, p unsafe.Pointer, bytes uint64) (err error) {
	e, err := l.emulated(h)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	switch {
	case p == nil:
		return refuse(Argument, "host memory: null pointer")
	case bytes == 0 || bytes > 1<<46 || uintptr(p)+uintptr(bytes) < uintptr(p):
		return refuse(Argument, "host memory: %d bytes at %#x", bytes, uintptr(p))
	}
	d := e.value
	if err := d.runtime.emulated.MapHost(d.dev.Ordinal(), "host memory", unsafe.Slice((*byte)(p), bytes)); err != nil {
		return &fault{Argument, err.Error()}
	}
	return nil
}

// HostUnmap ends a mapping. Submitted work that uses the memory must have settled.
func (l *Library) HostUnmap(h Ref, p unsafe.Pointer) (err error) {
	e, err := l.emulated(h)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	d := e.value
	if err := d.runtime.emulated.UnmapHost(d.dev.Ordinal(), oxrt.DevicePtr(uintptr(p))); err != nil {
		return &fault{Argument, err.Error()}
	}
	return nil
}

func (l *Library) emulated(h Ref) (*entry[device], error) {
	e, err := l.devices.get(h)
	if err == nil && e.value.runtime.emulated == nil {
		return nil, refuse(Unsupported, "host memory is mapped on emulated devices only; a GPU takes addresses of its own memory")
	}
	return e, err
}
