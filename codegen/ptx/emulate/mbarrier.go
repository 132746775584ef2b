package emulate

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// mbarrierMax bounds the expected arrivals and the pending bytes of an mbarrier (manual 9.7.13.15.2).
const mbarrierMax = 1<<20 - 1

// mbarrier is a barrier object in shared memory (manual 9.7.13.15). Its 8 bytes are opaque; the state is here.
type mbarrier struct {
	cta     *cta
	addr    uint64 // in the cluster's window
	line    int    // of mbarrier.init
	count   int    // arrivals of the next phases
	pending int    // arrivals that this phase still lacks
	tx      int    // bytes that this phase still lacks; negative: they came before they were expected
	phase   uint64 // phases that are complete
	// flight are operations that will arrive or bring bytes, oldest first.
	flight []*asyncOp
	// What the current phase has seen, for explanations.
	expectLine int
	arrivals   []int // PTX lines
	// data is the number of phases after which the last asynchronous operation was complete, seen the number of phases
	// whose end somebody has waited for.
	data, seen uint64
	// In the first phase: a wait that passed because the phase before counts as complete, and who expects bytes.
	passed, expects *mbarParty
	track           *mbarTrack // of the race checker
}

// mbarParty is who executed an instruction on an mbarrier.
type mbarParty struct {
	warp  *warp
	lanes uint32
	in    *inst
}

// name says which mbarrier it is.
func (b *mbarrier) name() string {
	return fmt.Sprintf("the mbarrier at %s", b.cta.nameShared(b.addr))
}

// nameShared names a shared address by the variable that it lies in.
func (c *cta) nameShared(addr uint64) string {
	k := c.warps[0].k
	off := addr - c.first + sharedUserStart
	s := fmt.Sprintf("shared address %#x", addr)
	if v := k.sharedVar(off); v != "" {
		s += " (" + v + ")"
	}
	if len(c.cluster.ctas) > 1 {
		s += fmt.Sprintf(" of rank %d", c.rank)
	}
	return s
}

// mbarAt returns the mbarrier at an address of this CTA, or nil.
func (c *cta) mbarAt(addr uint64) *mbarrier { return c.mbars[uint32(addr-c.first)] }

// lacks says what the phase in progress waits for.
func (b *mbarrier) lacks() string {
	s := fmt.Sprintf("%s, phase %d, lacks %d of %d arrivals", b.name(), b.phase, b.pending, b.count)
	switch {
	case b.tx > 0:
		s += fmt.Sprintf(" and %d bytes that %s expects", b.tx, b.lineName(b.expectLine))
	case b.tx < 0:
		s += fmt.Sprintf(" and got %d bytes more than expected", -b.tx)
	}
	if len(b.arrivals) > 0 {
		s += "; arrived at line"
		for i, l := range b.arrivals {
			if i > 0 {
				s += ","
			}
			s += " " + strings.TrimPrefix(b.lineName(l), "line ")
		}
	}
	return s + fmt.Sprintf(" (initialised at %s)", b.lineName(b.line))
}

// lineName is a PTX line with the place in the source that it was made from.
func (b *mbarrier) lineName(line int) string {
	return "line " + itoa(line) + b.cta.warps[0].k.source(int32(line))
}

// expectTx adds bytes to the phase in progress.
func (b *mbarrier) expectTx(r *worker, n int, line int) (problem string) {
	b.tx += n
	b.expectLine = line
	problem = b.overflow()
	b.check(r)
	return problem
}

// completeTx takes bytes off.
func (b *mbarrier) completeTx(r *worker, n int) (problem string) {
	b.tx -= n
	problem = b.overflow()
	b.check(r)
	return problem
}

// overflow clamps the bytes to what the object can count.
func (b *mbarrier) overflow() string {
	if b.tx <= mbarrierMax && b.tx >= -mbarrierMax {
		return ""
	}
	s := fmt.Sprintf("%s counts %d pending bytes; it can count %d", b.name(), b.tx, mbarrierMax)
	b.tx = max(-mbarrierMax, min(mbarrierMax, b.tx))
	return s
}

// arrive takes n arrivals off the phase in progress; drop takes them off later phases too.
func (b *mbarrier) arrive(r *worker, n int, drop bool, line int) (problem string) {
	if n > b.pending {
		problem = fmt.Sprintf("%d arrivals at %s, whose phase %d lacks %d of %d", n, b.name(), b.phase, b.pending, b.count)
		n = b.pending
	}
	if drop {
		b.count -= min(n, b.count)
	}
	b.pending -= n
	if len(b.arrivals) < 8 {
		b.arrivals = append(b.arrivals, line)
	}
	b.check(r)
	return problem
}

// check ends the phase if nothing is missing.
func (b *mbarrier) check(r *worker) {
	r.progress++
	if b.pending != 0 || b.tx != 0 {
		return
	}
	if r.track != nil {
		r.track.mbarComplete(b)
	}
	b.phase++
	b.pending = b.count
	b.arrivals = b.arrivals[:0]
	b.wake()
}

// wake lets those look again who wait for a phase.
func (b *mbarrier) wake() {
	for _, w := range b.cta.warps {
		for i := range w.frags {
			if f := &w.frags[i]; f.state == atMbarrier && f.mbar == b {
				f.state, f.mbar = ready, nil
			}
		}
	}
}

// done takes an operation off the list of those that are awaited.
func (b *mbarrier) done(op *asyncOp) {
	for i, o := range b.flight {
		if o == op {
			b.flight = append(b.flight[:i], b.flight[i+1:]...)
			break
		}
	}
	b.data = b.phase + 1
}

// passedParity reports whether a wait for a parity is over: the phase in progress has the other one.
func (b *mbarrier) passedParity(parity uint64) bool { return b.phase&1 != parity }

// A state is what mbarrier.arrive returns: the phase and the pending count before the arrival.
const statePendingShift = 32

func (b *mbarrier) state() uint64 {
	return b.phase&0xffffffff | uint64(b.pending)<<statePendingShift | 1<<63
}

// passedState reports whether the phase of a state is over; ok is false for a state that is too old, or none.
func (b *mbarrier) passedState(s uint64) (over, ok bool) {
	age := b.phase&0xffffffff - s&0xffffffff
	return age == 1, s>>63 == 1 && age <= 1
}

// mbarrierAt resolves the mbarrier operand of one lane, or reports why there is none; own: it must be the own CTA's.
func (w *warp) mbarrierAt(in *inst, p *place, addr uint64, l int, own bool) *mbarrier {
	if s := p.spaceOf(addr); s != isa.Shared && s != isa.SharedCluster {
		w.mbarProblem(MbarInit, in, 1<<l, fmt.Sprintf("an mbarrier at %#x, which is no shared address", addr))
		return nil
	}
	if mem, _, _ := w.locate(p, addr, l); mem == nil {
		w.badAccess(in, p, addr, l, "mbarrier operation")
		return nil
	}
	at := w.spanOf(p, addr, 8)
	if at.addr%8 != 0 {
		w.misaligned(in, p, addr, l, "mbarrier operation")
		return nil
	}
	if own && at.cta != w.cta {
		w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("a wait for the mbarrier at %s: only threads of its own block may wait for it", at.cta.nameShared(at.addr)))
		return nil
	}
	b := at.cta.mbarAt(at.addr)
	if b == nil {
		w.mbarProblem(MbarInit, in, 1<<l, fmt.Sprintf("no mbarrier was initialised at %s", at.cta.nameShared(at.addr)))
	}
	return b
}

// mbarProblem reports a misuse.
func (w *warp) mbarProblem(class Class, in *inst, m uint32, msg string) {
	if msg == "" || w.known(class, in) {
		return
	}
	w.run.report(w.cta, Finding{Class: class, Line: int(in.line), Threads: w.threadsOf(m), Section: in.section(), Message: msg})
}

// initBarrier makes an mbarrier (manual 9.7.13.15.9).
func (w *warp) initBarrier(in *inst, p *place, addr uint64, l int, count uint64) {
	_, shadow, _ := w.locate(p, addr, l)
	at := w.spanOf(p, addr, 8)
	switch {
	case shadow == nil || at.cta != w.cta:
		w.badAccess(in, p, addr, l, "mbarrier.init")
		return
	case addr%8 != 0:
		w.misaligned(in, p, addr, l, "mbarrier.init")
		return
	case count == 0 || count > mbarrierMax:
		w.mbarProblem(MbarCount, in, 1<<l, fmt.Sprintf("an mbarrier for %d arrivals; 1 to %d are possible", count, mbarrierMax))
		count = max(1, min(count, mbarrierMax))
	}
	if old := w.cta.mbarAt(at.addr); old != nil {
		w.mbarProblem(MbarInit, in, 1<<l, fmt.Sprintf("%s was initialised at line %d and not invalidated since", old.name(), old.line))
		old.wake()
	}
	for i := range shadow {
		shadow[i] |= shadowWritten | shadowBarrier
	}
	if w.cta.mbars == nil {
		w.cta.mbars = map[uint32]*mbarrier{}
	}
	b := &mbarrier{cta: w.cta, addr: at.addr, line: int(in.line), count: int(count), pending: int(count)}
	w.cta.mbars[uint32(at.addr-w.cta.first)] = b
	if t := w.run.track; t != nil {
		t.mbarInit(w, in, l, b)
	}
	w.run.progress++
}

// inval ends an mbarrier (manual 9.7.13.15.10): its memory may be used for something else, and has no value.
func (b *mbarrier) inval(w *warp, in *inst, l int) {
	if b.tx != 0 || len(b.flight) > 0 {
		w.mbarProblem(MbarTx, in, 1<<l, "mbarrier.inval while operations are pending: "+b.lacks())
	}
	_, shadow := b.cta.sharedAt(b.addr, 8)
	clear(shadow)
	delete(b.cta.mbars, uint32(b.addr-b.cta.first))
	w.run.progress++
	b.wake()
}

// observed notes a wait that saw the end of a phase.
func (b *mbarrier) observed(w *warp, in *inst, m uint32) {
	b.seen = max(b.seen, b.phase)
	if b.phase == 0 && b.passed == nil {
		b.passed = &mbarParty{w, m, in}
		b.suspectParity()
	}
}

// expected notes who expects bytes in the first phase.
func (b *mbarrier) expected(w *warp, in *inst, m uint32) {
	if b.phase == 0 && b.expects == nil {
		b.expects = &mbarParty{w, m, in}
		b.suspectParity()
	}
}

// suspectParity warns of a wait with parity 1 that passed before the first phase of a barrier at which one waits for
// data: the parity of the first phase is 0 (manual 9.7.13.15.16). It is allowed, and makes sense only for the thread that
// expects the bytes itself.
func (b *mbarrier) suspectParity() {
	p, e := b.passed, b.expects
	if p == nil || e == nil || p.warp == e.warp && p.lanes&e.lanes != 0 || p.warp.known(MbarCount, p.in) {
		return
	}
	p.warp.run.report(p.warp.cta, Finding{Class: MbarCount, Severity: Warning, Line: int(p.in.line), Threads: p.warp.threadsOf(p.lanes), Section: p.in.section(),
		Message: fmt.Sprintf("a wait for %s passed before its first phase was complete, in which line %d expects bytes: the parity of the first phase is 0", b.name(), e.in.line)})
}

// section is the manual's section of an instruction.
func (in *inst) section() string {
	if in.text == nil {
		return ""
	}
	return in.text.Form.Row().Sec
}

// uniform reports whether the lanes of a mask hold the same value.
func uniform(v *lanes, m uint32) bool {
	x := v[bits.TrailingZeros32(m)&31]
	for t := m & (m - 1); t != 0; t &= t - 1 {
		if v[bits.TrailingZeros32(t)&31] != x {
			return false
		}
	}
	return true
}
