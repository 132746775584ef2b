package emulate

// The seam between the machine and the race checker. The machine tells a *tracker what happens, in the order in which
// it happens; worker.track is nil while the checker is off, so every call is behind
//
//	if t := w.run.track; t != nil { t.… }
//
// What is told, and by whom:
//
//	memory accesses      load, store, atomic: before the bytes change, with the lanes that reach memory
//	asynchronous copies  issue, with the spans of the operation; issueCopies for cp.async. Everything that an operation
//	                     touches is told at its issue, whenever it takes effect
//	groups of them       commit, waitGroup and waitAll for cp.async, bulk and wgmma groups (cpGroup, bulkGroup,
//	                     matrixGroup); copies and mbarPublish for cp.async.mbarrier.arrive
//	CTA barriers         barrierArrive for each warp that comes, barrierDone when the phase completes, once
//	cluster barriers     clusterArrive, clusterDone
//	warps                warpSync for bar.warp.sync; lockstep for shfl, vote, match, redux and elect
//	mbarriers            mbarInit, mbarArrive, mbarComplete (the phase turns over), mbarWait (a wait that succeeded)
//	fences               fence, for membar and every fence
//	the end              exitCTA, when the last thread of a CTA ends
//
// A warp's lanes are told apart everywhere: what lane 3 has learnt from a flag, lane 4 does not know before
// bar.warp.sync or a barrier.

// tracker follows the order of events over the CTAs of one worker, and checks accesses against it.
type tracker struct {
	run     *worker
	warps   uint32 // of a CTA
	actors  uint32 // fixed actors of a cluster; mbarriers come behind them
	shared  bool   // other workers run CTAs of the launch
	proxies bool   // the kernel has operations of the async proxy
	global  map[*alloc]*shadow
	lastOf  *alloc // whose shadow is last
	last    *shadow
	flags   map[flagKey]*flag
	readers readerSets
	written *writtenAllocs
}

// Kinds of actors. A warp acts itself and through engines that work behind it; each engine has its own time.
const (
	actsWarp       = iota
	actsCopy       // cp.async of a warp
	actsBulk       // bulk copies of a warp that complete by group
	actsBulkSource // their reads, for cp.async.bulk.wait_group.read
	actsMatrix     // wgmma of a warp
	actorKinds
	actsBarrier // an mbarrier: the copies that complete on it; numbered behind all others
)

// maxTime is the last time of an actor: events beyond it are not told apart any more.
const maxTime = 1<<24 - 1

// view is what the lanes of one warp know and where their time stands.
type view struct {
	actor  uint32 // in the cluster
	stamp  uint64 // of the warp in shadow cells
	now    uint32 // rises whenever a lane publishes or learns something
	groups []viewGroup
	fences []viewFence
	learnt []seenFlag // relaxed reads of flags that a later fence makes an acquire
	proxy  []proxyFence
	engine [actorKinds]engine
	fresh  uint32 // lanes that waited for operations of an engine and have not told the warp
}

// viewGroup is lanes that know the same.
type viewGroup struct {
	mask uint32
	k    *know // of everybody else
	self clock // of the lanes of the own warp
	step clock // likewise, counting lockstep instructions as order
}

// viewFence is what lanes knew at a fence that releases.
type viewFence struct {
	mask  uint32
	scope scope
	k     *know
	self  clock
	time  uint32
}

// seenFlag is what a relaxed read of a flag saw.
type seenFlag struct {
	mask  uint32
	scope scope
	k     *know
}

// engine is the time of asynchronous operations behind a warp, by lane.
type engine struct {
	now     [warpSize]uint32   // of the operation to come
	done    [warpSize]uint32   // up to which the lane has waited for its own
	commits [warpSize][]uint32 // times at which groups were committed and not waited for
}

// scope is how far an ordered access reaches (manual 8.5).
type scope uint8

const (
	scopeCTA scope = iota
	scopeCluster
	scopeGPU // and sys
)

// sem is the ordering of an access or fence (manual 8.4).
type sem uint8

const (
	semWeak sem = iota
	semRelaxed
	semAcquire
	semRelease
	semAcqRel
)

func (s sem) acquires() bool { return s == semAcquire || s == semAcqRel }
func (s sem) releases() bool { return s == semRelease || s == semAcqRel }

// ctaTrack is what the tracker keeps of a CTA.
type ctaTrack struct {
	shadow   *shadow // of its shared memory
	barriers [maxBarriers]gather
	remote   map[*warp]*remoteUse // accesses by other CTAs of the cluster
}

// clusterTrack is what it keeps of a cluster.
type clusterTrack struct {
	id      uint32
	barrier gather
	done    *know  // of the phase of the cluster barrier that completed last
	mbars   uint32 // actors given to mbarriers
}

func newTracker(w *worker) *tracker {
	size := uint32(volume(w.l.Cluster))
	t := &tracker{run: w, warps: uint32(w.l.warps), global: map[*alloc]*shadow{}, flags: map[flagKey]*flag{}}
	t.proxies = w.l.k.asynchronous
	t.actors = size * t.warps
	if t.proxies {
		t.actors *= actorKinds
	}
	t.written = writtenBy(w.l)
	return t
}

// actor numbers an actor of a cluster.
func (t *tracker) actor(c *cta, warp int, kind uint32) uint32 {
	n := uint32(c.rank)*t.warps + uint32(warp)
	if t.proxies {
		n = n*actorKinds + kind
	}
	return n
}

// start gets a CTA and its warps ready. Nobody knows anything of them yet, nor they of anybody.
func (t *tracker) start(c *cta) {
	if c.track == nil {
		c.track = &ctaTrack{shadow: newShadow(uint64(len(c.shared)))}
	} else {
		c.track.shadow.clear()
		c.track.barriers = [maxBarriers]gather{}
	}
	c.track.remote = nil
	if c.cluster.track == nil {
		c.cluster.track = &clusterTrack{id: uint32(c.index) / uint32(volume(t.run.l.Cluster))}
	}
	nobody := &know{cluster: c.cluster.track.id}
	for i, w := range c.warps {
		v := w.view
		if v == nil {
			v = &view{}
			w.view = v
		}
		*v = view{actor: t.actor(c, i, actsWarp), now: 1, groups: v.groups[:0], fences: v.fences[:0], learnt: v.learnt[:0], proxy: v.proxy[:0]}
		v.stamp = stampOf(t.everywhere(c, v.actor), 0, 0, 0, 0)
		v.groups = append(v.groups, viewGroup{mask: fullMask, k: nobody})
		for e := range v.engine {
			for l := range v.engine[e].now {
				v.engine[e].now[l] = 1
			}
		}
	}
}

// everywhere numbers an actor over the whole launch.
func (t *tracker) everywhere(c *cta, actor uint32) uint32 {
	return c.cluster.track.id*t.stride() + actor
}

// mbarActors is how many mbarriers of a cluster are told apart.
const mbarActors = 1 << 10

func (t *tracker) stride() uint32 {
	if t.proxies {
		return t.actors + mbarActors
	}
	return t.actors
}

// wide adds the lanes that are not there to a mask: what they did before they ended goes with the others.
func (w *warp) wide(m uint32) uint32 { return m | ^w.live }

// tick moves the warp's time on, so that what follows is told apart from what was published.
func (v *view) tick() {
	if v.now < maxTime {
		v.now++
	}
}

// groupOf returns the group that holds a lane.
func (v *view) groupOf(lane int) *viewGroup {
	for i := range v.groups {
		if v.groups[i].mask>>lane&1 != 0 {
			return &v.groups[i]
		}
	}
	return &v.groups[0]
}

// publish calls f with what the lanes in m know, group by group: everybody else's time and their own.
func (t *tracker) publish(w *warp, m uint32, f func(k *know, self clock)) {
	v := w.view
	m = w.wide(m)
	for i := range v.groups {
		if g := &v.groups[i]; g.mask&m != 0 {
			f(t.withEngines(v, m&g.mask, g.k), g.self.with(m&g.mask, v.now))
		}
	}
	v.tick()
}

// snapshot is what the lanes in m know, themselves included, as one vector clock.
func (t *tracker) snapshot(w *warp, m uint32) *know {
	var g gather
	t.publish(w, m, func(k *know, self clock) { g.add(k, w.view.actor, self) })
	return g.take()
}

// learn gives knowledge to the lanes in m.
func (t *tracker) learn(w *warp, m uint32, k *know) {
	if k == nil || m == 0 {
		return
	}
	v := w.view
	m = w.wide(m)
	n := len(v.groups)
	for i := 0; i < n; i++ {
		g := &v.groups[i]
		if g.mask&m == 0 {
			continue
		}
		joined := g.k.join(k)
		self := g.self
		if k.cluster == g.k.cluster {
			self = self.join(k.of(v.actor))
		}
		if joined == g.k && self == g.self {
			continue
		}
		if rest := g.mask &^ m; rest != 0 {
			v.groups = append(v.groups, viewGroup{rest, g.k, g.self, g.step})
			g = &v.groups[i]
			g.mask &= m
		}
		g.k, g.self, g.step = joined, self, g.step.join(self)
	}
	v.mergeEqual()
	v.tick()
}

// mergeEqual unites groups that came to know the same.
func (v *view) mergeEqual() {
	for i := 0; i < len(v.groups); i++ {
		for j := len(v.groups) - 1; j > i; j-- {
			a, b := &v.groups[i], &v.groups[j]
			if a.mask == 0 || b.mask == 0 || a.k == b.k && a.self == b.self && a.step == b.step {
				a.mask |= b.mask
				v.groups = append(v.groups[:j], v.groups[j+1:]...)
			}
		}
	}
}

// warpSync is bar.warp.sync: memory accesses of the lanes in m are ordered (manual 9.7.13.4).
func (t *tracker) warpSync(w *warp, m uint32) { t.meet(w, m, true) }

// lockstep is an instruction that the lanes in m execute together and that orders no memory (shfl, vote, …).
func (t *tracker) lockstep(w *warp, m uint32) { t.meet(w, m, false) }

func (t *tracker) meet(w *warp, m uint32, memory bool) {
	v := w.view
	m = w.wide(m)
	if len(v.groups) == 1 && m == fullMask {
		g := &v.groups[0]
		g.step = clock{all: v.now}
		if memory {
			g.self, g.k = g.step, t.withEngines(v, m, g.k)
			v.fresh = 0
		}
		v.tick()
		return
	}
	joined := viewGroup{mask: m}
	for i := range v.groups {
		g := &v.groups[i]
		if g.mask&m == 0 {
			continue
		}
		if joined.k == nil {
			joined.k = g.k
		}
		joined.k, joined.self, joined.step = joined.k.join(g.k), joined.self.join(g.self), joined.step.join(g.step)
	}
	joined.step = joined.step.with(m, v.now)
	if !memory {
		for i := range v.groups {
			if g := &v.groups[i]; g.mask&m != 0 {
				g.step = g.step.join(joined.step)
			}
		}
		v.tick()
		return
	}
	joined.self, joined.k = joined.self.with(m, v.now), t.withEngines(v, m, joined.k)
	v.fresh &^= m
	kept := v.groups[:0]
	for _, g := range v.groups {
		if g.mask &^= m; g.mask != 0 {
			kept = append(kept, g)
		}
	}
	v.groups = append(kept, joined)
	v.tick()
}

// barrierArrive: the lanes in m come to a CTA barrier (manual 9.7.13.1).
func (t *tracker) barrierArrive(w *warp, id int, m uint32) {
	b := &w.cta.track.barriers[id]
	t.publish(w, m, func(k *know, self clock) { b.add(k, w.view.actor, self) })
}

// barrierDone: the phase is complete. Those who waited adopt what came together.
func (t *tracker) barrierDone(c *cta, id int) *know { return c.track.barriers[id].take() }

// adopt gives lanes knowledge that they contributed to, so that it is all they know.
func (t *tracker) adopt(w *warp, m uint32, k *know) {
	v := w.view
	if k == nil {
		return
	}
	if len(v.groups) == 1 && w.wide(m) == fullMask {
		g := &v.groups[0]
		g.k, g.self = k, k.of(v.actor)
		g.step = g.step.join(g.self)
		v.fresh = 0
		v.tick()
		return
	}
	t.learn(w, m, k)
	v.fresh &^= m
}

// clusterArrive: the lanes in m arrive at the cluster barrier; without release they publish nothing.
func (t *tracker) clusterArrive(w *warp, m uint32, release bool) {
	if !release {
		return
	}
	b := &w.cta.cluster.track.barrier
	t.publish(w, m, func(k *know, self clock) { b.add(k, w.view.actor, self) })
}

// clusterDone: the phase is complete.
func (t *tracker) clusterDone(c *cluster) { c.track.done = c.track.barrier.take() }

// clusterWait: the lanes in m passed the wait for the phase that completed last. Nobody can miss a phase: the next
// one needs the arrival of those who wait for this one.
func (t *tracker) clusterWait(w *warp, m uint32) { t.learn(w, m, w.cta.cluster.track.done) }
