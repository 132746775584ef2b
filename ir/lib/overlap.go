package lib

import "github.com/oxideinfer/oxide/ir"

// Overlap is what a kernel does while the launch before it still runs. Both halves are uniform run-time switches, because
// what pays depends on the grid: measured on an H200, they take a third off a small call and nothing off a large one.
type Overlap struct {
	k *ir.Kernel
	// prefetchBlocks is the number of blocks, counted from 0, that ask for their input before the wait. More than the
	// first ones to be resident would ask twice.
	prefetchBlocks ir.U32
	// early lets the next launch start at once and not only when this one has issued its loads.
	early ir.Pred
}

// OverlapParams declares the switches as the parameters prefetch_blocks and early.
func OverlapParams(k *ir.Kernel) Overlap {
	return Overlap{k, ir.Param[ir.U32](k, "prefetch_blocks"), ir.Param[ir.U32](k, "early").NotEqual(k.ConstU32(0))}
}

// Start stands at the beginning of the kernel.
func (o Overlap) Start() { o.k.If(o.early, func() { o.k.GridDependencyLaunch() }) }

// Loaded stands behind the kernel's first loads.
func (o Overlap) Loaded() { o.k.GridDependencyLaunch() }

// Prefetch brings the packets at the given element offsets, where inside holds, to L2, if this block is among the first.
// It stands before the wait: a prefetch returns nothing, and stores of the launch before meet the line in L2.
func (o Overlap) Prefetch(block ir.U32, e Elements, at []ir.U32, inside []ir.Pred) {
	k := o.k
	const lineBytes = 128
	perLine := lineBytes / (PacketSize * e.format.Bytes())
	first := k.TIDX().And(k.ConstU32(uint32(perLine - 1))).Equal(k.ConstU32(0))
	k.If(block.Less(o.prefetchBlocks).And(first), func() {
		for i := range at {
			k.If(inside[i], func() { e.At(at[i]).Prefetch(ir.PrefetchL2) })
		}
	})
}

// Whole tells whether the grid has no more than prefetch_blocks blocks.
func (o Overlap) Whole() ir.Pred { return o.k.NCTAIDX().LessEqual(o.prefetchBlocks) }

// Run is what a block reads, and the elements from there to what the next block reads.
type Run struct {
	From   Elements
	Stride ir.U64
}

// PrefetchAhead has thread 0 ask for what the block that lies prefetch_blocks further on reads: so many elements of each
// run. With as many blocks as the device holds at once, memory reads what the next blocks load while these ones store. It
// stands behind the loads.
func (o Overlap) PrefetchAhead(block ir.U32, elements ir.U32, runs ...Run) {
	k := o.k
	later := block.Add(o.prefetchBlocks)
	k.If(later.Less(k.NCTAIDX()).And(k.TIDX().Equal(k.ConstU32(0))), func() {
		for _, r := range runs {
			r.From.At(o.prefetchBlocks.ConvertToU64().Mul(r.Stride)).PrefetchRun(elements)
		}
	})
}
