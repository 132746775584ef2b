package ir

import (
	"maps"

	"github.com/oxideinfer/oxide/ir/op"
)

// Kinds of groups. Each has its own queue.
const (
	wgmmaGroups = iota
	bulkGroups
	copyGroups
	groupKinds
)

var groupNames = [groupKinds]string{"wgmma", "bulk", "cp.async"}

// flowState is what a role has in flight at a point of the program.
type flowState struct {
	dead      bool // nobody comes here
	groups    [groupKinds]queue
	unfenced  map[*Value]bool // fragments touched since the last wgmma.fence
	written   []span          // shared memory written through the generic proxy since the last proxy fence
	arrived   *Op             // at the cluster's barrier, without having waited
	met       bool            // all blocks of the cluster have started
	remote    *Op             // a plain access of another block's memory that nothing has announced to it
	registers int
}

// queue holds groups in the order of their commits; open is what the next commit will close.
type queue struct {
	flying []group
	open   group
}

type group struct {
	at   *Op // the commit, or the first op
	uses []inUse
}

// inUse is memory or a fragment that an operation in flight reads or writes.
type inUse struct {
	span
	write bool
}

// span is a part of an array or parameter. Where exact is not set, the offset is not known.
type span struct {
	root   *Value
	lo, hi int64
	exact  bool
	op     *Op
}

func (s *flowState) clone() *flowState {
	t := *s
	for i := range t.groups {
		q := &t.groups[i]
		q.flying = append([]group(nil), q.flying...)
		q.open.uses = append([]inUse(nil), q.open.uses...)
	}
	t.unfenced = maps.Clone(s.unfenced)
	t.written = append([]span(nil), s.written...)
	return &t
}

// weight grows with everything that a join can add.
func (s *flowState) weight() int {
	n := len(s.unfenced) + len(s.written) + s.registers
	for i := range s.groups {
		n += len(s.groups[i].open.uses)
		for _, g := range s.groups[i].flying {
			n += 1 + len(g.uses)
		}
	}
	if !s.met {
		n++
	}
	return n
}

// join merges two paths: what may be in flight or unfenced on either, what is done on both.
func join(a, b *flowState) *flowState {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	for i := range a.groups {
		a.groups[i] = joinQueues(a.groups[i], b.groups[i])
	}
	for f := range b.unfenced {
		a.unfenced[f] = true
	}
	for _, x := range b.written {
		a.written = addSpan(a.written, x)
	}
	a.met = a.met && b.met
	if a.arrived == nil {
		a.arrived = b.arrived
	}
	if b.remote == nil {
		a.remote = nil
	}
	a.registers = max(a.registers, b.registers)
	return a
}

// joinQueues matches groups from the newest on: that is how waits count them.
func joinQueues(a, b queue) queue {
	if len(a.flying) < len(b.flying) {
		a, b = b, a
	}
	out := append([]group(nil), a.flying...)
	for i := range b.flying {
		g := &out[len(out)-1-i]
		*g = joinGroups(*g, b.flying[len(b.flying)-1-i])
	}
	return queue{out, joinGroups(a.open, b.open)}
}

func joinGroups(a, b group) group {
	out := group{at: a.at, uses: append([]inUse(nil), a.uses...)}
	if out.at == nil {
		out.at = b.at
	}
	for _, u := range b.uses {
		out.add(u)
	}
	return out
}

func (g *group) add(u inUse) {
	for _, have := range g.uses {
		if have.root == u.root && have.write == u.write && have.lo == u.lo && have.hi == u.hi && have.exact == u.exact {
			return
		}
	}
	g.uses = append(g.uses, u)
}

func addSpan(list []span, x span) []span {
	for _, have := range list {
		if have.root == x.root && have.lo == x.lo && have.hi == x.hi && have.exact == x.exact {
			return list
		}
	}
	return append(list, x)
}

// issue adds an operation to the group that the next commit closes.
func (q *queue) issue(o *Op, uses ...inUse) {
	if q.open.at == nil {
		q.open.at = o
	}
	for _, u := range uses {
		q.open.add(u)
	}
}

func (q *queue) commit(o *Op) {
	q.flying = append(q.flying[:len(q.flying):len(q.flying)], group{o, q.open.uses})
	q.open = group{}
}

// wait leaves the newest n groups in flight.
func (q *queue) wait(n int) {
	if n < len(q.flying) {
		q.flying = q.flying[len(q.flying)-n:]
	}
}

// busy finds a use in flight for which clash holds.
func (q *queue) busy(clash func(inUse) bool) *inUse {
	for _, g := range append(q.flying[:len(q.flying):len(q.flying)], q.open) {
		for i := range g.uses {
			if clash(g.uses[i]) {
				return &g.uses[i]
			}
		}
	}
	return nil
}

// span is the memory at p, as far as it is known.
func (w *walk) span(o *Op, p *Value, bytes int64) span {
	s := span{root: w.c.roots.root(p), op: o, exact: true}
	for p != s.root && s.exact {
		d := p.def
		switch {
		case d == nil || p.kind != ResultValue:
			s.exact = false
		case d.Info.Name == "addr_off":
			s.lo, p = s.lo+d.Int("off"), d.Args[0]
		case d.Info.Name == "addr" && d.Args[1].IsConst():
			s.lo, p = s.lo+d.Int("off")+d.Args[1].Int()*d.Int("scale"), d.Args[0]
		case d.Info.Name == "ptr_cast" || d.Info.Name == "matrix_desc":
			p = d.Args[0]
		default:
			s.exact = false
		}
	}
	s.lo += o.Int("off")
	s.hi = s.lo + max(bytes, 1)
	if !s.exact {
		s.lo, s.hi = 0, 0
	}
	return s
}

func constBytes(v *Value) int64 {
	if v != nil && v.IsConst() {
		return int64(v.Bits())
	}
	return 1
}

// surely tells whether two spans are known to overlap.
func (s span) surely(t span) bool {
	return s.root != nil && s.root == t.root && s.exact && t.exact && s.lo < t.hi && t.lo < s.hi
}

// likely tells whether two spans overlap for all that is known: in a static array, unless they are known to be apart. In
// dynamic shared memory different tiles share the array, so there it takes proof.
func (w *walk) likely(s, t span) bool {
	if s.root == nil || s.root != t.root || s.root.kind != ArrayValue {
		return false
	}
	if s.exact && t.exact || w.c.k.Arrays[s.root.index].Dynamic && w.c.k.Arrays[s.root.index].Count == 0 {
		return s.surely(t)
	}
	return true
}

// sharedBytes is the size of what an access of values moves.
func sharedBytes(vals []*Value) int64 {
	n := int64(0)
	for _, v := range vals {
		n += int64(v.typ.Bits() / 8)
	}
	return n
}

// generic notes a write through the generic proxy.
func (w *walk) generic(o *Op, s *flowState) {
	o.touches(func(p *Value, a op.Access) {
		if a&op.Writes != 0 && p.typ.Space == op.Shared {
			x := w.span(o, p, sharedBytes(o.Args[1:]))
			s.written = addSpan(s.written, x)
			w.overwritten(o, s, x)
		}
	})
}

// overwritten reports a write over memory that a bulk store in flight still reads, or a copy in flight writes.
func (w *walk) overwritten(o *Op, s *flowState, x span) {
	if u := s.groups[bulkGroups].busy(func(u inUse) bool { return u.surely(x) }); u != nil {
		w.c.at(o, CodeInFlight, "call k.BulkWaitRead before it", "%s is written while the %s at %s may still read it", x.root, u.op.Info.Name, u.op.Pos)
	}
	if u := s.groups[copyGroups].busy(func(u inUse) bool { return u.surely(x) }); u != nil {
		w.c.at(o, CodeInFlight, "call k.CopyAsyncWait before it", "%s is written while the cp_async at %s may still write it", x.root, u.op.Pos)
	}
}

// readByAsync checks memory that the async proxy is about to read.
func (w *walk) readByAsync(o *Op, s *flowState, x span) {
	for _, y := range s.written {
		if w.likely(x, y) {
			w.c.at(o, CodeProxyFence, "the threads that wrote call k.FenceProxyAsync(ir.ProxyShared), then a barrier", "%s reads %s through the async proxy, and the %s at %s wrote it through the generic one", o.Info.Name, x.root, y.op.Info.Name, y.op.Pos)
			return
		}
	}
}
