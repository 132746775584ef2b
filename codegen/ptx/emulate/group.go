package emulate

import "math/bits"

// groupQueue holds the asynchronous operations of a warp's threads by the groups they were committed to (manual
// 9.7.9.25.3.2 and 9.7.9.25.5.1). Groups are a thread's own; those of lanes that act together are one entry. An
// operation that belongs to groups of several lanes is complete as soon as one of them waits for it, which is allowed.
type groupQueue struct {
	open   []openOp
	groups []asyncGroup // oldest first
}

// openOp is an operation that some lanes have not committed.
type openOp struct {
	op    *asyncOp
	lanes uint32
}

type asyncGroup struct {
	lanes uint32
	ops   []*asyncOp
}

func (q *groupQueue) reset() { q.open, q.groups = q.open[:0], q.groups[:0] }

func (q *groupQueue) add(op *asyncOp) { q.open = append(q.open, openOp{op, op.lanes}) }

// commit closes a group of the lanes in m.
func (q *groupQueue) commit(m uint32) {
	g := asyncGroup{lanes: m}
	kept := q.open[:0]
	for _, o := range q.open {
		if o.lanes&m != 0 {
			g.ops = append(g.ops, o.op)
			o.lanes &^= m
		}
		if o.lanes != 0 {
			kept = append(kept, o)
		}
	}
	q.open = kept
	q.groups = append(q.groups, g)
}

// wait returns the operations that have to be complete so that each lane of m has at most n groups in flight, oldest
// first. With forget the groups are done with.
func (q *groupQueue) wait(m uint32, n int, forget bool) []*asyncOp {
	var newer [warpSize]int // groups of a lane behind the one looked at
	need := make([]uint32, len(q.groups))
	for i := len(q.groups) - 1; i >= 0; i-- {
		for t := q.groups[i].lanes & m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			if newer[l]++; newer[l] > n {
				need[i] |= 1 << l
			}
		}
	}
	var out []*asyncOp
	kept := q.groups[:0]
	for i, g := range q.groups {
		if need[i] != 0 {
			for _, op := range g.ops {
				if op.lanes&need[i] != 0 {
					out = append(out, op)
				}
			}
			if forget {
				g.lanes &^= need[i]
			}
		}
		if g.lanes != 0 {
			kept = append(kept, g)
		}
	}
	q.groups = kept
	return out
}

// readGroups is how many groups whose sources were waited for stay in flight until something waits for their writes.
// A kernel that only ever waits with .read would otherwise keep all its data.
const readGroups = 8

// trim completes the oldest groups whose sources were waited for, beyond readGroups, and forgets the complete ones. Only
// the old end is cut: waits count from the new one.
func (q *groupQueue) trim(r *worker) {
	read := 0
	for read < len(q.groups) && q.groups[read].all(func(op *asyncOp) bool { return op.readDone }) {
		read++
	}
	cut := 0
	for cut < read && (read-cut > readGroups || q.groups[cut].all(func(op *asyncOp) bool { return op.stage == asyncDone })) {
		for _, op := range q.groups[cut].ops {
			r.settle(op)
		}
		cut++
	}
	q.groups = append(q.groups[:0], q.groups[cut:]...)
}

func (g *asyncGroup) all(f func(op *asyncOp) bool) bool {
	for _, op := range g.ops {
		if !f(op) {
			return false
		}
	}
	return true
}

// waitAll returns all operations of the lanes in m, committed or not, and forgets them.
func (q *groupQueue) waitAll(m uint32) []*asyncOp {
	q.commit(m)
	return q.wait(m, 0, true)
}

// all returns the operations that no wait has covered.
func (q *groupQueue) all() []*asyncOp {
	var out []*asyncOp
	for _, g := range q.groups {
		out = append(out, g.ops...)
	}
	for _, o := range q.open {
		out = append(out, o.op)
	}
	return out
}

// of returns the operations of the lanes in m that no wait has covered.
func (q *groupQueue) of(m uint32) []*asyncOp {
	var out []*asyncOp
	for _, op := range q.all() {
		if op.lanes&m != 0 {
			out = append(out, op)
		}
	}
	return out
}
