package ir_test

import "github.com/oxideinfer/oxide/ir"

// Mistakes in memory accesses, the launch contract, uniformity and programmatic launch.

func misalignedVector(k *ir.Kernel) {
	p := ir.GlobalParam[ir.F32](k, "p", ir.Aligned(16))
	p.AtConst(1).LoadVec(4)                                 // want VECTOR_MISALIGNED
	p.At(k.TIDX().Mul(k.ConstU32(4))).AtConst(2).LoadVec(4) // want VECTOR_MISALIGNED
	p.At(k.TIDX()).LoadVec(4)                               // may be right: nothing proves otherwise
}

func misalignedCast(k *ir.Kernel) {
	s := ir.SharedArray[ir.U8](k, "s", 64, 16)
	ir.CastShared[ir.F32](s.AtConst(2)).Store(k.ConstF32(0)) // want VECTOR_MISALIGNED
	ir.SharedArray[ir.U8](k, "t", 64, 24)                    // want VECTOR_MISALIGNED
	ir.GlobalParam[ir.U8](k, "p", ir.Aligned(3))             // want VECTOR_MISALIGNED
}

func wideVector(k *ir.Kernel) {
	p := ir.GlobalParam[ir.F32](k, "p")
	p.LoadVec(8) // want VECTOR_WIDTH
	p.LoadVec(3) // want VECTOR_WIDTH
}

func hugeVector(k *ir.Kernel) {
	p := ir.GlobalParam[ir.U8](k, "p")
	p.LoadVec(32)               // want VECTOR_WIDTH
	p.StoreVec(ir.Vec[ir.U8]{}) // want VECTOR_WIDTH
}

func staticShared(k *ir.Kernel) { // want SHARED_TOO_LARGE
	ir.SharedArray[ir.F32](k, "a", 12289, 0)
}

func sharedOverLimit(k *ir.Kernel) { // want SHARED_TOO_LARGE
	ir.DynamicShared[ir.F32](k, 1024)
}

func blockTooLarge(k *ir.Kernel) {} // want BLOCK_TOO_LARGE

func blockWithoutX(k *ir.Kernel) {} // want BLOCK_TOO_LARGE

func blockNegative(k *ir.Kernel) {} // want BLOCK_TOO_LARGE

func blockTooDeep(k *ir.Kernel) {} // want BLOCK_TOO_LARGE

func blockRegisters(k *ir.Kernel) {} // want BLOCK_TOO_LARGE

func noDynamic(k *ir.Kernel) { // want CONTRACT
	ir.DynamicShared[ir.F32](k, 16)
}

func unusedDynamic(k *ir.Kernel) {} // want CONTRACT

func spillsUnexplained(k *ir.Kernel) {} // want CONTRACT

func localUnexplained(k *ir.Kernel) { // want CONTRACT
	ir.LocalArray[ir.F32](k, "a", 16, 0)
}

func oldTarget(k *ir.Kernel) {
	k.Elect() // want TARGET_UNAVAILABLE
	x := k.ConstF32(1).ConvertToBF16()
	x.Add(x)                                                                 // want TARGET_UNAVAILABLE
	k.ConstF32(1).ConvertToE4M3x2(k.ConstF32(2))                             // want TARGET_UNAVAILABLE
	ir.GlobalParam[ir.U32](k, "p").ReduceAdd(k.ConstU32(1), ir.ScopeCluster) // want TARGET_UNAVAILABLE
	k.ConstF32(1).Add(k.ConstF32(2))
}

func oldCluster(k *ir.Kernel) {} // want TARGET_UNAVAILABLE

func unknownTarget(k *ir.Kernel) {} // want TARGET_UNAVAILABLE

func barrierInBranch(k *ir.Kernel) {
	k.If(k.TIDX().Less(k.ConstU32(64)), func() {
		k.Barrier() // want BARRIER_DIVERGENT
	})
	k.Barrier()
}

func barrierInLoop(k *ir.Kernel) {
	for i := range k.Loop(k.TIDX(), k.ConstU32(100), k.ConstU32(128)) {
		k.BarrierAny(i.Equal(k.ConstU32(7))) // want BARRIER_DIVERGENT
	}
}

func exitAfterBarrier(k *ir.Kernel) {
	k.Barrier()
	p := k.TIDX().Less(ir.Param[ir.U32](k, "n"))
	k.If(p, func() { k.Exit() }).Else(func() { k.LaneID() })
}

func exitInLoop(k *ir.Kernel) {
	for i := range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
		k.Barrier() // want BARRIER_DIVERGENT
		k.If(k.TIDX().Equal(i), func() { k.Exit() })
	}
}

func barrierAfterExit(k *ir.Kernel) {
	k.If(k.TIDX().Less(ir.Param[ir.U32](k, "n")), func() { k.Exit() })
	k.Barrier() // want BARRIER_DIVERGENT
}

func namedByLane(k *ir.Kernel) {
	k.If(k.TIDX().Less(k.ConstU32(16)), func() { k.BarrierNamed(1, 64) }) // want BARRIER_DIVERGENT
	k.If(k.TIDX().ShiftRight(k.ConstU32(5)).Less(k.ConstU32(2)), func() { k.BarrierNamed(2, 64) })
}

func shuffleInBranch(k *ir.Kernel) {
	x := k.TIDX()
	k.If(x.And(k.ConstU32(1)).Equal(k.ConstU32(0)), func() {
		x.ShflBfly(2) // want CONVERGENT_DIVERGENT
		x.ShflBfly(2, ir.Members(0x55555555))
	})
	k.If(k.Uniform(x).Equal(k.ConstU32(0)), func() { x.ShflBfly(2) })
}

func voteInWhile(k *ir.Kernel) {
	v := ir.NewVar(k.LaneID())
	for range k.While(func() ir.Pred { return v.Get().Less(k.ConstU32(100)) }) {
		v.Get().Equal(k.ConstU32(99)).VoteAny() // want CONVERGENT_DIVERGENT
		v.Set(v.Get().Add(k.ConstU32(3)))
	}
}

func divergentByMemory(k *ir.Kernel) {
	p := ir.GlobalParam[ir.U32](k, "p")
	k.If(p.Load().Equal(k.ConstU32(0)), func() {
		k.SyncWarp() // want CONVERGENT_DIVERGENT
	})
	p.Store(k.ConstU32(1)) // without it every thread would load the same
}

func noWait(k *ir.Kernel) { // want PDL_WAIT_MISSING
	k.GridDependencyLaunch()
}

func lateWait(k *ir.Kernel) {
	x, w := ir.GlobalParam[ir.F32](k, "x"), ir.GlobalParam[ir.F32](k, "w", ir.Constant)
	v := w.Load()
	x.Load()   // want PDL_WAIT_MISSING
	x.Store(v) // want PDL_WAIT_MISSING
	k.GridDependencyWait()
	x.Store(v)
}

func sometimesWait(k *ir.Kernel) { // want PDL_WAIT_MISSING
	x := ir.GlobalParam[ir.F32](k, "x")
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() { k.GridDependencyWait() })
	x.Store(k.ConstF32(0)) // want PDL_WAIT_MISSING
}

func leaveEarly(k *ir.Kernel) {
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() { k.Exit() }) // want PDL_WAIT_MISSING
	k.GridDependencyWait()
}

func nonCoherentInput(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x")
	x.At(k.TIDX()).LoadVec(2, ir.NC) // want NC_NOT_CONSTANT
}

func nonCoherentEither(k *ir.Kernel) {
	a, b := ir.GlobalParam[ir.F32](k, "a", ir.Constant), ir.GlobalParam[ir.F32](k, "b", ir.Constant)
	ir.Select(k.TIDX().Equal(k.ConstU32(0)), a, b).Load(ir.NC) // want NC_NOT_CONSTANT
	p := ir.NewVar(a)
	for range k.Loop(k.ConstU32(0), k.ConstU32(8), k.ConstU32(1)) {
		p.Get().Load(ir.NC) // a walking pointer is still a's
		p.Set(p.Get().AtConst(4))
	}
}

func constantStore(k *ir.Kernel) {
	w := ir.GlobalParam[ir.F32](k, "w", ir.Constant)
	w.At(k.TIDX()).Store(k.ConstF32(1)) // want CONSTANT_WRITTEN
}

func constantAtomic(k *ir.Kernel) {
	w := ir.GlobalParam[ir.U32](k, "w", ir.Constant)
	w.Load(ir.NC)                                             // want NC_NOT_CONSTANT
	w.ReduceAdd(k.ConstU32(1))                                // want CONSTANT_WRITTEN
	ir.GlobalParam[ir.U32](k, "both", ir.Constant, ir.Writes) // want CONSTANT_WRITTEN
}

func barrierNumber(k *ir.Kernel) {
	k.BarrierNamed(16, 128) // want BARRIER_ID
	k.BarrierNamed(0, 128)  // want BARRIER_ID
}

func barrierCount(k *ir.Kernel) {
	k.BarrierNamed(1, 100)  // want BARRIER_ID
	k.BarrierArrive(1, 256) // want BARRIER_ID
}
