package kernels

import (
	"math/bits"
	"slices"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// finish adds the parts of the cluster's blocks and stores a tile. Each block owns the rows of some warps: it adds what the
// others send, in the order of their ranks after its own.
func (s *skinny) finish(sums ir.Vec[ir.F32], row ir.U32) {
	k, c, v := s.k, s.k.ConstU32, s.v
	warp := k.TIDX().ShiftRight(c(5))
	if v.Split == 1 {
		s.store(sums, row, warp)
		return
	}
	k.ClusterWait()
	each := uint32(4 / v.Split) // warps whose rows a block owns
	owner := warp.ShiftRight(c(uint32(bits.TrailingZeros32(each))))
	from := func(rank ir.U32) ir.Shared[ir.F32] {
		slot := rank.MulAdd(c(each), warp.And(c(each-1)))
		return s.parts.At(slot.MulAdd(c(uint32(16*v.Columns)), k.LaneID().ShiftLeft(c(2))))
	}
	k.If(owner.Equal(s.rank), func() {
		s.came.Wait(c(0), ir.ScopeCluster)
		sums := slices.Clone(sums)
		for i := 1; i < v.Split; i++ {
			part := from(s.rank.Add(c(uint32(i))).And(c(uint32(v.Split - 1))))
			for j := 0; j < len(sums); j += 4 {
				for e, x := range part.AtConst(32 * j).LoadVec(4) {
					sums[j+e] = sums[j+e].Add(x)
				}
			}
		}
		s.store(sums, row, warp)
	}).Else(func() {
		to, came := from(s.rank).InBlock(owner), s.came.InBlock(owner)
		for j := 0; j < len(sums); j += 4 {
			to.AtConst(32*j).StoreAsyncVec(sums[j:j+4], came)
		}
	})
}

// store turns a warp's 16 weight rows round in shared memory, so that a lane stores neighbours and eight lanes 32 bytes in a row. Register i of lane 4g+t holds
// weight row g + 8·(i/2 mod 2) and row 8·(i/4) + 2t + i mod 2 of a (PTX ISA 9.7.15.5.1.1).
func (s *skinny) store(sums ir.Vec[ir.F32], row, warp ir.U32) {
	k, c := s.k, s.k.ConstU32
	lane := k.LaneID()
	mine := s.staged.At(warp.Mul(c(uint32(s.v.Columns * stagedPitch))))
	put := mine.At(lane.And(c(3)).MulAdd(c(2*stagedPitch), lane.ShiftRight(c(2))))
	for i, x := range sums {
		put.AtConst((8*(i/4)+i%2)*stagedPitch + 8*(i/2%2)).Store(x)
	}
	k.SyncWarp()
	const pairs = 8
	first, end := row.Add(warp.ShiftLeft(c(4))), row.Add(s.height).Min(s.columns)
	k.If(s.plain.And(s.aligned), func() {
		for at := 0; at < s.v.Columns*pairs; at += 32 {
			i := lane.Add(c(uint32(at)))
			m, n := i.ShiftRight(c(3)), i.And(c(pairs-1)).ShiftLeft(c(1))
			k.If(m.Less(s.m).And(first.Add(n).Less(end)), func() {
				x := mine.At(m.MulAdd(c(stagedPitch), n)).LoadVec(2)
				scale := s.scaleA(m)
				lo, hi := s.scaled(x[0], scale, s.scaleB(first.Add(n))), s.scaled(x[1], scale, s.scaleB(first.Add(n).Add(c(1))))
				ir.Cast[ir.U32](s.out(m, first.Add(n))).Store(s.packed(lo, hi))
			})
		}
	}).Else(func() {
		for i := range k.Loop(lane, s.m.Mul(c(pairs)), c(32), ir.NoUnroll) {
			m, n := i.ShiftRight(c(3)), i.And(c(pairs-1)).ShiftLeft(c(1))
			at := mine.At(m.MulAdd(c(stagedPitch), n))
			k.If(first.Add(n).Less(end), func() { s.pair(m, first.Add(n), [2]ir.F32{at.Load(), at.AtConst(1).Load()}) })
		}
	})
	k.SyncWarp()
}

// packed rounds two neighbours to the plain format.
func (s *skinny) packed(lo, hi ir.F32) ir.U32 {
	if s.in == lib.F16 {
		return lo.ConvertToF16x2(hi).AsU32()
	}
	return lo.ConvertToBF16x2(hi).AsU32()
}
