//go:build cgo && linux

package main

// #include "exports.h"
import "C"

import (
	"unsafe"

	"github.com/oxideinfer/oxide/adapters/c/internal/abi"
)

//export oxideGoDeviceCount
func oxideGoDeviceCount(k C.int32_t, count *C.int32_t) C.oxide_status {
	return finish(library.DeviceCount(kind(k), number(count)))
}

//export oxideGoDeviceOpen
func oxideGoDeviceOpen(k, ordinal C.int32_t, device *C.uint64_t) C.oxide_status {
	return finish(library.DeviceOpen(kind(k), int32(ordinal), refs(device)))
}

//export oxideGoDeviceClose
func oxideGoDeviceClose(device C.uint64_t) C.oxide_status {
	return finish(library.DeviceClose(ref(device)))
}

//export oxideGoDeviceGetInfo
func oxideGoDeviceGetInfo(device C.uint64_t, info *C.oxide_device_info) C.oxide_status {
	return finish(library.DeviceInfo(ref(device), (*abi.DeviceInfo)(unsafe.Pointer(info))))
}

//export oxideGoHostMap
func oxideGoHostMap(device C.uint64_t, memory unsafe.Pointer, bytes C.uint64_t) C.oxide_status {
	return finish(library.HostMap(ref(device), memory, uint64(bytes)))
}

//export oxideGoHostUnmap
func oxideGoHostUnmap(device C.uint64_t, memory unsafe.Pointer) C.oxide_status {
	return finish(library.HostUnmap(ref(device), memory))
}

//export oxideGoStreamOpen
func oxideGoStreamOpen(device, handle C.uint64_t, stream *C.uint64_t) C.oxide_status {
	return finish(library.StreamOpen(ref(device), uint64(handle), refs(stream)))
}

//export oxideGoStreamReserveWorkspace
func oxideGoStreamReserveWorkspace(stream C.uint64_t, bytes C.int64_t) C.oxide_status {
	return finish(library.StreamReserveWorkspace(ref(stream), int64(bytes)))
}

//export oxideGoStreamClose
func oxideGoStreamClose(stream C.uint64_t) C.oxide_status {
	return finish(library.StreamClose(ref(stream)))
}

//export oxideGoCapabilityQuery
func oxideGoCapabilityQuery(device C.uint64_t, spec unsafe.Pointer, to *C.oxide_capability, room C.int32_t, count *C.int32_t) C.oxide_status {
	return finish(library.Capabilities(ref(device), spec, (*abi.Capability)(unsafe.Pointer(to)), int32(room), number(count)))
}

//export oxideGoPlanCreate
func oxideGoPlanCreate(device C.uint64_t, spec unsafe.Pointer, algorithm *C.char, plan *C.uint64_t) C.oxide_status {
	return finish(library.PlanCreate(ref(device), spec, (*byte)(unsafe.Pointer(algorithm)), refs(plan)))
}

//export oxideGoPlanDestroy
func oxideGoPlanDestroy(plan C.uint64_t) C.oxide_status {
	return finish(library.PlanDestroy(ref(plan)))
}

//export oxideGoPlanGetInfo
func oxideGoPlanGetInfo(plan C.uint64_t, info *C.oxide_plan_info) C.oxide_status {
	return finish(library.PlanInfo(ref(plan), (*abi.PlanInfo)(unsafe.Pointer(info))))
}

//export oxideGoEnqueue
func oxideGoEnqueue(plan, stream C.uint64_t, operands unsafe.Pointer, completion *C.uint64_t) C.oxide_status {
	return finish(library.Enqueue(ref(plan), ref(stream), operands, refs(completion)))
}

//export oxideGoScopeBegin
func oxideGoScopeBegin(stream C.uint64_t, scope *C.uint64_t) C.oxide_status {
	return finish(library.ScopeBegin(ref(stream), refs(scope)))
}

//export oxideGoScopeReportTo
func oxideGoScopeReportTo(scope, record C.uint64_t) C.oxide_status {
	return finish(library.ScopeReportTo(ref(scope), uint64(record)))
}

//export oxideGoScopeEnqueue
func oxideGoScopeEnqueue(scope, plan C.uint64_t, operands unsafe.Pointer) C.oxide_status {
	return finish(library.ScopeEnqueue(ref(scope), ref(plan), operands))
}

//export oxideGoScopeSubmit
func oxideGoScopeSubmit(scope C.uint64_t, completion *C.uint64_t) C.oxide_status {
	return finish(library.ScopeSubmit(ref(scope), refs(completion)))
}

//export oxideGoScopeDrop
func oxideGoScopeDrop(scope C.uint64_t) C.oxide_status {
	return finish(library.ScopeDrop(ref(scope)))
}

//export oxideGoCompletionPoll
func oxideGoCompletionPoll(completion C.uint64_t) C.oxide_status {
	return finish(library.CompletionPoll(ref(completion)))
}

//export oxideGoCompletionWait
func oxideGoCompletionWait(completion C.uint64_t, nanoseconds C.int64_t) C.oxide_status {
	return finish(library.CompletionWait(ref(completion), int64(nanoseconds)))
}
