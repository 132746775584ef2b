package emulated

import (
	"fmt"
	"unsafe"

	"github.com/oxideinfer/oxide/runtime"
)

// Synchronize waits for every stream.
func (d *Driver) Synchronize(ctx oxrt.ContextHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	return v.synchronize()
}

// MemInfo returns what is free of the emulator's limit.
func (d *Driver) MemInfo(ctx oxrt.ContextHandle) (free, total uint64, code oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, 0, oxrt.CodeInvalidContext
	}
	v.run.Lock()
	defer v.run.Unlock()
	return v.total - v.used, v.total, oxrt.CodeSuccess
}

// Alloc returns memory with guards around it, named in findings.
func (d *Driver) Alloc(ctx oxrt.ContextHandle, bytes int64, name string) (oxrt.DevicePtr, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.run.Lock()
	defer v.run.Unlock()
	if name == "" {
		name = fmt.Sprintf("%d bytes", bytes)
	}
	p, err := v.emu.Alloc(name, uint64(bytes))
	if err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		return 0, v.note(failure{oxrt.CodeOutOfMemory, err})
	}
	v.live[oxrt.DevicePtr(p)] = uint64(bytes)
	v.used += uint64(bytes)
	return oxrt.DevicePtr(p), oxrt.CodeSuccess
}

// Free waits for the kernel that runs and releases the memory; a later access to it is a finding.
func (d *Driver) Free(ctx oxrt.ContextHandle, ptr oxrt.DevicePtr) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.run.Lock()
	defer v.run.Unlock()
	if err := v.emu.Free(uint64(ptr)); err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.note(failure{oxrt.CodeInvalidValue, err})
	}
	v.used -= v.live[ptr]
	delete(v.live, ptr)
	return oxrt.CodeSuccess
}

// AllocHost returns memory of the emulator itself: the device sees what the host writes at once.
func (d *Driver) AllocHost(ctx oxrt.ContextHandle, bytes int64) ([]byte, oxrt.DevicePtr, oxrt.Code) {
	p, code := d.Alloc(ctx, bytes, "host memory")
	if code != oxrt.CodeSuccess {
		return nil, 0, code
	}
	v := d.device(ctx)
	v.run.Lock()
	defer v.run.Unlock()
	mem, err := v.emu.Bytes(uint64(p), uint64(bytes))
	if err != nil {
		return nil, 0, oxrt.CodeInvalidValue
	}
	v.host[unsafe.SliceData(mem)] = p
	return mem, p, oxrt.CodeSuccess
}

// FreeHost releases memory of AllocHost.
func (d *Driver) FreeHost(ctx oxrt.ContextHandle, mem []byte) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.run.Lock()
	p, ok := v.host[unsafe.SliceData(mem)]
	delete(v.host, unsafe.SliceData(mem))
	v.run.Unlock()
	if !ok {
		return oxrt.CodeInvalidValue
	}
	return d.Free(ctx, p)
}

// CopyToDevice waits for the stream and copies.
func (d *Driver) CopyToDevice(ctx oxrt.ContextHandle, s oxrt.StreamHandle, dst oxrt.DevicePtr, src []byte) oxrt.Code {
	return d.copyHost(ctx, s, func(v *device) error { return v.emu.Write(uint64(dst), src) })
}

// CopyToHost waits for the stream and copies.
func (d *Driver) CopyToHost(ctx oxrt.ContextHandle, s oxrt.StreamHandle, dst []byte, src oxrt.DevicePtr) oxrt.Code {
	return d.copyHost(ctx, s, func(v *device) error { return v.emu.Read(uint64(src), dst) })
}

func (d *Driver) copyHost(ctx oxrt.ContextHandle, s oxrt.StreamHandle, move func(*device) error) oxrt.Code {
	if code := d.StreamSynchronize(ctx, s); code != oxrt.CodeSuccess {
		return code
	}
	v := d.device(ctx)
	v.run.Lock()
	defer v.run.Unlock()
	if err := move(v); err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.note(failure{oxrt.CodeInvalidValue, err})
	}
	return oxrt.CodeSuccess
}
