package ir_test

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
)

func asyncCases() map[string]shapedCase {
	return map[string]shapedCase{
		"copies": {[]string{"cp_async", "cp_async_commit", "cp_async_wait", "cp_async_wait_all", "cp_async_arrive"}, runCopies},
		"mbarriers": {[]string{"mbarrier_init", "mbarrier_inval", "mbarrier_arrive", "mbarrier_arrive_tx", "mbarrier_expect_tx", "mbarrier_complete_tx",
			"mbarrier_test_parity", "mbarrier_test_state", "mbarrier_try_parity", "mbarrier_try_state", "mbarrier_wait_parity", "mbarrier_wait_state", "mbarrier_pending"}, runMBarriers},
		"bulk": {[]string{"bulk_load", "bulk_store", "bulk_reduce", "bulk_prefetch", "bulk_commit", "bulk_wait", "bulk_wait_read", "fence_proxy_async", "fence_mbarrier_init"}, runBulk},
		"tensors": {[]string{"tensor_load", "tensor_store", "tensor_reduce", "tensor_prefetch", "tensormap_prefetch", "tensormap_at",
			"fence_tensormap_release", "fence_tensormap_acquire"}, runTensors},
		"clusters": {[]string{"mapa", "to_cluster", "getctarank", "st_async", "red_async", "cluster_arrive", "cluster_wait", "bulk_send", "bulk_reduce_send"}, runClusters},
		"cluster registers": {[]string{"clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z", "cluster_ctaid.x", "cluster_ctaid.y",
			"cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank"}, runClusterRegisters},
	}
}

// runCopies copies one word a thread in three ways: waited for by group, by all, and by a barrier. The last is cut short.
func runCopies(m *machine) {
	k := m.build("copies", block(64), func(k *ir.Kernel) {
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
		out := ir.GlobalParam[ir.U32](k, "out")
		s := ir.SharedArray[ir.U32](k, "s", 3*64, 16)
		bar, t := ir.MBarriers(k, "bar", 1), k.TIDX()
		k.If(t.Equal(k.ConstU32(0)), func() { bar.Init(k.ConstU32(64)) })
		k.Barrier()
		ir.CopyAsync(s.At(t), in.At(t), 4)
		k.CopyAsyncCommit()
		ir.CopyAsync(s.AtConst(64).At(t), in.At(t), 4, k.Policy(ir.EvictFirst))
		k.CopyAsyncCommit()
		k.CopyAsyncWait(1)
		out.At(t).Store(s.At(t).Load())
		k.CopyAsyncWaitAll()
		out.AtConst(64).At(t).Store(s.AtConst(64).At(t).Load())
		ir.CopyAsync(s.AtConst(128).At(t), in.At(t), 4, ir.SourceBytes(t.And(k.ConstU32(1)).ShiftLeft(k.ConstU32(1))))
		bar.ArriveWhenCopied()
		bar.Wait(k.ConstU32(0))
		out.AtConst(128).At(t).Store(s.AtConst(128).At(k.ConstU32(63).Sub(t)).Load())
	})
	out := &buffer{data: make([]byte, 3*64*4)}
	value := func(i int) uint32 { return uint32(i)<<16 | 7 }
	m.run(k, one, sequence(64, value), out)
	m.equal("copies", out.u32(), sequence(3*64, func(i int) uint32 {
		if i < 128 {
			return value(i % 64)
		}
		if i%2 == 0 {
			return 7 // an odd neighbour copies two bytes
		}
		return 0
	}).u32())
}

func runMBarriers(m *machine) {
	k := m.build("mbarriers", block(64), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		bar, c, t := ir.MBarriers(k, "bar", 4), k.ConstU32, k.TIDX()
		first := func(body func()) { k.If(t.Equal(c(0)), body) }
		first(func() {
			for i, n := range []uint32{64, 3, 2, 5} {
				bar.AtConst(i).Init(c(n))
			}
		})
		k.Barrier()
		bit := func(p ir.Pred) ir.U32 { return ir.Select(p, c(1), c(0)) }
		state := bar.ArriveState()
		bar.WaitState(state)
		bar.Wait(c(0))
		done := bar.TestWaitState(state).And(bar.TestWait(c(0)))
		first(func() {
			b := bar.AtConst(1)
			b.ExpectBytes(c(16))
			b.CompleteBytes(c(16))
			b.Arrive(ir.ArriveCount(c(2)))
			early := b.TestWait(c(0))
			mine := b.ArriveExpectState(c(8))
			b.CompleteBytes(c(8))
			late := b.TryWait(c(0)).And(b.TryWaitState(mine, ir.SuspendHint(100)))
			b = bar.AtConst(2)
			pending := ir.PendingArrivals(b.ArriveState(ir.Drop))
			b.Arrive() // ends phase 0
			b.Wait(c(0), ir.Relaxed, ir.ScopeCluster)
			b.Arrive() // one arrival was left
			dropped := b.TestWait(c(1))
			b = bar.AtConst(3)
			b.Arrive(ir.NoComplete, ir.ArriveCount(c(2)))
			b.ArriveExpect(c(4), ir.Drop)
			b.CompleteBytes(c(4))
			b.Arrive(ir.ArriveCount(c(2)), ir.Relaxed, ir.ScopeCluster)
			b.Wait(c(0))
			for i, v := range []ir.U32{bit(done), bit(early), bit(late), pending, bit(dropped)} {
				out.AtConst(i).Store(v)
			}
		})
		k.Barrier() // nobody waits any more
		first(func() {
			for i := range 4 {
				bar.AtConst(i).Invalidate()
			}
		})
	})
	out := &buffer{data: make([]byte, 5*4)}
	m.run(k, one, out)
	m.equal("mbarriers", out.u32(), []uint32{1, 0, 1, 2, 1})
}

func runBulk(m *machine) {
	const n = 256
	k := m.build("bulk", block(64), func(k *ir.Kernel) {
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
		out := ir.GlobalParam[ir.U32](k, "out", ir.Aligned(16))
		sum := ir.GlobalParam[ir.U32](k, "sum", ir.Aligned(16))
		s, bar := ir.SharedArray[ir.U32](k, "s", n, 16), ir.MBarriers(k, "bar", 1)
		c, t := k.ConstU32, k.TIDX()
		k.If(t.Equal(c(0)), func() {
			bar.Init(c(1))
			k.FenceMBarrierInit()
			ir.BulkPrefetch(in, c(4*n))
			bar.ArriveExpect(c(4 * n))
			ir.BulkLoad(s, in, c(4*n), bar, k.Policy(ir.EvictFirst))
		})
		k.Barrier()
		bar.Wait(c(0))
		at := s.At(t.ShiftLeft(c(2)))
		v := at.LoadVec(4)
		at.StoreVec(ir.Vec[ir.U32]{v[3], v[2], v[1], v[0]})
		k.FenceProxyAsync(ir.ProxyAll)
		k.Barrier()
		k.If(t.Equal(c(0)), func() {
			ir.BulkStore(out, s, c(4*n))
			k.BulkCommit()
			ir.BulkReduce(ir.RedAdd, sum, s, c(4*n))
			k.BulkCommit()
			k.BulkWaitRead(0)
			s.Store(c(0)) // after the store has read it
			k.BulkWait(0)
		})
	})
	out, sum := &buffer{data: make([]byte, 4*n)}, sequence(n, func(i int) uint32 { return uint32(1000 * i) })
	m.run(k, [3]uint32{1, 1, 1}, sequence(n, func(i int) uint32 { return uint32(i) }), out, sum)
	m.equal("stored", out.u32(), sequence(n, func(i int) uint32 { return uint32(i ^ 3) }).u32())
	m.equal("summed", sum.u32(), sequence(n, func(i int) uint32 { return uint32(i ^ 3 + 1000*i) }).u32())
}

// runTensors copies a box over the edge of a matrix, from a map in the parameters and from one in memory, and back.
func runTensors(m *machine) {
	const rows, cols = 6, 8
	k := m.build("tensors", block(32), func(k *ir.Kernel) {
		ir.GlobalParam[ir.U32](k, "in", ir.Constant)
		ir.GlobalParam[ir.U32](k, "out")
		from, to := ir.TensorMapParam(k, "from", ir.Constant), ir.TensorMapParam(k, "to", ir.Writes)
		stored := ir.GlobalParam[ir.U8](k, "stored", ir.Aligned(64))
		s, bar := ir.SharedArray[ir.U32](k, "s", 2*4*8, 128), ir.MBarriers(k, "bar", 1)
		c := k.ConstU32
		k.If(k.TIDX().Equal(c(0)), func() {
			from.Prefetch()
			bar.Init(c(1))
			k.FenceMBarrierInit()
			edge := []ir.S32{k.ConstS32(4), k.ConstS32(-1)}
			from.PrefetchBox(edge)
			bar.ArriveExpect(c(2 * 4 * 8 * 4))
			ir.TensorLoad(s, from, bar, edge)
			inMemory := ir.TensorMapAt(stored)
			k.FenceTensorMapRelease(ir.ScopeGPU)
			inMemory.FenceAcquire(ir.ScopeGPU)
			ir.TensorLoad(s.AtConst(32), inMemory, bar, []ir.S32{k.ConstS32(0), k.ConstS32(2)})
			bar.Wait(c(0))
			ir.TensorStore(to, s, []ir.S32{k.ConstS32(0), k.ConstS32(0)})
			k.BulkCommit()
			k.BulkWait(0)
			ir.TensorReduce(ir.RedAdd, to, s.AtConst(32), []ir.S32{k.ConstS32(0), k.ConstS32(0)})
			k.BulkCommit()
			k.BulkWait(0)
		})
	})
	value := func(r, c int) uint32 {
		if r < 0 || r >= rows || c >= cols {
			return 0
		}
		return uint32(100*r + c)
	}
	tensor := emulate.TensorMap{Type: emulate.MapU32, Rank: 2, Dims: [5]uint64{cols, rows}, Strides: [4]uint64{cols * 4}, Box: [5]uint32{8, 4}, ElementStrides: [5]uint32{1, 1}}
	out := &buffer{data: make([]byte, rows*cols*4)}
	m.run(k, one, sequence(rows*cols, func(i int) uint32 { return value(i/cols, i%cols) }), out, &boxes{of: 0, tensor: tensor}, &boxes{of: 1, tensor: tensor}, &boxes{of: 0, tensor: tensor, stored: true})
	m.equal("tensors", out.u32(), sequence(rows*cols, func(i int) uint32 {
		r, c := i/cols, i%cols
		if r >= 4 {
			return 0
		}
		return value(r-1, c+4) + value(r+2, c)
	}).u32())
}

// runClusters has two blocks that send to each other in every way: words, reductions, bulk copies, arrivals, plain stores.
func runClusters(m *machine) {
	k := m.build("clusters", ir.Contract{Block: [3]int{32}, Cluster: [3]int{2, 1, 1}}, func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		s, bar := ir.SharedArray[ir.U32](k, "s", 64, 16), ir.MBarriers(k, "bar", 2)
		c, t, rank := k.ConstU32, k.TIDX(), k.ClusterCTARank()
		s.At(t).Store(t.Add(rank.Mul(c(100))))
		s.AtConst(32).At(t).Store(c(0))
		first := t.Equal(c(0))
		k.If(first, func() {
			bar.Init(c(1))
			bar.AtConst(1).Init(c(1))
			k.FenceMBarrierInit()
			bar.ArriveExpect(c(4 + 4 + 16 + 16))
		})
		k.FenceProxyAsync(ir.ProxyShared)
		k.ClusterBarrier()
		peer := rank.Xor(c(1))
		far, full := s.AtConst(32).InBlock(peer), bar.InBlock(peer)
		k.If(first, func() {
			far.StoreAsync(rank.Add(c(5)), full)
			far.AtConst(1).ReduceAsync(ir.RedAdd, c(9), full)
			ir.BulkSend(far.AtConst(4), s, c(16), full)
			ir.BulkReduceSend(ir.RedAdd, far.AtConst(8), s.AtConst(4), c(16), full)
			far.AtConst(12).Store(far.Rank())
			far.AtConst(13).ReduceAdd(c(3), ir.Relaxed, ir.ScopeCluster)
			bar.AtConst(1).InBlock(peer).Arrive()
		})
		bar.Wait(c(0), ir.ScopeCluster)
		bar.AtConst(1).Wait(c(0), ir.ScopeCluster)
		own := s.AtConst(32).InCluster()
		out.At(rank.Mul(c(32)).Add(t)).Store(own.At(t).Load())
		k.ClusterBarrier()
	})
	out := &buffer{data: make([]byte, 64*4)}
	m.run(k, [3]uint32{2, 1, 1}, out)
	want := make([]uint32, 64)
	for rank := range 2 {
		w, from := want[rank*32:], uint32(100*(1-rank))
		w[0], w[1], w[12], w[13] = uint32(1-rank)+5, 9, uint32(rank), 3
		for i := range uint32(4) {
			w[4+i], w[8+i] = from+i, from+4+i
		}
	}
	m.equal("clusters", out.u32(), want)
}

func runClusterRegisters(m *machine) {
	k := m.build("cluster_registers", ir.Contract{Block: [3]int{32}, Cluster: [3]int{2, 2, 1}}, func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		me := k.CTAIDX().Equal(k.ConstU32(3)).And(k.CTAIDY().Equal(k.ConstU32(2))).And(k.CTAIDZ().Equal(k.ConstU32(1))).And(k.TIDX().Equal(k.ConstU32(0)))
		for i, v := range []ir.U32{k.ClusterIDX(), k.ClusterIDY(), k.ClusterIDZ(), k.NClusterIDX(), k.NClusterIDY(), k.NClusterIDZ(), k.ClusterCTAIDX(), k.ClusterCTAIDY(),
			k.ClusterCTAIDZ(), k.ClusterNCTAIDX(), k.ClusterNCTAIDY(), k.ClusterNCTAIDZ(), k.ClusterCTARank(), k.ClusterNCTARank()} {
			out.AtConst(i).StoreIf(me, v)
		}
	})
	out := &buffer{data: make([]byte, 14*4)}
	m.run(k, [3]uint32{4, 4, 2}, out)
	m.equal("cluster registers", out.u32(), []uint32{1, 1, 1, 2, 2, 2, 1, 0, 0, 2, 2, 1, 1, 4})
}
