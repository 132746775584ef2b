package emulated

import (
	"fmt"
	"unsafe"

	"github.com/oxideinfer/oxide/runtime"
)

// MapHost makes memory of the host memory of a device, at the host's own address: kernels work on the bytes themselves, as they do on a
// GPU that shares the host's address space. The memory must not move and must stay until UnmapHost.
func (d *Driver) MapHost(ordinal int, name string, mem []byte) error {
	if ordinal < 0 || ordinal >= len(d.devices) || len(mem) == 0 {
		return fmt.Errorf("emulated: map of %d bytes on device %d: %w", len(mem), ordinal, oxrt.CodeInvalidValue)
	}
	v := d.devices[ordinal]
	v.run.Lock()
	defer v.run.Unlock()
	p := oxrt.DevicePtr(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
	if _, err := v.emu.Map(name, uint64(p), mem); err != nil {
		return fmt.Errorf("%w: %w", oxrt.CodeInvalidValue, err)
	}
	v.mapped[p] = true
	return nil
}

// UnmapHost ends a mapping. It waits for the kernel that runs; work that is still queued behind it finds no memory there.
func (d *Driver) UnmapHost(ordinal int, p oxrt.DevicePtr) error {
	if ordinal < 0 || ordinal >= len(d.devices) {
		return fmt.Errorf("emulated: unmap on device %d: %w", ordinal, oxrt.CodeInvalidValue)
	}
	v := d.devices[ordinal]
	v.run.Lock()
	defer v.run.Unlock()
	if !v.mapped[p] {
		return fmt.Errorf("emulated: no memory of the host is mapped at %#x: %w", uint64(p), oxrt.CodeInvalidValue)
	}
	delete(v.mapped, p)
	return v.emu.Free(uint64(p))
}
