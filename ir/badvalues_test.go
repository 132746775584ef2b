package ir_test

import "github.com/oxideinfer/oxide/ir"

// Mistakes that are found while a kernel is built.

func zeroReceiver(k *ir.Kernel) {
	var x ir.F32
	x.Neg() // want ZERO_VALUE
}

func zeroOperand(k *ir.Kernel) {
	var x ir.F32
	y := k.ConstF32(1).Add(x) // want ZERO_VALUE
	y.Mul(y).Sub(y)           // made from the mistake: not reported again
}

func zeroInVar(k *ir.Kernel) {
	v := ir.NewVar(k.ConstU32(0))
	v.Set(ir.U32{}) // want ZERO_VALUE
}

func foreignOperand(k *ir.Kernel) {
	other := leak()
	k.TIDX().Add(other) // want FOREIGN_VALUE
}

func foreignReceiver(k *ir.Kernel) {
	other := leak()
	other.Add(k.TIDX()) // want FOREIGN_VALUE
}

func foreignOnly(k *ir.Kernel) {
	leak().OnesCount() // want FOREIGN_VALUE
}

// leak gives a value of a kernel that is already built.
func leak() ir.U32 {
	var out ir.U32
	if _, err := ir.BuildFunc("other", warpBlock, func(k *ir.Kernel) { out = k.TIDX() }); err != nil {
		panic(err)
	}
	return out
}

func outOfLoop(k *ir.Kernel) {
	last := k.ConstU32(0)
	for i := range k.Loop(k.ConstU32(0), k.ConstU32(8), k.ConstU32(1)) {
		last = i
	}
	last.Add(last) // want OUT_OF_REGION OUT_OF_REGION
}

func outOfBranch(k *ir.Kernel) {
	var x ir.U32
	p := k.TIDX().Less(k.ConstU32(4))
	k.If(p, func() { x = k.LaneID().Not() }).Else(func() { x.Not() }) // want OUT_OF_REGION
}

func varOutOfLoop(k *ir.Kernel) {
	var v ir.Var[ir.U32]
	for i := range k.Loop(k.ConstU32(0), k.ConstU32(8), k.ConstU32(1)) {
		v = ir.NewVar(i)
	}
	v.Get() // want OUT_OF_REGION
}

func convertedHandle(k *ir.Kernel) {
	x := ir.U32(k.ConstF32(1)) // Go allows it: the handles have one layout
	x.Add(k.TIDX())            // want TYPE_MISMATCH
}

func convertedInVar(k *ir.Kernel) {
	v := ir.NewVar(k.ConstF32(0))
	v.Set(ir.F32(k.TIDX())) // want TYPE_MISMATCH
}

func atomicOnByte(k *ir.Kernel) {
	p := ir.GlobalParam[ir.U8](k, "p")
	p.ReduceAdd(k.ConstU8(1)) // want TYPE_MISMATCH
}

func sharedAsGlobal(k *ir.Kernel) {
	s := ir.SharedArray[ir.F32](k, "s", 32, 0)
	g := ir.Global[ir.F32](s)
	g.AtomicAdd(k.ConstF32(1))                 // want SPACE_MISMATCH
	ir.Local[ir.F32](s).Load()                 // want SPACE_MISMATCH
	ir.Cast[ir.U32](g).Prefetch(ir.PrefetchL2) // want SPACE_MISMATCH
}

func cachedShared(k *ir.Kernel) {
	s := ir.SharedArray[ir.F32](k, "s", 32, 0)
	s.Load(ir.CS) // want SPACE_MISMATCH
}

func unsetVar(k *ir.Kernel) {
	v := ir.DeclareVar[ir.F32](k)
	v.Get().Neg() // want UNINIT_VAR
}

func halfSetVar(k *ir.Kernel) {
	v := ir.DeclareVar[ir.F32](k)
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() { v.Set(k.ConstF32(1)) })
	v.Get() // want UNINIT_VAR
}

func loopSetVar(k *ir.Kernel) {
	v := ir.DeclareVar[ir.U32](k)
	for i := range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
		v.Set(i)
		v.Get()
	}
	v.Get() // want UNINIT_VAR
}

func breakLoop(k *ir.Kernel) {
	for range k.Loop(k.ConstU32(0), k.ConstU32(8), k.ConstU32(1)) { // want LOOP_BREAK
		break
	}
}

func returnFromWhile(k *ir.Kernel) {
	for range k.While(func() ir.Pred { return k.ConstPred(true) }) { // want LOOP_BREAK
		return
	}
}

func lateElse(k *ir.Kernel) {
	b := k.If(k.TIDX().Equal(k.ConstU32(0)), func() {})
	k.LaneID()
	b.Else(func() {}) // want ELSE_LATE
}

func elseElsewhere(k *ir.Kernel) {
	b := k.If(k.TIDX().Equal(k.ConstU32(0)), func() {})
	for range k.Loop(k.ConstU32(0), k.ConstU32(8), k.ConstU32(1)) {
		b.Else(func() {}) // want ELSE_LATE
	}
}

func twoRoundings(k *ir.Kernel) {
	x := k.ConstF32(1)
	x.Add(x, ir.RZ, ir.RM)      // want BAD_ATTRIBUTE
	x.Add(x, ir.Rounding("up")) // want BAD_ATTRIBUTE
}

func approximateRounding(k *ir.Kernel) {
	x := k.ConstF32(2)
	x.Sqrt(ir.Approx, ir.RZ)             // want BAD_ATTRIBUTE
	x.ConvertToF16(ir.RP)                // want BAD_ATTRIBUTE
	x.ConvertToF16(ir.FTZ, ir.SatFinite) // want BAD_ATTRIBUTE
	x.ConvertToF16(ir.FTZ, ir.ReLU)      // want BAD_ATTRIBUTE
	h := x.ConvertToF16()
	h.MulAdd(h, h, ir.Sat, ir.ReLU) // want BAD_ATTRIBUTE
	x.ShflBfly(32)                  // want BAD_ATTRIBUTE
	x.ShflBfly(1, ir.Width(5))      // want BAD_ATTRIBUTE
}

func orderedCache(k *ir.Kernel) {
	p := ir.GlobalParam[ir.U32](k, "p")
	p.Load(ir.Acquire, ir.CG)          // want BAD_ATTRIBUTE
	p.Load(ir.ScopeBlock)              // want BAD_ATTRIBUTE
	p.Store(k.ConstU32(1), ir.Acquire) // want BAD_ATTRIBUTE
}

func lateParam(k *ir.Kernel) {
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		ir.Param[ir.U32](k, "n") // want STRUCTURE
	})
}

func oddNames(k *ir.Kernel) {
	ir.Param[ir.U32](k, "the n")              // want STRUCTURE
	ir.SharedArray[ir.F32](k, "tile.x", 4, 0) // want STRUCTURE
	ir.SharedArray[ir.F32](k, "empty", 0, 0)  // want STRUCTURE
}

func twiceParam(k *ir.Kernel) {
	ir.Param[ir.U32](k, "n")
	ir.Param[ir.F32](k, "n") // want DUPLICATE_NAME
}

func twiceArray(k *ir.Kernel) {
	ir.SharedArray[ir.F32](k, "s", 4, 0)
	ir.SharedArray[ir.F32](k, "s", 8, 0) // want DUPLICATE_NAME
}

func goPanic(k *ir.Kernel) {
	var tile []int
	k.ConstU32(uint32(tile[k.Threads()])) // want KERNEL_PANIC
}

func helperPanic(k *ir.Kernel) {
	panics()
}

func panics() {
	panic("no such variant") // want KERNEL_PANIC
}
