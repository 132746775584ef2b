package ir_test

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

// rmsNorm normalises one row per block of 32 threads.
func rmsNorm(k *ir.Kernel) {
	x, w, y := ir.GlobalParam[ir.F32](k, "x"), ir.GlobalParam[ir.F32](k, "w", ir.Constant), ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	n, eps := ir.Param[ir.U32](k, "n"), ir.Param[ir.F32](k, "eps")
	lane, step := k.TIDX(), k.ConstU32(32)
	row := k.CTAIDX().MulWide(n)
	xr, yr := x.At(row), y.At(row)
	sum := ir.NewVar(k.ConstF32(0))
	for i := range k.Loop(lane, n, step) { // a device loop: traced once
		v := xr.At(i).Load()
		sum.Set(v.MulAdd(v, sum.Get()))
	}
	mean := warpSum(sum.Get()).Div(n.ConvertToF32())
	scale := mean.Add(eps).ReciprocalSqrt(ir.Approx)
	for i := range k.Loop(lane, n, step) {
		v := xr.At(i).Load().Mul(scale)
		yr.At(i).Store(v.Mul(w.At(i).Load(ir.NC)))
	}
}

func warpSum(x ir.F32) ir.F32 {
	for d := 16; d > 0; d /= 2 { // a build-time loop: unrolled
		x = x.Add(x.ShflBfly(d))
	}
	return x
}

func Example() {
	k, err := ir.BuildFunc("rms_norm", ir.Contract{Block: [3]int{32}}, rmsNorm)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(k.Name, len(k.Params), "parameters")
	// Output: rms_norm 5 parameters
}
