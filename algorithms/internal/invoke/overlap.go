package invoke

// Overlap gives the arguments prefetch_blocks and early of a call over that many elements (see lib.Overlap in ir/lib).
//
// The limits were measured on an H200 with the kernels of normalization (bench/NOTES.md): the first two blocks of every
// multiprocessor gain from asking for their input while the launch before still runs, later ones only ask twice; from 64
// MB of bf16 on that gain is lost in the requests' own cost. Starting the next launch at once pays where this one fills a
// sixth of the device or less; a larger one would lose its place to blocks that only wait.
func (p *Plan) Overlap(elements int) (prefetchBlocks, early uint32) {
	const smallElements, largeElements = 1 << 15, 1 << 25
	if !p.overlap || elements >= largeElements {
		return 0, 0
	}
	if elements <= smallElements {
		early = 1
	}
	return p.Prefetch(), early
}

// Prefetch is the argument prefetch_blocks alone, for kernels with two inputs: there it pays at every size, and an early
// start at none.
func (p *Plan) Prefetch() uint32 {
	if !p.overlap {
		return 0
	}
	return uint32(2 * p.sms)
}

// Resident is the argument prefetch_blocks of a kernel that asks for what later blocks read (lib.Overlap.PrefetchAhead): how
// many blocks the device holds at once, when a multiprocessor holds so many of the kernel's threads.
func (p *Plan) Resident(threads int) uint32 {
	return uint32(p.sms * threads / int(p.kernel.Artifact().Launch.Block.X))
}

// SMs are the multiprocessors of the plan's device.
func (p *Plan) SMs() int { return p.sms }
