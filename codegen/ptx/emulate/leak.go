package emulate

import (
	"cmp"
	"fmt"
	"slices"
)

// finish judges what a CTA leaves behind when its last thread ends.
func (c *cta) finish(r *worker) {
	c.finishRegisters()
	if !r.asynccheck {
		return
	}
	for _, w := range c.warps {
		w.leakedCopies()
		w.leakedBulks()
	}
	for _, peer := range c.cluster.ctas {
		for _, op := range peer.flight {
			c.leakedInto(r, op)
		}
	}
	for _, b := range sortedBarriers(c.mbars) {
		c.leftBarrier(r, b)
	}
}

func sortedBarriers(m map[uint32]*mbarrier) []*mbarrier {
	var out []*mbarrier
	for _, b := range m {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *mbarrier) int { return cmp.Compare(a.addr, b.addr) })
	return out
}

// leakedCopies reports cp.async copies that no wait and no mbarrier covers.
func (w *warp) leakedCopies() {
	for _, op := range w.copies.all() {
		if !op.waited {
			w.leak(op, "no cp.async.wait_group or wait_all and no mbarrier covers it before the block ends")
			op.waited = true
		}
	}
}

// leakedBulks reports bulk operations that may still read shared memory of the block: nobody waited for their group,
// not even with .read. Writes to global memory may still be on their way; the end of the grid waits for them.
func (w *warp) leakedBulks() {
	for _, op := range w.bulks.all() {
		if op.waited || op.readDone || !slices.ContainsFunc(op.reads, func(s span) bool { return s.cta == w.cta }) {
			continue
		}
		w.leak(op, "it may still read the block's shared memory when the block ends: no cp.async.bulk.wait_group covers it")
		op.waited = true
	}
}

// leakedInto reports an operation in flight that reads or writes the memory of a block that ends.
func (c *cta) leakedInto(r *worker, op *asyncOp) {
	mine := func(s span) bool { return s.cta == c }
	switch {
	case op.waited:
	case slices.ContainsFunc(op.writes, mine):
		op.warp.leak(op, fmt.Sprintf("it still has to write the shared memory of the block of rank %d when that block ends", c.rank))
		op.waited = true
	case op.stage == asyncIssued && op.bar != nil && slices.ContainsFunc(op.reads, mine):
		op.warp.leak(op, fmt.Sprintf("it may still read the shared memory of the block of rank %d when that block ends", c.rank))
		op.waited = true
	}
}

// leftBarrier reports an mbarrier that the end of the block leaves in the middle of something.
func (c *cta) leftBarrier(r *worker, b *mbarrier) {
	switch {
	case len(b.flight) > 0: // reported as the operation
	case b.tx != 0:
		r.report(c, Finding{Class: MbarTx, Line: cmp.Or(b.expectLine, b.line), Section: "9.7.13.15.2",
			Message: "the block ends while bytes are pending: " + b.lacks()})
	case b.pending != b.count:
		r.report(c, Finding{Class: MbarCount, Line: b.line, Section: "9.7.13.15.2",
			Message: "the block ends in the middle of a phase, so arrivals and count do not fit: " + b.lacks()})
	case b.data > b.seen:
		r.report(c, Finding{Class: AsyncBulk, Line: b.line, Section: "9.7.13.15.16",
			Message: fmt.Sprintf("the block ends and nobody has waited for phase %d of %s, which counts asynchronous operations", b.data-1, b.name())})
	}
}

func (w *warp) leak(op *asyncOp, why string) {
	if w.known(op.class(), op.in) {
		return
	}
	f := Finding{Class: op.class(), Line: op.line(), Threads: w.threadsOf(op.lanes), Section: op.section(),
		Message: fmt.Sprintf("%s is never waited for: %s", op.in.name(), why)}
	for _, s := range op.writes[:min(1, len(op.writes))] {
		space := "shared"
		if s.cta == nil {
			space = "global"
		}
		f.Accesses = append(f.Accesses, Access{Kind: "async write", Space: space, Addr: s.addr, Bytes: s.n, Line: op.line(), Threads: f.Threads})
	}
	w.run.report(w.cta, f)
}
