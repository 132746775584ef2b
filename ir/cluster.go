package ir

import "github.com/oxideinfer/oxide/ir/op"

// InBlock is the same address in the shared memory of the block of that rank in the cluster. That block must have started:
// after a cluster barrier. PTX: mapa (ISA 9.7.9.23).
func (p Shared[T]) InBlock(rank U32) SharedCluster[T] {
	return SharedCluster[T]{emitOne("mapa", nil, elemType[T](op.SharedCluster), use(p), use(rank))}
}

// InCluster is the address as one in the cluster's shared memory.
func (p Shared[T]) InCluster() SharedCluster[T] {
	base, off := fold(use(p))
	return SharedCluster[T]{atConst(emitOne("to_cluster", nil, elemType[T](op.SharedCluster), base), off)}
}

// Rank is the rank of the block that the address belongs to. PTX: getctarank (ISA 9.7.9.24).
func (p SharedCluster[T]) Rank() U32 {
	return U32{emitOne("getctarank", nil, scalar(op.U32), use(p))}
}

// CastCluster is Cast for the cluster's shared memory.
func CastCluster[U, T Elem](p SharedCluster[T]) SharedCluster[U] {
	return SharedCluster[U]{castTo[U](use(p), op.SharedCluster)}
}

// StoreAsync stores the element in another block and counts its bytes at that block's barrier. PTX: st.async (ISA 9.7.9.12).
func (p SharedCluster[T]) StoreAsync(x T, full RemoteMBarrier) {
	emitNone("st_async", nil, use(p), use(x), use(full.p))
}

// StoreAsyncVec stores 1, 2 or 4 elements, at most 16 bytes. PTX: st.async (ISA 9.7.9.12).
func (p SharedCluster[T]) StoreAsyncVec(x Vec[T], full RemoteMBarrier) {
	emitNone("st_async", nil, append(append([]*Value{use(p)}, useAll(x)...), use(full.p))...)
}

// ReduceAsync updates an integer in another block atomically and counts its bytes at that block's barrier. PTX: red.async
// (ISA 9.7.13.7).
func (p SharedCluster[T]) ReduceAsync(what Reduction, x T, full RemoteMBarrier) {
	emitNone("red_async", []op.Attr{what.attr()}, use(p), use(x), use(full.p))
}

// ClusterArrive arrives at the cluster's barrier: Release, or Relaxed where nothing was written for others. Every thread of
// the cluster must, also those that have nothing to say. PTX: barrier.cluster.arrive (ISA 9.7.13.3).
func (k *Kernel) ClusterArrive(order Order) {
	k.Emit("cluster_arrive", []op.Attr{order.load().attr}, nil)
}

// ClusterBarrier arrives at the cluster's barrier and waits for all threads of the cluster.
func (k *Kernel) ClusterBarrier() {
	k.ClusterArrive(Release)
	k.ClusterWait()
}
