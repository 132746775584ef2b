package emulate

import (
	"fmt"
	"math/bits"
	"slices"
)

// barrier is one of the 16 CTA barriers (manual 9.7.13.1). Arrival is counted by warps: a warp arrives once all its
// lanes that have not exited did.
type barrier struct {
	arrived uint32 // warps that arrived, one bit each
	count   int    // threads expected, 0: all threads of the CTA that have not exited
	line    int32  // first arrival of this phase
	reduces bool   // by barrier.red
	red     *reduction
}

// reduction is the state of barrier.red: which lanes took part and what they brought.
type reduction struct {
	op  string
	pop uint64
	all bool
	any bool
}

// barrierOp is a decoded barrier instruction.
type barrierOp struct {
	id, count src // count is meaningful if counted
	counted   bool
	aligned   bool
	arrive    bool // does not wait
	red       string
	pred      predOperand // of red
	dst       int32       // of red: register id, or predicate id for and, or
}

// enter runs a barrier instruction for the lanes in m.
func (b *barrierOp) enter(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m != f.mask { // lanes whose guard is false do not take part
		if m == 0 {
			f.pc++
			return false
		}
		if b.aligned {
			w.find(SyncDiverged, in, f.mask&^m, fmt.Sprintf("%s: the guard holds in lanes %s and not in lanes %s; an aligned barrier must be executed by the whole warp",
				in.name(), laneList(m), laneList(f.mask&^m)))
		}
		rest := frag{pc: f.pc + 1, mask: f.mask &^ m, stack: slices.Clone(f.stack)}
		f.mask = m
		w.frags = append(w.frags, rest)
		f = &w.frags[w.cur]
	}
	id, count, ok := b.operands(w, in, m)
	if !ok {
		w.run.stopped = true
		return true
	}
	bar := &w.cta.barriers[id]
	b.join(w, in, bar, id, count)
	if b.red != "" {
		b.contribute(w, bar, m)
	}
	w.barArrived[id] |= m
	if t := w.run.track; t != nil {
		t.barrierArrive(w, id, m)
	}
	if b.arrive {
		f.pc++
	} else {
		f.state, f.bar = atBarrier, int16(id)
	}
	w.tryArrive(id)
	return true
}

// operands evaluates the barrier's number and thread count, which must agree over the lanes.
func (b *barrierOp) operands(w *warp, in *inst, m uint32) (id, count int, ok bool) {
	l := bits.TrailingZeros32(m)
	id = int(uint32(w.val(b.id)[l]))
	if id >= maxBarriers {
		w.find(SyncBarrier, in, m, fmt.Sprintf("barrier %d: a CTA has barriers 0 to %d", id, maxBarriers-1))
		return 0, 0, false
	}
	if !b.counted {
		return id, 0, true
	}
	count = int(uint32(w.val(b.count)[l]))
	limit := len(w.cta.warps) * warpSize
	if count%warpSize != 0 || count == 0 || count > limit {
		w.find(SyncBarrier, in, m, fmt.Sprintf("barrier %d expects %d threads: the count must be a multiple of %d, at most %d here", id, count, warpSize, limit))
		return 0, 0, false
	}
	return id, count, true
}

// join checks that an arrival fits the phase in progress.
func (b *barrierOp) join(w *warp, in *inst, bar *barrier, id, count int) {
	if bar.arrived == 0 && w.pendingBarrier(id) == 0 {
		bar.count, bar.line, bar.reduces = count, in.line, b.red != ""
		return
	}
	if bar.reduces != (b.red != "") {
		w.find(SyncBarrier, in, w.frags[w.cur].mask, fmt.Sprintf("barrier %d: %s joins the phase that line %d began; a barrier takes either barrier.red or the other forms (manual 9.7.13.1)", id, in.name(), bar.line))
	}
	if bar.count != count {
		w.find(SyncBarrier, in, w.frags[w.cur].mask, fmt.Sprintf("barrier %d: %s here, %s at line %d in the same phase", id, threadCount(count), threadCount(bar.count), bar.line))
	}
	if bar.arrived>>w.index&1 != 0 {
		w.find(SyncBarrier, in, w.frags[w.cur].mask, fmt.Sprintf("barrier %d: this warp arrives a second time before the phase that it arrived in at line %d is complete", id, bar.line))
	}
}

func threadCount(n int) string {
	if n == 0 {
		return "all threads"
	}
	return fmt.Sprintf("%d threads", n)
}

func (w *warp) pendingBarrier(id int) uint32 {
	var p uint32
	for _, wp := range w.cta.warps {
		p |= wp.barArrived[id]
	}
	return p
}

// tryArrive lets the warp arrive at a barrier once all its live lanes are there, and completes the barrier when that
// was the last arrival.
func (w *warp) tryArrive(id int) {
	if w.barArrived[id] == 0 || w.barArrived[id]&w.live != w.live {
		return
	}
	w.checkAligned(id)
	w.barArrived[id] = 0
	w.cta.barriers[id].arrived |= 1 << w.index
	w.run.progress++
	w.cta.tryComplete(id)
}

// checkAligned reports lanes of one warp that wait at different aligned barrier instructions.
func (w *warp) checkAligned(id int) {
	first := -1
	for i := range w.frags {
		f := &w.frags[i]
		if f.state != atBarrier || int(f.bar) != id {
			continue
		}
		in := &w.k.code[f.pc]
		if first < 0 {
			first = i
		} else if g := &w.frags[first]; g.pc != f.pc && (in.aligned() || w.k.code[g.pc].aligned()) {
			w.find(SyncDiverged, in, f.mask, fmt.Sprintf("%s: lanes %s wait here and lanes %s at line %d; an aligned barrier must be reached by the whole warp together",
				in.name(), laneList(f.mask), laneList(g.mask), w.k.code[g.pc].line))
		}
	}
}

// tryComplete releases a barrier whose arrivals are complete.
func (c *cta) tryComplete(id int) {
	b := &c.barriers[id]
	if b.arrived == 0 {
		return
	}
	if b.count > 0 {
		if bits.OnesCount32(b.arrived)*warpSize < b.count {
			return
		}
	} else {
		for i, w := range c.warps {
			if w.live != 0 && b.arrived>>i&1 == 0 {
				return
			}
		}
	}
	red := b.red
	*b = barrier{}
	var k *know
	if t := c.warps[0].run.track; t != nil {
		k = t.barrierDone(c, id)
	}
	for _, w := range c.warps {
		w.release(id, red, k)
	}
}

// release lets the fragments that wait at a barrier go on. k is what they know then, for the race checker.
func (w *warp) release(id int, red *reduction, k *know) {
	for i := range w.frags {
		f := &w.frags[i]
		if f.state != atBarrier || int(f.bar) != id {
			continue
		}
		if red != nil {
			w.k.code[f.pc].barrierOf().deliver(w, f.mask, red)
		}
		if k != nil {
			w.run.track.adopt(w, f.mask, k)
		}
		f.state = ready
		f.pc++
	}
}

// recheckBarriers looks at the barriers again after lanes of w exited: they no longer have to arrive.
func (c *cta) recheckBarriers(w *warp) {
	for id := range c.barriers {
		if w.live != 0 {
			w.tryArrive(id)
		}
		if c.barriers[id].count == 0 {
			c.tryComplete(id)
		}
	}
}

func (b *barrierOp) contribute(w *warp, bar *barrier, m uint32) {
	if bar.red == nil {
		bar.red = &reduction{op: b.red, all: true}
	}
	v, def := w.pred(b.pred)
	if bad := m &^ def; bad != 0 && w.run.initcheck {
		w.undefined(b.pred.id(w.k), bad, &w.k.code[w.frags[w.cur].pc], "is reduced over the block")
	}
	bar.red.pop += uint64(bits.OnesCount32(v & m))
	bar.red.all = bar.red.all && m&^v == 0
	bar.red.any = bar.red.any || v&m != 0
}

func (b *barrierOp) deliver(w *warp, m uint32, r *reduction) {
	if b.red == "popc" {
		d := &w.regs[b.dst]
		for l := range warpSize {
			if m>>l&1 != 0 {
				d[l] = r.pop
			}
		}
		w.def[b.dst] |= m
		return
	}
	set := r.any
	if b.red == "and" {
		set = r.all
	}
	p := &w.preds[b.dst]
	*p &^= m
	if set {
		*p |= m
	}
	w.def[w.k.nregs+int(b.dst)] |= m
}
