package emulate

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// bulkAlign is the granularity of bulk copies: addresses and sizes are multiples of it.
const bulkAlign = 16

// bulkOp is cp.async.bulk or cp.reduce.async.bulk between ranges of bytes (manual 9.7.9.25.4). Each lane that executes
// it starts a copy of its own.
type bulkOp struct {
	dst, src place
	size     src
	sizeID   int32
	signal   *barOperand // nil: counted by bulk groups
	combine  *combiner   // nil: a plain copy
}

// barOperand is the mbarrier operand of a bulk operation, with the blocks that a multicast reaches.
type barOperand struct {
	place
	mask      src
	maskID    int32
	multicast bool
}

// decodeCp is every instruction that begins with cp.
func decodeCp(b *build) {
	switch op := b.in.Form.Op(); op {
	case "cp.async":
		decodeCpAsync(b)
	case "cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all":
		decodeCpGroup(b, false)
	case "cp.async.bulk.commit_group", "cp.async.bulk.wait_group":
		decodeCpGroup(b, true)
	case "cp.async.mbarrier.arrive":
		decodeCpArrive(b)
	case "cp.async.bulk", "cp.reduce.async.bulk":
		decodeBulk(b)
	case "cp.async.bulk.prefetch":
		decodeBulkPrefetch(b)
	default:
		decodeTensor(b)
	}
}

// spaces returns the state spaces of a copy, in text order: destination, source.
func (b *build) spaces() []isa.Space {
	var out []isa.Space
	for i, m := range b.mods {
		if s, ok := isa.SpaceOf(m); ok {
			b.used |= 1 << i
			out = append(out, s.Base())
		}
	}
	return out
}

func decodeBulk(b *build) {
	b.ignore("async", "bulk", "mbarrier::complete_tx::bytes", "bulk_group", "L2::*", "reduce")
	sp := b.spaces()
	if len(sp) != 2 {
		b.fail("a copy between %d spaces", len(sp))
		return
	}
	o := &bulkOp{dst: b.placeIn(b.need("dstMem"), sp[0], 0), src: b.placeIn(b.need("srcMem"), sp[1], 0)}
	o.size, o.sizeID = b.value(b.need("size"), isa.U32)
	if b.in.Form.Op() == "cp.reduce.async.bulk" {
		o.combine = b.combiner(b.typ())
	}
	o.signal = b.barOperand()
	b.inst.visible = true
	b.inst.exec = o.exec
}

// barOperand decodes the mbarrier of a bulk operation, if it has one.
func (b *build) barOperand() *barOperand {
	x := b.arg("mbar")
	if x == nil {
		return nil
	}
	o := &barOperand{place: b.placeIn(x, isa.SharedCluster, 8), maskID: -1}
	if b.has("multicast::cluster") {
		o.multicast = true
		o.mask, o.maskID = b.value(b.need("ctaMask"), isa.U16)
	}
	return o
}

func (o *bulkOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.dst.id, in, m, "is an address")
	w.needDefined(o.src.id, in, m, "is an address")
	w.needDefined(o.sizeID, in, m, "is a number of bytes")
	for t := m; t != 0; t &= t - 1 {
		o.lane(w, in, bits.TrailingZeros32(t)&31)
	}
}

// lane starts the copy of one lane.
func (o *bulkOp) lane(w *warp, in *inst, l int) {
	n := uint64(uint32(w.val(o.size)[l]))
	if n%bulkAlign != 0 {
		w.bulkProblem(Misaligned, in, l, fmt.Sprintf("%s of %d bytes, which is no multiple of %d", in.name(), n, bulkAlign))
		return
	}
	from, ok := w.bulkSpan(in, &o.src, w.val(o.src.base)[l]+o.src.off, n, l, "read")
	if !ok {
		return
	}
	to, ok := w.bulkSpan(in, &o.dst, w.val(o.dst.base)[l]+o.dst.off, n, l, "write")
	if !ok {
		return
	}
	for _, t := range w.targets(in, o.signal, to, l) {
		w.startCopy(in, l, from, t, o.combine)
	}
}

// bulkTarget is one destination of a bulk operation and the mbarrier that counts it, if any.
type bulkTarget struct {
	to  span
	bar *mbarrier
}

// targets returns the destinations of a bulk operation: those of a multicast have the same offset in each block of the
// mask, and so have the mbarriers.
func (w *warp) targets(in *inst, o *barOperand, to span, l int) []bulkTarget {
	if o == nil {
		return []bulkTarget{{to: to}}
	}
	w.needDefined(o.id, in, 1<<l, "is an address")
	addr := w.val(o.base)[l] + o.off
	if !o.multicast {
		b := w.mbarrierAt(in, &o.place, addr, l, false)
		return []bulkTarget{{to, b}}
	}
	w.needDefined(o.maskID, in, 1<<l, "is a mask of blocks")
	ctas := w.cta.cluster.ctas
	mask := uint32(uint16(w.val(o.mask)[l]))
	if mask == 0 || mask>>len(ctas) != 0 {
		w.bulkProblem(ClusterRank, in, l, fmt.Sprintf("a multicast to the blocks of mask %#x; the cluster has %d", mask, len(ctas)))
	}
	var out []bulkTarget
	for rank, c := range ctas {
		if mask>>rank&1 == 0 {
			continue
		}
		if c != w.cta {
			switch _, class, why := w.peer(uint64(rank) << rankShift); class {
			case ClusterExit:
				w.bulkProblem(class, in, l, why)
				continue
			case ClusterStart:
				w.beforeStart(c)
			}
		}
		own := uint64(rank) << rankShift
		t := bulkTarget{to: span{c, to.addr&(1<<rankShift-1) | own, to.n}}
		t.bar = w.mbarrierAt(in, &o.place, addr&(1<<rankShift-1)|own, l, false)
		out = append(out, t)
	}
	return out
}

// bulkSpan resolves an address of a bulk operation and checks it.
func (w *warp) bulkSpan(in *inst, p *place, addr, n uint64, l int, verb string) (span, bool) {
	q := *p
	q.bytes = n
	if addr%bulkAlign != 0 {
		q.bytes = bulkAlign
		w.misaligned(in, &q, addr, l, in.name()+" "+verb)
		return span{}, false
	}
	if n == 0 {
		return span{}, false
	}
	if mem, _, _ := w.locate(&q, addr, l); mem == nil {
		w.badAccess(in, &q, addr, l, in.name()+" "+verb)
		return span{}, false
	}
	if verb == "write" && q.spaceOf(addr) == isa.Global && w.readOnly(in, &q, addr, l) {
		return span{}, false
	}
	return w.spanOf(&q, addr, n), true
}

func (w *warp) bulkProblem(class Class, in *inst, l int, msg string) {
	if !w.known(class, in) {
		w.run.report(w.cta, Finding{Class: class, Line: int(in.line), Threads: w.threadsOf(1 << l), Section: in.section(), Message: msg})
	}
}

// startCopy issues a copy of a contiguous range.
func (w *warp) startCopy(in *inst, l int, from span, t bulkTarget, c *combiner) {
	w.startBulk(in, l, []span{from}, []span{t.to}, t.bar, c, int(from.n))
}

// startBulk issues an operation that moves the bytes of some ranges, in order, to others. Completion is counted by the
// mbarrier, with tx bytes, or by the thread's bulk groups where there is none.
func (w *warp) startBulk(in *inst, l int, from, to []span, bar *mbarrier, c *combiner, tx int) *asyncOp {
	w.checkTargets(in, l, to, c)
	r := w.run
	op := &asyncOp{kind: asyncBulk, warp: w, lanes: 1 << l, in: in, reads: from, writes: to, combines: c != nil}
	var data, shadow []byte
	op.take = func() {
		for _, s := range from {
			mem, sh := r.bytesOf(s)
			data, shadow = append(data, mem...), append(shadow, sh...)
		}
		if to[0].cta == nil && r.initcheck {
			w.sourceDefined(op, l, shadow)
		}
	}
	op.give = func() {
		at := 0
		for _, s := range to {
			n := int(s.n)
			w.giveTo(op, s, data[at:at+n], shadow[at:at+n], c)
			at += n
		}
	}
	w.enlist(op, bar, tx)
	return op
}

// enlist gives an operation to its completion mechanism and issues it.
func (w *warp) enlist(op *asyncOp, bar *mbarrier, tx int) {
	l := bits.TrailingZeros32(op.lanes)
	if bar != nil {
		op.signalTo(bar, func() {
			if bar.cta.mbarAt(bar.addr) != bar {
				w.mbarProblem(MbarInit, op.in, op.lanes, bar.name()+" was invalidated while this operation was in flight")
				return
			}
			w.mbarProblem(MbarTx, op.in, 1<<l, bar.completeTx(w.run, tx))
		})
	} else if op.in.text.Form.Async() == "bulk_group" {
		w.bulks.add(op)
	}
	w.run.issue(op)
}

// checkTargets reports destinations that are in use.
func (w *warp) checkTargets(in *inst, l int, to []span, c *combiner) {
	if c != nil {
		return // reductions into the same bytes go together
	}
	for _, s := range to {
		w.targetFree(in, l, s)
	}
}

// giveTo writes bytes to one range, or combines them with what is there.
func (w *warp) giveTo(op *asyncOp, s span, data, defined []byte, c *combiner) {
	if s.cta != nil && s.cta.liveWarps == 0 && s.cta != w.cta {
		w.bulkProblem(ClusterExit, op.in, bits.TrailingZeros32(op.lanes), fmt.Sprintf("%s writes the shared memory of the block of rank %d, which has ended", op.in.name(), s.cta.rank))
		return
	}
	mem, shadow := w.run.bytesOf(s)
	if mem == nil {
		return // the allocation was freed, which the host does only between launches
	}
	if c == nil {
		copy(mem, data)
		giveShadow(shadow, defined)
		return
	}
	if w.run.initcheck && slices.ContainsFunc(shadow, func(b byte) bool { return b&shadowWritten == 0 }) {
		class := InitGlobal
		if s.cta != nil {
			class = InitShared
		}
		if !w.known(class, op.in) {
			w.find(class, op.in, op.lanes, "a reduction into memory that nobody wrote, at "+w.run.nameSpan(s))
		}
		orBytes(shadow, shadowWritten)
	}
	c.apply(mem, data, s.cta == nil)
}

// sourceDefined reports undefined bytes that are copied to global memory.
func (w *warp) sourceDefined(op *asyncOp, l int, shadow []byte) {
	i := slices.IndexFunc(shadow, func(b byte) bool { return b&shadowWritten == 0 })
	if i < 0 {
		return
	}
	n := 0
	for _, b := range shadow {
		if b&shadowWritten == 0 {
			n++
		}
	}
	if !w.known(InitShared, op.in) {
		w.find(InitShared, op.in, 1<<l, fmt.Sprintf("%s copies %d bytes of shared memory that nobody wrote to global memory, the first at byte %d of its source", op.in.name(), n, i))
	}
	fill(shadow, shadowWritten)
}

// combiner is the reduction of cp.reduce.async.bulk: element by element.
type combiner struct {
	elem   int
	shared func(old, b, c uint64) uint64
	global func(old, b, c uint64) uint64
}

func (c *combiner) apply(mem, data []byte, global bool) {
	f := c.shared
	if global {
		f = c.global
	}
	for i := 0; i+c.elem <= len(mem); i += c.elem {
		writeBytes(mem[i:], c.elem, f(readBytes(mem[i:], c.elem), readBytes(data[i:], c.elem), 0))
	}
}

// combiner decodes the operation of a reduction on a type. Floating-point addition keeps subnormals: on an H200 that of f32
// too, unlike atom and red; of f64 operands that are NaN it keeps the new one, or else the old one, as they are.
func (b *build) combiner(t isa.Type) *combiner {
	op := b.oneOf("and", "or", "xor", "add", "inc", "dec", "min", "max")
	b.has("noftz")
	f := atomicFunc(op, t)
	if f == nil {
		b.fail("a reduction %s of type .%s is not modelled", op, t)
		return nil
	}
	c := &combiner{elem: t.Bits() / 8, shared: f, global: f}
	if op == "add" && t == isa.F64 {
		c.global = func(old, v, _ uint64) uint64 {
			for _, x := range [2]uint64{v, old} {
				if math.IsNaN(math.Float64frombits(x)) {
					return x
				}
			}
			return f(old, v, 0)
		}
	}
	return c
}

// decodeBulkPrefetch moves bytes to a cache: only its operands matter (manual 9.7.9.25.4.3).
func decodeBulkPrefetch(b *build) {
	b.ignore("async", "bulk", "prefetch", "L2", "L2::*", "global")
	p := b.placeIn(b.need("srcMem"), isa.Global, bulkAlign)
	n, id := b.value(b.need("size"), isa.U32)
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		w.needDefined(p.id, in, m, "is an address")
		w.needDefined(id, in, m, "is a number of bytes")
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			if addr := w.val(p.base)[l] + p.off; addr%bulkAlign != 0 {
				w.misaligned(in, &p, addr, l, in.name())
			}
			if size := uint32(w.val(n)[l]); size%bulkAlign != 0 {
				w.bulkProblem(Misaligned, in, l, fmt.Sprintf("%s of %d bytes, which is no multiple of %d", in.name(), size, bulkAlign))
			}
		}
	}
}
