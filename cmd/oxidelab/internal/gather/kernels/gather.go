// Package kernels describes the device code of package gather.
package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// width is the number of lanes, and so the most elements of one call.
const width = 32

// idsOperand is the operand of a rejection.
const idsOperand = 0

// Gather is y[i] = x[ids[i]] for i < rows, by one warp. A checked call with an id of limit or more writes nothing.
var Gather = ir.Algorithm[struct{}]{
	Name:     "OxideLabGather",
	Doc:      "y = x[ids], one warp; ids are checked on the device unless the call is trusted.",
	Variants: []struct{}{{}},
	Contract: func(struct{}) ir.Contract { return ir.Contract{Block: [3]int{width, 1, 1}, ProgrammaticLaunch: true} },
	Kernel:   gather,
}

func gather(k *ir.Kernel, _ struct{}) {
	x, ids := ir.GlobalParam[ir.F32](k, "x"), ir.GlobalParam[ir.U32](k, "ids")
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	rows, limit, status := ir.Param[ir.U32](k, "rows"), ir.Param[ir.U32](k, "limit"), lib.StatusParams(k)
	k.GridDependencyLaunch()
	k.GridDependencyWait()
	lane, none := k.TIDX(), k.ConstU32(1<<32-1)
	inside := lane.Less(rows)
	id := ir.NewVar(k.ConstU32(0))
	k.If(inside, func() { id.Set(ids.At(lane).Load()) })
	bad := ir.Select(inside.And(id.Get().GreaterEqual(limit)).And(status.Checked()), lane, none).ReduxMin()
	k.If(bad.Equal(lane), func() {
		status.Reject(idsOperand, lib.Below, lane.ConvertToS64(), limit.ConvertToS64(), id.Get().ConvertToS64())
	})
	k.If(bad.Equal(none).And(inside), func() { y.At(lane).Store(x.At(id.Get()).Load()) })
}
