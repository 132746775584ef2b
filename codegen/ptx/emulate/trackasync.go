package emulate

import "math/bits"

// completion says what a thread has to observe before it may touch what an asynchronous operation touches.
type completion struct {
	kind completionKind
	cta  *cta   // byBarrier: whose mbarrier
	addr uint64 // its address in the shared window
}

type completionKind uint8

const (
	byNothing     completionKind = iota // nobody can wait for it
	byBarrier                           // the phase of an mbarrier that is pending at the issue
	byCopyGroup                         // cp.async: a group, or cp.async.mbarrier.arrive
	byBulkGroup                         // cp.async.bulk without an mbarrier
	byMatrixGroup                       // wgmma
)

// groupKind is the engine whose groups an instruction commits or waits for.
type groupKind uint8

const (
	cpGroup     = groupKind(actsCopy)
	bulkGroup   = groupKind(actsBulk)
	matrixGroup = groupKind(actsMatrix)
)

// issue checks everything that an asynchronous operation touches against what came before it, and records it for those
// who come after. The operation of several lanes is told with all of them.
func (t *tracker) issue(op *asyncOp) {
	w := op.warp
	lane := bits.TrailingZeros32(op.lanes)
	if op.lanes == 0 {
		lane = 0
	}
	flags := stampEngine
	if op.kind != asyncCopy {
		flags |= stampAsync
	}
	if op.combines {
		flags |= stampAtomic
	}
	a := &access{t: t, w: w, in: op.in, n: 1, first: w.cta.cluster.track.id * t.stride(), async: op.kind != asyncCopy}
	a.who[0], a.group[0] = w.view, w.view.groupOf(lane)
	if op.kind == asyncMatrix {
		t.warpgroup(a)
	}
	if op.by.kind == byBarrier {
		t.usesBarrier(a, lane, op.by.cta, op.by.addr)
	}
	t.touchAll(a, op, op.reads, flags, false)
	t.touchAll(a, op, op.writes, flags, true)
}

// warpgroup makes the access one of four warps: each has to know what came before.
func (t *tracker) warpgroup(a *access) {
	first := a.w.index &^ 3
	a.n = 0
	for i := first; i < first+4 && i < len(a.w.cta.warps); i++ {
		v := a.w.cta.warps[i].view
		a.who[a.n], a.group[a.n] = v, &v.groups[0]
		a.n++
	}
}

// touchAll checks the spans of an operation: one a lane, or all of one lane, or of a whole warpgroup.
func (t *tracker) touchAll(a *access, op *asyncOp, spans []span, flags byte, write bool) {
	perLane := len(spans) == bits.OnesCount32(op.lanes)
	m := op.lanes
	for _, s := range spans {
		lane := bits.TrailingZeros32(m) & 31
		if perLane {
			m &= m - 1
		}
		if op.kind == asyncMatrix {
			t.touch(a, op, s, 0, wholeWarp, flags, write)
			continue
		}
		a.group[0] = op.warp.view.groupOf(lane)
		t.touch(a, op, s, lane, oneLane, flags, write)
	}
}

func (t *tracker) touch(a *access, op *asyncOp, s span, lane int, shape uint32, flags byte, write bool) {
	if s.n == 0 {
		return
	}
	actor, time := t.engineOf(op, lane, write)
	a.stamp = stampOf(t.everywhere(op.warp.cta, actor), time, 0, 0, flags)
	a.write, a.cta = write, s.cta
	sh, off := a.homeOf(s)
	if sh == nil || sh.skip && !write || off+s.n > uint64(len(sh.pages))<<pageShift {
		return
	}
	sh.skip = false
	a.span(sh, off, off+s.n, uint32(lane), shape)
}

func (a *access) homeOf(s span) (*shadow, uint64) {
	t := a.t
	if s.cta != nil {
		return s.cta.track.shadow, s.addr - s.cta.first
	}
	x := t.run.l.dev.find(s.addr)
	if x == nil || x.data == nil || s.addr-x.base >= x.size {
		return nil, 0
	}
	a.alloc = x
	return t.shadowOf(x), s.addr - x.base
}

// engineOf is the actor that an operation's accesses belong to, and its time.
func (t *tracker) engineOf(op *asyncOp, lane int, write bool) (actor, time uint32) {
	w := op.warp
	switch op.by.kind {
	case byBarrier:
		b := t.mbar(op.by.cta, op.by.addr)
		return b.actor, b.phase
	case byCopyGroup:
		return t.actor(w.cta, w.index, actsCopy), w.view.engine[actsCopy].now[lane]
	case byBulkGroup:
		if write {
			return t.actor(w.cta, w.index, actsBulk), w.view.engine[actsBulk].now[lane]
		}
		return t.actor(w.cta, w.index, actsBulkSource), w.view.engine[actsBulk].now[lane]
	case byMatrixGroup:
		return t.actor(w.cta, w.index&^3, actsMatrix), w.view.engine[actsMatrix].now[0]
	}
	return t.actor(w.cta, w.index, actsBulk), maxTime
}

// commit ends the group that the lanes in m are collecting.
func (t *tracker) commit(w *warp, m uint32, kind groupKind) {
	e := &w.view.engine[kind]
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		e.commits[l] = append(e.commits[l], e.now[l])
		e.now[l]++
	}
}

// waitGroup: all but the pending latest groups of the lanes in m are complete; readOnly: only their reads are.
func (t *tracker) waitGroup(w *warp, m uint32, kind groupKind, pending int, readOnly bool) {
	e := &w.view.engine[kind]
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		n := len(e.commits[l]) - pending
		if n <= 0 {
			continue
		}
		time := e.commits[l][n-1]
		if !readOnly {
			e.commits[l] = append(e.commits[l][:0], e.commits[l][n:]...)
		}
		same := uint32(0) // lanes that wait for the same time learn together
		for x := m; x != 0; x &= x - 1 {
			if j := bits.TrailingZeros32(x); j == l || len(e.commits[j]) >= pending+1 && e.commits[j][len(e.commits[j])-pending-1] == time {
				same |= 1 << j
			}
		}
		if !readOnly {
			for x := same &^ (1 << l); x != 0; x &= x - 1 {
				j := bits.TrailingZeros32(x)
				e.commits[j] = append(e.commits[j][:0], e.commits[j][len(e.commits[j])-pending:]...)
			}
		}
		t.finished(w, same, kind, time, readOnly)
		m &^= same &^ (1 << l)
	}
}

// waitAll is cp.async.wait_all: everything that the lanes in m started is complete, committed or not.
func (t *tracker) waitAll(w *warp, m uint32) {
	t.commit(w, m, cpGroup)
	t.waitGroup(w, m, cpGroup, 0, false)
}

// finished tells lanes that their own engine's operations up to a time are complete.
func (t *tracker) finished(w *warp, m uint32, kind groupKind, time uint32, readOnly bool) {
	own := make([]clock, t.actors)
	who := m
	index := w.index
	if kind == matrixGroup {
		index, who = w.index&^3, fullMask
	}
	if kind == bulkGroup {
		own[t.actor(w.cta, index, actsBulkSource)] = clock{}.with(who, time)
	}
	if !readOnly || kind != bulkGroup {
		own[t.actor(w.cta, index, uint32(kind))] = clock{}.with(who, time)
	}
	t.learn(w, m, &know{cluster: w.cta.cluster.track.id, own: own})
}

// copies is what an arrival of cp.async.mbarrier.arrive publishes: the copies that the lanes in m have started.
func (t *tracker) copies(w *warp, m uint32) *know {
	own := make([]clock, t.actors)
	e := &w.view.engine[actsCopy]
	c := &own[t.actor(w.cta, w.index, actsCopy)]
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		*c = c.with(1<<l, e.now[l])
		e.now[l]++
	}
	return &know{cluster: w.cta.cluster.track.id, own: own}
}

// mbar returns the record of an mbarrier.
func (t *tracker) mbar(c *cta, addr uint64) *mbarTrack {
	b := c.track.mbars[addr]
	if b == nil {
		b = &mbarTrack{actor: t.actors + c.cluster.track.mbars%mbarActors, phase: 1}
		c.cluster.track.mbars++
		if c.track.mbars == nil {
			c.track.mbars = map[uint64]*mbarTrack{}
		}
		c.track.mbars[addr] = b
	}
	return b
}

// mbarInit is mbarrier.init by a lane. It is a write of the object's 8 bytes.
func (t *tracker) mbarInit(w *warp, in *inst, lane int, addr uint64) {
	b := t.mbar(w.cta, addr)
	v := w.view
	b.pending, b.done = gather{}, nil
	b.phase++ // what completed on the object before is another's business
	b.line = in.line
	b.init = v.stamp | uint64(v.now)<<16 | uint64(lane)<<11 | uint64(oneLane)<<8
	a := &access{t: t, w: w, in: in, n: 1, first: w.cta.cluster.track.id * t.stride(), write: true, cta: w.cta}
	a.who[0], a.group[0] = v, v.groupOf(lane)
	a.stamp = v.stamp | uint64(v.now)<<16
	a.span(w.cta.track.shadow, addr-w.cta.first, addr-w.cta.first+8, uint32(lane), oneLane)
}

// mbarArrive is an arrival by a lane; without release it publishes nothing.
func (t *tracker) mbarArrive(w *warp, in *inst, lane int, c *cta, addr uint64, release bool) {
	b := t.mbar(c, addr)
	t.usesObject(w, in, lane, c, addr)
	if release {
		t.publish(w, 1<<lane, func(k *know, self clock) { b.pending.add(k, w.view.actor, self) })
	}
}

// mbarPublish adds knowledge to the pending phase: an arrival that was triggered by completed copies.
func (t *tracker) mbarPublish(c *cta, addr uint64, k *know) {
	t.mbar(c, addr).pending.add(k, 0, clock{})
}

// mbarComplete: the phase turns over. Those who see it know what was published, and that the copies on it are done.
func (t *tracker) mbarComplete(c *cta, addr uint64) {
	b := t.mbar(c, addr)
	b.pending.add(&know{cluster: c.cluster.track.id}, b.actor, clock{all: b.phase})
	b.done = b.pending.take()
	b.phase++
}

// mbarWait: the lanes in m saw that the latest complete phase is complete.
func (t *tracker) mbarWait(w *warp, in *inst, m uint32, c *cta, addr uint64, acquire bool) {
	b := t.mbar(c, addr)
	t.usesObject(w, in, bits.TrailingZeros32(m), c, addr)
	if acquire {
		t.learn(w, m, b.done)
	}
}
