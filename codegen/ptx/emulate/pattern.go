package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Release and acquire patterns (manual 8.8): a strong write of a flag publishes what its thread knew at its release,
// a strong read of the flag that acquires takes it over. Either side may be an access with .release or .acquire, or a
// relaxed one with a fence before it, or behind it. The scopes of both sides must hold each other.

// flagKey is a location that strong accesses use.
type flagKey struct {
	cta  int // index in the launch + 1 for shared memory, 0: global
	addr uint64
}

// flag is what a location's current value publishes.
type flag struct {
	releases []release
}

type release struct {
	scope   scope
	cta     int
	cluster uint32
	k       *know
}

// holds reports whether a thread of a CTA lies in the scope of a release, and the releasing thread in the reader's.
func (r *release) holds(c *cta, o scope) bool {
	switch min(r.scope, o) {
	case scopeCTA:
		return r.cta == c.index
	case scopeCluster:
		return r.cluster == c.cluster.track.id
	}
	return true
}

func (t *tracker) flagOf(w *warp, p *place, addr uint64) (flagKey, bool) {
	switch p.spaceOf(addr) {
	case isa.Shared, isa.SharedCluster:
		if sh, c, off := t.home(w, p, addr, p.bytes); sh != nil {
			return flagKey{c.index + 1, off}, true
		}
	case isa.Global:
		return flagKey{0, addr}, true
	}
	return flagKey{}, false
}

// announce is the writing side: strong writes by the lanes in m. Lanes act in ascending order.
func (t *tracker) announce(w *warp, m uint32, p *place, addr *lanes, o order) {
	v := w.view
	if !o.sem.releases() && len(v.fences) == 0 && len(t.flags) == 0 {
		return
	}
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		key, ok := t.flagOf(w, p, addr[l&31]+p.off)
		if !ok {
			continue
		}
		r := release{cta: w.cta.index, cluster: w.cta.cluster.track.id, scope: o.scope}
		if o.sem.releases() {
			r.k = t.snapshot(w, 1<<l)
		} else if f := v.fenceOf(l); f != nil {
			r.k, r.scope = f.of(l, v.actor), min(o.scope, f.scope)
		}
		t.release(key, r, o.rmw)
	}
}

// release changes what a location publishes. An atomic continues what was there, a store ends it.
func (t *tracker) release(key flagKey, r release, rmw bool) {
	f := t.flags[key]
	if f == nil {
		if r.k == nil {
			return
		}
		f = &flag{}
		t.flags[key] = f
	}
	if !rmw {
		f.releases = f.releases[:0]
	}
	if r.k == nil {
		return
	}
	for i := range f.releases {
		if x := &f.releases[i]; x.scope == r.scope && x.cluster == r.cluster && (r.scope != scopeCTA || x.cta == r.cta) {
			x.k = x.k.join(r.k)
			return
		}
	}
	f.releases = append(f.releases, r)
}

// of is what one lane's fence publishes: what its neighbours did is not part of it.
func (f *viewFence) of(lane int, actor uint32) *know {
	var g gather
	g.add(f.k, actor, f.self.with(1<<lane, f.time))
	return g.take()
}

func (v *view) fenceOf(lane int) *viewFence {
	for i := range v.fences {
		if v.fences[i].mask>>lane&1 != 0 {
			return &v.fences[i]
		}
	}
	return nil
}

// observe is the reading side: strong reads by the lanes in m.
func (t *tracker) observe(w *warp, m uint32, p *place, addr *lanes, o order) {
	if len(t.flags) == 0 {
		return
	}
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		key, ok := t.flagOf(w, p, addr[l&31]+p.off)
		f := t.flags[key]
		if !ok || f == nil {
			continue
		}
		for i := range f.releases {
			r := &f.releases[i]
			if !r.holds(w.cta, o.scope) {
				continue
			}
			if o.sem.acquires() {
				t.learn(w, 1<<l, r.k)
			} else {
				w.view.remember(1<<l, min(r.scope, o.scope), r.k)
			}
		}
	}
}

// remember keeps what a relaxed read saw: a later fence of the lane acquires it.
func (v *view) remember(m uint32, s scope, k *know) {
	for i := range v.learnt {
		if x := &v.learnt[i]; x.k == k && x.scope == s {
			x.mask |= m
			return
		}
	}
	v.learnt = append(v.learnt, seenFlag{m, s, k})
}

// fence is membar or fence.{acq_rel,sc,acquire,release}: it releases for the strong writes that follow, and acquires
// for the strong reads before.
func (t *tracker) fence(w *warp, m uint32, s sem, sc scope) {
	v := w.view
	if s.acquires() {
		kept := v.learnt[:0]
		for _, x := range v.learnt {
			if n := x.mask & m; n != 0 && t.fits(w, sc, x) {
				t.learn(w, n, x.k)
				x.mask &^= n
			}
			if x.mask != 0 {
				kept = append(kept, x)
			}
		}
		v.learnt = kept
	}
	if !s.releases() {
		return
	}
	kept := v.fences[:0]
	for _, x := range v.fences {
		if x.mask &^= m; x.mask != 0 {
			kept = append(kept, x)
		}
	}
	v.fences = kept
	for i := range v.groups {
		if g := &v.groups[i]; g.mask&m != 0 {
			v.fences = append(v.fences, viewFence{g.mask & m, sc, t.withEngines(v, g.mask&m, g.k), g.self, v.now})
		}
	}
	v.tick()
}

// fits reports whether a fence of a scope can acquire what a relaxed read saw.
func (t *tracker) fits(w *warp, sc scope, x seenFlag) bool {
	return min(sc, x.scope) == scopeGPU || x.k.cluster == w.cta.cluster.track.id
}
