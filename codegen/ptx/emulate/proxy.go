package emulate

import "fmt"

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
			v.proxy = append(v.proxy, proxyFence{g.mask & m, v.now, g.k, g.self, shared, global, init})
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

// fenced looks for a proxy fence behind the write with stamp p that this access knows of.
func (a *access) fenced(p, s uint64, init bool) fenceSide {
	best := fencedNowhere
	writer := a.t.warpOf(a.w.cta.cluster, p)
	for _, c := range a.w.cta.cluster.ctas {
		for _, w := range c.warps {
			for i := len(w.view.proxy) - 1; i >= 0; i-- {
				f := &w.view.proxy[i]
				if f.init && !init || !f.init && (a.cta != nil && !f.shared || a.cta == nil && !f.global) {
					continue
				}
				lanes := a.fenceLanes(w, f, p, s)
				if lanes == 0 {
					continue
				}
				if w == writer {
					return fencedByWriter
				}
				best = fencedByIssuer
			}
		}
	}
	return best
}

// fenceLanes returns the lanes of a fence that know the write, and whose fence this access knows.
func (a *access) fenceLanes(w *warp, f *proxyFence, p, s uint64) uint32 {
	var out uint32
	me := w.view.actor
	for l := 0; l < warpSize; l++ {
		if f.mask>>l&1 == 0 {
			continue
		}
		at := stampOf(a.first+me, f.time, uint32(l), oneLane, 0)
		if !a.before(at, s) {
			continue
		}
		// What the fencing lane knew, itself included.
		b := access{t: a.t, w: w, n: 1, first: a.first, unit: a.unit}
		g := viewGroup{k: f.k, self: f.self.with(1<<l, f.time)}
		if b.beforeOne(p, at, &g, me+a.first) {
			out |= 1 << l
		}
	}
	return out
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
func (t *tracker) usesBarrier(a *access, lane int, c *cta, addr uint64) {
	b := t.mbar(c, addr)
	if b.init == 0 {
		return
	}
	a.unit, a.cta = 3, c
	s := a.w.view.stamp | uint64(a.w.view.now)<<16 | uint64(lane)<<11 | oneLane<<8
	off := addr - c.first
	if !a.before(b.init, s) {
		a.report(MbarInit, Error, conflicting{b.init, b.line, true}, s, off, "nothing orders mbarrier.init before the copy that completes on it")
		b.init = 0
		return
	}
	if a.fenced(b.init, s, true) == fencedNowhere {
		a.report(Proxy, Error, conflicting{b.init, b.line, true}, s, off, "no fence.mbarrier_init or fence.proxy.async stands between mbarrier.init and the copy that completes on it")
	}
}

// usesObject checks that an mbarrier instruction of a lane comes behind the init.
func (t *tracker) usesObject(w *warp, in *inst, lane int, c *cta, addr uint64) {
	b := t.mbar(c, addr)
	if b.init == 0 {
		return
	}
	v := w.view
	a := &access{t: t, w: w, in: in, n: 1, first: w.cta.cluster.track.id * t.stride(), cta: c, unit: 3}
	a.who[0], a.group[0] = v, v.groupOf(lane)
	s := v.stamp | uint64(v.now)<<16 | uint64(lane)<<11 | oneLane<<8
	if !a.before(b.init, s) {
		a.report(MbarInit, Error, conflicting{b.init, b.line, true}, s, addr-c.first, fmt.Sprintf("nothing orders mbarrier.init before %s", in.name()))
		b.init = 0
	}
}
