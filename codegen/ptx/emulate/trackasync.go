package emulate

import "math/bits"

// Asynchronous operations act through engines behind the warp that issued them. An engine's accesses are recorded at
// the issue, with the time of what has to be observed: the group that the operation belongs to, or the phase of its
// mbarrier that is pending. A thread knows that time once it waited for the group, or saw the phase complete, or
// learnt it from one that did.

// groupKind is the engine whose groups an instruction commits or waits for.
type groupKind uint8

const (
	cpGroup     = groupKind(actsCopy)
	bulkGroup   = groupKind(actsBulk)
	matrixGroup = groupKind(actsMatrix)
)

// newAccess is an access by a warp.
func (t *tracker) newAccess(w *warp, in *inst) *access {
	a := &access{t: t, w: w, in: in, n: 1, first: w.cta.cluster.track.id * t.stride()}
	a.who[0], a.group[0] = w.view, &w.view.groups[0]
	return a
}

// issue checks everything that an asynchronous operation touches against what came before it, and records it for those
// who come after. cp.async is told by issueCopies.
func (t *tracker) issue(op *asyncOp) {
	if op.kind == asyncCopy {
		return
	}
	a := t.newAccess(op.warp, op.in)
	lane := bits.TrailingZeros32(op.lanes) & 31
	shape, flags := uint32(oneLane), stampEngine
	if a.async = op.kind != asyncRemote; a.async {
		flags |= stampAsync
	}
	if op.combines {
		flags |= stampAtomic
	}
	a.group[0] = op.warp.view.groupOf(lane)
	if op.kind == asyncMatrix {
		t.warpgroup(a)
		lane, shape = 0, wholeWarp
	}
	if op.bar != nil {
		t.usesBarrier(a, lane, op.bar)
	}
	for i, spans := range [][]span{op.reads, op.writes} {
		a.write = i == 1
		actor, time := t.engineOf(op, lane, a.write)
		a.stamp = stampOf(t.everywhere(op.warp.cta, actor), time, 0, 0, flags)
		for _, s := range spans {
			a.touch(s, uint32(lane), shape)
		}
		if op.sources != nil && !a.write {
			for s := range op.sources {
				a.touch(s, uint32(lane), shape)
			}
		}
	}
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

// touch checks one span.
func (a *access) touch(s span, lane, shape uint32) {
	sh, off := a.homeOf(s)
	if sh == nil || s.n == 0 || sh.skip && !a.write || off+s.n > uint64(len(sh.pages))<<pageShift {
		return
	}
	sh.skip = false
	a.cta = s.cta
	a.span(sh, off, off+s.n, lane, shape)
}

func (a *access) homeOf(s span) (*shadow, uint64) {
	if s.cta != nil {
		return s.cta.track.shadow, s.addr - s.cta.first
	}
	x := a.t.run.l.dev.find(s.addr)
	if x == nil || x.data == nil || s.addr-x.base >= x.size {
		return nil, 0
	}
	a.alloc = x
	return a.t.shadowOf(x), s.addr - x.base
}

// engineOf is the actor that an operation's accesses belong to, and its time.
func (t *tracker) engineOf(op *asyncOp, lane int, write bool) (actor, time uint32) {
	w := op.warp
	switch {
	case op.bar != nil:
		return t.mbar(op.bar).actor, uint32(op.bar.phase) + 1
	case op.kind == asyncMatrix:
		return t.actor(w.cta, w.index&^3, actsMatrix), w.view.engine[actsMatrix].now[0]
	case write:
		return t.actor(w.cta, w.index, actsBulk), w.view.engine[actsBulk].now[lane]
	}
	return t.actor(w.cta, w.index, actsBulkSource), w.view.engine[actsBulk].now[lane]
}

// issueCopies is cp.async of some lanes: each copies size bytes to shared memory, and reads copies[i].n bytes.
func (t *tracker) issueCopies(w *warp, in *inst, copies []laneCopy, size int) {
	a := t.newAccess(w, in)
	e := &w.view.engine[actsCopy]
	actor := t.everywhere(w.cta, t.actor(w.cta, w.index, actsCopy))
	for i := 0; i < len(copies); {
		c := &copies[i]
		end := i + 1
		for end < len(copies) && copies[end].follows(&copies[end-1], size) && e.now[copies[end].lane] == e.now[c.lane] &&
			w.view.groupOf(copies[end].lane) == w.view.groupOf(c.lane) {
			end++
		}
		a.group[0] = w.view.groupOf(c.lane)
		a.stamp = stampOf(actor, e.now[c.lane], 0, 0, stampEngine)
		n, shape := uint64(end-i), uint32(bits.TrailingZeros(uint(size)))
		a.write = true
		a.touch(span{w.cta, c.to, n * uint64(size)}, uint32(c.lane), shape)
		a.write = false
		a.touch(span{nil, c.from, (n-1)*uint64(size) + uint64(c.n)}, uint32(c.lane), shape)
		i = end
	}
}

// follows: the copy is the next lane's and goes from and to the next bytes.
func (c *laneCopy) follows(p *laneCopy, size int) bool {
	return c.lane == p.lane+1 && c.to == p.to+uint64(size) && c.from == p.from+uint64(size) && p.n == size && c.n == size
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
	for m != 0 {
		l := bits.TrailingZeros32(m)
		time := e.complete(l, pending)
		same := uint32(0) // lanes that wait for the same time learn together
		for x := m; x != 0; x &= x - 1 {
			if j := bits.TrailingZeros32(x); e.complete(j, pending) == time {
				same |= 1 << j
			}
		}
		m &^= same
		if time == 0 {
			continue
		}
		for x := same; x != 0 && !readOnly; x &= x - 1 {
			j := bits.TrailingZeros32(x)
			c := e.commits[j]
			e.commits[j] = append(c[:0], c[len(c)-pending:]...)
		}
		t.finished(w, same, kind, time, readOnly)
	}
}

// complete returns the time of the latest group of a lane that has to be complete so that no more than pending are
// not; 0: there is none.
func (e *engine) complete(lane, pending int) uint32 {
	if n := len(e.commits[lane]) - pending; n > 0 {
		return e.commits[lane][n-1]
	}
	return 0
}

// waitAll is cp.async.wait_all: everything that the lanes in m started is complete, committed or not.
func (t *tracker) waitAll(w *warp, m uint32, kind groupKind) {
	t.commit(w, m, kind)
	t.waitGroup(w, m, kind, 0, false)
}

// finished tells lanes that their own engine's operations up to a time are complete.
func (t *tracker) finished(w *warp, m uint32, kind groupKind, time uint32, readOnly bool) {
	if kind == matrixGroup { // a warpgroup's operations are one engine's
		own := make([]clock, t.actors)
		own[t.actor(w.cta, w.index&^3, actsMatrix)] = clock{all: time}
		t.learn(w, m, &know{cluster: w.cta.cluster.track.id, own: own})
		return
	}
	v := w.view
	if kind == bulkGroup {
		v.engine[actsBulkSource].advance(m, time)
	}
	if !readOnly {
		v.engine[kind].advance(m, time)
	}
	v.fresh |= m
	v.tick()
}

func (e *engine) advance(m, time uint32) {
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		e.done[l] = max(e.done[l], time)
	}
}

// withEngines adds what the lanes in m know of their own engines to a vector clock.
func (t *tracker) withEngines(v *view, m uint32, k *know) *know {
	if m &= v.fresh; m == 0 || k == nil {
		return k
	}
	own := append(make([]clock, 0, max(len(k.own), int(v.actor)+actorKinds)), k.own...)
	for len(own) < int(v.actor)+actorKinds {
		own = append(own, clock{})
	}
	for kind := actsCopy; kind <= actsBulkSource; kind++ {
		own[int(v.actor)+kind] = own[int(v.actor)+kind].join(v.engine[kind].clock(m))
	}
	return &know{cluster: k.cluster, own: own, far: k.far}
}

// clock is the time up to which the operations of the lanes in m are complete.
func (e *engine) clock(m uint32) clock {
	var each [warpSize]uint32
	same := m == fullMask
	for x := m; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x)
		each[l] = e.done[l]
		same = same && each[l] == each[0]
	}
	if same {
		return clock{all: each[0]}
	}
	return clock{each: &each}
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

// mbarTrack is what the tracker keeps of an mbarrier.
type mbarTrack struct {
	actor   uint32
	pending gather // of the phase in progress
	done    *know  // of the phase that completed last
	init    uint64 // stamp of mbarrier.init, 0: none that counts
	line    int32
}

func (t *tracker) mbar(b *mbarrier) *mbarTrack {
	if b.track == nil {
		c := b.cta.cluster.track
		b.track = &mbarTrack{actor: t.actors + c.mbars%mbarActors}
		c.mbars++
	}
	return b.track
}

// mbarInit is mbarrier.init by a lane. It is a write of the object's 8 bytes.
func (t *tracker) mbarInit(w *warp, in *inst, lane int, b *mbarrier) {
	a, v := t.newAccess(w, in), w.view
	x := t.mbar(b)
	x.line = in.line
	x.init = v.stamp | uint64(v.now)<<16 | uint64(lane)<<11 | oneLane<<8
	a.write, a.group[0] = true, v.groupOf(lane)
	a.stamp = v.stamp | uint64(v.now)<<16
	a.touch(span{b.cta, b.addr, 8}, uint32(lane), oneLane)
}

// mbarArrive is an arrival by a lane; without release it publishes nothing.
func (t *tracker) mbarArrive(w *warp, in *inst, lane int, b *mbarrier, release bool) {
	t.usesObject(w, in, lane, b)
	if b.cta != w.cta {
		t.remoteObject(w, in, lane, b) // before it publishes: who sees the phase end knows of this arrival, too
	}
	if release {
		x := t.mbar(b)
		t.publish(w, 1<<lane, func(k *know, self clock) { x.pending.add(k, w.view.actor, self) })
	}
}

// mbarPublish adds knowledge to the pending phase: that of an arrival which completed copies triggered.
func (t *tracker) mbarPublish(b *mbarrier, k *know) { t.mbar(b).pending.add(k, 0, clock{}) }

// mbarComplete: the phase that is about to turn over. Those who see it know what was published, and that the copies
// on it are done.
func (t *tracker) mbarComplete(b *mbarrier) {
	x := t.mbar(b)
	x.pending.add(&know{cluster: b.cta.cluster.track.id}, x.actor, clock{all: uint32(b.phase) + 1})
	x.done = x.pending.take()
}

// mbarWait: the lanes in m saw that the latest complete phase is complete.
func (t *tracker) mbarWait(w *warp, in *inst, m uint32, b *mbarrier, acquire bool) {
	t.usesObject(w, in, bits.TrailingZeros32(m), b)
	if acquire {
		t.learn(w, m, t.mbar(b).done)
	}
}
