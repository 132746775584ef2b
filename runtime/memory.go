package oxrt

import (
	"fmt"
	"strconv"
)

// Access says what may be done with, or is done to, a region.
type Access uint8

// Accesses.
const (
	Read Access = 1 << iota
	Write
	ReadWrite = Read | Write
)

func (a Access) String() string {
	switch a {
	case Read:
		return "read"
	case Write:
		return "write"
	case ReadWrite:
		return "read-write"
	}
	return "no access"
}

// Buffer is device memory with an owner: allocated by [Device.Alloc], or somebody else's with a release callback ([Device.Adopt]).
// It is safe for concurrent use.
type Buffer struct {
	lease *lease
	dev   *Device
	ptr   DevicePtr
	bytes int64
}

// Alloc returns owned device memory, at least 256-byte aligned. Its content is undefined. Zero bytes give a buffer without memory.
func (d *Device) Alloc(bytes int64) (*Buffer, error) { return d.alloc(bytes, "") }

// AllocNamed is Alloc with a name that appears in leak reports and in the findings of a checking device.
func (d *Device) AllocNamed(name string, bytes int64) (*Buffer, error) { return d.alloc(bytes, name) }

func (d *Device) alloc(bytes int64, name string) (*Buffer, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if bytes < 0 {
		return nil, &ContractError{"Device.Alloc", "bytes", "0 or more", strconv.FormatInt(bytes, 10)}
	}
	var ptr DevicePtr
	if bytes > 0 {
		p, code := d.drv.Alloc(d.ctx, bytes, name)
		if code != CodeSuccess {
			return nil, d.fail("cuMemAlloc", "", code)
		}
		ptr = p
	}
	drv, ctx := d.drv, d.ctx
	free := func() {
		if ptr != 0 {
			drv.Free(ctx, ptr)
		}
	}
	return d.newBuffer(ptr, bytes, name, "buffer", free), nil
}

// Adopt wraps memory of another owner that lives on this device. release is called once, when the buffer has been closed and no
// submitted work uses it any more; it may be nil.
func (d *Device) Adopt(ptr DevicePtr, bytes int64, release func()) (*Buffer, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if bytes < 0 || (ptr == 0 && bytes > 0) || uint64(ptr)+uint64(bytes) < uint64(ptr) {
		return nil, &ContractError{"Device.Adopt", "memory", "a non-null range", fmt.Sprintf("%d bytes at %#x", bytes, uint64(ptr))}
	}
	if release == nil {
		release = func() {}
	}
	return d.newBuffer(ptr, bytes, "", "adopted buffer", release), nil
}

func (d *Device) newBuffer(ptr DevicePtr, bytes int64, name, kind string, free func()) *Buffer {
	live, l := d.rt.live, &lease{}
	id := live.add(Leak{Kind: kind, Name: name, Bytes: bytes, Site: callSite()}, l.force)
	l.free = func() {
		free()
		live.remove(id)
	}
	b := &Buffer{lease: l, dev: d, ptr: ptr, bytes: bytes}
	watch(b, live, id)
	return b
}

// Ptr returns the first address, 0 for an empty buffer.
func (b *Buffer) Ptr() DevicePtr { return b.ptr }

// Bytes returns the size.
func (b *Buffer) Bytes() int64 { return b.bytes }

// Device returns the device that the memory is on.
func (b *Buffer) Device() *Device { return b.dev }

// Region returns a typed part: elems elements of dtype from offsetBytes on, which must be aligned to the element.
func (b *Buffer) Region(offsetBytes int64, dtype DType, elems int64) (Region, error) {
	size := int64(dtype.Size())
	switch {
	case size == 0:
		return Region{}, &ContractError{"Buffer.Region", "dtype", "an element type", dtype.String()}
	case offsetBytes < 0 || elems < 0 || offsetBytes > b.bytes || elems > (b.bytes-offsetBytes)/size:
		return Region{}, &ContractError{"Buffer.Region", "range", fmt.Sprintf("within %d bytes", b.bytes),
			fmt.Sprintf("%d x %s at byte %d", elems, dtype, offsetBytes)}
	case (uint64(b.ptr)+uint64(offsetBytes))%uint64(size) != 0:
		return Region{}, &ContractError{"Buffer.Region", "offset", fmt.Sprintf("a multiple of %d bytes", size), strconv.FormatInt(offsetBytes, 10)}
	}
	return Region{owner: b, ptr: b.ptr + DevicePtr(offsetBytes), elems: elems, dtype: dtype, access: ReadWrite}, nil
}

// All returns the whole buffer as elements of dtype; a rest smaller than one element is left out.
func (b *Buffer) All(dtype DType) Region {
	if !dtype.Valid() {
		return Region{}
	}
	return Region{owner: b, ptr: b.ptr, elems: b.bytes / int64(dtype.Size()), dtype: dtype, access: ReadWrite}
}

// Close frees the memory. If submitted work still uses it, it is freed when that work settles and Close returns ErrLeased; a second
// Close returns ErrClosed.
func (b *Buffer) Close() error {
	if b.lease.count() > 0 {
		b.dev.completions.reap()
	}
	first, idle := b.lease.close()
	switch {
	case !first:
		return fmt.Errorf("buffer: %w", ErrClosed)
	case !idle:
		return fmt.Errorf("buffer of %d bytes: %w; it is freed when that settles", b.bytes, ErrLeased)
	}
	return nil
}
