package ir

import (
	"math/bits"

	"github.com/oxideinfer/oxide/ir/op"
)

// flow follows the kernel in program order once for each role, that is each set of warps that k.InWarps tells apart, and
// keeps what is in flight, what must be fenced and how many registers a thread has.
func (c *checker) flow() {
	if !c.asynchronous() {
		return
	}
	w := &walk{c: c, counts: c.barrierCounts(), arrivals: map[*Op]uint32{}, entry: c.entryRegisters()}
	for _, role := range c.roleMasks() {
		w.role, w.certain, w.reach = role, true, ^uint32(0)
		end := w.region(c.k.Body, w.start())
		w.leave(end)
		w.total += bits.OnesCount32(role) * 32 * end.registers
		w.stranded = append(w.stranded, end.remote)
	}
	w.overArrived()
	w.budget()
	w.abandoned()
	c.transactions(c.k.Body)
}

// asynchronous tells whether the kernel has anything to follow.
func (c *checker) asynchronous() bool {
	return !c.k.Body.Walk(func(o *Op) bool {
		e := o.Info.Effects
		switch o.Info.Name {
		case "reg_read", "reg_write", "setmaxnreg", "cluster_arrive", "cluster_wait", "mapa", "mbarrier_init":
			return false
		}
		return !e.Async
	})
}

// roleMasks divides the block's warps, one bit each, into sets for which every k.InWarps of the kernel holds alike.
func (c *checker) roleMasks() []uint32 {
	all := uint32(1)<<max(1, min(32, (c.k.Threads()+31)/32)) - 1
	if c.k.Threads() > 31*32 {
		all = ^uint32(0)
	}
	masks := []uint32{all}
	c.k.Body.Walk(func(o *Op) bool {
		if o.Info.Name == "in_warps" {
			var next []uint32
			for _, m := range masks {
				for _, part := range []uint32{m & warpsOf(o), m &^ warpsOf(o)} {
					if part != 0 {
						next = append(next, part)
					}
				}
			}
			masks = next
		}
		return true
	})
	return masks
}

func warpsOf(o *Op) uint32 {
	var m uint32
	for i := o.Int("first"); i < min(32, o.Int("first")+o.Int("warps")); i++ {
		if i >= 0 {
			m |= 1 << i
		}
	}
	return m
}

// A walk follows one role after the other.
type walk struct {
	c        *checker
	role     uint32
	reach    uint32           // the warps, of all roles, that come here as far as k.InWarps decides
	certain  bool             // every warp of the role comes here
	counts   map[string]int64 // arrivals of each barrier's phases, where known
	arrivals map[*Op]uint32   // the warps that arrive there with all their threads
	entry    int
	total    int // registers of the roles seen so far, as they leave
	rose     *Op // a setmaxnreg.inc
	stranded []*Op
	accessed bool // other blocks' memory
}

func (w *walk) start() *flowState {
	s := &flowState{unfenced: map[*Value]bool{}, registers: w.entry}
	for _, a := range w.c.k.Arrays {
		if a.Type.Space == op.Register {
			s.unfenced[a.Value] = true
		}
	}
	return s
}

func (w *walk) region(r *Region, s *flowState) *flowState {
	for _, o := range r.Ops {
		if s.dead || o.bad {
			continue
		}
		switch o.Info.Name {
		case "if":
			s = w.branch(o, s)
		case "loop":
			s = w.loop(o, s)
		case "while":
			s = w.while(o, s)
		case "exit":
			w.leave(s)
			s.dead = true
		default:
			w.step(o, s)
		}
	}
	return s
}

// holds evaluates a predicate for the role.
func (w *walk) holds(v *Value) (truth, known bool) {
	switch {
	case v.IsConst():
		return v.Bits() != 0, true
	case v.def == nil:
		return false, false
	}
	sub := func(i int) (bool, bool) { return w.holds(v.def.Args[i]) }
	switch v.def.Info.Name {
	case "in_warps":
		return w.role&warpsOf(v.def) != 0, true
	case "not":
		t, k := sub(0)
		return !t, k
	case "and", "or":
		a, ka := sub(0)
		b, kb := sub(1)
		decides := v.def.Info.Name == "or"
		if ka && a == decides || kb && b == decides {
			return decides, true
		}
		return !decides, ka && kb
	}
	return false, false
}

// agreeing is the set of warps for which a predicate is known to have that value.
func (w *walk) agreeing(v *Value, truth bool) uint32 {
	var set uint32
	role := w.role
	for i := range 32 {
		w.role = 1 << i
		if t, known := w.holds(v); known && t == truth {
			set |= w.role
		}
	}
	w.role = role
	return set
}

// within follows a region that only some of the role's warps may enter.
func (w *walk) within(r *Region, s *flowState, decision op.Level) *flowState {
	outer := w.certain
	w.certain = outer && decision >= op.UniformBlock
	s = w.region(r, s)
	w.certain = outer
	return s
}

func (w *walk) branch(o *Op, s *flowState) *flowState {
	if yes, known := w.holds(o.Args[0]); known {
		outer := w.reach
		w.reach &= w.agreeing(o.Args[0], yes)
		if yes {
			s = w.region(o.Regions[0], s)
		} else {
			s = w.region(o.Regions[1], s)
		}
		w.reach = outer
		return s
	}
	level := w.c.uniform.promote(w.c.uniform.Value(o.Args[0]))
	yes := w.within(o.Regions[0], s.clone(), level)
	no := w.within(o.Regions[1], s.clone(), level)
	if level < op.UniformBlock && len(o.Regions[1].Ops) == 1 && !yes.dead {
		// Some threads, or warps, do this for all: groups are theirs, and they are the ones to follow.
		no.groups[bulkGroups], no.groups[copyGroups] = yes.groups[bulkGroups], yes.groups[copyGroups]
	}
	w.compare(o, yes, no)
	return join(yes, no)
}

// compare reports what two paths that meet must have in common.
func (w *walk) compare(o *Op, a, b *flowState) {
	if a.dead || b.dead {
		return
	}
	for kind := range a.groups {
		if kind == bulkGroups {
			continue // the joined queue holds what may be in flight on either path, counted from the newest: waits stay safe
		}
		if n, m := len(a.groups[kind].flying), len(b.groups[kind].flying); n != m {
			w.c.at(o, CodeGroupUnequal, "wait on both sides, or commit an empty group on the other one", "%d %s groups are in flight after one side of the branch, %d after the other", n, groupNames[kind], m)
		}
	}
	if (a.arrived == nil) != (b.arrived == nil) {
		w.c.at(o, CodeClusterBarrier, "arrive on both sides", "only one side of the branch has arrived at the cluster's barrier")
	}
}

const maxRounds = 24 // until a loop's state must have settled

// around follows a loop until its state no longer grows. The state at its top joins the first and every later entry; groups
// are matched from the newest on, as waits count them.
func (w *walk) around(entry *flowState, round func(*flowState) (next, exit *flowState)) *flowState {
	head := entry.clone()
	for i := 0; ; i++ {
		next, exit := round(head.clone())
		grown := join(head.clone(), next)
		if grown.weight() == head.weight() {
			return exit
		}
		if i == maxRounds {
			w.pileUp(grown, head)
			return exit
		}
		head = grown
	}
}

func (w *walk) pileUp(grown, head *flowState) {
	for kind := range grown.groups {
		if n := len(grown.groups[kind].flying); n > len(head.groups[kind].flying) {
			at := grown.groups[kind].flying[n-1].at
			w.c.at(at, CodeGroupNotWaited, "wait inside of the loop, so that a fixed number stays in flight", "each round of the loop leaves one more %s group in flight", groupNames[kind])
		}
	}
}

func (w *walk) loop(o *Op, s *flowState) *flowState {
	level := min(w.c.uniform.Value(o.Args[0]), w.c.uniform.Value(o.Args[1]), w.c.uniform.Value(o.Args[2]))
	end := w.around(s, func(head *flowState) (*flowState, *flowState) {
		next := w.within(o.Regions[0], head, level)
		return next, next.clone()
	})
	if loopRuns(o) {
		return end
	}
	return join(s.clone(), end)
}

// loopRuns tells whether constant bounds prove that the loop runs at least once.
func loopRuns(o *Op) bool {
	lo, hi := o.Args[0], o.Args[1]
	return lo.IsConst() && hi.IsConst() && lo.Int() < hi.Int()
}

func (w *walk) while(o *Op, s *flowState) *flowState {
	level := w.c.uniform.Value(o.Regions[0].Yield().Args[0])
	return w.around(s, func(head *flowState) (*flowState, *flowState) {
		asked := w.within(o.Regions[0], head, level)
		exit := asked.clone()
		return w.within(o.Regions[1], asked, level), exit
	})
}
