package ir

import (
	"math/bits"

	"github.com/oxideinfer/oxide/ir/op"
)

// step follows one op.
func (w *walk) step(o *Op, s *flowState) {
	switch o.Info.Name {
	case "reg_read", "reg_write":
		w.touchFragment(o, s)
	case "wgmma", "wgmma_rs":
		w.product(o, s)
	case "wgmma_fence":
		clear(s.unfenced)
	case "bulk_store", "bulk_reduce", "tensor_store", "tensor_reduce":
		bytes := constBytes(o.Arg("bytes"))
		if o.Arg("map") != nil {
			bytes = max(1, w.c.boxBytes(o))
		}
		x := w.span(o, o.Arg("src"), bytes)
		w.readByAsync(o, s, x)
		s.groups[bulkGroups].issue(o, inUse{span: x})
	case "bulk_send", "bulk_reduce_send":
		w.readByAsync(o, s, w.span(o, o.Arg("src"), constBytes(o.Arg("bytes"))))
	case "cp_async":
		x := w.span(o, o.Arg("dst"), o.Int("bytes"))
		s.groups[copyGroups].issue(o, inUse{x, true})
		s.written = addSpan(s.written, x)
	case "store", "store_if", "atom", "cas", "red", "stmatrix":
		w.generic(o, s)
	case "load", "load_if", "ldmatrix":
		w.loaded(o, s)
	case "fence_proxy_async":
		if o.Enum("space") != "global" {
			s.written = nil
		}
	case "setmaxnreg":
		w.resize(o, s)
	case "mbarrier_arrive":
		w.arrival(o)
	}
	w.committing(o, s)
	w.cluster(o, s)
}

// committing follows commits and waits.
func (w *walk) committing(o *Op, s *flowState) {
	n := int(o.Int("groups"))
	wait := func(kind int) {
		q := &s.groups[kind]
		if q.open.at != nil {
			w.c.at(o, CodeNotCommitted, "commit the group before waiting", "the %s at %s belongs to no group yet, so this does not wait for it", q.open.at.Info.Name, q.open.at.Pos)
		}
		q.wait(n)
	}
	switch o.Info.Name {
	case "wgmma_commit":
		s.groups[wgmmaGroups].commit(o)
	case "wgmma_wait":
		wait(wgmmaGroups)
	case "bulk_commit":
		s.groups[bulkGroups].commit(o)
	case "bulk_wait", "bulk_wait_read":
		wait(bulkGroups)
	case "cp_async_commit":
		s.groups[copyGroups].commit(o)
	case "cp_async_wait":
		s.groups[copyGroups].wait(n) // what is not committed waits for a later group: pipelines do this
	case "cp_async_wait_all", "cp_async_arrive": // the barrier's waiters take over
		s.groups[copyGroups] = queue{}
	}
}

func (w *walk) touchFragment(o *Op, s *flowState) {
	f, writes := o.Args[0], o.Info.Name == "reg_write"
	if u := s.groups[wgmmaGroups].busy(func(u inUse) bool { return u.root == f && (u.write || writes) }); u != nil {
		verb := "read"
		if writes {
			verb = "written"
		}
		w.c.at(o, CodeInFlight, "call k.WGMMAWait so that the group is out of those in flight", "fragment %s is %s while the %s at %s is in flight", f, verb, u.op.Info.Name, u.op.Pos)
	}
	s.unfenced[f] = true
}

func (w *walk) product(o *Op, s *flowState) {
	q := &s.groups[wgmmaGroups]
	d, a := o.Args[0], o.Args[1]
	for group := uint32(0xf); group != 0; group <<= 4 {
		if w.role&group == 0 {
			continue
		}
		if part := w.reach & w.existing() & group; part != 0 && part != group || part == group && w.c.k.Threads()%32 != 0 && w.c.k.Threads() < 32*bits.Len32(group) {
			w.c.at(o, CodeConvergent, "give the role whole warpgroups: four warps, the first a multiple of four", "%s needs a warpgroup of four warps, and the role has a part of one", o.Info.Name)
			break
		}
	}
	fragments := []*Value{d}
	uses := []inUse{{span{root: d, op: o}, true}}
	if o.Info.Name == "wgmma_rs" {
		fragments = append(fragments, a)
		uses = append(uses, inUse{span{root: a, op: o}, false})
		if u := q.busy(func(u inUse) bool { return u.root == a && u.write }); u != nil {
			w.c.at(o, CodeInFlight, "wait for the group that makes the factor", "factor %s is read while the %s at %s is in flight", a, u.op.Info.Name, u.op.Pos)
		}
	} else {
		w.readByAsync(o, s, w.tile(o, a))
	}
	w.readByAsync(o, s, w.tile(o, o.Arg("b")))
	for _, f := range fragments {
		if s.unfenced[f] {
			w.c.at(o, CodeFenceMissing, "call k.WGMMAFence after the last access of registers and before the group's first product", "fragment %s was touched, or not yet fenced, before this product", f)
		}
	}
	q.issue(o, uses...)
}

// existing is the set of the block's warps.
func (w *walk) existing() uint32 {
	return uint32(uint64(1)<<((w.c.k.Threads()+31)/32) - 1)
}

// tile is the shared memory behind a descriptor, of unknown extent.
func (w *walk) tile(o *Op, desc *Value) span {
	x := w.span(o, desc, 1)
	x.exact, x.lo, x.hi = false, 0, 0
	return x
}

// loaded reports a read of memory that a copy of this thread is known to be writing.
func (w *walk) loaded(o *Op, s *flowState) {
	if o.Args[0].typ.Space != op.Shared {
		return
	}
	x := w.span(o, o.Args[0], sharedBytes(o.Results))
	if u := s.groups[copyGroups].busy(func(u inUse) bool { return u.surely(x) }); u != nil {
		w.c.at(o, CodeInFlight, "call k.CopyAsyncWait before it", "%s is read while the cp_async at %s may still write it", x.root, u.op.Pos)
	}
}

// leave checks a thread that ends.
func (w *walk) leave(s *flowState) {
	if s.dead {
		return
	}
	for kind := range s.groups {
		q := &s.groups[kind]
		if q.open.at != nil {
			w.c.at(q.open.at, CodeNotCommitted, "commit and wait", "no commit follows, and the kernel may end before this %s is done", q.open.at.Info.Name)
		}
		for _, g := range q.flying {
			if len(g.uses) > 0 {
				w.c.at(g.at, CodeGroupNotWaited, "wait for it before the kernel ends", "this %s group may still be in flight when the kernel ends", groupNames[kind])
			}
		}
	}
	if s.arrived != nil {
		w.c.at(s.arrived, CodeClusterBarrier, "call k.ClusterWait", "nothing waits for this arrival at the cluster's barrier")
	}
}

// cluster follows the cluster's barrier and accesses of other blocks' shared memory.
func (w *walk) cluster(o *Op, s *flowState) {
	switch o.Info.Name {
	case "cluster_arrive":
		if s.arrived != nil {
			w.c.at(o, CodeClusterBarrier, "wait between two arrivals", "a second arrival at the cluster's barrier; the first is at %s", s.arrived.Pos)
		}
		s.arrived, s.remote = o, nil
		return
	case "cluster_wait":
		if s.arrived == nil {
			w.c.at(o, CodeClusterBarrier, "call k.ClusterArrive first", "a wait at the cluster's barrier without an arrival")
		}
		s.arrived, s.met = nil, true
		return
	}
	o.touches(func(p *Value, _ op.Access) {
		if p.typ.Space != op.SharedCluster || !w.foreign(p) {
			return
		}
		if !s.met {
			w.c.at(o, CodeClusterStart, "call k.ClusterBarrier first", "another block's shared memory is used before it is known to have started")
		}
		w.accessed = true
		switch o.Info.Name {
		case "load", "load_if", "store", "store_if", "atom", "cas", "red":
			s.remote = o
		default:
			s.remote = nil // announced: the other block waits for the bytes or the arrival
		}
	})
}

// foreign tells whether an address comes from mapa.
func (w *walk) foreign(p *Value) bool {
	for p.def != nil && p.kind == ResultValue {
		switch p.def.Info.Name {
		case "mapa":
			return true
		case "addr", "addr_off", "ptr_cast":
			p = p.def.Args[0]
		default:
			return false
		}
	}
	return false
}

// abandoned reports accesses of other blocks' memory after which those may end at any time, if no role announces them.
func (w *walk) abandoned() {
	var last *Op
	for _, o := range w.stranded {
		if o == nil {
			return
		}
		last = o
	}
	if last != nil && w.accessed {
		w.c.at(last, CodeClusterExit, "call k.ClusterBarrier before the kernel ends", "the other block may have ended: nothing keeps it until this access is done")
	}
}

// entryRegisters is what a thread starts with: all that the block can have, in units of 8.
func (c *checker) entryRegisters() int {
	if n := c.k.Contract.MaxRegisters; n > 0 {
		return n
	}
	return min(maxRegisters+1, registerFile/max(1, c.k.Contract.MinBlocksPerSM)/max(32, c.k.Threads())/8*8)
}

const registerFile = 65536 // 32-bit registers of an SM

// resize follows setmaxnreg (PTX ISA 9.7.19.5).
func (w *walk) resize(o *Op, s *flowState) {
	n, up := int(o.Int("registers")), o.Enum("action") == "inc"
	switch {
	case n < 24 || n > 256 || n%8 != 0:
		w.c.at(o, CodeRegisters, "use a multiple of 8 from 24 to 256", "setmaxnreg cannot give %d registers", n)
		return
	case up && n < s.registers, !up && n > s.registers:
		w.c.at(o, CodeRegisters, "use k.IncreaseRegisters to get more and k.DecreaseRegisters to have fewer", "setmaxnreg.%s to %d of a thread that has %d", o.Enum("action"), n, s.registers)
	}
	s.registers = n
	if up {
		w.rose = o
	}
}

// budget checks that the roles together have no more registers than the block started with: an increase would wait for ever.
func (w *walk) budget() {
	warps := (w.c.k.Threads() + 31) / 32
	if have := warps * 32 * w.entry; w.rose != nil && w.total > have {
		w.c.at(w.rose, CodeRegisters, "lower the numbers, or give back more in another role", "the roles want %d registers, the block has %d", w.total, have)
	}
}

// barrierCounts are the arrivals of each barrier, where one constant fits all.
func (c *checker) barrierCounts() map[string]int64 {
	counts := map[string]int64{}
	note := func(key string, n int64) {
		if have, ok := counts[key]; ok && have != n {
			n = -1
		}
		counts[key] = n
	}
	c.k.Body.Walk(func(o *Op) bool {
		if o.Info.Name != "mbarrier_init" || o.bad {
			return true
		}
		n := int64(-1)
		if o.Args[1].IsConst() {
			n = int64(o.Args[1].Bits())
		}
		note(c.addressKey(o.Args[0]), n)
		if root := c.roots.root(o.Args[0]); root != nil {
			note("array "+root.String(), n)
		}
		return true
	})
	return counts
}

// arrival notes which warps arrive with all their threads at once.
func (w *walk) arrival(o *Op) {
	if w.certain && w.c.uniform.regions[o.parent] >= op.UniformWarp && !o.Flag("count") {
		w.arrivals[o] |= w.role
	}
}

// overArrived reports an arrival that completes phases by itself more than once.
func (w *walk) overArrived() {
	w.c.k.Body.Walk(func(o *Op) bool {
		warps, ok := w.arrivals[o]
		if !ok || o.Args[0].typ.Space != op.Shared {
			return true
		}
		want, known := w.counts[w.c.addressKey(o.Args[0])]
		if root := w.c.roots.root(o.Args[0]); !known && root != nil {
			want, known = w.counts["array "+root.String()]
		}
		n := int64(min(w.c.k.Threads(), 32*bits.OnesCount32(warps)))
		if known && want > 0 && n > want {
			w.c.at(o, CodeArrivals, "let one thread arrive, or initialise the barrier for all of them", "%d threads arrive here, and a phase takes %d arrivals", n, want)
		}
		return true
	})
}
