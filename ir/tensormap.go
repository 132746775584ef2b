package ir

import "github.com/oxideinfer/oxide/ir/op"

// TensorMap describes a tensor in global memory to the hardware that copies boxes of it: address, sizes, strides, box,
// swizzle (PTX ISA 5.5.8). The host encodes it.
type TensorMap struct{ v *Value }

func (m TensorMap) value() *Value { return m.v }
func (TensorMap) static() Type    { return scalar(op.TensorMap) }

// TensorMapParam declares a tensor map that is passed by value: 128 bytes, 64-byte aligned. Constant and Writes speak of the
// tensor behind it.
func TensorMapParam(k *Kernel, name string, opts ...ParamOption) TensorMap {
	return TensorMap{k.param(scalar(op.TensorMap), name, opts)}
}

// TensorMapAt is the tensor map that is stored in global memory at p, 64-byte aligned.
func TensorMapAt[T Elem](p Global[T]) TensorMap {
	return TensorMap{emitOne("tensormap_at", nil, scalar(op.TensorMap), use(p))}
}

// Prefetch asks for the map itself to be brought to the descriptor cache. PTX: prefetch.tensormap (ISA 9.7.9.15).
func (m TensorMap) Prefetch() { emitNone("tensormap_prefetch", nil, use(m)) }

// PrefetchBox asks for a box to be brought to L2. PTX: cp.async.bulk.prefetch.tensor (ISA 9.7.9.27.1.4).
func (m TensorMap) PrefetchBox(coords []S32, opts ...BulkOption) {
	o := bulkOptions("tensor_prefetch", opts)
	o.emit(append([]*Value{use(m)}, useAll(coords)...))
}

// TensorLoad copies a box to shared memory and counts its bytes, those outside of the tensor too, at full. Coordinates are element
// indexes, innermost first. PTX: cp.async.bulk.tensor (ISA 9.7.9.27.1.2).
func TensorLoad[T Elem](dst Shared[T], m TensorMap, full MBarrier, coords []S32, opts ...BulkOption) {
	o := bulkOptions("tensor_load", opts)
	o.emit(append([]*Value{use(dst), use(m), use(full.p)}, useAll(coords)...))
}

// TensorStore copies a box from shared memory; it belongs to the thread's bulk group. PTX: cp.async.bulk.tensor (ISA
// 9.7.9.27.1.2).
func TensorStore[T Elem](m TensorMap, src Shared[T], coords []S32, opts ...BulkOption) {
	o := bulkOptions("tensor_store", opts)
	o.emit(append([]*Value{use(m), use(src)}, useAll(coords)...))
}

// TensorReduce combines a box of shared memory into the tensor; it belongs to the thread's bulk group. PTX:
// cp.reduce.async.bulk.tensor (ISA 9.7.9.27.1.3).
func TensorReduce[T Elem](what Reduction, m TensorMap, src Shared[T], coords []S32, opts ...BulkOption) {
	o := bulkOptions("tensor_reduce", opts)
	o.attrs = append(o.attrs, what.attr())
	o.emit(append([]*Value{use(m), use(src)}, useAll(coords)...))
}

// FenceTensorMapRelease releases this thread's ordinary writes of tensor maps to tensor copies of scope. PTX:
// fence.proxy.tensormap::generic.release (ISA 9.7.13.4).
func (k *Kernel) FenceTensorMapRelease(scope Scope) {
	k.Emit("fence_tensormap_release", []op.Attr{scope.load().attr}, nil)
}

// FenceAcquire makes released writes of the map visible to tensor copies. PTX: fence.proxy.tensormap::generic.acquire (ISA
// 9.7.13.4).
func (m TensorMap) FenceAcquire(scope Scope) {
	emitNone("fence_tensormap_acquire", []op.Attr{scope.load().attr}, use(m))
}
