package lib

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

const warpSize = 32

// WarpSum adds x over groups of lanes (a power of two up to 32); every lane gets its group's sum. The order of additions
// is a butterfly's, the same in every lane, so all lanes hold the same bits.
func WarpSum(x ir.F32, lanes int) ir.F32 {
	for d := lanes / 2; d > 0; d /= 2 {
		x = x.Add(x.ShflBfly(d))
	}
	return x
}

// BlockSum adds x over the whole block with one barrier: each warp leaves its sum in shared memory and every thread adds
// them all, so there is no second exchange and all threads hold the same bits. Each call takes shared memory of its own.
func BlockSum(k *ir.Kernel, x ir.F32) ir.F32 {
	threads := k.Threads()
	x = WarpSum(x, min(threads, warpSize))
	warps := threads / warpSize
	if warps <= 1 {
		return x
	}
	partial := ir.SharedArray[ir.F32](k, fmt.Sprintf("block_sum_%d", len(k.Arrays)), warps, 16)
	t := k.TIDX()
	partial.At(t.ShiftRight(k.ConstU32(5))).StoreIf(t.And(k.ConstU32(31)).Equal(k.ConstU32(0)), x)
	k.Barrier()
	var parts []ir.F32
	for n := 4; len(parts) < warps; {
		for n > warps-len(parts) {
			n /= 2 // an access is 1, 2 or 4 elements wide
		}
		parts = append(parts, partial.AtConst(len(parts)).LoadVec(n)...)
	}
	return treeSum(parts)
}

// treeSum adds pairwise: a short dependent chain and a small error.
func treeSum(x []ir.F32) ir.F32 {
	if len(x) == 1 {
		return x[0]
	}
	half := (len(x) + 1) / 2
	return treeSum(x[:half]).Add(treeSum(x[half:]))
}
