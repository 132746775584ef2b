package profile

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Chain is the longest chain of dependent steps of a block that has the machine to itself: every instruction starts when its
// operands are there, every wait ends when what it waits for has come. It is that of the longest block that ran, in clocks.
type Chain struct {
	// Head is the part in front of griddepcontrol.wait, which overlaps the launch before; 0 where a kernel has none.
	Head float64 `json:"head"`
	// Warm is the rest, up to the last instruction, with all global memory in L2; Cold with what no other block has touched
	// and nothing has prefetched in device memory.
	Warm float64 `json:"warm"`
	Cold float64 `json:"cold"`
	// Stream is the part of Cold from the first read of global memory to the last one: the time over which the block spreads what it
	// asks of memory.
	Stream float64 `json:"stream"`
	// Slots are the issue slots behind the head of the warps that share a scheduler with the busiest warp, without its own: where
	// warps come out of the same wait together nothing hides them.
	Slots float64 `json:"slots"`
	// Stores: the block writes global memory, so its end is not seen before the last write has reached L2.
	Stores bool `json:"stores"`
}

// Two clocks run side by side: with everything in L2, and with first touches in device memory.
const (
	warm = iota
	cold
	clocks
)

type instant [clocks]float64

func (t instant) later(u instant) instant {
	return instant{max(t[warm], u[warm]), max(t[cold], u[cold])}
}

func (t instant) plus(clk float64) instant { return instant{t[warm] + clk, t[cold] + clk} }

// tracker follows the chains of all blocks of a launch.
type tracker struct {
	m      *Machine
	warps  int
	blocks map[int]*blockChain
	order  []*blockChain
	meets  map[meetKey]*meeting // of clusters
	bars   map[barKey]instant   // when the arrivals and bytes of an mbarrier are there
	seen   sectors              // that some block touched or prefetched
}

type blockChain struct {
	warps  []warpChain
	meets  map[meetKey]*meeting
	engine instant    // when the copy engine is free
	tensor [4]instant // when the tensor core of each quarter is
	end    instant
	head   instant
	first  float64 // when the first read of global memory was issued, by the cold clock, and the last
	last   float64
	reads  bool
	stores bool
}

type warpChain struct {
	at     instant   // from when on instructions of this part of the code may issue
	last   instant   // when the last of them has issued
	ready  []instant // of registers
	pred   *meeting  // barrier that the next instruction waits for
	extra  float64   // clocks behind the meeting
	groups [groupKinds][]instant
	open   [groupKinds]instant
	slots  float64 // issue slots behind the head
}

// barKey is an mbarrier: its address has the rank of its block.
type barKey struct {
	cluster int
	addr    uint64
}

type meetKey struct{ owner, id int }

// meeting is one phase of a barrier.
type meeting struct {
	members map[int]bool
	at      instant
}

func newTracker(m *Machine, threads int) *tracker {
	return &tracker{m: m, warps: (threads + 31) / 32, blocks: map[int]*blockChain{}, meets: map[meetKey]*meeting{}, bars: map[barKey]instant{}}
}

// read notes a read of global memory.
func (b *blockChain) read(at instant) {
	if !b.reads {
		b.first, b.last, b.reads = at[cold], at[cold], true
	}
	b.first, b.last = min(b.first, at[cold]), max(b.last, at[cold])
}

func (t *tracker) block(n int) *blockChain {
	b := t.blocks[n]
	if b == nil {
		b = &blockChain{warps: make([]warpChain, t.warps), meets: map[meetKey]*meeting{}}
		t.blocks[n] = b
		t.order = append(t.order, b)
	}
	return b
}

// step moves a warp's time over one instruction.
func (t *tracker) step(s *emulate.Step, x *site, l *launch) {
	b := t.block(s.Block)
	w := &b.warps[s.Warp]
	at := w.at
	if w.pred != nil {
		at = at.later(w.pred.at.plus(w.extra))
		w.pred = nil
	}
	for _, r := range x.uses {
		if int(r) < len(w.ready) {
			at = at.later(w.ready[r])
		}
	}
	if x.order {
		at = at.later(w.last)
	}
	at = t.waits(s, x, b, w, at)
	w.slots += x.cost.Issue
	done := at.plus(x.cost.latency)
	if s.Mask != 0 {
		done = t.effects(s, x, b, w, at, done)
	}
	for _, r := range x.defs {
		for len(w.ready) <= int(r) {
			w.ready = append(w.ready, instant{})
		}
		w.ready[r] = done
	}
	end := at.plus(x.cost.Issue)
	if w.last = w.last.later(end); x.order {
		w.at = end
	} else {
		w.at = w.at.plus(x.cost.Issue)
	}
	b.end = b.end.later(end)
	if x.op == "griddepcontrol" && x.in.Form.Has("wait") {
		b.head = b.head.later(end)
		w.slots = 0
	}
}

// waits is when an instruction that waits for others may go on.
func (t *tracker) waits(s *emulate.Step, x *site, b *blockChain, w *warpChain, at instant) instant {
	if x.commit >= 0 {
		w.groups[x.commit] = append(w.groups[x.commit], w.open[x.commit])
	}
	if x.await >= 0 {
		q := w.groups[x.await]
		for len(q) > x.left {
			at = at.later(q[0])
			q = q[1:]
		}
		w.groups[x.await] = q
	}
	if x.op == "mbarrier" && len(s.Refs) > 0 && s.Mask != 0 {
		if x.waits {
			return at.later(t.bars[barKey{s.Cluster(), s.Refs[0].Addr[trailing(s.Mask)]}])
		}
		for m := s.Mask; m != 0; m &= m - 1 {
			bar := barKey{s.Cluster(), s.Refs[0].Addr[trailing(m)]}
			t.bars[bar] = t.bars[bar].later(at)
		}
	}
	return at
}

// effects are those of memory, matrices and barriers; it returns when the results are there.
func (t *tracker) effects(s *emulate.Step, x *site, b *blockChain, w *warpChain, at, done instant) instant {
	switch x.op {
	case "ld", "ldu", "atom":
		if len(s.Refs) > 0 && s.Refs[0].Space == isa.Global {
			b.read(at)
			return t.load(s, at)
		}
		if len(s.Refs) > 0 && s.Refs[0].Space == isa.SharedCluster && x.in.Form.Has("shared::cluster") {
			return at.plus(t.m.LatencyDSMEM)
		}
	case "st", "red":
		b.stores = b.stores || len(s.Refs) > 0 && s.Refs[0].Space == isa.Global
	case "prefetch", "prefetchu":
		for m := s.Mask; m != 0 && len(s.Refs) > 0; m &= m - 1 {
			t.seen.add(s.Refs[0].Addr[trailing(m)], 1)
		}
	case "cp":
		if x.in.Form.Has("prefetch") { // of a bulk range: its size is an operand, so its rows count as seen by their first touch
			for _, r := range s.Refs {
				t.seen.add(r.Addr[trailing(s.Mask)], 1)
			}
		}
	case "mma", "wgmma":
		if x.flop != 0 {
			return t.matrix(s, x, b, w, at)
		}
	case "bar", "barrier":
		t.barrier(s, x, b, w, at)
	}
	t.copies(s, x, b, w, at)
	return done
}

// load is when the slowest line of a request is there.
func (t *tracker) load(s *emulate.Step, at instant) instant {
	r := &s.Refs[0]
	miss := false
	for m := s.Mask; m != 0; m &= m - 1 {
		a := r.Addr[trailing(m)]
		miss = miss || !t.seen.has(a)
	}
	for m := s.Mask; m != 0; m &= m - 1 {
		t.seen.add(r.Addr[trailing(m)], uint64(r.Bytes))
	}
	return t.arrive(at, miss)
}

func (t *tracker) arrive(at instant, miss bool) instant {
	at[warm] += t.m.LatencyL2
	if miss {
		at[cold] += t.m.LatencyMemory
	} else {
		at[cold] += t.m.LatencyL2
	}
	return at
}

// matrix occupies the tensor core of the warp's quarter of the SM.
func (t *tracker) matrix(s *emulate.Step, x *site, b *blockChain, w *warpChain, at instant) instant {
	rate := t.m.MatrixFlop / 4 // of one quarter
	flop := float64(x.flop)
	if x.wgmma {
		flop /= 4 // of the four warps
	} else {
		rate *= t.m.SyncShare
	}
	core := &b.tensor[s.Warp%4]
	*core = core.later(at).plus(flop / (rate * narrow(x)))
	done := core.later(at.plus(x.cost.latency))
	if x.wgmma {
		w.open[matrixGroups] = w.open[matrixGroups].later(done)
		return at // registers are waited for by groups
	}
	return done
}

// narrow is how much faster factors of a matrix instruction are than those of 16 bits.
func narrow(x *site) float64 {
	for _, m := range x.in.Form.Mods() {
		switch m {
		case "e4m3", "e5m2", "s8", "u8":
			return 2
		case "tf32":
			return 0.5
		}
	}
	return 1
}

// barrier joins the phase of a CTA or cluster barrier.
func (t *tracker) barrier(s *emulate.Step, x *site, b *blockChain, w *warpChain, at instant) {
	f := x.in.Form
	key, book, extra := meetKey{s.Block, 0}, b.meets, t.m.BarrierLatency+t.m.BarrierWarp*float64(t.warps)
	member := s.Warp
	if f.Has("cluster") {
		key, book, extra = meetKey{s.Cluster(), -1}, t.meets, t.m.ClusterLatency
		member += s.Rank() * t.warps
		if f.Has("wait") {
			if m := book[key]; m != nil {
				w.pred, w.extra = m, extra
			}
			return
		}
	} else if id, ok := s.CTABarrier(); ok {
		key.id = id
	} else { // bar.warp.sync
		return
	}
	m := book[key]
	if m == nil || m.members[member] {
		m = &meeting{members: map[int]bool{}}
		book[key] = m
	}
	m.members[member] = true
	m.at = m.at.later(at)
	if !f.Has("arrive") {
		w.pred, w.extra = m, extra
	}
}

// copies are the asynchronous operations that an instruction started.
func (t *tracker) copies(s *emulate.Step, x *site, b *blockChain, w *warpChain, at instant) {
	for i := range s.Copies {
		c := &s.Copies[i]
		if c.Matrix {
			continue
		}
		bytes, miss := 0.0, false
		global := false
		for _, r := range c.Reads {
			bytes += float64(r.Bytes)
			if r.Space == isa.Global {
				global = true
				miss = miss || t.seen.add(r.Addr, uint64(r.Bytes)) > 0
			}
		}
		for _, r := range c.Writes {
			b.stores = b.stores || r.Space == isa.Global
		}
		if global {
			b.read(at)
		}
		done := t.transfer(x, b, at, bytes, global, miss)
		switch {
		case c.Barrier:
			bar := barKey{s.Cluster(), c.Bar}
			t.bars[bar] = t.bars[bar].later(done)
		case x.cp:
			w.open[cpGroups] = w.open[cpGroups].later(done)
		default:
			w.open[bulkGroups] = w.open[bulkGroups].later(done)
		}
	}
}

// transfer is when a copy is complete. Those of the copy engine follow each other at the rate of the SM's port.
func (t *tracker) transfer(x *site, b *blockChain, at instant, bytes float64, global, miss bool) instant {
	if x.cp {
		return t.arrive(at, miss)
	}
	b.engine = b.engine.later(at).plus(bytes / t.m.PortBytes)
	latency := at.plus(t.m.BulkLatency + bytes/t.m.BulkRate)
	if global && miss {
		latency[cold] += t.m.LatencyMemory - t.m.LatencyL2
	}
	return latency.later(b.engine.plus(t.m.BulkLatency))
}

// longest is the chain of the longest block: the others end before it. Of equal ones it is the last, since the first pays for memory
// that later ones find in L2.
func (t *tracker) longest() Chain {
	var c Chain
	stores := false
	for _, b := range t.order {
		stores = stores || b.stores
		if n := b.end[warm] - b.head[warm]; n >= c.Warm {
			c = Chain{Head: b.head[warm], Warm: n, Cold: b.end[cold] - b.head[cold], Stream: b.last - b.first, Slots: b.contention()}
		}
	}
	c.Stores = stores
	return c
}

// contention is the issue slots of the busiest quarter of the SM without those of its busiest warp.
func (b *blockChain) contention() float64 {
	var sum, most [4]float64
	for i := range b.warps {
		sum[i%4] += b.warps[i].slots
		most[i%4] = max(most[i%4], b.warps[i].slots)
	}
	worst := 0.0
	for i := range sum {
		worst = max(worst, sum[i]-most[i])
	}
	return worst
}

func trailing(m uint32) int     { return bits.TrailingZeros32(m) & 31 }
func onesCount(m uint32) uint64 { return uint64(bits.OnesCount32(m)) }
