//go:build cgo && linux

package oxrt

/*
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "shim.h"

#cgo noescape ox_submit
#cgo nocallback ox_submit
#cgo noescape ox_event_query
#cgo nocallback ox_event_query
#cgo noescape ox_exec_launch
#cgo nocallback ox_exec_launch
#cgo noescape ox_encode_tensor
#cgo nocallback ox_encode_tensor
#cgo noescape ox_event_elapsed
#cgo nocallback ox_event_elapsed
*/
import "C"

import (
	"fmt"
	"unsafe"
)

//go:generate go run ./internal/symtab/gen zsymbols.h

// Command crosses to C as it is: sizes and the offsets behind every change of field width must agree.
var (
	_ [unsafe.Sizeof(Command{}) - C.sizeof_ox_command]byte
	_ [C.sizeof_ox_command - unsafe.Sizeof(Command{})]byte
	_ [unsafe.Offsetof(Command{}.Dst) - unsafe.Offsetof(C.ox_command{}.dst)]byte
	_ [unsafe.Offsetof(C.ox_command{}.dst) - unsafe.Offsetof(Command{}.Dst)]byte
	_ [unsafe.Offsetof(Command{}.Event) - unsafe.Offsetof(C.ox_command{}.event)]byte
	_ [unsafe.Offsetof(C.ox_command{}.event) - unsafe.Offsetof(Command{}.Event)]byte
	_ [maxParams - C.OX_MAX_PARAMS]byte
	_ [C.OX_MAX_PARAMS - maxParams]byte
)

// cudaDriver is the driver table over libcuda. All state is in C and immutable after opening.
type cudaDriver struct {
	t    *C.ox_table
	name string
}

func openLibrary(o Options) (Driver, error) {
	name := o.Library
	if name == "" {
		name = "libcuda.so.1"
	}
	path := C.CString(name)
	defer C.free(unsafe.Pointer(path))
	var code C.int
	var message [256]C.char
	t := C.ox_open(path, flag(o.RestoreNoContext), &code, &message[0], C.size_t(len(message)))
	if t != nil {
		return &cudaDriver{t, name}, nil
	}
	why := C.GoString(&message[0])
	switch Code(code) {
	case CodeSuccess:
		return nil, fmt.Errorf("%w: %s", ErrNoDriver, why)
	case CodeNoDevice:
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, &DriverError{Op: why, Code: CodeNoDevice})
	}
	return nil, fmt.Errorf("%w: %w", ErrNoDriver, &DriverError{Op: why, Code: Code(code)})
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (d *cudaDriver) Name() string { return d.name }

func (d *cudaDriver) Close() error {
	C.ox_close(d.t)
	d.t = nil
	return nil
}

func (d *cudaDriver) Version() (int, Code) {
	v := C.ox_version(d.t)
	return int(v.a), Code(v.code)
}

func (d *cudaDriver) DeviceCount() (int, Code) {
	v := C.ox_device_count(d.t)
	return int(v.a), Code(v.code)
}

// deviceAttrs are CUdevice_attribute numbers in the order in which DeviceInfo reads them.
var deviceAttrs = [...]C.int{75, 76, 16, 13, 38, 81, 97, 82, 39, 33, 34, 120}

func (d *cudaDriver) DeviceInfo(ordinal int) (DeviceInfo, Code) {
	var c C.ox_device_info
	attrs := deviceAttrs
	code := Code(C.ox_device(d.t, C.int(ordinal), &attrs[0], C.int(len(attrs)), &c))
	if code != CodeSuccess {
		return DeviceInfo{}, code
	}
	at := func(i int) int { return int(c.attrs[i]) }
	info := DeviceInfo{
		Name: C.GoString(&c.name[0]), MemoryBytes: uint64(c.memory),
		Major: at(0), Minor: at(1), SMs: at(2), ClockKHz: at(3), L2Bytes: at(4), SharedBytesPerSM: at(5),
		SharedBytesPerBlock: at(6), RegistersPerSM: at(7), ThreadsPerSM: at(8), PCIBus: at(9), PCIDevice: at(10),
		Clusters: at(11) != 0,
	}
	for i := range info.UUID {
		info.UUID[i] = byte(c.uuid[i])
	}
	return info, CodeSuccess
}

func (d *cudaDriver) Retain(ordinal int) (ContextHandle, Code) {
	v := C.ox_retain(d.t, C.int(ordinal))
	return ContextHandle(v.a), Code(v.code)
}

func (d *cudaDriver) Release(ordinal int) Code { return Code(C.ox_release(d.t, C.int(ordinal))) }

func (d *cudaDriver) Synchronize(ctx ContextHandle) Code {
	return Code(C.ox_synchronize(d.t, C.uint64_t(ctx)))
}

func (d *cudaDriver) MemInfo(ctx ContextHandle) (free, total uint64, code Code) {
	v := C.ox_mem_info(d.t, C.uint64_t(ctx))
	return uint64(v.a), uint64(v.b), Code(v.code)
}

func (d *cudaDriver) Alloc(ctx ContextHandle, bytes int64, _ string) (DevicePtr, Code) {
	v := C.ox_alloc(d.t, C.uint64_t(ctx), C.size_t(bytes))
	return DevicePtr(v.a), Code(v.code)
}

func (d *cudaDriver) Free(ctx ContextHandle, ptr DevicePtr) Code {
	return Code(C.ox_free(d.t, C.uint64_t(ctx), C.uint64_t(ptr)))
}

func (d *cudaDriver) AllocHost(ctx ContextHandle, bytes int64) ([]byte, DevicePtr, Code) {
	v := C.ox_alloc_host(d.t, C.uint64_t(ctx), C.size_t(bytes))
	if v.code != 0 {
		return nil, 0, Code(v.code)
	}
	// The address is C memory; the conversion through a pointer to v.a keeps the uintptr rule of package unsafe.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&v.a))
	return unsafe.Slice((*byte)(p), bytes), DevicePtr(v.b), CodeSuccess
}

func (d *cudaDriver) FreeHost(ctx ContextHandle, mem []byte) Code {
	return Code(C.ox_free_host(d.t, C.uint64_t(ctx), unsafe.Pointer(unsafe.SliceData(mem))))
}

func (d *cudaDriver) CopyToDevice(ctx ContextHandle, s StreamHandle, dst DevicePtr, src []byte) Code {
	return Code(C.ox_copy_in(d.t, C.uint64_t(ctx), C.uint64_t(s), C.uint64_t(dst), unsafe.Pointer(unsafe.SliceData(src)), C.size_t(len(src))))
}

func (d *cudaDriver) CopyToHost(ctx ContextHandle, s StreamHandle, dst []byte, src DevicePtr) Code {
	return Code(C.ox_copy_out(d.t, C.uint64_t(ctx), C.uint64_t(s), unsafe.Pointer(unsafe.SliceData(dst)), C.uint64_t(src), C.size_t(len(dst))))
}
