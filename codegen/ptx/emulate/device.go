package emulate

import (
	"fmt"
	"slices"
	"sort"
)

// Checks is a set of checkers.
type Checks uint8

// The checkers of this stage. Bounds are always enforced: an access outside them has no memory to touch; Memcheck
// only decides whether alignment is checked too. Synchronisation that cannot proceed is always reported.
const (
	Memcheck   Checks = 1 << iota // alignment
	Initcheck                     // undefined values that reach a store to global memory, an address or a branch
	Asynccheck                    // memory touched while an asynchronous operation is in flight, and what is never waited for
	Racecheck                     // accesses that nothing orders, and missing proxy fences
	Synccheck                     // barriers, masks and other synchronisation that is used against its rules
	Wgmmacheck                    // registers of a wgmma touched without fence, or before its wait

	AllChecks = Memcheck | Initcheck | Asynccheck | Racecheck | Synccheck | Wgmmacheck
	NoChecks  = Checks(0)
)

// Config describes a virtual device. The zero value is a small device with all checkers on.
type Config struct {
	SMs     int       // multiprocessors; 0 means 4. Bounds how many CTAs are resident at once
	Off     Checks    // checkers to switch off
	Seed    uint64    // scheduling: 0 is round robin, any other value a reproducible random order
	Async   AsyncMode // when asynchronous operations take effect; late by default
	Workers int       // goroutines for launches whose CTAs cannot see each other; 0 means GOMAXPROCS
	// Ring computes with floats as integers modulo 2^w, in which every order of the same sums gives the same bits. It
	// is for comparing two ways to compute the same thing, not for results.
	Ring bool
	// MaxSteps bounds the warp instructions of one launch; 0 means 1<<32. The watchdog reports a hang there.
	MaxSteps uint64
	// MaxFindings stops a launch after so many different findings; 0 means 20.
	MaxFindings int
	// MaxBytes bounds global memory; 0 means 16 GiB.
	MaxBytes uint64
	// Observe, where not nil, is asked by each goroutine of a launch who is to be told of its instructions; nil: nobody.
	Observe func(Launched) Observer
	// Blocks, where not 0, runs only about so many blocks of a kernel whose clusters cannot see each other, spread evenly
	// over the grid: enough for a profile. What the others would have written stays as it was.
	Blocks int
}

func (c Config) withDefaults() Config {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&c.SMs, 4)
	def(&c.MaxFindings, 20)
	if c.MaxSteps == 0 {
		c.MaxSteps = 1 << 32
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 16 << 30
	}
	return c
}

// Limits of the modelled chip (sm_90).
const (
	MaxThreadsPerCTA  = 1024
	MaxThreadsPerSM   = 2048
	MaxCTAsPerSM      = 32
	MaxSharedPerCTA   = 227 << 10
	sharedPerSM       = 228 << 10
	sharedReservedCTA = 1 << 10
	sharedUserStart   = 0x400 // user data starts here in the shared window, as on the chip
	maxBarriers       = 16
	allocationAlign   = 256
	allocationGuard   = 4096
	globalStart       = 0x7000_0000_0000 // far above 4 GiB: truncated pointers are caught
	windowShift       = 40
	sharedWindow      = 1 << windowShift
	localWindow       = 2 << windowShift
	paramWindow       = 3 << windowShift
)

// Device is a virtual GPU: its global memory and its configuration. Methods must not be called concurrently.
type Device struct {
	cfg     Config
	allocs  []*alloc // ascending addresses; freed ones stay, so that a late access can be named
	next    uint64
	inUse   uint64
	modules map[*Program]*moduleMemory
}

// alloc is one allocation of global memory.
type alloc struct {
	name     string
	base     uint64
	size     uint64
	reserved uint64 // counted against Config.MaxBytes
	data     []byte // nil after Free
	init     []byte // the shadow byte of each byte (shadowWritten and others)
	readOnly bool   // .const
	mapped   bool   // at an address that the host chose; forgotten after Free
}

// NewDevice returns a device with empty memory.
func NewDevice(cfg Config) *Device {
	return &Device{cfg: cfg.withDefaults(), next: globalStart, modules: map[*Program]*moduleMemory{}}
}

// MemoryError says that the host named device memory that it does not have.
type MemoryError struct {
	Op     string // "alloc", "free", "read", "write", "memset"
	Addr   uint64
	Bytes  uint64
	Reason string
}

// Error implements error.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("emulate: %s of %d bytes at %#x: %s", e.Op, e.Bytes, e.Addr, e.Reason)
}

// Alloc reserves named memory, aligned to 256 bytes and with guard space around it. Its bytes count as never
// written. Addresses are not used again after Free.
func (d *Device) Alloc(name string, bytes uint64) (uint64, error) {
	a, err := d.alloc(name, bytes)
	if err != nil {
		return 0, err
	}
	return a.base, nil
}

func (d *Device) alloc(name string, bytes uint64) (*alloc, error) {
	if bytes > d.cfg.MaxBytes || d.inUse > d.cfg.MaxBytes-bytes {
		return nil, &MemoryError{"alloc", 0, bytes, fmt.Sprintf("%d of %d bytes are in use", d.inUse, d.cfg.MaxBytes)}
	}
	a := &alloc{name: name, base: d.next, size: bytes, reserved: bytes, data: make([]byte, bytes), init: make([]byte, bytes)}
	d.next += (bytes + allocationGuard + allocationAlign - 1) &^ (allocationAlign - 1)
	d.inUse += bytes
	d.allocs = append(d.allocs, a)
	return a, nil
}

// Free releases an allocation by its base address.
func (d *Device) Free(addr uint64) error {
	a := d.find(addr)
	if a == nil || a.base != addr || a.data == nil {
		return &MemoryError{"free", addr, 0, "no live allocation starts here"}
	}
	if a.mapped { // the host may use the address again
		d.allocs = slices.DeleteFunc(d.allocs, func(x *alloc) bool { return x == a })
		return nil
	}
	d.inUse -= min(d.inUse, a.reserved)
	a.data, a.init = nil, nil
	return nil
}

// find returns the last allocation that starts at or below addr, or nil.
func (d *Device) find(addr uint64) *alloc {
	i := sort.Search(len(d.allocs), func(i int) bool { return d.allocs[i].base > addr })
	if i == 0 {
		return nil
	}
	return d.allocs[i-1]
}

func (d *Device) slice(op string, addr, n uint64) (data, init []byte, err error) {
	a := d.find(addr)
	if a == nil || a.data == nil || addr-a.base > a.size || n > a.size-(addr-a.base) {
		return nil, nil, &MemoryError{op, addr, n, d.describe(addr, n)}
	}
	off := addr - a.base
	return a.data[off : off+n], a.init[off : off+n], nil
}

// Read copies device memory to p.
func (d *Device) Read(addr uint64, p []byte) error {
	data, _, err := d.slice("read", addr, uint64(len(p)))
	if err == nil {
		copy(p, data)
	}
	return err
}

// Write copies p to device memory.
func (d *Device) Write(addr uint64, p []byte) error {
	data, init, err := d.slice("write", addr, uint64(len(p)))
	if err == nil {
		copy(data, p)
		fill(init, 1)
	}
	return err
}

// Memset sets n bytes.
func (d *Device) Memset(addr uint64, value byte, n uint64) error {
	data, init, err := d.slice("memset", addr, n)
	if err == nil {
		fill(data, value)
		fill(init, 1)
	}
	return err
}

// Copy copies n bytes inside the device; bytes that were never written stay so.
func (d *Device) Copy(dst, src, n uint64) error {
	sd, si, err := d.slice("read", src, n)
	if err != nil {
		return err
	}
	dd, di, err := d.slice("write", dst, n)
	if err == nil {
		copy(dd, sd)
		copy(di, si)
	}
	return err
}

// Map makes host memory device memory: the kernel works on the slice itself. addr is the device address to give it,
// aligned to 256 bytes, or 0 to have one chosen. The bytes count as written. Free ends the mapping.
func (d *Device) Map(name string, addr uint64, host []byte) (uint64, error) {
	n := uint64(len(host))
	if addr == 0 {
		a, err := d.alloc(name, 0)
		if err != nil {
			return 0, err
		}
		d.next += (n + allocationAlign - 1) &^ (allocationAlign - 1)
		a.size, a.data, a.init = n, host, written(n)
		return a.base, nil
	}
	if why := d.taken(addr, n); why != "" {
		return 0, &MemoryError{"map", addr, n, why}
	}
	a := &alloc{name: name, base: addr, size: n, data: host, init: written(n), mapped: true}
	i := sort.Search(len(d.allocs), func(i int) bool { return d.allocs[i].base > addr })
	d.allocs = append(d.allocs, nil)
	copy(d.allocs[i+1:], d.allocs[i:])
	d.allocs[i] = a
	return addr, nil
}

// taken says why a host's address cannot be used as a device address, or "".
func (d *Device) taken(addr, n uint64) string {
	window := addr >> windowShift
	switch {
	case addr+n < addr || window >= sharedWindow>>windowShift && window <= paramWindow>>windowShift:
		return "the address lies in the windows of shared, local and parameter memory"
	case addr < 1<<16:
		return "the address is that of a null pointer"
	case addr < d.next && addr+n > globalStart:
		return "the address lies among the device's own allocations"
	}
	for _, a := range d.allocs {
		if a.data != nil && addr < a.base+a.size && a.base < addr+n {
			return "it overlaps " + a.name
		}
	}
	return ""
}

func written(n uint64) []byte {
	b := make([]byte, n)
	fill(b, 1)
	return b
}

// Bytes returns the memory of [addr, addr+n) itself, for a host that maps it. The bytes count as written.
func (d *Device) Bytes(addr, n uint64) ([]byte, error) {
	data, init, err := d.slice("map", addr, n)
	if err == nil {
		fill(init, 1)
	}
	return data, err
}

// SMs is the number of multiprocessors.
func (d *Device) SMs() int { return d.cfg.SMs }

func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// describe explains where an access that is not inside one live allocation points.
func (d *Device) describe(addr, n uint64) string {
	if addr < 1<<16 {
		return "a null pointer"
	}
	a := d.find(addr)
	if a != nil {
		off := addr - a.base
		if off < a.size {
			if a.data == nil {
				return fmt.Sprintf("byte %d of %q, which was freed", off, a.name)
			}
			return fmt.Sprintf("bytes %d to %d of %q, which has %d bytes", off, off+n-1, a.name, a.size)
		}
	}
	// The nearest allocation on either side is usually the one that was meant.
	best, gap, after := "", uint64(1<<20), false
	if a != nil && addr-(a.base+a.size) < gap {
		best, gap, after = a.name, addr-(a.base+a.size), true
	}
	i := sort.Search(len(d.allocs), func(i int) bool { return d.allocs[i].base > addr })
	if i < len(d.allocs) && d.allocs[i].base-addr < gap {
		return fmt.Sprintf("%d bytes before %q", d.allocs[i].base-addr, d.allocs[i].name)
	}
	if after {
		return fmt.Sprintf("%d bytes past the end of %q (%d bytes)", gap, best, a.size)
	}
	if addr < 1<<32 {
		return "no allocation is near; the upper half of the address is zero"
	}
	return "no allocation is near"
}
