package lower_test

import "github.com/oxideinfer/oxide/ir"

func hopperKernels() []kernelCase {
	warpgroup := ir.Contract{Block: [3]int{128}}
	pair := ir.Contract{Block: [3]int{128}, Cluster: [3]int{2, 1, 1}}
	roles := ir.Contract{Block: [3]int{384}}
	return []kernelCase{
		{"copies", warpgroup, asyncCopies},
		{"barriers", pair, barriers},
		{"bulk", pair, bulkCopies},
		{"tensors", pair, tensorCopies},
		{"clusters", pair, clusters},
		{"roles", roles, roleRegisters},
		{"grid_roles", ir.Contract{Block: [3]int{32, 2, 2}}, boxRoles},
		{"products", warpgroup, products},
		{"warp_products", warpgroup, warpProducts},
		{"pointers", warpgroup, pointers},
	}
}

func pointers(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	s := ir.SharedArray[ir.U32](k, "s", 16, 0)
	old := y.AtomicCAS(k.ConstU32(1), k.ConstU32(2))
	ir.GlobalAt[ir.U32](y.Address().Add(k.ConstU64(64))).Store(old)
	ir.ToShared(s.Generic()).Store(old)
	ir.CastShared[ir.F32](s).Store(k.ConstF32(0))
}

func asyncCopies(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	n := ir.Param[ir.U32](k, "n")
	tile := ir.SharedArray[ir.F32](k, "tile", 512, 16)
	bar := ir.MBarriers(k, "bar", 2)
	t := k.TIDX()
	k.If(t.Equal(k.ConstU32(0)), func() {
		bar.Init(k.ConstU32(128))
		bar.AtConst(1).Init(k.ConstU32(1))
	})
	k.Barrier()
	at := t.Mul(k.ConstU32(4))
	policy := k.Policy(ir.EvictFirst)
	ir.CopyAsync(tile.At(t), x.At(t), 4)
	ir.CopyAsync(tile.At(t).AtConst(128), x.At(t), 4, ir.SourceBytes(n), policy)
	k.CopyAsyncCommit()
	ir.CopyAsync(tile.At(at), x.At(at), 16, ir.CG, ir.L2Fetch128)
	ir.CopyAsync(tile.At(at), x.At(at), 16, ir.CA, policy)
	ir.CopyAsync(tile.At(at), x.At(at), 16, ir.CG, ir.SourceBytes(n))
	k.CopyAsyncCommit()
	k.CopyAsyncWait(1)
	k.CopyAsyncWait(0)
	ir.CopyAsync(tile.At(t), x.At(t), 4)
	k.CopyAsyncWaitAll()
	bar.AtConst(1).ArriveExtraWhenCopied()
	bar.ArriveWhenCopied()
	bar.Wait(k.ConstU32(0))
	y.At(t).Store(tile.At(t).Load())
}

func barriers(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	n := ir.Param[ir.U32](k, "n")
	bar := ir.MBarriers(k, "bar", 4)
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		for i := range 4 {
			bar.AtConst(i).Init(k.ConstU32(1000))
		}
		k.FenceMBarrierInit()
	})
	k.ClusterBarrier()
	state := bar.ArriveState()
	bar.Arrive(ir.ArriveCount(n))
	bar.Arrive(ir.ArriveCount(n), ir.NoComplete)
	bar.Arrive(ir.Drop, ir.ScopeCluster)
	bar.Arrive(ir.Drop, ir.NoComplete, ir.ArriveCount(k.ConstU32(2)))
	bar.Arrive(ir.Relaxed, ir.ScopeCluster)
	second := bar.At(n).ArriveExpectState(k.ConstU32(64))
	bar.AtConst(2).ArriveExpect(k.ConstU32(64), ir.Drop)
	bar.ExpectBytes(n)
	bar.CompleteBytes(n)
	p := bar.TestWait(n).And(bar.TestWaitState(state)).And(bar.TryWait(k.ConstU32(1), ir.SuspendHint(1000))).And(bar.TryWaitState(second, ir.Relaxed, ir.ScopeCluster))
	y.StoreIf(p, ir.PendingArrivals(state))
	other := k.ClusterCTARank().Xor(k.ConstU32(1))
	far := bar.InBlock(other)
	far.Arrive()
	far.Arrive(ir.ArriveCount(n), ir.Drop)
	far.ArriveExpect(n, ir.ScopeBlock)
	far.ExpectBytes(n)
	far.CompleteBytes(n)
	bar.InCluster().Arrive(ir.Relaxed)
	bar.Wait(n)
	bar.Wait(n, ir.ScopeCluster, ir.SuspendHint(100))
	bar.WaitState(state)
	bar.AtConst(3).Invalidate()
	k.ClusterBarrier()
}

func bulkCopies(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	h, b := ir.Cast[ir.F16](y), ir.Cast[ir.BF16](y)
	u, s := ir.Cast[ir.U32](y), ir.Cast[ir.S64](y)
	bytes := ir.Param[ir.U32](k, "bytes")
	tile := ir.SharedArray[ir.F32](k, "tile", 1024, 128)
	bar := ir.MBarriers(k, "bar", 1)
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		bar.Init(k.ConstU32(1))
		k.FenceMBarrierInit()
	})
	k.ClusterBarrier()
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		policy := k.Policy(ir.EvictLast)
		bar.ArriveExpect(bytes)
		ir.BulkLoad(tile, x, bytes, bar)
		ir.BulkLoad(tile.AtConst(256), x.AtConst(256), bytes, bar, policy)
		ir.BulkLoad(tile.AtConst(512), x, k.ConstU32(256), bar, ir.Multicast(k.ConstU16(3)), policy)
		bar.Wait(k.ConstU32(0))
		k.FenceProxyAsync(ir.ProxyAll)
		k.FenceProxyAsync(ir.ProxyShared)
		k.FenceProxyAsync(ir.ProxyGlobal)
		k.FenceProxyAsync(ir.ProxyCluster)
		ir.BulkStore(y, tile, bytes)
		ir.BulkStore(y, tile, bytes, policy)
		k.BulkCommit()
		ir.BulkReduce(ir.RedAdd, y, tile, bytes)
		ir.BulkReduce(ir.RedAdd, h, ir.CastShared[ir.F16](tile), bytes, policy)
		ir.BulkReduce(ir.RedMax, b, ir.CastShared[ir.BF16](tile), bytes)
		ir.BulkReduce(ir.RedInc, u, ir.CastShared[ir.U32](tile), bytes)
		ir.BulkReduce(ir.RedXor, u, ir.CastShared[ir.U32](tile), bytes)
		ir.BulkReduce(ir.RedAdd, s, ir.CastShared[ir.S64](tile), bytes)
		ir.BulkReduce(ir.RedMin, s, ir.CastShared[ir.S64](tile), bytes)
		k.BulkCommit()
		k.BulkWaitRead(1)
		k.BulkWait(0)
		rank := k.ClusterCTARank().Xor(k.ConstU32(1))
		ir.BulkSend(tile.InBlock(rank), tile, bytes, bar.InBlock(rank))
		ir.BulkReduceSend(ir.RedAdd, ir.CastCluster[ir.U32](tile.InBlock(rank)), ir.CastShared[ir.U32](tile), bytes, bar.InBlock(rank))
		ir.BulkReduceSend(ir.RedAnd, ir.CastCluster[ir.U32](tile.InBlock(rank)), ir.CastShared[ir.U32](tile), bytes, bar.InBlock(rank))
		ir.BulkPrefetch(x, bytes)
		ir.BulkPrefetch(x, bytes, policy)
	})
	k.ClusterBarrier()
}

func tensorCopies(k *ir.Kernel) {
	a := ir.TensorMapParam(k, "a", ir.Constant)
	d := ir.TensorMapParam(k, "d", ir.Writes)
	table := ir.GlobalParam[ir.U8](k, "table", ir.Aligned(64))
	x := ir.Param[ir.S32](k, "x")
	tile := ir.SharedArray[ir.BF16](k, "tile", 4096, 1024)
	bar := ir.MBarriers(k, "bar", 1)
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		a.Prefetch()
		bar.Init(k.ConstU32(1))
		k.FenceMBarrierInit()
	})
	k.ClusterBarrier()
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		policy := k.Policy(ir.EvictFirst)
		var c []ir.S32
		for range 5 {
			c = append(c, x)
			ir.TensorLoad(tile, a, bar, c)
			ir.TensorStore(d, tile, c)
			ir.TensorReduce(ir.RedAdd, d, tile, c)
			a.PrefetchBox(c)
		}
		two := []ir.S32{k.ConstS32(0), x}
		ir.TensorLoad(tile.AtConst(1024), a, bar, two, ir.Multicast(k.ConstU16(3)))
		ir.TensorLoad(tile, a, bar, two, policy, ir.Multicast(k.ConstU16(3)))
		ir.TensorLoad(tile, a, bar, two, policy)
		ir.TensorStore(d, tile, two, policy)
		ir.TensorReduce(ir.RedMax, d, tile, two, policy)
		a.PrefetchBox(two, policy)
		k.BulkCommit()
		k.BulkWait(0)
		m := ir.TensorMapAt(table)
		k.FenceTensorMapRelease(ir.ScopeGPU)
		m.FenceAcquire(ir.ScopeGPU)
		ir.TensorLoad(tile, m, bar, two)
	})
	k.ClusterBarrier()
}

func clusters(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	s := ir.SharedArray[ir.U32](k, "s", 256, 16)
	f := ir.SharedArray[ir.F32](k, "f", 256, 16)
	bar := ir.MBarriers(k, "bar", 1)
	k.ClusterArrive(ir.Relaxed)
	k.ClusterWait()
	rank := k.ClusterCTARank().Xor(k.ConstU32(1))
	far, full := s.AtConst(4).InBlock(rank), bar.InBlock(rank)
	far.At(k.TIDX()).Store(k.TIDX())
	far.AtConst(4).StoreVec(ir.Vec[ir.U32]{rank, rank, rank, rank})
	v := far.Load(ir.Acquire, ir.ScopeCluster)
	far.ReduceAdd(v, ir.Relaxed, ir.ScopeCluster)
	old := far.AtomicMax(v, ir.AcquireRelease, ir.ScopeCluster)
	swap := far.AtomicCAS(old, v)
	f.InBlock(rank).ReduceAdd(k.ConstF32(1))
	far.StoreAsync(v, full)
	far.StoreAsyncVec(ir.Vec[ir.U32]{rank, rank, rank, rank}, full)
	f.InBlock(rank).StoreAsyncVec(ir.Vec[ir.F32]{k.ConstF32(1), k.ConstF32(2)}, full)
	far.ReduceAsync(ir.RedAdd, v, full)
	far.ReduceAsync(ir.RedOr, v, full)
	ir.CastCluster[ir.S32](far).ReduceAsync(ir.RedMin, v.AsS32(), full)
	far.ReduceAsync(ir.RedInc, v, full)
	own := s.InCluster().AtConst(1)
	y.Store(swap.Add(own.Rank()).Add(own.Load()))
	for i, r := range []ir.U32{k.ClusterIDX(), k.NClusterIDX(), k.ClusterCTAIDX(), k.ClusterNCTAIDX(), k.ClusterNCTARank()} {
		y.AtConst(i).Store(r)
	}
	k.ClusterBarrier()
}

func roleRegisters(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	k.If(k.InWarpgroups(0, 1), func() {
		k.DecreaseRegisters(40)
		k.If(k.InWarps(1, 2), func() { y.AtConst(1).Store(k.TIDX()) })
	}).Else(func() {
		k.IncreaseRegisters(232)
		y.Store(k.TIDX())
		k.If(k.InWarps(11, 1), func() { y.AtConst(2).Store(k.TIDX()) })
	})
	k.If(k.InWarpgroups(2, 1), func() { y.AtConst(3).Store(k.TIDX()) })
}

func boxRoles(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	k.If(k.InWarps(3, 1), func() { y.Store(k.TIDX()) })
}

func products(k *ir.Kernel) {
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	some := ir.Param[ir.U32](k, "some")
	a := ir.SharedArray[ir.BF16](k, "a", 64*64, 1024)
	b := ir.SharedArray[ir.BF16](k, "b", 64*64, 1024)
	l := ir.TileLayout{StrideBytes: 1024, Swizzle: ir.Swizzle128B}
	da, db := ir.Describe(a, l), ir.Describe(b.AtConst(64), l)
	acc := ir.NewFragment[ir.F32](k, "acc", 32)
	half := ir.NewFragment[ir.F16x2](k, "half", 16)
	whole := ir.NewFragment[ir.S32](k, "whole", 32)
	frag := ir.NewFragment[ir.BF16x2](k, "frag", 8)
	bytes := ir.NewFragment[ir.U32](k, "bytes", 4)
	for i := range 8 {
		frag.Set(i, ir.Vec[ir.BF16x2]{ir.ConstBits[ir.BF16x2](k, 0x3f803f80)})
	}
	bytes.Fill(some)
	k.WGMMAFence()
	for i := range 4 {
		opts := []ir.WGMMAOption{ir.NegateB}
		if i == 0 {
			opts = append(opts, ir.ZeroD)
		}
		ir.WGMMA(acc, da.AddConst(32*i), db.Add(some), ir.MatrixBF16, ir.MatrixBF16, opts...)
	}
	ir.WGMMA(acc, da, db, ir.MatrixBF16, ir.MatrixBF16, ir.AddWhere(some.Equal(k.ConstU32(1))), ir.TransposeA, ir.TransposeB)
	ir.WGMMA(acc, da, db, ir.MatrixF16, ir.MatrixF16, ir.NegateA)
	ir.WGMMA(acc, da, db, ir.MatrixTF32, ir.MatrixTF32)
	ir.WGMMA(acc, da, db, ir.MatrixE4M3, ir.MatrixE5M2)
	ir.WGMMARegisters(acc, frag, 4, db, ir.MatrixBF16, ir.MatrixBF16, ir.TransposeB)
	ir.WGMMARegisters(acc, bytes, 0, db, ir.MatrixE4M3, ir.MatrixE4M3)
	k.WGMMACommit()
	ir.WGMMA(half, da, db, ir.MatrixF16, ir.MatrixF16, ir.ZeroD)
	ir.WGMMA(half, da, db, ir.MatrixE4M3, ir.MatrixE4M3)
	k.WGMMACommit()
	ir.WGMMA(whole, da, db, ir.MatrixS8, ir.MatrixS8, ir.ZeroD)
	ir.WGMMA(whole, da, db, ir.MatrixU8, ir.MatrixS8, ir.SatFinite)
	ir.WGMMARegisters(whole, bytes, 0, db, ir.MatrixS8, ir.MatrixU8)
	k.WGMMACommit()
	k.WGMMAWait(2)
	k.WGMMAWait(0)
	sum := k.ConstF32(0)
	for _, x := range acc.All() {
		sum = sum.Add(x)
	}
	for _, x := range half.Get(2, 3) {
		lo, hi := x.ConvertToF32()
		sum = sum.Add(lo).Add(hi)
	}
	for _, x := range whole.Get(0, 2) {
		sum = sum.Add(x.ConvertToF32())
	}
	y.At(k.TIDX()).Store(sum)
}

func warpProducts(k *ir.Kernel) {
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	d := ir.GlobalParam[ir.F64](k, "d", ir.Writes)
	tile := ir.SharedArray[ir.BF16](k, "tile", 512, 16)
	p := tile.At(k.LaneID().ShiftLeft(k.ConstU32(3)))
	a := ir.LoadMatrix[ir.BF16x2](p, 4)
	b := ir.LoadMatrix[ir.BF16x2](p, 2, ir.Transposed)
	one := ir.LoadMatrix[ir.U32](p.AtConst(8), 1)
	zero := ir.Vec[ir.F32]{k.ConstF32(0), k.ConstF32(0), k.ConstF32(0), k.ConstF32(0)}
	c := ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, a, b, zero)
	c = ir.MMA(ir.M16N8K8, ir.MatrixBF16, ir.MatrixBF16, a[:2], b[:1], c)
	f := func(x ir.BF16x2) ir.F16x2 { return x.AsF16x2() }
	h := ir.MMA(ir.M16N8K16, ir.MatrixF16, ir.MatrixF16, ir.Vec[ir.F16x2]{f(a[0]), f(a[1]), f(a[2]), f(a[3])}, ir.Vec[ir.F16x2]{f(b[0]), f(b[1])}, ir.Vec[ir.F16x2]{f(a[0]), f(a[1])})
	t := c[0].ConvertToTF32()
	c = ir.MMA(ir.M16N8K8, ir.MatrixTF32, ir.MatrixTF32, ir.Vec[ir.TF32]{t, t, t, t}, ir.Vec[ir.TF32]{t, t}, c)
	w := ir.Vec[ir.U32]{one[0], one[0], one[0], one[0]}
	c = ir.MMA(ir.M16N8K32, ir.MatrixE4M3, ir.MatrixE5M2, w, w[:2], c)
	z := k.ConstS32(0)
	s := ir.MMA(ir.M16N8K32, ir.MatrixS8, ir.MatrixU8, w, w[:2], ir.Vec[ir.S32]{z, z, z, z})
	x := k.ConstF64(1)
	e := ir.MMA(ir.M8N8K4, ir.MatrixF64, ir.MatrixF64, ir.Vec[ir.F64]{x}, ir.Vec[ir.F64]{x}, ir.Vec[ir.F64]{x, x})
	d.Store(e[1])
	ir.StoreMatrix(p, ir.Vec[ir.BF16x2]{a[0], b[0].TransposeMatrix()})
	ir.StoreMatrix(p.AtConst(8), ir.Vec[ir.U32]{one[0]}, ir.Transposed)
	ir.StoreMatrix(p, ir.Vec[ir.F16x2]{h[0], h[1], h[0], h[1]})
	y.At(k.TIDX()).Store(c[3].Add(s[1].ConvertToF32()))
}
