package abi

import (
	"sync/atomic"
	"unsafe"

	"github.com/oxideinfer/oxide/runtime"
)

// device is an open device. uses counts its plans and streams; it is closedUses once the device is closed, after which none is made.
type device struct {
	kind    DeviceKind
	id      uint8
	dev     *oxrt.Device
	runtime *openRuntime
	uses    atomic.Int64
}

const closedUses = -1

// use counts a plan or stream in. It fails when another thread has closed the device since the handle was looked up.
func (d *device) use() error {
	for {
		n := d.uses.Load()
		if n == closedUses {
			return refuse(Handle, "device: closed by another thread")
		}
		if d.uses.CompareAndSwap(n, n+1) {
			return nil
		}
	}
}

func (d *device) unuse() { d.uses.Add(-1) }

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
	if !d.uses.CompareAndSwap(0, closedUses) {
		return refuse(Leased, "device: %d plans and streams are open", d.uses.Load())
	}
	if _, err := l.devices.take(h); err != nil {
		return err
	}
	l.byID[d.id].Store(nil)
	d.runtime.open--
	return l.unused(d.kind)
}

// DeviceInfo writes the properties of a device.
func (l *Library) DeviceInfo(h Ref, to *DeviceInfo) error {
	return l.devices.on(h, func(d *device) error { return d.info(to) })
}

func (d *device) info(to *DeviceInfo) error {
	if err := out(to); err != nil {
		return err
	}
	dev := d.dev
	i := dev.Info()
	*to = DeviceInfo{
		Header: header[DeviceInfo](), Kind: int32(d.kind), Ordinal: int32(dev.Ordinal()), Major: int32(i.Major), Minor: int32(i.Minor),
		Multiprocessors: int32(i.SMs), DriverVersion: int32(dev.DriverVersion()), MemoryBytes: i.MemoryBytes,
		L2Bytes: int32(i.L2Bytes), SharedBytes: int32(i.SharedBytesPerBlock), UUID: i.UUID,
	}
	setText(to.Name[:], i.Name)
	return nil
}

// HostMap lets an emulated device work on memory of the host, at the host's own address.
func (l *Library) HostMap(h Ref, p unsafe.Pointer, bytes uint64) error {
	return l.emulated(h, func(d *device) error {
		switch {
		case p == nil:
			return refuse(Argument, "host memory: null pointer")
		case bytes == 0 || bytes > 1<<46 || uintptr(p)+uintptr(bytes) < uintptr(p):
			return refuse(Argument, "host memory: %d bytes at %#x", bytes, uintptr(p))
		}
		return d.runtime.emulated.MapHost(d.dev.Ordinal(), "host memory", unsafe.Slice((*byte)(p), bytes))
	})
}

// HostUnmap ends a mapping. Submitted work that uses the memory must have settled.
func (l *Library) HostUnmap(h Ref, p unsafe.Pointer) error {
	return l.emulated(h, func(d *device) error {
		return d.runtime.emulated.UnmapHost(d.dev.Ordinal(), oxrt.DevicePtr(uintptr(p)))
	})
}

// emulated runs a change of host mappings on an emulated device. Whatever is wrong with one is a wrong argument.
func (l *Library) emulated(h Ref, do func(*device) error) error {
	return l.devices.on(h, func(d *device) error {
		if d.runtime.emulated == nil {
			return refuse(Unsupported, "host memory is mapped on emulated devices only; a GPU takes addresses of its own memory")
		}
		if err := do(d); err != nil {
			return &fault{Argument, err.Error()}
		}
		return nil
	})
}
