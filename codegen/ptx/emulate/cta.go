package emulate

import (
	"math/bits"
	"math/rand/v2"
)

// cta is one resident thread block.
type cta struct {
	index     int // in launch order
	id        [3]uint32
	shared    []byte     // from sharedUserStart
	sInit     []byte     // shadow of shared
	flight    []*asyncOp // asynchronous operations that its threads issued and that are not done
	registers int        // in the pool: given back and not taken
	triggered bool       // dependent grids may start, as far as this CTA is concerned
	chance    *rand.Rand // for AsyncRandom
	warps     []*warp
	liveWarps int
	barriers  [maxBarriers]barrier
	mbars     map[uint32]*mbarrier // by the offset from the first user byte
	mapFences map[uint64]bool      // tensor maps in global memory that a fence has acquired
	cluster   *cluster
	rank      int       // in the cluster
	track     *ctaTrack // of the race checker
	first     uint64    // address of the first user byte in the shared window: the rank is its high byte

	warpgroups    []*warpgroup
	matrixSources []uint16 // for each 16 bytes of shared memory: wgmma operations in flight that will read them
}

// start makes a CTA ready to run, on the memory of an ended one where there is one.
func (w *worker) start(cl *cluster, index, rank int) *cta {
	l := w.l
	var c *cta
	if n := len(w.spare); n > 0 {
		c = w.spare[n-1]
		w.spare = w.spare[:n-1]
		clear(c.shared)
		clear(c.sInit)
		c.barriers = [maxBarriers]barrier{}
	} else {
		size := l.shared - sharedUserStart
		c = &cta{shared: make([]byte, size), sInit: make([]byte, size), warps: make([]*warp, l.warps)}
		for i := range c.warps {
			c.warps[i] = newWarp(w, c, i)
		}
	}
	c.flight, c.warpgroups, c.matrixSources = c.flight[:0], nil, nil
	c.registers, c.triggered = 0, false
	clear(c.mbars)
	clear(c.mapFences)
	if w.async == AsyncRandom {
		c.chance = newChance(l.dev.cfg.Seed, index)
	}
	c.first = sharedUserStart
	if l.k.clustered {
		c.first |= uint64(rank) << rankShift
	}
	c.cluster, c.rank = cl, rank
	c.index, c.id, c.liveWarps = index, l.ctaID(index), l.warps
	for i, wp := range c.warps {
		wp.reset(l.threads - i*warpSize)
	}
	if w.track != nil {
		w.track.start(c)
	}
	return c
}

// ctaID turns the launch index into coordinates. CTAs of a cluster are neighbours in launch order.
func (l *launch) ctaID(index int) [3]uint32 {
	g, c := l.Grid, l.Cluster
	size := uint32(volume(c))
	rank, cl := uint32(index)%size, uint32(index)/size
	gx, gy := g[0]/c[0], g[1]/c[1]
	return [3]uint32{
		cl%gx*c[0] + rank%c[0],
		cl/gx%gy*c[1] + rank/c[0]%c[1],
		cl/gx/gy*c[2] + rank/c[0]/c[1],
	}
}

func newWarp(run *worker, c *cta, index int) *warp {
	k := run.l.k
	return &warp{cta: c, run: run, k: k, index: index,
		regs: make([]lanes, k.nregs), preds: make([]uint32, k.npreds), def: make([]uint32, k.nregs+k.npreds),
		local: make([]byte, k.localBytes*warpSize), lInit: make([]byte, k.localBytes*warpSize)}
}

// reset prepares a warp with n threads left for it.
func (w *warp) reset(n int) {
	w.exists = fullMask
	if n < warpSize {
		w.exists = 1<<n - 1
	}
	w.live = w.exists
	w.frags = append(w.frags[:0], frag{mask: w.exists})
	clear(w.regs)
	clear(w.preds)
	clear(w.def)
	clear(w.local)
	clear(w.lInit)
	w.origin, w.matrix = nil, nil
	w.barArrived = [maxBarriers]uint32{}
	w.clusterArrived, w.clusterPassed = 0, 0
	w.copies.reset()
	w.polls = nil
	w.registers, w.regChanges, w.gridWaited = w.k.entryRegisters(), w.regChanges[:0], 0
	w.bulks.reset()
	w.spinsSince, w.seen, w.steps, w.threads = 0, 0, 0, 0
}

// exit ends the lanes in m of the current fragment.
func (w *warp) exit(in *inst, m uint32) {
	f := &w.frags[w.cur]
	f.mask &^= m
	w.live &^= m
	w.run.progress++
	if f.mask == 0 {
		w.frags = append(w.frags[:w.cur], w.frags[w.cur+1:]...)
	} else {
		f.pc++
	}
	if w.live == 0 {
		if w.matrix != nil {
			w.matrix.leave(w, in)
		}
		if w.cta.liveWarps--; w.cta.liveWarps == 0 {
			w.cta.finish(w.run)
			w.cta.trigger(w.run)
		}
	}
	if t := w.run.track; t != nil && w.cta.liveWarps == 0 && w.live == 0 {
		t.exitCTA(w.cta)
	}
	w.cta.recheckBarriers(w)
	w.cta.cluster.complete(w.run)
}

// thread returns the coordinates of a lane.
func (w *warp) thread(lane int) Thread {
	b := w.run.l.Block
	t := uint32(w.index*warpSize + lane)
	return Thread{CTA: w.cta.id, Thread: [3]uint32{t % b[0], t / b[0] % b[1], t / b[0] / b[1]}}
}

// threadsOf lists the first few lanes of a mask.
func (w *warp) threadsOf(m uint32) []Thread {
	var out []Thread
	for ; m != 0 && len(out) < threadsPerFinding; m &= m - 1 {
		out = append(out, w.thread(bits.TrailingZeros32(m)))
	}
	return out
}

// find reports a finding about lanes of this warp at an instruction.
func (w *warp) find(class Class, in *inst, m uint32, message string) {
	w.run.report(w.cta, Finding{Class: class, Line: int(in.line), Message: message, Threads: w.threadsOf(m)})
}

// known counts a finding that needs no further message, and reports whether it is one.
func (w *warp) known(class Class, in *inst) bool {
	if !w.run.rep.repeat(class, int(in.line)) {
		return false
	}
	w.run.stopped = w.run.stopped || w.run.rep.full()
	return true
}

// undefined reports a use of an undefined value. what completes "register %r1 ...".
func (w *warp) undefined(id int32, bad uint32, in *inst, what string) {
	o := w.originOf(id)
	msg := "register " + w.k.names[id] + " " + what + ", and no instruction gave it a value"
	if o.class != InitRegister {
		msg = "register " + w.k.names[id] + " " + what + "; its value comes from memory that nobody wrote, loaded at PTX line " + itoa(o.line)
	}
	w.find(o.class, in, bad, msg)
	w.def[id] |= bad // once is enough: what depends on it is not reported again
}
