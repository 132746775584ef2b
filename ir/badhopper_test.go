package ir_test

import "github.com/oxideinfer/oxide/ir"

// Mistakes with asynchronous copies, barriers in memory, clusters, matrix products and roles.

func single(k *ir.Kernel, body func()) { k.If(k.TIDX().Equal(k.ConstU32(0)), body) }

func misalignedCopies(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	tile := ir.SharedArray[ir.F32](k, "tile", 1024, 128)
	bar := ir.MBarriers(k, "bar", 1)
	single(k, func() {
		bar.Init(k.ConstU32(1))
		ir.CopyAsync(tile.AtConst(1), x, 8)                  // want COPY_MISALIGNED
		ir.CopyAsync(tile, x.AtConst(2), 16)                 // want COPY_MISALIGNED
		ir.BulkLoad(tile, x.AtConst(1), k.ConstU32(16), bar) // want COPY_MISALIGNED
		k.CopyAsyncWaitAll()
	})
}

func misalignedBoxes(k *ir.Kernel) {
	m := ir.TensorMapParam(k, "m")
	table := ir.GlobalParam[ir.U8](k, "table", ir.Aligned(64))
	tile := ir.SharedArray[ir.F32](k, "tile", 1024, 128)
	words := ir.SharedArray[ir.U64](k, "words", 2, 0)
	rows := ir.SharedArray[ir.BF16](k, "rows", 512, 16)
	single(k, func() {
		c := []ir.S32{k.ConstS32(0)}
		ir.TensorLoad(tile.AtConst(4), m, ir.MBarrierAt(words), c)                      // want COPY_MISALIGNED
		ir.TensorLoad(tile, m, ir.MBarrierAt(words.AtByteConst(4)), c)                  // want COPY_MISALIGNED
		ir.TensorLoad(tile, ir.TensorMapAt(table.AtConst(32)), ir.MBarrierAt(words), c) // want COPY_MISALIGNED
	})
	ir.LoadMatrix[ir.BF16x2](rows.At(k.LaneID().ShiftLeft(k.ConstU32(3))).AtConst(2), 4) // want COPY_MISALIGNED
}

func copySizes(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	tile := ir.SharedArray[ir.F32](k, "tile", 64, 128)
	ir.CopyAsync(tile, x, 12)       // want COPY_SIZE
	ir.CopyAsync(tile, x, 8, ir.CG) // want COPY_SIZE
	k.CopyAsyncWaitAll()
	k.FenceProxyAsync(ir.ProxyShared)
	ir.BulkStore(y, tile, k.ConstU32(24)) // want COPY_SIZE
	k.BulkCommit()
	k.BulkWait(0)
}

func copyShapes(k *ir.Kernel) {
	m := ir.TensorMapParam(k, "m")
	h := ir.SharedArray[ir.U16](k, "h", 8, 16)
	bar := ir.MBarriers(k, "bar", 1)
	m.PrefetchBox(nil) // want COPY_SIZE
	tile := ir.SharedArray[ir.F32](k, "tile", 64, 128)
	single(k, func() {
		ir.TensorLoad(tile, m, bar, []ir.S32{k.ConstS32(0)}, ir.BoxBytes(512)) // want COPY_SIZE
	})
	k.ClusterBarrier()
	h.InBlock(k.ConstU32(1)).StoreAsync(k.ConstU16(1), bar.InBlock(k.ConstU32(1))) // want COPY_SIZE
}

func tileAnchor(k *ir.Kernel) {
	ir.Describe(ir.SharedArray[ir.BF16](k, "a", 4096, 128), ir.TileLayout{StrideBytes: 1024, Swizzle: ir.Swizzle128B}) // want TILE_MISALIGNED
	b := ir.SharedArray[ir.BF16](k, "b", 4096, 1024)
	ir.Describe(b.AtConst(4), ir.TileLayout{StrideBytes: 1024, Swizzle: ir.Swizzle128B}) // want TILE_MISALIGNED
	ir.Describe(b.AtConst(16), ir.TileLayout{StrideBytes: 1024, Swizzle: ir.Swizzle128B})
}

func tileOffsets(k *ir.Kernel) {
	b := ir.SharedArray[ir.BF16](k, "b", 4096, 1024)
	ir.Describe(b, ir.TileLayout{StrideBytes: 1000, Swizzle: ir.Swizzle128B})   // want TILE_MISALIGNED
	ir.Describe(b, ir.TileLayout{LeadingBytes: 1 << 18, Swizzle: ir.NoSwizzle}) // want TILE_MISALIGNED
}

// tileOf is a tile and its descriptor.
func tileOf(k *ir.Kernel, name string) (ir.Shared[ir.BF16], ir.MatrixDesc) {
	p := ir.SharedArray[ir.BF16](k, name, 4096, 1024)
	return p, ir.Describe(p, ir.TileLayout{StrideBytes: 1024, Swizzle: ir.Swizzle128B})
}

func productShapes(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	odd, half, whole := ir.NewFragment[ir.F32](k, "odd", 6), ir.NewFragment[ir.F16x2](k, "half", 8), ir.NewFragment[ir.S32](k, "whole", 20)
	f, factor := ir.NewFragment[ir.F32](k, "f", 32), ir.NewFragment[ir.F16x2](k, "factor", 8)
	k.WGMMAFence()
	ir.WGMMA(odd, d, d, ir.MatrixBF16, ir.MatrixBF16)                                         // want MATRIX_SHAPE
	ir.WGMMA(half, d, d, ir.MatrixBF16, ir.MatrixBF16)                                        // want MATRIX_SHAPE
	ir.WGMMA(whole, d, d, ir.MatrixS8, ir.MatrixS8)                                           // want MATRIX_SHAPE
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixF16)                                            // want MATRIX_SHAPE
	ir.WGMMA(f, d, d, ir.MatrixE4M3, ir.MatrixE5M2, ir.TransposeB)                            // want MATRIX_SHAPE
	ir.WGMMARegisters(f, factor, 6, d, ir.MatrixF16, ir.MatrixF16)                            // want MATRIX_SHAPE
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.SatFinite)                             // want BAD_ATTRIBUTE
	ir.WGMMA(f, d, d, ir.MatrixE4M3, ir.MatrixE4M3, ir.ZeroD, ir.AddWhere(k.ConstPred(true))) // want BAD_ATTRIBUTE
	k.WGMMACommit()
	k.WGMMAWait(0)
	f.Get(30, 3)                             // want MATRIX_SHAPE
	f.Set(-1, ir.Vec[ir.F32]{k.ConstF32(0)}) // want MATRIX_SHAPE
}

func warpShapes(k *ir.Kernel) {
	s := ir.SharedArray[ir.BF16](k, "s", 64, 16)
	a := ir.LoadMatrix[ir.BF16x2](s, 3) // want MATRIX_SHAPE
	z := k.ConstF32(0)
	c := ir.Vec[ir.F32]{z, z, z, z}
	ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, a, a[:2], c)                          // want MATRIX_SHAPE
	ir.MMA(ir.M16N8K4, ir.MatrixBF16, ir.MatrixBF16, a, a[:2], c)                           // want MATRIX_SHAPE
	ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, ir.Vec[ir.F32]{z, z, z, z}, a[:2], c) // want MATRIX_SHAPE
	bits := ir.Vec[ir.U32]{k.ConstU32(0), k.ConstU32(0)}
	ir.MMA(ir.M16N8K4, ir.MatrixTF32, ir.MatrixTF32, bits, bits[:1], c)                           // want MATRIX_SHAPE
	ir.MMA(ir.M16N8K8, ir.MatrixBF16, ir.MatrixBF16, a[:2], a[:1], ir.Vec[ir.F64]{k.ConstF64(0)}) // want MATRIX_SHAPE
	ir.StoreMatrix(s, ir.Vec[ir.F32]{z})                                                          // want MATRIX_SHAPE
}

func arrivalsByAll(k *ir.Kernel) {
	bar := ir.MBarriers(k, "bar", 2)
	single(k, func() {
		bar.Init(k.ConstU32(1))
		bar.AtConst(1).Init(k.ConstU32(0)) // want ARRIVAL_COUNT
	})
	k.Barrier()
	bar.Arrive() // want ARRIVAL_COUNT
	bar.Wait(k.ConstU32(0))
}

func arrivalsByRole(k *ir.Kernel) {
	bar := ir.MBarriers(k, "bar", 2)
	single(k, func() {
		bar.Init(k.ConstU32(64))
		bar.AtConst(1).Init(k.ConstU32(64))
	})
	k.Barrier()
	k.If(k.InWarps(0, 2), func() { bar.Arrive() }).Else(func() { bar.Wait(k.ConstU32(0)) })
	k.If(k.InWarps(1, 3), func() {
		bar.AtConst(1).Arrive() // want ARRIVAL_COUNT
	})
}

func bytesTooFew(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 1024, 128), ir.MBarriers(k, "bar", 4)
	single(k, func() {
		bar.Init(k.ConstU32(1))
		bar.ArriveExpect(k.ConstU32(512)) // want TX_BYTES
		ir.BulkLoad(tile, x, k.ConstU32(512), bar)
		ir.BulkLoad(tile.AtConst(128), x, k.ConstU32(16), bar)
	})
}

func bytesPerStage(k *ir.Kernel) {
	x, n := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16)), ir.Param[ir.U32](k, "n")
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 1024, 128), ir.MBarriers(k, "bar", 4)
	single(k, func() {
		bar.At(n).ArriveExpect(k.ConstU32(64)) // want TX_BYTES
		ir.BulkLoad(tile, x, k.ConstU32(48), bar.At(n))
		bar.AtConst(1).ArriveExpect(k.ConstU32(64))
		ir.BulkLoad(tile, x, k.ConstU32(64), bar.AtConst(1))
		bar.AtConst(2).ArriveExpect(n)
		ir.BulkLoad(tile, x, n, bar.AtConst(2))
	})
}

func bytesOfBox(k *ir.Kernel) {
	m := ir.TensorMapParam(k, "m")
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 1024, 128), ir.MBarriers(k, "bar", 4)
	single(k, func() {
		at := []ir.S32{k.ConstS32(0), k.ConstS32(0)}
		bar.ArriveExpect(k.ConstU32(1024)) // want TX_BYTES
		ir.TensorLoad(tile, m, bar, at, ir.BoxBytes(1024))
		ir.TensorLoad(tile.AtConst(256), m, bar, at, ir.BoxBytes(1024))
		bar.AtConst(1).ArriveExpect(k.ConstU32(1024))
		ir.TensorLoad(tile, m, bar.AtConst(1), at) // of unknown size
	})
}

func noCluster(k *ir.Kernel) {
	s := ir.SharedArray[ir.U32](k, "s", 8, 0)
	s.InBlock(k.ConstU32(0)) // want CLUSTER_MISSING
	k.ClusterWait()          // want CLUSTER_MISSING CLUSTER_BARRIER
}

func outsideCluster(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	tile, bar := ir.SharedArray[ir.F32](k, "tile", 1024, 128), ir.MBarriers(k, "bar", 1)
	tile.InBlock(k.ConstU32(2)) // want CLUSTER_MISSING
	single(k, func() {
		ir.BulkLoad(tile, x, k.ConstU32(64), bar, ir.Multicast(k.ConstU16(5))) // want CLUSTER_MISSING
	})
}

func peerNotStarted(k *ir.Kernel) {
	s := ir.SharedArray[ir.U32](k, "s", 8, 0)
	s.InBlock(k.ConstU32(1)).Store(k.ConstU32(1)) // want CLUSTER_START
	k.ClusterBarrier()
}

func peerMaybeStarted(k *ir.Kernel) {
	bar := ir.MBarriers(k, "bar", 1)
	k.ClusterArrive(ir.Relaxed)
	k.If(k.CTAIDX().Equal(k.ConstU32(7)), func() {
		single(k, func() {
			bar.InBlock(k.ConstU32(1)).Arrive() // want CLUSTER_START
		})
	})
	k.ClusterWait()
}

func peerMayLeave(k *ir.Kernel) {
	s, y := ir.SharedArray[ir.U32](k, "s", 8, 0), ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	s.Store(k.ConstU32(1))
	k.ClusterBarrier()
	y.Store(s.InBlock(k.ConstU32(1)).Load()) // want CLUSTER_EXIT
}

func peerMayLeaveRoles(k *ir.Kernel) {
	s := ir.SharedArray[ir.U32](k, "s", 8, 0)
	k.ClusterBarrier()
	k.If(k.InWarps(0, 1), func() { s.InBlock(k.ConstU32(1)).ReduceAdd(k.ConstU32(1)) }).Else(func() {
		s.AtConst(1).InBlock(k.ConstU32(1)).ReduceAdd(k.ConstU32(1)) // want CLUSTER_EXIT
	})
}

func clusterTwice(k *ir.Kernel) {
	k.ClusterArrive(ir.Relaxed)
	k.ClusterArrive(ir.Release) // want CLUSTER_BARRIER
	k.ClusterWait()
}

func clusterHalf(k *ir.Kernel) {
	k.If(k.CTAIDX().Equal(k.ConstU32(0)), func() { // want CLUSTER_BARRIER
		k.ClusterArrive(ir.Release) // want CLUSTER_BARRIER
	})
}

func groupsDiffer(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	k.WGMMAFence()
	k.If(k.CTAIDX().Equal(k.ConstU32(0)), func() { // want GROUP_UNEQUAL
		ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD)
		k.WGMMACommit()
	})
	k.WGMMAWait(0)
}

func copyGroupsDiffer(k *ir.Kernel) {
	x, s := ir.GlobalParam[ir.F32](k, "x", ir.Constant), ir.SharedArray[ir.F32](k, "s", 128, 16)
	k.If(k.CTAIDX().Equal(k.ConstU32(0)), func() { // want GROUP_UNEQUAL
		ir.CopyAsync(s.At(k.TIDX()), x.At(k.TIDX()), 4)
		k.CopyAsyncCommit()
	}).Else(func() { k.LaneID() })
	k.CopyAsyncWait(0)
}

func groupsPileUp(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	for range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
		k.WGMMAFence()
		ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16)
		k.WGMMACommit() // want GROUP_NOT_WAITED
	}
	k.WGMMAWait(0)
}

func groupsLeft(k *ir.Kernel) {
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	x, s := ir.GlobalParam[ir.F32](k, "x", ir.Constant), ir.SharedArray[ir.F32](k, "s", 128, 16)
	ir.CopyAsync(s.At(k.TIDX()), x.At(k.TIDX()), 4)
	k.CopyAsyncCommit()
	ir.CopyAsync(s.At(k.TIDX()), x.At(k.TIDX()), 4)
	k.CopyAsyncCommit() // want GROUP_NOT_WAITED
	k.CopyAsyncWait(1)
	t := ir.SharedArray[ir.F32](k, "t", 128, 16)
	single(k, func() {
		ir.BulkStore(y, t, k.ConstU32(16))
		k.BulkCommit() // want GROUP_NOT_WAITED
	})
}

func neverCommitted(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	k.WGMMAFence()
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD) // want NOT_COMMITTED
	k.WGMMAWait(0)                                            // want NOT_COMMITTED
}

func storeNeverCommitted(k *ir.Kernel) {
	y, t := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16)), ir.SharedArray[ir.F32](k, "t", 128, 16)
	single(k, func() {
		ir.BulkStore(y, t, k.ConstU32(16)) // want NOT_COMMITTED
		k.BulkWaitRead(0)                  // want NOT_COMMITTED
	})
}

func readTooEarly(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f, g := ir.NewFragment[ir.F32](k, "f", 32), ir.NewFragment[ir.F32](k, "g", 32)
	k.WGMMAFence()
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD)
	k.WGMMACommit()
	ir.WGMMA(g, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD)
	k.WGMMACommit()
	k.WGMMAWait(1)
	f.Get(0, 1)
	g.Get(0, 1) // want TOUCHED_IN_FLIGHT
	k.WGMMAWait(0)
	g.Get(0, 1)
}

func factorInFlight(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f, a := ir.NewFragment[ir.F32](k, "f", 32), ir.NewFragment[ir.BF16x2](k, "a", 4)
	p := ir.NewFragment[ir.F16x2](k, "p", 32)
	x := ir.ConstBits[ir.BF16x2](k, 0)
	a.Fill(x)
	k.WGMMAFence()
	for range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
		ir.WGMMARegisters(f, a, 0, d, ir.MatrixBF16, ir.MatrixBF16)
		k.WGMMACommit()
		a.Fill(x)   // want TOUCHED_IN_FLIGHT
		a.Get(0, 1) // the product only reads it
		k.WGMMAWait(0)
		k.WGMMAFence()
	}
	ir.WGMMA(p, d, d, ir.MatrixF16, ir.MatrixF16, ir.ZeroD)
	ir.WGMMARegisters(f, p, 0, d, ir.MatrixF16, ir.MatrixF16) // want TOUCHED_IN_FLIGHT
	k.WGMMACommit()
	k.WGMMAWait(0)
}

func sharedInFlight(k *ir.Kernel) {
	y, x := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16)), ir.GlobalParam[ir.F32](k, "x", ir.Constant)
	t := ir.SharedArray[ir.F32](k, "t", 128, 16)
	single(k, func() {
		ir.BulkStore(y, t, k.ConstU32(64))
		k.BulkCommit()
		t.AtConst(16).Store(k.ConstF32(0))
		t.AtConst(15).Store(k.ConstF32(0)) // want TOUCHED_IN_FLIGHT
		k.BulkWait(0)
		ir.CopyAsync(t, x, 4)
		k.CopyAsyncCommit()
		y.Store(t.Load()) // want TOUCHED_IN_FLIGHT
		k.CopyAsyncWait(0)
		y.Store(t.Load())
	})
}

func noFence(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD) // want WGMMA_FENCE_MISSING
	k.WGMMACommit()
	k.WGMMAWait(0)
	f.All()
	k.WGMMAFence()
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16)
	k.WGMMACommit()
	k.WGMMAWait(0)
}

func noFenceAgain(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f, a := ir.NewFragment[ir.F32](k, "f", 32), ir.NewFragment[ir.BF16x2](k, "a", 4)
	k.WGMMAFence()
	for range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
		a.Fill(ir.ConstBits[ir.BF16x2](k, 0))
		ir.WGMMARegisters(f, a, 0, d, ir.MatrixBF16, ir.MatrixBF16) // want WGMMA_FENCE_MISSING
		k.WGMMACommit()
		k.WGMMAWait(0)
	}
}

func unfencedTile(k *ir.Kernel) {
	t, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	t.At(k.TIDX()).Store(ir.ConstBits[ir.BF16](k, 0))
	k.Barrier()
	k.WGMMAFence()
	ir.WGMMA(f, d, d.AddConst(64), ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD) // want PROXY_FENCE_MISSING
	k.WGMMACommit()
	k.WGMMAWait(0)
}

func unfencedStore(k *ir.Kernel) {
	m, y := ir.TensorMapParam(k, "m", ir.Writes), ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	t := ir.DynamicShared[ir.F32](k, 1024)
	t.AtConst(256).Store(k.ConstF32(1))
	t.At(k.TIDX()).Store(k.ConstF32(1)) // where, is not known: other tiles share the array
	k.FenceProxyAsync(ir.ProxyGlobal)
	k.Barrier()
	single(k, func() {
		ir.BulkStore(y, t.AtConst(128), k.ConstU32(512))
		ir.TensorStore(m, t.AtConst(256), []ir.S32{k.ConstS32(0)}) // want PROXY_FENCE_MISSING
		k.BulkCommit()
		k.BulkWaitRead(0)
	})
}

func registersOver(k *ir.Kernel) {
	k.If(k.InWarpgroups(0, 1), func() { k.DecreaseRegisters(40) }).Else(func() {
		k.IncreaseRegisters(240) // want REGISTER_BUDGET
	})
}

func registersWrong(k *ir.Kernel) {
	k.If(k.InWarpgroups(0, 1), func() {
		k.DecreaseRegisters(20)  // want REGISTER_BUDGET
		k.DecreaseRegisters(240) // want REGISTER_BUDGET
	}).Else(func() {
		k.IncreaseRegisters(100) // want REGISTER_BUDGET
		k.IncreaseRegisters(160) // want REGISTER_BUDGET REGISTER_BUDGET
	})
}

func partOfWarpgroup(k *ir.Kernel) {
	_, d := tileOf(k, "t")
	f := ir.NewFragment[ir.F32](k, "f", 32)
	k.WGMMAFence()
	ir.WGMMA(f, d, d, ir.MatrixBF16, ir.MatrixBF16, ir.ZeroD) // want CONVERGENT_DIVERGENT
	k.WGMMACommit()
	k.WGMMAWait(0)
}
