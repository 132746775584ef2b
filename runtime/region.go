package oxrt

import (
	"fmt"
	"strconv"
)

// Region is a typed range of device memory: what operators take. It is a small value; regions of a [Buffer] hold its lease while
// submitted work uses them, regions made by [External] are kept alive by the caller.
type Region struct {
	mem    *memory // nil for memory that the caller keeps alive
	ptr    DevicePtr
	elems  int64
	dtype  DType
	access Access
}

// External returns a region of memory that the caller keeps alive until the work that uses it has settled. The address must be
// aligned to the element; a pointer of 0 is allowed for 0 elements only.
func External(ptr DevicePtr, elems int64, dtype DType, access Access) (Region, error) {
	var r Region
	if r.SetExternal(ptr, elems, dtype, access) {
		return r, nil
	}
	switch size := uint64(dtype.Size()); {
	case size == 0:
		return r, &ContractError{"External", "dtype", "an element type", dtype.String()}
	case access == 0 || access > ReadWrite:
		return r, &ContractError{"External", "access", "read, write or read-write", access.String()}
	case uint64(ptr)&(size-1) != 0:
		return r, &ContractError{"External", "pointer", fmt.Sprintf("a multiple of %d bytes", size), fmt.Sprintf("%#x", uint64(ptr))}
	}
	return r, &ContractError{"External", "range", "a non-null range", fmt.Sprintf("%d x %s at %#x", elems, dtype, uint64(ptr))}
}

// maxElements keeps sizes in bytes, of elements of at most 8, inside 63 bits.
const maxElements = 1<<60 - 1

// SetExternal is [External] for loops over many regions: it says no, and leaves the region alone, where that gives an error.
func (r *Region) SetExternal(ptr DevicePtr, elems int64, dtype DType, access Access) bool {
	size := DevicePtr(dtype.Size()) // a power of two
	switch {
	case size == 0 || access == 0 || access > ReadWrite || ptr&(size-1) != 0:
		return false
	case elems < 0 || elems > maxElements || (ptr == 0 && elems > 0) || ptr+DevicePtr(elems)*size < ptr:
		return false
	}
	r.mem, r.ptr, r.elems, r.dtype, r.access = nil, ptr, elems, dtype, access
	return true
}

// IsZero reports whether the region was never set: a missing tensor.
func (r Region) IsZero() bool { return r.dtype == 0 }

// Ptr returns the first address.
func (r Region) Ptr() DevicePtr { return r.ptr }

// Len returns the number of elements.
func (r Region) Len() int64 { return r.elems }

// DType returns the element type.
func (r Region) DType() DType { return r.dtype }

// Bytes returns the size.
func (r Region) Bytes() int64 { return r.elems * int64(r.dtype.Size()) }

// Access returns what the owner allows.
func (r Region) Access() Access { return r.access }

// Owner returns the buffer that the region is part of, nil for an external region and for a workspace.
func (r Region) Owner() *Buffer {
	if r.mem == nil {
		return nil
	}
	return r.mem.buffer
}

// gone says why the region's memory can be used no more, nil if it can.
func (r Region) gone(op, name string) error {
	switch {
	case r.mem == nil || !r.mem.closed():
		return nil
	case r.mem.buffer != nil && r.mem.buffer.mem.Load() != r.mem:
		return fmt.Errorf("%s: %s: a region of memory that its buffer has given up: %w", op, name, ErrStale)
	}
	return fmt.Errorf("%s: %s: buffer: %w", op, name, ErrClosed)
}

// AlignedTo reports whether the first address is a multiple of n bytes.
func (r Region) AlignedTo(n int64) bool { return n > 0 && uint64(r.ptr)%uint64(n) == 0 }

// ReadOnly returns the region without the right to write.
func (r Region) ReadOnly() Region {
	r.access &= Read
	return r
}

// Slice returns elems elements from element first on.
func (r Region) Slice(first, elems int64) (Region, error) {
	if first < 0 || elems < 0 || first > r.elems || elems > r.elems-first {
		return Region{}, &ContractError{"Region.Slice", "range", "within " + strconv.FormatInt(r.elems, 10) + " elements",
			fmt.Sprintf("%d from %d", elems, first)}
	}
	r.ptr += DevicePtr(first * int64(r.dtype.Size()))
	r.elems = elems
	return r, nil
}

// As returns the same bytes as elements of another type; the size must divide and the address must be aligned.
func (r Region) As(dtype DType) (Region, error) {
	size := int64(dtype.Size())
	if size == 0 || r.Bytes()%size != 0 || !r.AlignedTo(size) {
		return Region{}, &ContractError{"Region.As", "dtype", fmt.Sprintf("one that divides %d bytes at %#x", r.Bytes(), uint64(r.ptr)), dtype.String()}
	}
	r.elems, r.dtype = r.Bytes()/size, dtype
	return r, nil
}

// First returns the first elems elements, or all if there are fewer.
func (r Region) First(elems int64) Region {
	r.elems = max(0, min(elems, r.elems))
	return r
}

// same reports whether two regions are the same bytes.
func (r Region) same(o Region) bool { return r.ptr == o.ptr && r.Bytes() == o.Bytes() }

// overlaps reports whether two regions share a byte.
func (r Region) overlaps(o Region) bool {
	return r.elems > 0 && o.elems > 0 && r.ptr < o.ptr+DevicePtr(o.Bytes()) && o.ptr < r.ptr+DevicePtr(r.Bytes())
}
