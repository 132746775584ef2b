package lib

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

const warpSize = 32

// Shuffled is a value that lanes can exchange.
type Shuffled[T any] interface {
	ir.Elem
	ShflBfly(lane int, opts ...ir.WidthMembersOption) T
}

// WarpReduce combines x over aligned groups of lanes (a power of two up to 32); every lane of a group gets the result.
// The tree is the same in every lane, so a commutative f gives equal bits everywhere.
func WarpReduce[T Shuffled[T]](x T, lanes int, f func(a, b T) T) T {
	for d := lanes / 2; d > 0; d /= 2 {
		x = f(x, x.ShflBfly(d))
	}
	return x
}

// WarpSum adds x over the warp.
func WarpSum(x ir.F32) ir.F32 { return WarpReduce(x, warpSize, add) }

// WarpMax is the largest x in the warp; NaN loses.
func WarpMax(x ir.F32) ir.F32 { return WarpReduce(x, warpSize, maximum) }

func add(a, b ir.F32) ir.F32     { return a.Add(b) }
func maximum(a, b ir.F32) ir.F32 { return a.Max(b) }

// Exchange is shared memory through which warps of a one-dimensional block combine partial results. The block is divided
// into groups of so many warps; each group reduces on its own, but all groups must call together.
type Exchange struct {
	k      *ir.Kernel
	name   string
	warps  int // in the block
	group  int // in a group
	rounds int
}

// NewExchange makes an exchange over groups of groupWarps warps; 0 means the whole block.
func NewExchange(k *ir.Kernel, name string, groupWarps int) *Exchange {
	warps := (k.Threads() + warpSize - 1) / warpSize
	if groupWarps == 0 {
		groupWarps = warps
	}
	if warps%groupWarps != 0 {
		panic(fmt.Sprintf("lib: a block of %d warps does not divide into groups of %d", warps, groupWarps))
	}
	return &Exchange{k: k, name: name, warps: warps, group: groupWarps}
}

// Sum adds each of the values over the group; every thread gets the results.
func (e *Exchange) Sum(x ...ir.F32) []ir.F32 { return e.Reduce(add, x...) }

// Max is the largest of each of the values over the group; NaN loses.
func (e *Exchange) Max(x ...ir.F32) []ir.F32 { return e.Reduce(maximum, x...) }

// Reduce combines each of the values over the group with f, which must be associative and commutative up to rounding. The
// order is fixed: lanes first, then warps pairwise, so the result does not depend on timing.
func (e *Exchange) Reduce(f func(a, b ir.F32) ir.F32, x ...ir.F32) []ir.F32 {
	out := make([]ir.F32, len(x))
	for i, v := range x {
		out[i] = WarpReduce(v, warpSize, f)
	}
	if e.group == 1 {
		return out
	}
	all := e.share(out)
	for i := range out {
		out[i] = pairwise(f, all[i])
	}
	return out
}

// pairwise combines a list as a tree: the dependent chain is the logarithm of its length.
func pairwise(f func(a, b ir.F32) ir.F32, x []ir.F32) ir.F32 {
	if len(x) == 1 {
		return x[0]
	}
	half := (len(x) + 1) / 2
	return f(pairwise(f, x[:half]), pairwise(f, x[half:]))
}

// share gives every thread the values of all warps in its group. Each build-time call has shared memory of its own, so
// that one barrier is enough; inside a device loop, where the same memory comes round again, another barrier keeps fast
// warps from overwriting what slow ones still read.
func (e *Exchange) share(x []ir.F32) [][]ir.F32 {
	k := e.k
	e.rounds++
	name := fmt.Sprintf("%s%d", e.name, e.rounds)
	if k.InLoop() {
		k.Barrier()
	}
	stride := (e.warps + 3) / 4 * 4
	buf := ir.SharedArray[ir.F32](k, name, stride*len(x), 16)
	warp := k.TIDX().ShiftRight(k.ConstU32(5))
	first := k.LaneID().Equal(k.ConstU32(0))
	for i, v := range x {
		buf.At(warp).AtConst(i*stride).StoreIf(first, v)
	}
	k.Barrier()
	base := buf
	if e.group < e.warps {
		start := DivConst(k, uint32(e.group)).Div(warp).Mul(k.ConstU32(uint32(e.group)))
		base = buf.At(start)
	}
	all := make([][]ir.F32, len(x))
	for i := range x {
		all[i] = e.readGroup(base.AtConst(i * stride))
	}
	return all
}

// readGroup reads the partials of a group with the widest loads that its start allows.
func (e *Exchange) readGroup(p ir.Shared[ir.F32]) []ir.F32 {
	width := 4
	for e.group%width != 0 {
		width /= 2
	}
	var list []ir.F32
	for i := 0; i < e.group; i += width {
		list = append(list, p.AtConst(i).LoadVec(width)...)
	}
	return list
}
