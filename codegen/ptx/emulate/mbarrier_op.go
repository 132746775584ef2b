package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// mbarrierOp is a decoded mbarrier instruction other than a wait. The lanes act one after another.
type mbarrierOp struct {
	place
	count   src // arrivals, or bytes
	countID int32
	state   int32 // result register, or -1
	act     func(w *warp, in *inst, b *mbarrier, l int, n uint64)
}

func (o *mbarrierOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.id, in, m, "is an address")
	w.needDefined(o.countID, in, m, "is a count of an mbarrier")
	base, count := w.val(o.base), w.val(o.count)
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t) & 31
		b := w.mbarrierAt(in, &o.place, base[l]+o.off, l, false)
		if b == nil {
			continue
		}
		if o.state >= 0 {
			w.regs[o.state][l] = b.state()
		}
		o.act(w, in, b, l, uint64(uint32(count[l])))
	}
	if o.state >= 0 {
		w.def[o.state] |= m
	}
}

// ordering are the modifiers of mbarrier instructions that say what they order.
var ordering = []string{"release", "relaxed", "acquire", "cta", "cluster", "b64"}

func decodeMbarrier(b *build) {
	b.inst.visible = true
	relaxed := b.has("relaxed")
	b.ignore(ordering...)
	switch {
	case b.has("init"):
		b.mbarrierInit()
	case b.has("inval"):
		b.mbarrierOp("", func(w *warp, in *inst, x *mbarrier, l int, _ uint64) { x.inval(w, in, l) })
	case b.has("pending_count"):
		b.typ()
		s := b.src(b.need("state"), isa.B64)
		b.inst.exec = lift1(b.dst(b.need("count")), s, func(v uint64) uint64 { return v >> statePendingShift & mbarrierMax })
	case b.has("test_wait"), b.has("try_wait"):
		b.mbarrierWait(!relaxed)
	default:
		b.mbarrierArrive(!relaxed)
	}
}

// mbarrierOp decodes the operands that all but the waits share.
func (b *build) mbarrierOp(count string, act func(w *warp, in *inst, x *mbarrier, l int, n uint64)) *mbarrierOp {
	o := &mbarrierOp{place: b.place(b.need("addr"), 8), state: -1, countID: -1, act: act}
	o.count = b.d.p.constant(1)
	if x := b.arg(count); count != "" && x != nil {
		o.count, o.countID = b.value(x, isa.U32)
	}
	b.inst.exec = o.exec
	return o
}

func (b *build) mbarrierInit() {
	p := b.place(b.need("addr"), 8)
	n, id := b.value(b.need("count"), isa.U32)
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		w.needDefined(p.id, in, m, "is an address")
		w.needDefined(id, in, m, "is a count of an mbarrier")
		base, count := w.val(p.base), w.val(n)
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			w.initBarrier(in, &p, base[l]+p.off, l, uint64(uint32(count[l])))
		}
	}
}

// mbarrierArrive decodes arrive and arrive_drop with their variants, expect_tx and complete_tx.
func (b *build) mbarrierArrive(release bool) {
	drop, arrives := b.has("arrive_drop"), b.has("arrive")
	expect, partial := b.has("expect_tx"), b.has("noComplete")
	counts := "count"
	switch {
	case expect:
		counts = "txCount"
	case b.has("complete_tx"):
		b.mbarrierOp("txCount", func(w *warp, in *inst, x *mbarrier, l int, n uint64) {
			w.mbarProblem(MbarTx, in, 1<<l, badTx(n))
			w.mbarProblem(MbarTx, in, 1<<l, x.completeTx(w.run, int(n&mbarrierMax)))
		})
		return
	}
	o := b.mbarrierOp(counts, func(w *warp, in *inst, x *mbarrier, l int, n uint64) {
		if expect {
			w.mbarProblem(MbarTx, in, 1<<l, badTx(n))
			w.mbarProblem(MbarTx, in, 1<<l, x.expectTx(w.run, int(n&mbarrierMax), int(in.line)))
			x.expected(w, in, 1<<l)
			if n = 1; !drop && !arrives {
				return
			}
		}
		if t := w.run.track; t != nil {
			t.mbarArrive(w, in, l, x, release)
		}
		x.arriveChecked(w, in, l, n, drop, partial)
	})
	if s := b.arg("state"); s != nil {
		o.state = b.result(s)
	}
}

func badTx(n uint64) string {
	if n <= mbarrierMax {
		return ""
	}
	return fmt.Sprintf("a count of %d bytes; an mbarrier counts up to %d", n, mbarrierMax)
}

// arriveChecked is an arrival of one lane.
func (b *mbarrier) arriveChecked(w *warp, in *inst, l int, n uint64, drop, partial bool) {
	if n == 0 || n > mbarrierMax {
		w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("%d arrivals at once; 1 to %d are possible", n, mbarrierMax))
		n = 1
	}
	if partial && int(n) >= b.pending {
		w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("%d arrivals with .noComplete complete phase %d of %s, which lacks %d", n, b.phase, b.name(), b.pending))
	}
	w.mbarProblem(MbarCount, in, 1<<l, b.arrive(w.run, int(n), drop, int(in.line)))
}

// mbarrierWait is test_wait or try_wait (manual 9.7.13.15.16).
type mbarrierWait struct {
	place
	pred   int32 // result
	want   src   // parity, or state
	wantID int32
	parity bool
	try    bool // may suspend the thread
	acq    bool // acquires
}

func (b *build) mbarrierWait(acquire bool) {
	b.has("test_wait")
	o := &mbarrierWait{acq: acquire, try: b.has("try_wait"), parity: b.has("parity"), place: b.place(b.need("addr"), 8)}
	o.pred = b.predResult(b.need("waitComplete"))
	if o.parity {
		o.want, o.wantID = b.value(b.need("phaseParity"), isa.U32)
	} else {
		o.want, o.wantID = b.value(b.need("state"), isa.B64)
	}
	hint := int32(-1)
	if x := b.arg("suspendTimeHint"); x != nil {
		_, hint = b.value(x, isa.U32)
	}
	b.inst.ctl = func(w *warp, in *inst, m uint32) bool {
		w.needDefined(o.id, in, m, "is an address")
		w.needDefined(o.wantID, in, m, "is the phase that is waited for")
		w.needDefined(hint, in, m, "is a time to wait")
		return o.wait(w, in, m)
	}
}

// wait runs the lanes in m. Lanes of try_wait that would all get "false" are suspended until a phase ends; the
// machine may wake them earlier, as the chip's time limit does.
func (o *mbarrierWait) wait(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	base, want := w.val(o.base), w.val(o.want)
	var over uint32
	var first *mbarrier
	same := uniform(base, m) && uniform(want, m)
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t) & 31
		b := w.mbarrierAt(in, &o.place, base[l]+o.off, l, true)
		if b == nil { // reported; the wait ends so that the kernel can go on
			over |= 1 << l
			continue
		}
		if first == nil {
			first = b
		}
		if o.over(w, in, b, l, want[l]) {
			over |= 1 << l
			b.observed(w, in, m&t)
			if x := w.run.track; x != nil && !same {
				x.mbarWait(w, in, 1<<l, b, o.acq)
			}
		}
		if same {
			if x := w.run.track; x != nil && over != 0 {
				x.mbarWait(w, in, m, b, o.acq)
			}
			if over != 0 {
				over = m
			}
			break
		}
	}
	if over == 0 && o.try && first != nil && !f.timeout && !w.run.impatient(w.cta) {
		w.part(m)
		f = &w.frags[w.cur]
		f.state, f.mbar = atMbarrier, first
		return true
	}
	f.timeout = false
	if w.polls = nil; over == 0 {
		w.polls = first
	}
	w.setPred(o.pred, m, over, fullMask, origin{})
	f.pc++
	return false
}

// over reports whether the phase that a lane waits for has ended.
func (o *mbarrierWait) over(w *warp, in *inst, b *mbarrier, l int, want uint64) bool {
	if o.parity {
		if want > 1 {
			w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("a parity of %d; it is 0 or 1", want))
		}
		return b.passedParity(want & 1)
	}
	over, ok := b.passedState(want)
	if !ok {
		w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("a wait for a state that is of neither the current phase %d of %s nor the one before", b.phase, b.name()))
		return true
	}
	return over
}

// impatient decides whether a try_wait gives up at once (AsyncRandom).
func (r *worker) impatient(c *cta) bool { return r.async == AsyncRandom && c.chance.IntN(8) == 0 }
