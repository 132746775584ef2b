package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// rankShift places the rank of a CTA in addresses of the cluster's shared memory, as on the chip.
const rankShift = 24

// cluster is the CTAs that are resident together and reach each other's shared memory.
type cluster struct {
	ctas   []*cta        // by rank
	phases int           // of the cluster barrier that are complete
	track  *clusterTrack // of the race checker
}

// usesCluster reports whether an instruction is one that only makes sense where CTAs know their rank.
func usesCluster(f *isa.Form) bool {
	switch f.Opcode() {
	case "mapa", "getctarank":
		return true
	}
	for _, m := range f.Mods() {
		switch m {
		case "shared::cluster", "multicast::cluster", "cluster":
			return true
		}
	}
	return false
}

func (c *cluster) ended() bool {
	for _, x := range c.ctas {
		if x.liveWarps > 0 {
			return false
		}
	}
	return true
}

// sharedOfCluster returns bytes of the shared memory of any CTA of the cluster, or nil.
func (w *warp) sharedOfCluster(addr, n uint64) (mem, shadow []byte) {
	c := w.cta
	if mem, shadow = c.sharedAt(addr, n); mem != nil || !w.k.clustered {
		return mem, shadow
	}
	peer, class, _ := w.peer(addr)
	if class != "" && class != ClusterStart {
		return nil, nil
	}
	if class == ClusterStart {
		w.beforeStart(peer)
	}
	return peer.sharedAt(addr, n)
}

// peer returns the CTA that an address of the cluster's shared memory belongs to, and what is wrong with reaching it.
func (w *warp) peer(addr uint64) (peer *cta, class Class, why string) {
	cl, rank := w.cta.cluster, int(min(addr>>rankShift, 1<<16))
	if rank >= len(cl.ctas) {
		return nil, ClusterRank, fmt.Sprintf("shared address %#x belongs to rank %d; the cluster has %d blocks", addr, rank, len(cl.ctas))
	}
	peer = cl.ctas[rank]
	switch {
	case peer == w.cta:
		return peer, "", ""
	case peer.liveWarps == 0:
		return peer, ClusterExit, fmt.Sprintf("shared address %#x belongs to the block of rank %d, which has ended", addr, rank)
	case cl.phases == 0:
		return peer, ClusterStart, fmt.Sprintf("shared address %#x belongs to the block of rank %d, which may not have started: no cluster barrier was passed before", addr, rank)
	}
	return peer, "", ""
}

// beforeStart reports an access to the memory of a CTA that may not run yet, at the current instruction.
func (w *warp) beforeStart(peer *cta) {
	f := &w.frags[w.cur]
	in := &w.k.code[f.pc]
	if !w.run.asynccheck || w.known(ClusterStart, in) {
		return
	}
	_, _, why := w.peer(uint64(peer.rank) << rankShift)
	w.run.report(w.cta, Finding{Class: ClusterStart, Line: int(in.line), Threads: w.threadsOf(f.mask), Section: "9.7.13.3", Message: why})
}

// clusterBarrier is barrier.cluster.arrive and .wait (manual 9.7.13.3).
type clusterBarrier struct {
	wait, aligned, relaxed bool
}

func decodeClusterBarrier(b *build) {
	b.ignore("cluster", "release", "acquire")
	o := &clusterBarrier{relaxed: b.has("relaxed"), aligned: b.has("aligned"), wait: b.oneOf("arrive", "wait") == "wait"}
	b.inst.visible = true
	b.inst.ctl = o.enter
}

func (o *clusterBarrier) enter(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	if o.aligned && m != w.live {
		w.find(SyncDiverged, in, w.live, fmt.Sprintf("%s: lanes %s execute it and lanes %s do not; it must be executed by the whole warp", in.name(), laneList(m), laneList(w.live&^m)))
	}
	w.part(m)
	if o.wait {
		return w.waitCluster(in, m)
	}
	if again := m & (w.clusterArrived | w.clusterPassed); again != 0 {
		w.run.report(w.cta, Finding{Class: SyncCluster, Line: int(in.line), Threads: w.threadsOf(again), Section: "9.7.13.3",
			Message: "a thread arrives at the cluster barrier a second time without having waited"})
		w.clusterPassed &^= again
	}
	w.clusterArrived |= m
	if t := w.run.track; t != nil {
		t.clusterArrive(w, m, !o.relaxed)
	}
	w.run.progress++
	w.frags[w.cur].pc++
	w.cta.cluster.complete(w.run)
	return true
}

// part leaves only the lanes of m in the current fragment; the others go on behind the instruction.
func (w *warp) part(m uint32) {
	f := &w.frags[w.cur]
	if f.mask == m {
		return
	}
	rest := frag{pc: f.pc + 1, mask: f.mask &^ m, stack: append([]int32(nil), f.stack...)}
	f.mask = m
	w.frags = append(w.frags, rest)
}

func (w *warp) waitCluster(in *inst, m uint32) bool {
	if early := m &^ (w.clusterArrived | w.clusterPassed); early != 0 {
		w.run.report(w.cta, Finding{Class: SyncCluster, Line: int(in.line), Threads: w.threadsOf(early), Section: "9.7.13.3",
			Message: fmt.Sprintf("lanes %s wait at the cluster barrier and have not arrived at it", laneList(early))})
		w.run.stopped = true
		return true
	}
	f := &w.frags[w.cur]
	if m&w.clusterArrived != 0 {
		f.state = atCluster
		return true
	}
	w.clusterPassed &^= m
	f.pc++
	if t := w.run.track; t != nil {
		t.clusterWait(w, m)
	}
	return true
}

// complete ends the phase of the cluster barrier when all threads that have not ended arrived.
func (c *cluster) complete(r *worker) {
	any := false
	for _, x := range c.ctas {
		for _, w := range x.warps {
			if w.clusterArrived&w.live != w.live {
				return
			}
			any = any || w.clusterArrived != 0
		}
	}
	if !any {
		return
	}
	c.phases++
	r.progress++
	if r.track != nil {
		r.track.clusterDone(c)
	}
	for _, x := range c.ctas {
		for _, w := range x.warps {
			w.clusterPassed |= w.clusterArrived
			w.clusterArrived = 0
			for i := range w.frags {
				if f := &w.frags[i]; f.state == atCluster {
					w.clusterPassed &^= f.mask
					if r.track != nil {
						r.track.clusterWait(w, f.mask)
					}
					f.state = ready
					f.pc++
				}
			}
		}
	}
}

// decodeMapa gives the address of a shared variable in another CTA (manual 9.7.9.23).
func decodeMapa(b *build) {
	t := b.typ()
	generic := !b.has("shared::cluster")
	x, r := b.src(b.need("a"), t), b.src(b.need("b"), isa.U32)
	d := b.dst(b.need("d"))
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		rd, ra, rr := &w.regs[d], w.val(x), w.val(r)
		size := uint64(len(w.cta.cluster.ctas))
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			rank := uint64(uint32(rr[l]))
			if rank >= size {
				if !w.known(ClusterRank, in) {
					w.run.report(w.cta, Finding{Class: ClusterRank, Line: int(in.line), Threads: w.threadsOf(1 << l), Section: "9.7.9.23",
						Message: fmt.Sprintf("rank %d; the cluster has %d blocks", rank, size)})
				}
				rank &= 0xff
			}
			if generic && ra[l]>>windowShift != sharedWindow>>windowShift && !w.known(BadOperand, in) {
				w.find(BadOperand, in, 1<<l, fmt.Sprintf("%s of address %#x, which is no shared address", in.name(), ra[l]))
			}
			rd[l] = ra[l]&^(0xff<<rankShift) | rank<<rankShift
		}
	}
}

// decodeCTARank gives the rank of the CTA that owns a shared address (manual 9.7.9.24).
func decodeCTARank(b *build) {
	t := b.typ()
	b.has("shared::cluster")
	x := b.src(b.need("a"), t)
	b.inst.exec = lift1(b.dst(b.need("d")), x, func(a uint64) uint64 { return a >> rankShift & 0xff })
}
