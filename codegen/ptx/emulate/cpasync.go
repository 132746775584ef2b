package emulate

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// copyOp is cp.async: 4, 8 or 16 bytes a thread from global to shared memory (manual 9.7.9.25.3.1).
type copyOp struct {
	dst, src place
	size     int
	srcSize  src // bytes that are read; the rest is zeros
	sizeID   int32
	sized    bool
	ignore   predOperand // the source is not read at all
	ignored  bool
}

func decodeCpAsync(b *build) {
	b.ignore("async", "ca", "cg", "L2::*", "global")
	o := &copyOp{sizeID: -1}
	size, ok := b.need("cp-size").(ptx.Int)
	if !ok {
		b.fail("the size is no constant")
		return
	}
	o.size = int(size.Value)
	o.dst = b.placeIn(b.need("dst"), isa.Shared, uint64(o.size))
	o.src = b.placeIn(b.need("src"), isa.Global, uint64(o.size))
	b.ignore("shared", "shared::cta")
	if x := b.arg("src-size"); x != nil {
		if r, isReg := x.(*ptx.Reg); isReg && r.Type() == isa.Pred {
			o.ignore, o.ignored = b.predSrc(x), true
		} else if _, isNot := x.(ptx.Not); isNot {
			o.ignore, o.ignored = b.predSrc(x), true
		} else {
			o.srcSize, o.sizeID = b.value(x, isa.U32)
			o.sized = true
		}
	}
	b.inst.visible = true
	b.inst.exec = o.exec
}

// placeIn is place for an operand whose space the form fixes.
func (b *build) placeIn(o ptx.Operand, s isa.Space, n uint64) place {
	used, mods := b.used, b.mods
	b.mods = nil // the modifiers name the spaces of other operands too
	p := b.place(o, n)
	b.used, b.mods = used, mods
	p.space = s
	if n := len(b.inst.places); n > 0 {
		b.inst.places[n-1] = p
	}
	return p
}

// laneCopy is what one lane copies.
type laneCopy struct {
	from, to uint64
	n        int // bytes read
	lane     int
}

func (o *copyOp) exec(w *warp, in *inst, m uint32) {
	if m == 0 {
		return
	}
	w.needDefined(o.dst.id, in, m, "is an address")
	w.needDefined(o.src.id, in, m, "is an address")
	w.needDefined(o.sizeID, in, m, "is a number of bytes")
	op := &asyncOp{kind: asyncCopy, warp: w, lanes: m, in: in}
	copies := make([]laneCopy, 0, warpSize)
	for t := m; t != 0; t &= t - 1 {
		if c, ok := o.lane(w, in, bits.TrailingZeros32(t)&31); ok {
			copies = append(copies, c)
		}
	}
	if t := w.run.track; t != nil {
		t.issueCopies(w, in, copies, o.size)
	}
	for _, c := range copies {
		op.writes = append(op.writes, span{w.cta, c.to, uint64(o.size)})
		if c.n > 0 {
			op.reads = append(op.reads, span{nil, c.from, uint64(c.n)})
		}
	}
	op.writes, op.reads = joinSpans(op.writes), joinSpans(op.reads)
	data := make([]byte, 2*o.size*len(copies)) // of each lane: bytes, then shadows
	op.take = func() {
		for i, c := range copies {
			at := data[2*o.size*i:]
			fill(at[o.size:2*o.size], shadowWritten)
			if c.n > 0 {
				mem, shadow := w.run.globalAt(c.from, uint64(c.n))
				copy(at, mem)
				copy(at[o.size:], shadow)
			}
		}
	}
	op.give = func() {
		for i, c := range copies {
			mem, shadow := w.cta.sharedAt(c.to, uint64(o.size))
			at := data[2*o.size*i:]
			copy(mem, at[:o.size])
			giveShadow(shadow, at[o.size:2*o.size])
		}
	}
	w.run.issue(op)
	w.copies.add(op)
}

// giveShadow makes bytes as defined as the ones that they are copies of.
func giveShadow(shadow, from []byte) {
	for i := range shadow {
		shadow[i] = shadow[i]&^shadowWritten | from[i]&shadowWritten
	}
}

// lane resolves and checks the copy of one lane.
func (o *copyOp) lane(w *warp, in *inst, l int) (laneCopy, bool) {
	c := laneCopy{from: w.val(o.src.base)[l] + o.src.off, to: w.val(o.dst.base)[l] + o.dst.off, n: o.size, lane: l}
	if o.sized {
		n := uint64(uint32(w.val(o.srcSize)[l]))
		if n > uint64(o.size) {
			w.find(BadOperand, in, 1<<l, fmt.Sprintf("src-size %d is larger than cp-size %d", n, o.size))
			n = uint64(o.size)
		}
		c.n = int(n)
	}
	if o.ignored {
		v, def := w.pred(o.ignore)
		if def>>l&1 == 0 && w.run.initcheck {
			w.undefined(o.ignore.id(w.k), 1<<l, in, "decides what is copied")
		}
		if v>>l&1 != 0 {
			c.n = 0
		}
	}
	dst, src := o.dst, o.src
	dst.bytes, src.bytes = uint64(o.size), uint64(c.n)
	mask := uint64(o.size - 1)
	switch {
	case w.run.memcheck && c.to&mask != 0:
		dst.bytes = uint64(o.size)
		w.misaligned(in, &dst, c.to, l, "cp.async to shared memory")
		return c, false
	case w.run.memcheck && c.from&mask != 0 && c.n > 0:
		src.bytes = uint64(o.size)
		w.misaligned(in, &src, c.from, l, "cp.async from global memory")
		return c, false
	}
	if mem, _ := w.cta.sharedAt(c.to, dst.bytes); mem == nil {
		w.badAccess(in, &dst, c.to, l, "cp.async write")
		return c, false
	}
	if c.n > 0 {
		if mem, _ := w.run.globalAt(c.from, src.bytes); mem == nil {
			w.badAccess(in, &src, c.from, l, "cp.async read")
			return c, false
		}
	}
	w.targetFree(in, l, span{w.cta, c.to, dst.bytes})
	return c, true
}

// targetFree reports an asynchronous write onto bytes that are an mbarrier, or that another operation in flight still
// has to read or write.
func (w *warp) targetFree(in *inst, l int, s span) {
	_, shadow := w.run.bytesOf(s)
	var special byte
	for _, b := range shadow {
		special |= b
	}
	if special&^shadowWritten == 0 || !w.run.asynccheck {
		return
	}
	if special&shadowBarrier != 0 {
		w.mbarProblem(MbarInit, in, 1<<l, "an asynchronous write over an mbarrier, at "+w.run.nameSpan(s))
		return
	}
	op, other := w.run.inFlight(w.cta, s, special&shadowTarget != 0)
	if op == nil {
		return
	}
	kind, what := "async write", "still has to write"
	if special&shadowTarget == 0 {
		kind, what = "async read", "may still read"
	}
	w.conflict(op.class(), op.section(), in, l, s, "async write",
		Access{Kind: kind, Addr: other.addr, Bytes: other.n, Line: op.line(), Threads: op.warp.threadsOf(op.lanes)},
		fmt.Sprintf("%s writes %s, which %s of line %d %s: no wait came in between", in.name(), w.run.nameSpan(s), op.in.name(), op.line(), what))
}

// joinSpans sorts spans and merges neighbours.
func joinSpans(s []span) []span {
	slices.SortFunc(s, func(a, b span) int {
		switch {
		case a.addr < b.addr:
			return -1
		case a.addr > b.addr:
			return 1
		}
		return 0
	})
	out := s[:0]
	for _, x := range s {
		if n := len(out); n > 0 && out[n-1].cta == x.cta && x.addr <= out[n-1].addr+out[n-1].n {
			out[n-1].n = max(out[n-1].n, x.addr+x.n-out[n-1].addr)
			continue
		}
		out = append(out, x)
	}
	return out
}

// decodeCpGroup is cp.async.commit_group, wait_group and wait_all, and those of bulk copies.
func decodeCpGroup(b *build, bulk bool) {
	b.ignore("async", "bulk")
	kind := cpGroup
	if bulk {
		kind = bulkGroup
	}
	queue := func(w *warp) *groupQueue {
		if bulk {
			return &w.bulks
		}
		return &w.copies
	}
	b.inst.visible = true
	switch {
	case b.has("commit_group"):
		b.inst.exec = func(w *warp, in *inst, m uint32) {
			queue(w).commit(m)
			if t := w.run.track; t != nil {
				t.commit(w, m, kind)
			}
		}
	case b.has("wait_all"):
		b.inst.exec = func(w *warp, in *inst, m uint32) {
			w.finishAll(queue(w).waitAll(m))
			if t := w.run.track; t != nil {
				t.waitAll(w, m, kind)
			}
		}
	default:
		b.has("wait_group")
		n, ok := b.need("N").(ptx.Int)
		if !ok || n.Value < 0 {
			b.fail("the number of groups is no constant")
			return
		}
		if b.has("read") {
			b.inst.exec = func(w *warp, in *inst, m uint32) {
				for _, op := range queue(w).wait(m, int(n.Value), false) {
					w.run.takeSources(op)
					op.readDone = true
				}
				queue(w).trim(w.run)
				if t := w.run.track; t != nil {
					t.waitGroup(w, m, kind, int(n.Value), true)
				}
			}
			return
		}
		b.inst.exec = func(w *warp, in *inst, m uint32) {
			w.finishAll(queue(w).wait(m, int(n.Value), true))
			if t := w.run.track; t != nil {
				t.waitGroup(w, m, kind, int(n.Value), false)
			}
		}
	}
}

// finishAll completes operations that a wait names.
func (w *warp) finishAll(ops []*asyncOp) {
	for _, op := range ops {
		w.run.settle(op)
		op.waited = true
	}
}

// decodeCpArrive is cp.async.mbarrier.arrive (manual 9.7.13.15.15): an arrival when the thread's copies so far are
// done. Without .noinc the phase first expects one arrival more.
func decodeCpArrive(b *build) {
	b.ignore("async", "mbarrier", "mbarrier::arrive", "arrive", "b64")
	noinc := b.has("noinc")
	p := b.place(b.need("addr"), 8)
	b.inst.visible = true
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		w.needDefined(p.id, in, m, "is an address")
		base := w.val(p.base)
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			bar := w.mbarrierAt(in, &p, base[l]+p.off, l, true)
			if bar == nil {
				continue
			}
			if !noinc {
				if bar.pending++; bar.pending > mbarrierMax {
					w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("%s counts more than %d arrivals", bar.name(), mbarrierMax))
				}
			}
			op := &asyncOp{kind: asyncCopy, warp: w, lanes: 1 << l, in: in, after: w.copies.of(1 << l)}
			for _, o := range op.after {
				o.waited = true // whoever waits for the mbarrier waits for them
			}
			var done *know
			if t := w.run.track; t != nil {
				done = t.copies(w, 1<<l)
			}
			op.signalTo(bar, func() {
				if t := w.run.track; t != nil {
					t.mbarPublish(bar, done)
				}
				w.mbarProblem(MbarCount, in, 1<<l, bar.arrive(w.run, 1, false, int(in.line)))
			})
			w.run.issue(op)
		}
	}
}
