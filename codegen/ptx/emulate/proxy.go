package emulate

import (
	"fmt"
	"math/bits"
)

// What ordinary instructions wrote reaches the async proxy only behind a proxy fence (manual 8.6, 9.7.13.4): the
// writer fences, then it releases. A fence that only the side that starts the copy executes works on the chip and has
// no rule in the manual; it is a warning.

// proxyFence is a fence.proxy.async, or a fence.mbarrier_init, by some lanes of a warp.
type proxyFence struct {
	mask   uint32
	time   uint32
	k      *know
	self   clock
	shared bool // covers shared memory
	global bool
	init   bool // covers mbarrier.init only
}

// keepFences bounds what is remembered of a warp's proxy fences.
const keepFences = 256

// proxyFence is fence.proxy.async of the lanes in m, for the spaces it names, or fence.mbarrier_init.
func (t *tracker) proxyFence(w *warp, m uint32, shared, global, init bool) {
	v := w.view
	if len(v.proxy) >= keepFences {
		v.proxy = append(v.proxy[:0], v.proxy[keepFences/2:]...)
	}
	for i := range v.groups {
		if g := &v.groups[i]; g.mask&m != 0 {
			v.proxy = append(v.proxy, proxyFence{g.mask & m, v.now, t.withEngines(v, g.mask&m, g.k), g.self, shared, global, init})
		}
	}
	v.tick()
}

// proxyVerdict remembers what was found about one writer.
type proxyVerdict struct {
	of    uint64
	known bool
	good  fenceSide
}

type fenceSide uint8

const (
	fencedNowhere fenceSide = iota
	fencedByIssuer
	fencedByWriter
)

// crossing checks that a generic write of a cell was fenced before an access through the async proxy.
func (a *access) crossing(p uint64, line int32, s, off uint64) {
	key := p &^ 0xff
	if !a.cover.known || a.cover.of != key {
		a.cover = proxyVerdict{key, true, a.fenced(p, s, false)}
	}
	switch a.cover.good {
	case fencedNowhere:
		a.report(Proxy, Error, conflicting{p, line, true}, s, off, "the writing thread executes no fence.proxy.async before it hands the bytes over")
	case fencedByIssuer:
		a.report(Proxy, Warning, conflicting{p, line, true}, s, off, "only the thread that starts the copy executes fence.proxy.async, not the one that wrote")
	}
}

// fenced looks for proxy fences behind the write with stamp p that this access knows of.
func (a *access) fenced(p, s uint64, init bool) fenceSide {
	writer := a.t.warpOf(a.w.cta.cluster, p)
	rest := stampLanes(p, a.unit)
	if writer != nil && byte(p)&stampEngine == 0 {
		rest &= writer.exists
		if rest = a.ownFences(writer, p, s, rest, init); rest == 0 {
			return fencedByWriter
		}
	}
	side := fencedByWriter
	for ; rest != 0; rest &= rest - 1 {
		l := uint32(bits.TrailingZeros32(rest))
		side = min(side, a.laneFenced(p&^(0xff<<8)|uint64(l)<<11|oneLane<<8, s, writer, init))
	}
	return side
}

// covers reports whether a fence is for what the access touches.
func (f *proxyFence) covers(a *access, init bool) bool {
	if f.init {
		return init
	}
	return a.cta != nil && f.shared || a.cta == nil && f.global
}

// ownFences returns the lanes of a write whose own fences behind it this access does not know of. What a lane did at
// a time happened before its fence of that time.
func (a *access) ownFences(w *warp, p, s uint64, lanes uint32, init bool) uint32 {
	for i := len(w.view.proxy) - 1; i >= 0 && lanes != 0; i-- {
		f := &w.view.proxy[i]
		if f.time < stampTime(p) {
			break
		}
		if m := f.mask & lanes; m != 0 && f.covers(a, init) {
			for x := m; x != 0; x &= x - 1 {
				l := uint32(bits.TrailingZeros32(x))
				if a.before(stampOf(stampActor(p), f.time, l, oneLane, 0), s) {
					lanes &^= 1 << l
				}
			}
		}
	}
	return lanes
}

// laneFenced looks for a fence by anybody who knew of the write of one lane.
func (a *access) laneFenced(p, s uint64, writer *warp, init bool) fenceSide {
	best := fencedNowhere
	for _, c := range a.w.cta.cluster.ctas {
		for _, w := range c.warps {
			for i := len(w.view.proxy) - 1; i >= 0; i-- {
				if f := &w.view.proxy[i]; f.covers(a, init) && a.knowsFence(w, f, p, s) {
					if w == writer {
						return fencedByWriter
					}
					best = fencedByIssuer
					break
				}
			}
		}
	}
	return best
}

// knowsFence: a lane of the fence knew the write, and this access knows of its fence.
func (a *access) knowsFence(w *warp, f *proxyFence, p, s uint64) bool {
	me := w.view.actor + a.first
	b := access{t: a.t, w: w, n: 1, first: a.first, unit: a.unit}
	for m := f.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		at := stampOf(me, f.time, uint32(l), oneLane, 0)
		if !a.before(at, s) {
			continue
		}
		g := viewGroup{k: f.k, self: f.self.with(1<<l, f.time)} // what the lane knew, itself included
		if b.beforeOne(p, at, &g, w.view) {
			return true
		}
	}
	return false
}

// warpOf returns the warp of the cluster behind a stamp, or nil.
func (t *tracker) warpOf(c *cluster, p uint64) *warp {
	actor := (stampActor(p) - c.track.id*t.stride()) & (1<<24 - 1)
	if actor >= t.actors {
		return nil
	}
	if t.proxies {
		actor /= actorKinds
	}
	return c.ctas[actor/t.warps].warps[actor%t.warps]
}

// usesBarrier checks that the copy engine may complete on an mbarrier: its init has to be fenced and handed over.
func (t *tracker) usesBarrier(a *access, lane int, b *mbarrier) {
	x := t.mbar(b)
	if x.init == 0 {
		return
	}
	a.unit, a.cta = 3, b.cta
	p := conflicting{x.init, x.line, true}
	s := a.w.view.stamp | uint64(a.w.view.now)<<16 | uint64(lane)<<11 | oneLane<<8
	switch off := b.addr - b.cta.first; {
	case !a.before(x.init, s):
		a.report(MbarInit, Error, p, s, off, "nothing orders mbarrier.init before the copy that completes on it")
		x.init = 0
	case a.fenced(x.init, s, true) == fencedNowhere:
		a.report(Proxy, Error, p, s, off, "no fence.mbarrier_init or fence.proxy.async stands between mbarrier.init and the copy that completes on it")
	}
}

// usesObject checks that an mbarrier instruction of a lane comes behind the init.
func (t *tracker) usesObject(w *warp, in *inst, lane int, b *mbarrier) {
	x := t.mbar(b)
	if x.init == 0 {
		return
	}
	a, v := t.newAccess(w, in), w.view
	a.cta, a.unit, a.group[0] = b.cta, 3, v.groupOf(lane)
	s := v.stamp | uint64(v.now)<<16 | uint64(lane)<<11 | oneLane<<8
	if !a.before(x.init, s) {
		a.report(MbarInit, Error, conflicting{x.init, x.line, true}, s, b.addr-b.cta.first, fmt.Sprintf("nothing orders mbarrier.init before %s", in.name()))
		x.init = 0
	}
}
