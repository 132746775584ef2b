package oxrt

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
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
	dev   *Device
	name  string
	owned bool

	mu  sync.Mutex // of Resize and Replace
	mem atomic.Pointer[memory]
}

// memory is the range that a buffer stands for. A resized buffer gets another one; regions keep the one they were made of, so that
// they are recognised as stale.
type memory struct {
	*lease // apart, because the registry and submissions hold it and must not keep the buffer reachable
	dev    *Device
	buffer *Buffer // nil for workspaces
	ptr    DevicePtr
	bytes  int64
}

// Alloc returns owned device memory, at least 256-byte aligned. Its content is undefined. Zero bytes give a buffer without memory.
func (d *Device) Alloc(bytes int64) (*Buffer, error) { return d.alloc(bytes, "") }

// AllocNamed is Alloc with a name that appears in leak reports and in the findings of a checking device.
func (d *Device) AllocNamed(name string, bytes int64) (*Buffer, error) { return d.alloc(bytes, name) }

func (d *Device) alloc(bytes int64, name string) (*Buffer, error) {
	b := &Buffer{dev: d, name: name, owned: true}
	m, id, err := d.allocate("Device.Alloc", b, bytes)
	if err != nil {
		return nil, err
	}
	b.mem.Store(m)
	watch(b, d.rt.live, id)
	return b, nil
}

// allocate gets driver memory for a buffer, registered under the returned id.
func (d *Device) allocate(op string, b *Buffer, bytes int64) (*memory, uint64, error) {
	if err := d.usable(); err != nil {
		return nil, 0, err
	}
	if bytes < 0 {
		return nil, 0, &ContractError{op, "bytes", "0 or more", strconv.FormatInt(bytes, 10)}
	}
	var ptr DevicePtr
	if bytes > 0 {
		p, code := d.drv.Alloc(d.ctx, bytes, b.name)
		if code != CodeSuccess {
			return nil, 0, d.fail("cuMemAlloc", "", code)
		}
		ptr = p
	}
	drv, ctx := d.drv, d.ctx
	free := func() {
		if ptr != 0 {
			drv.Free(ctx, ptr)
		}
	}
	m, id := d.newMemory(b, "buffer", ptr, bytes, free)
	return m, id, nil
}

// Adopt wraps memory of another owner that lives on this device. release is called once, when the buffer has been closed and no
// submitted work uses it any more; it may be nil. It runs on whichever goroutine finds that out, so it should be short and must not wait
// for work of this package.
func (d *Device) Adopt(ptr DevicePtr, bytes int64, release func()) (*Buffer, error) {
	b := &Buffer{dev: d}
	m, id, err := d.adopt("Device.Adopt", b, ptr, bytes, release)
	if err != nil {
		return nil, err
	}
	b.mem.Store(m)
	watch(b, d.rt.live, id)
	return b, nil
}

func (d *Device) adopt(op string, b *Buffer, ptr DevicePtr, bytes int64, release func()) (*memory, uint64, error) {
	if err := d.usable(); err != nil {
		return nil, 0, err
	}
	if bytes < 0 || (ptr == 0 && bytes > 0) || uint64(ptr)+uint64(bytes) < uint64(ptr) {
		return nil, 0, &ContractError{op, "memory", "a non-null range", fmt.Sprintf("%d bytes at %#x", bytes, uint64(ptr))}
	}
	if release == nil {
		release = func() {}
	}
	m, id := d.newMemory(b, "adopted buffer", ptr, bytes, release)
	return m, id, nil
}

func (d *Device) newMemory(b *Buffer, kind string, ptr DevicePtr, bytes int64, free func()) (*memory, uint64) {
	live, m := d.rt.live, &memory{lease: &lease{}, dev: d, buffer: b, ptr: ptr, bytes: bytes}
	id := live.add(Leak{Kind: kind, Name: b.name, Bytes: bytes, Site: callSite()}, m.lease)
	m.free = func() {
		free()
		live.remove(id)
	}
	return m, id
}

// Ptr returns the first address, 0 for an empty buffer.
func (b *Buffer) Ptr() DevicePtr { return b.mem.Load().ptr }

// Bytes returns the size.
func (b *Buffer) Bytes() int64 { return b.mem.Load().bytes }

// Device returns the device that the memory is on.
func (b *Buffer) Device() *Device { return b.dev }

// Region returns a typed part: elems elements of dtype from offsetBytes on, which must be aligned to the element.
func (b *Buffer) Region(offsetBytes int64, dtype DType, elems int64) (Region, error) {
	size, m := int64(dtype.Size()), b.mem.Load()
	switch {
	case size == 0:
		return Region{}, &ContractError{"Buffer.Region", "dtype", "an element type", dtype.String()}
	case offsetBytes < 0 || elems < 0 || offsetBytes > m.bytes || elems > (m.bytes-offsetBytes)/size:
		return Region{}, &ContractError{"Buffer.Region", "range", fmt.Sprintf("within %d bytes", m.bytes),
			fmt.Sprintf("%d x %s at byte %d", elems, dtype, offsetBytes)}
	case (uint64(m.ptr)+uint64(offsetBytes))%uint64(size) != 0:
		return Region{}, &ContractError{"Buffer.Region", "offset", fmt.Sprintf("a multiple of %d bytes", size), strconv.FormatInt(offsetBytes, 10)}
	}
	return Region{mem: m, ptr: m.ptr + DevicePtr(offsetBytes), elems: elems, dtype: dtype, access: ReadWrite}, nil
}

// All returns the whole buffer as elements of dtype; a rest smaller than one element is left out.
func (b *Buffer) All(dtype DType) Region {
	if !dtype.Valid() {
		return Region{}
	}
	m := b.mem.Load()
	return Region{mem: m, ptr: m.ptr, elems: m.bytes / int64(dtype.Size()), dtype: dtype, access: ReadWrite}
}

// Resize gives an owned buffer other memory, of undefined content; both exist for a moment. Regions made before are ErrStale from then
// on. While submitted work or a graph uses the buffer, Resize returns ErrLeased and changes nothing.
func (b *Buffer) Resize(bytes int64) error {
	if !b.owned {
		return &ContractError{"Buffer.Resize", "buffer", "allocated by Device.Alloc", "adopted: Replace it"}
	}
	return b.swap(func() (*memory, uint64, error) { return b.dev.allocate("Buffer.Resize", b, bytes) })
}

// Replace tells an adopted buffer that its owner has moved the memory. The old range is released and regions made of it are ErrStale.
// While submitted work or a graph uses the buffer, Replace returns ErrLeased and changes nothing.
func (b *Buffer) Replace(ptr DevicePtr, bytes int64, release func()) error {
	if b.owned {
		return &ContractError{"Buffer.Replace", "buffer", "adopted", "allocated by Device.Alloc: Resize it"}
	}
	return b.swap(func() (*memory, uint64, error) { return b.dev.adopt("Buffer.Replace", b, ptr, bytes, release) })
}

// swap puts new memory in place of memory that nothing uses. If it is in use, nothing of the new one is left: a refused Replace
// does not release what its caller still owns.
func (b *Buffer) swap(make func() (*memory, uint64, error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.mem.Load()
	if old.count() > 0 {
		b.dev.completions.reap()
	}
	if err := b.idle(old); err != nil {
		return err
	}
	m, id, err := make()
	if err != nil {
		return err
	}
	if !old.closeIdle() {
		if b.owned {
			m.close()
		} else {
			b.dev.rt.live.remove(id)
		}
		return b.idle(old)
	}
	b.mem.Store(m)
	watch(b, b.dev.rt.live, id)
	return nil
}

// idle says why memory cannot be exchanged now.
func (b *Buffer) idle(m *memory) error {
	switch {
	case m.closed():
		return fmt.Errorf("buffer: %w", ErrClosed)
	case m.count() > 0:
		return fmt.Errorf("buffer of %d bytes: %w; it keeps its memory", m.bytes, ErrLeased)
	}
	return nil
}

// Close frees the memory. If submitted work still uses it, it is freed when that work settles and Close returns ErrLeased; a second
// Close returns ErrClosed.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.mem.Load()
	if m.count() > 0 {
		b.dev.completions.reap()
	}
	first, idle := m.close()
	switch {
	case !first:
		return fmt.Errorf("buffer: %w", ErrClosed)
	case !idle:
		return fmt.Errorf("buffer of %d bytes: %w; it is freed when that settles", m.bytes, ErrLeased)
	}
	return nil
}
