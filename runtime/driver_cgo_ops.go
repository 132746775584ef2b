//go:build cgo && linux

package oxrt

// #include <stdlib.h>
// #include "shim.h"
import "C"

import "unsafe"

func (d *cudaDriver) StreamCreate(ctx ContextHandle, priority int) (StreamHandle, Code) {
	v := C.ox_stream_create(d.t, C.uint64_t(ctx), C.int(priority))
	return StreamHandle(v.a), Code(v.code)
}

func (d *cudaDriver) StreamPriorities(ctx ContextHandle) (least, greatest int, code Code) {
	v := C.ox_stream_priorities(d.t, C.uint64_t(ctx))
	return int(int64(v.a)), int(int64(v.b)), Code(v.code)
}

func (d *cudaDriver) StreamDestroy(ctx ContextHandle, s StreamHandle) Code {
	return Code(C.ox_stream_destroy(d.t, C.uint64_t(ctx), C.uint64_t(s)))
}

func (d *cudaDriver) StreamQuery(ctx ContextHandle, s StreamHandle) Code {
	return Code(C.ox_stream_query(d.t, C.uint64_t(ctx), C.uint64_t(s)))
}

func (d *cudaDriver) StreamSynchronize(ctx ContextHandle, s StreamHandle) Code {
	return Code(C.ox_stream_synchronize(d.t, C.uint64_t(ctx), C.uint64_t(s)))
}

func (d *cudaDriver) StreamWait(ctx ContextHandle, s StreamHandle, e EventHandle) Code {
	return Code(C.ox_stream_wait(d.t, C.uint64_t(ctx), C.uint64_t(s), C.uint64_t(e)))
}

func (d *cudaDriver) EventCreate(ctx ContextHandle, timing bool) (EventHandle, Code) {
	v := C.ox_event_create(d.t, C.uint64_t(ctx), flag(timing))
	return EventHandle(v.a), Code(v.code)
}

func (d *cudaDriver) EventDestroy(ctx ContextHandle, e EventHandle) Code {
	return Code(C.ox_event_destroy(d.t, C.uint64_t(ctx), C.uint64_t(e)))
}

func (d *cudaDriver) EventRecord(ctx ContextHandle, e EventHandle, s StreamHandle) Code {
	return Code(C.ox_event_record(d.t, C.uint64_t(ctx), C.uint64_t(e), C.uint64_t(s)))
}

func (d *cudaDriver) EventQuery(ctx ContextHandle, e EventHandle) Code {
	return Code(C.ox_event_query(d.t, C.uint64_t(ctx), C.uint64_t(e)))
}

func (d *cudaDriver) EventSynchronize(ctx ContextHandle, e EventHandle) Code {
	return Code(C.ox_event_synchronize(d.t, C.uint64_t(ctx), C.uint64_t(e)))
}

func (d *cudaDriver) EventElapsed(ctx ContextHandle, start, end EventHandle) (float32, Code) {
	var ms C.float
	code := C.ox_event_elapsed(d.t, C.uint64_t(ctx), C.uint64_t(start), C.uint64_t(end), &ms)
	return float32(ms), Code(code)
}

// ModuleLoad copies nothing that stays: cuModuleLoadData has read the image when it returns.
func (d *cudaDriver) ModuleLoad(ctx ContextHandle, a *Artifact) (ModuleHandle, Code) {
	v := C.ox_module_load(d.t, C.uint64_t(ctx), unsafe.Pointer(unsafe.SliceData(a.Cubin)))
	return ModuleHandle(v.a), Code(v.code)
}

func (d *cudaDriver) ModuleUnload(ctx ContextHandle, m ModuleHandle) Code {
	return Code(C.ox_module_unload(d.t, C.uint64_t(ctx), C.uint64_t(m)))
}

func (d *cudaDriver) ModuleFunction(ctx ContextHandle, m ModuleHandle, entry string) (FuncHandle, Code) {
	name := C.CString(entry)
	defer C.free(unsafe.Pointer(name))
	v := C.ox_module_function(d.t, C.uint64_t(ctx), C.uint64_t(m), name)
	return FuncHandle(v.a), Code(v.code)
}

func (d *cudaDriver) FuncAttribute(ctx ContextHandle, f FuncHandle, attr FuncAttr) (int, Code) {
	v := C.ox_func_attribute(d.t, C.uint64_t(ctx), C.uint64_t(f), C.int(attr))
	return int(v.a), Code(v.code)
}

func (d *cudaDriver) SetFuncAttribute(ctx ContextHandle, f FuncHandle, attr FuncAttr, value int) Code {
	return Code(C.ox_set_func_attribute(d.t, C.uint64_t(ctx), C.uint64_t(f), C.int(attr), C.int(value)))
}

func (d *cudaDriver) Occupancy(ctx ContextHandle, f FuncHandle, threads int, dynamicSharedBytes int64) (int, Code) {
	v := C.ox_occupancy(d.t, C.uint64_t(ctx), C.uint64_t(f), C.int(threads), C.size_t(dynamicSharedBytes))
	return int(v.a), Code(v.code)
}

// Submit passes three flat arrays without Go pointers; nothing of them is kept.
func (d *cudaDriver) Submit(ctx ContextHandle, s StreamHandle, b *Batch) (int, CaptureID, Code) {
	r := C.ox_submit(C.uintptr_t(uintptr(unsafe.Pointer(d.t))), C.uint64_t(ctx), C.uint64_t(s),
		(*C.ox_command)(unsafe.Pointer(unsafe.SliceData(b.Commands))), C.uint32_t(len(b.Commands)),
		(*C.uchar)(unsafe.SliceData(b.Params)), (*C.uint16_t)(unsafe.SliceData(b.Offsets)), C.uint64_t(b.Done), flag(b.Eager))
	return int(r.enqueued), CaptureID(r.capture), Code(r.code)
}

func (d *cudaDriver) EncodeTensorMap(to *TensorMap, b *TensorBox, v *TensorView) Code {
	m := C.ox_tensor{base: C.uint64_t(v.Base), _type: C.uint32_t(b.MapType()), rank: C.uint32_t(b.Rank), interleave: C.uint32_t(b.Interleave),
		swizzle: C.uint32_t(b.Swizzle), promotion: C.uint32_t(b.PromotionCode()), fill: C.uint32_t(flag(b.FillNaN))}
	for i := range v.Dims {
		m.dims[i], m.box[i], m.steps[i] = C.uint64_t(v.Dims[i]), C.uint32_t(b.Dims[i]), C.uint32_t(b.Step(i))
	}
	for i := range v.Strides {
		m.strides[i] = C.uint64_t(v.Strides[i])
	}
	return Code(C.ox_encode_tensor(d.t, &m, (*C.uchar)(&to[0])))
}

func (d *cudaDriver) CaptureBegin(ctx ContextHandle, s StreamHandle) (CaptureID, Code) {
	v := C.ox_capture_begin(d.t, C.uint64_t(ctx), C.uint64_t(s))
	return CaptureID(v.a), Code(v.code)
}

func (d *cudaDriver) CaptureEnd(ctx ContextHandle, s StreamHandle) (GraphHandle, Code) {
	v := C.ox_capture_end(d.t, C.uint64_t(ctx), C.uint64_t(s))
	return GraphHandle(v.a), Code(v.code)
}

func (d *cudaDriver) GraphInstantiate(ctx ContextHandle, g GraphHandle) (ExecHandle, Code) {
	v := C.ox_graph_instantiate(d.t, C.uint64_t(ctx), C.uint64_t(g))
	return ExecHandle(v.a), Code(v.code)
}

func (d *cudaDriver) GraphDestroy(ctx ContextHandle, g GraphHandle) Code {
	return Code(C.ox_graph_destroy(d.t, C.uint64_t(ctx), C.uint64_t(g)))
}

func (d *cudaDriver) ExecUpload(ctx ContextHandle, x ExecHandle, s StreamHandle) Code {
	return Code(C.ox_exec_upload(d.t, C.uint64_t(ctx), C.uint64_t(x), C.uint64_t(s)))
}

func (d *cudaDriver) ExecLaunch(ctx ContextHandle, x ExecHandle, s StreamHandle, done EventHandle) Code {
	return Code(C.ox_exec_launch(d.t, C.uint64_t(ctx), C.uint64_t(x), C.uint64_t(s), C.uint64_t(done)))
}

func (d *cudaDriver) ExecUpdate(ctx ContextHandle, x ExecHandle, g GraphHandle) Code {
	return Code(C.ox_exec_update(d.t, C.uint64_t(ctx), C.uint64_t(x), C.uint64_t(g)))
}

func (d *cudaDriver) ExecDestroy(ctx ContextHandle, x ExecHandle) Code {
	return Code(C.ox_exec_destroy(d.t, C.uint64_t(ctx), C.uint64_t(x)))
}
