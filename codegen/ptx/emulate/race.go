package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// order is what an access says of its place among others (manual 8.4, 8.5).
type order struct {
	sem   sem
	scope scope
	nc    bool
	rmw   bool // atom and red
	red   bool
}

func (o order) flags() byte {
	f := byte(0)
	if o.sem != semWeak {
		f |= stampStrong | byte(o.scope)<<1
	}
	if o.rmw {
		f |= stampAtomic
	}
	if o.nc {
		f |= stampNC
	}
	return f
}

// access is one access being checked: who makes it, and what they know.
type access struct {
	t     *tracker
	w     *warp
	in    *inst
	who   [4]*view // whose knowledge counts: the warp, or the four warps of a warpgroup
	group [4]*viewGroup
	n     int
	stamp uint64 // without lanes
	first uint32 // actor 0 of the cluster in stamps
	write bool
	async bool   // through the async proxy
	cta   *cta   // whose shared memory; nil: global
	alloc *alloc // of global memory
	unit  uint32
	cover proxyVerdict
	store *storeOp // of an ordinary store: its values
	addr  *lanes   // and addresses
}

// before reports whether the access with stamp p, of the whole cell, happened before this one by s.
func (a *access) before(p, s uint64) bool {
	if p&uint64(isSet) != 0 {
		return a.t.readers.all(p, 0, func(q uint64, _ int32) bool { return a.before(q, s) })
	}
	for i := range a.n {
		if !a.beforeOne(p, s, a.group[i], a.who[i]) {
			return false
		}
	}
	return true
}

func (a *access) beforeOne(p, s uint64, g *viewGroup, v *view) bool {
	actor, time := stampActor(p), stampTime(p)
	if actor == (v.actor+a.first)&(1<<24-1) {
		if g.self.each == nil && time <= g.self.all || a.sameLanes(p, s) {
			return true
		}
		return g.self.reaches(a.others(p, s), time)
	}
	local := (actor - a.first) & (1<<24 - 1)
	if local < a.t.stride() {
		if a.t.proxies && local-v.actor < actorKinds {
			return a.behindEngine(p, s, g, v, local)
		}
		if int(local) >= len(g.k.own) {
			return false
		}
		c := g.k.own[local]
		if c.each == nil {
			return time <= c.all
		}
		return c.reaches(stampLanes(p, a.unit), time)
	}
	stride := a.t.stride()
	c := g.k.beyond(actor/stride, actor%stride)
	return c.reaches(stampLanes(p, a.unit), time)
}

// behindEngine is before for what an engine of the own warp did: a lane knows of its own operations from its own
// waits, of its neighbours' from the warp's synchronisation.
func (a *access) behindEngine(p, s uint64, g *viewGroup, v *view, local uint32) bool {
	e, time := &v.engine[local-v.actor], stampTime(p)
	if c := g.k.of(local); c.each == nil && c.all >= time {
		return true
	}
	for m := stampLanes(p, a.unit); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		own := e.done[l] >= time && !a.followedByOther(p, s, l)
		if !own && !g.k.of(local).reaches(1<<l, time) {
			return false
		}
	}
	return true
}

// followedByOther: another lane of s touches what lane l of p touched.
func (a *access) followedByOther(p, s uint64, l int) bool { return a.others(p, s)>>l&1 != 0 }

// sameLanes: the same lane touched every byte in both accesses.
func (a *access) sameLanes(p, s uint64) bool {
	if (p^s)>>8&0xff == 0 && stampShape(p) != wholeWarp {
		return true
	}
	return stampLanes(p, a.unit) == stampLanes(s, a.unit) && bits.OnesCount32(stampLanes(p, a.unit)) == 1
}

// others are the lanes of p that another lane of s follows at the same byte.
func (a *access) others(p, s uint64) uint32 {
	if stampShape(p) == wholeWarp || stampShape(s) == wholeWarp {
		return stampLanes(p, a.unit)
	}
	out := uint32(0)
	step := uint32(1) << min(stampShape(p), stampShape(s), a.unit)
	for off := uint32(0); off < 1<<a.unit; off += step {
		if lp, ls := stampLane(at(p, off)), stampLane(at(s, off)); lp != ls {
			out |= 1 << lp
		}
	}
	return out
}

// after checks an access against the last write of a cell.
func (a *access) after(c *cell, s, off uint64) {
	switch {
	case !a.before(c.w, s):
		a.conflict(c.w, c.wline&lineMask, s, off, true)
	case a.async && c.w&uint64(stampAsync) == 0:
		a.crossing(c.w, c.wline&lineMask, s, off)
	}
}

// read checks and records a read of a cell by s.
func (a *access) read(c *cell, s uint64, off uint64) {
	if c.w != 0 {
		a.after(c, s, off)
	}
	if c.r == s {
		return
	}
	r := &a.t.readers
	key := readerKey{c.r, s, a.in.line}
	if c.r&uint64(isSet) != 0 {
		if key == r.last {
			c.r, c.rline = r.got, a.in.line
			return
		}
		if r.nodes[c.r>>8].stamp == s {
			return
		}
		got, ok := r.memo[key]
		if !ok {
			if got = s; !a.before(c.r, s) {
				got = a.t.push(c.r, s, a.in.line)
			}
			r.remember(key, got)
		}
		c.r, c.rline = got, a.in.line
		r.last, r.got = key, got
		return
	}
	if c.r == 0 || a.before(c.r, s) {
		c.r, c.rline = s, a.in.line
		return
	}
	got, ok := r.got, key == r.last
	if !ok {
		if got, ok = r.memo[key]; !ok {
			got = a.t.push(r.push(0, c.r, c.rline), s, a.in.line)
			r.remember(key, got)
		}
		r.last, r.got = key, got
	}
	c.r, c.rline = got, a.in.line
}

// put checks and records a write of a cell by s.
func (a *access) put(c *cell, s uint64, off uint64) {
	if c.w == s && c.r == 0 {
		return
	}
	if c.w != 0 {
		a.after(c, s, off)
	}
	if c.r != 0 {
		a.t.readers.all(c.r, c.rline, func(q uint64, line int32) bool {
			if !a.before(q, s) {
				a.conflict(q, line, s, off, false)
				return false
			}
			return true
		})
	}
	c.w, c.wline, c.r = s, a.in.line&lineMask, 0
	if a.store != nil && a.cta == nil && a.t.shared {
		c.wline |= a.hash(s) << lineBits
	}
}

// nodeLimit bounds the nodes of reader sets: beyond it only the last reader of each cell is kept.
const nodeLimit = 1 << 22

func (t *tracker) push(set, stamp uint64, line int32) uint64 {
	got := t.readers.push(set, stamp, line)
	if len(t.readers.nodes) > nodeLimit {
		t.forget()
		got = t.readers.push(0, stamp, line)
	}
	return got
}

// forget reduces every set of readers to its last one.
func (t *tracker) forget() {
	reduce := func(s *shadow) {
		for _, p := range s.pages {
			if p == nil {
				continue
			}
			for i := range p.cells {
				if c := &p.cells[i]; c.r&uint64(isSet) != 0 {
					n := t.readers.nodes[c.r>>8]
					c.r, c.rline = n.stamp, n.line
				}
			}
		}
	}
	for _, s := range t.global {
		reduce(s)
	}
	for _, c := range t.run.resident {
		reduce(c.track.shadow)
	}
	t.readers = readerSets{}
}

// span checks the bytes [lo, hi) of a shadow. Lane i of the run touches bytes [i<<shape, (i+1)<<shape) of it, counted
// from lane.
func (a *access) span(sh *shadow, lo, hi uint64, lane, shape uint32) {
	for lo < hi {
		i := lo >> pageShift
		p := sh.pages[i]
		if p == nil {
			p = sh.page(i)
		}
		from := lo & (pageBytes - 1)
		to := min(pageBytes, from+hi-lo)
		if (from|to)&(1<<p.unit-1) != 0 {
			p.fit(from, to, &a.t.readers)
		}
		a.unit = p.unit
		off := uint64(0)
		for j := from >> p.unit; j < to>>p.unit; j++ {
			s := a.stamp | uint64(shape)<<8
			if shape < oneLane {
				s |= uint64(lane+uint32(off>>shape)) & 31 << 11
			} else {
				s |= uint64(lane) << 11
			}
			if a.write {
				a.put(&p.cells[j], s, i<<pageShift+j<<p.unit)
			} else {
				a.read(&p.cells[j], s, i<<pageShift+j<<p.unit)
			}
			off += 1 << p.unit
		}
		if shape < oneLane {
			lane += uint32((to - from) >> shape)
		}
		lo += to - from
	}
}

// home finds the shadow of n bytes at an address, and their offset there; nil where no such memory is, or none that
// others see.
func (t *tracker) home(w *warp, p *place, addr, n uint64) (sh *shadow, c *cta, off uint64) {
	switch p.spaceOf(addr) {
	case isa.Shared, isa.SharedCluster:
		addr &= sharedWindow - 1
		c = w.cta
		if off = addr - c.first; off >= uint64(len(c.shared)) {
			rank := addr >> rankShift
			if rank >= uint64(len(c.cluster.ctas)) {
				return nil, nil, 0
			}
			c = c.cluster.ctas[rank]
			off = addr - c.first
		}
		if size := uint64(len(c.shared)); off >= size || n > size-off || c.liveWarps == 0 {
			return nil, nil, 0
		}
		return c.track.shadow, c, off
	case isa.Global:
		a := t.lastOf
		if a == nil || addr-a.base >= a.size {
			if a = t.run.l.dev.find(addr); a == nil || a.data == nil || addr-a.base >= a.size {
				return nil, nil, 0
			}
			t.lastOf, t.last = a, t.shadowOf(a)
		}
		if n > a.size-(addr-a.base) {
			return nil, nil, 0
		}
		return t.last, nil, addr - a.base
	}
	return nil, nil, 0
}

func (t *tracker) shadowOf(a *alloc) *shadow {
	sh := t.global[a]
	if sh == nil {
		sh = newShadow(a.size)
		sh.skip = a.readOnly || !t.written.may(a)
		t.global[a] = sh
	}
	return sh
}

// load checks the reads of a warp's lanes.
func (t *tracker) load(w *warp, in *inst, m uint32, p *place, addr *lanes, o order) {
	if p.space == isa.Local || p.space == isa.Param || m == 0 {
		return
	}
	t.visit(&access{t: t, w: w, in: in}, m, p, addr, o)
	if o.sem != semWeak {
		t.observe(w, m, p, addr, o)
	}
}

// storing checks the writes of a warp's lanes, before the bytes change.
func (t *tracker) storing(w *warp, in *inst, m uint32, st *storeOp, addr *lanes) {
	o := st.order
	if st.space == isa.Local || st.space == isa.Param || m == 0 {
		return
	}
	t.visit(&access{t: t, w: w, in: in, write: true, store: st}, m, &st.place, addr, o)
	if o.sem != semWeak {
		t.announce(w, m, &st.place, addr, o)
	}
}

// atomic checks the atomics of a warp's lanes: each reads and writes.
func (t *tracker) atomic(w *warp, in *inst, m uint32, p *place, addr *lanes, o order) {
	if p.space == isa.Local || m == 0 {
		return
	}
	t.visit(&access{t: t, w: w, in: in, write: true}, m, p, addr, o)
	if !o.red {
		t.observe(w, m, p, addr, o)
	}
	t.announce(w, m, p, addr, o)
}

// visit checks an access of the lanes in m, in runs of neighbouring lanes that touch neighbouring bytes.
func (t *tracker) visit(a *access, m uint32, p *place, addr *lanes, o order) {
	v := a.w.view
	a.addr = addr
	a.first = a.w.cta.cluster.track.id * t.stride()
	a.n = 1
	a.who[0] = v
	for i := range v.groups {
		g := &v.groups[i]
		part := m & g.mask
		if part == 0 {
			continue
		}
		a.group[0] = g
		a.stamp = v.stamp | uint64(v.now)<<16 | uint64(o.flags())
		a.lanes(part, p)
	}
}

func (a *access) lanes(m uint32, p *place) {
	shape := uint32(bits.TrailingZeros64(p.bytes))
	first := bits.TrailingZeros32(m)
	if !a.write && m&(m-1) != 0 && a.w.wide(m) == fullMask && a.broadcast(m, p, first) {
		return
	}
	for m != 0 {
		l := bits.TrailingZeros32(m)
		from := a.addr[l&31] + p.off
		end := l + 1
		next := from + p.bytes
		for end < warpSize && m>>end&1 != 0 && a.addr[end&31]+p.off == next {
			next += p.bytes
			end++
		}
		if from&(p.bytes-1) != 0 {
			m &^= 1 << l
			continue
		}
		sh, c, off := a.t.home(a.w, p, from, next-from)
		if sh == nil && end > l+1 { // a part of the run may exist
			end, next = l+1, from+p.bytes
			sh, c, off = a.t.home(a.w, p, from, p.bytes)
		}
		m &^= uint32(uint64(1)<<end - 1)
		if sh == nil || sh.skip && !a.write {
			continue
		}
		sh.skip = false
		if a.cta, a.alloc = c, a.t.lastOf; c != nil && c != a.w.cta {
			a.remote(l, end)
		}
		a.span(sh, off, off+next-from, uint32(l), shape)
	}
}

// broadcast handles a load of the same bytes by all lanes.
func (a *access) broadcast(m uint32, p *place, first int) bool {
	from := a.addr[first&31]
	for t := m; t != 0; t &= t - 1 {
		if a.addr[bits.TrailingZeros32(t)&31] != from {
			return false
		}
	}
	sh, c, off := a.t.home(a.w, p, from+p.off, p.bytes)
	if sh == nil || sh.skip || (from+p.off)&(p.bytes-1) != 0 {
		return true
	}
	if a.cta, a.alloc = c, a.t.lastOf; c != nil && c != a.w.cta {
		a.remote(0, warpSize)
	}
	a.span(sh, off, off+p.bytes, 0, wholeWarp)
	return true
}
