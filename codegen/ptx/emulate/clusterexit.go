package emulate

import (
	"fmt"
	"math/bits"
)

// A CTA's shared memory ends with its last thread. An access by another CTA of the cluster therefore has to happen
// before that end: the owner has to know of it, from a cluster barrier or an mbarrier (manual 5.1.7).

// remoteUse is the latest accesses of one warp to the shared memory of another CTA.
type remoteUse struct {
	w     *warp
	lanes uint32
	time  [warpSize]uint32
	line  int32
}

// remote records that lanes [from, to) touch the shared memory of another CTA.
func (a *access) remote(from, to int) {
	r := a.cta.track.remote[a.w]
	if r == nil {
		r = &remoteUse{w: a.w}
		if a.cta.track.remote == nil {
			a.cta.track.remote = map[*warp]*remoteUse{}
		}
		a.cta.track.remote[a.w] = r
	}
	r.line = a.in.line
	for l := from; l < to; l++ {
		r.lanes |= 1 << l
		r.time[l] = a.w.view.now
	}
}

// remoteObject records that a lane arrives on an mbarrier of another CTA.
func (t *tracker) remoteObject(w *warp, in *inst, lane int, b *mbarrier) {
	a := t.newAccess(w, in)
	a.cta = b.cta
	a.remote(lane, lane+1)
}

// exitCTA checks, when the last thread of a CTA ends, that its threads know of every access to its shared memory.
func (t *tracker) exitCTA(c *cta) {
	if len(c.track.remote) == 0 {
		return
	}
	var known gather
	for _, w := range c.warps {
		for i := range w.view.groups {
			g := &w.view.groups[i]
			known.add(g.k, w.view.actor, g.self)
		}
	}
	k := known.take()
	for _, peer := range c.cluster.ctas {
		for _, w := range peer.warps {
			if r := c.track.remote[w]; r != nil {
				r.check(t, c, k)
			}
		}
	}
}

func (r *remoteUse) check(t *tracker, c *cta, k *know) {
	var bad uint32
	for m := r.lanes & r.w.exists; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if !k.of(r.w.view.actor).reaches(1<<l, r.time[l]) {
			bad |= 1 << l
		}
	}
	if bad == 0 {
		return
	}
	t.run.report(r.w.cta, Finding{Class: ClusterExit, Line: int(r.line), Threads: r.w.threadsOf(bad), Section: "5.1.7",
		Message: fmt.Sprintf("an access to the shared memory of rank %d; nothing makes that block wait for it before it ends: a cluster barrier is missing", c.rank)})
}
