package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// conflict judges two accesses of a cell, at least one a write, that nothing orders (manual 8.7.1).
func (a *access) conflict(p uint64, line int32, s, off uint64, pWrites bool) {
	pf, sf := byte(p), byte(s)
	switch {
	case pf&sf&stampStrong != 0 && pf&sf&stampAsync == 0 && (pf|sf)&stampAsync == 0 && a.inScope(p, s):
		return // morally strong
	case pf&sf&stampEngine != 0 && pf&sf&stampAtomic != 0:
		return // asynchronous reductions combine
	case a.write && pWrites && a.sameValue(p, line, s, off):
		return
	case pf&stampEngine != 0 && a.inFlight(pWrites, off):
		return // the asynchronous checker reports it
	case a.lockstepOrdered(p, s):
		a.report(a.class(p, s), Warning, conflicting{p, line, pWrites}, s, off, "only lockstep execution of the warp orders them: shfl, vote and their like order no memory")
		return
	}
	a.report(a.class(p, s), Error, conflicting{p, line, pWrites}, s, off, "nothing orders them")
}

// inScope reports whether the scopes of two strong accesses hold each other's thread.
func (a *access) inScope(p, s uint64) bool {
	sc := min(scope(p>>1&3), scope(s>>1&3))
	if sc == scopeGPU {
		return true
	}
	local := (stampActor(p) - a.first) & (1<<24 - 1)
	if local >= a.t.stride() {
		return false
	}
	if sc == scopeCluster {
		return true
	}
	w := a.t.warpOf(a.w.cta.cluster, p)
	return w != nil && w.cta == a.w.cta
}

// sameValue: threads may store what is there already (two threads that store one value harm nobody). It is judged for
// ordinary stores, before the bytes change.
func (a *access) sameValue(p uint64, line int32, s, off uint64) bool {
	o := a.store
	if o == nil || byte(p)&stampEngine != 0 {
		return false
	}
	for m := stampLanes(s, a.unit); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if !a.storesWhatIsThere(o, l) && !(line == a.in.line && stampActor(p) == stampActor(s) && a.sameInLanes(o, l)) {
			return false
		}
	}
	return true
}

func (a *access) storesWhatIsThere(o *storeOp, l int) bool {
	mem, _, _ := a.w.locate(&o.place, a.addr[l]+o.off, l)
	if mem == nil {
		return false
	}
	for e, v := range o.val {
		if readBytes(mem[e*o.elem:], o.elem) != mask(a.w.val(v)[l], 8*o.elem) {
			return false
		}
	}
	return true
}

// sameInLanes: all lanes that store to the address of lane l store the same.
func (a *access) sameInLanes(o *storeOp, l int) bool {
	for j := range warpSize {
		if a.addr[j] != a.addr[l] {
			continue
		}
		for _, v := range o.val {
			if r := a.w.val(v); mask(r[j], 8*o.elem) != mask(r[l], 8*o.elem) {
				return false
			}
		}
	}
	return true
}

// lockstepOrdered: the accesses are of one warp, and an instruction that its lanes execute together lies between.
func (a *access) lockstepOrdered(p, s uint64) bool {
	if a.n != 1 || stampActor(p) != (a.who[0].actor+a.first)&(1<<24-1) {
		return false
	}
	g := a.group[0]
	return g.step.reaches(a.others(p, s), stampTime(p))
}

// inFlight reports whether the operation is still in flight, which another checker watches.
func (a *access) inFlight(writes bool, off uint64) bool {
	r := a.w.run
	if !r.asynccheck || a.cta == nil && !writes {
		return false
	}
	at := span{a.cta, off, 1 << a.unit}
	if a.cta != nil {
		at.addr += a.cta.first
	} else {
		at.addr += a.alloc.base
	}
	op, _ := r.inFlight(a.w.cta, at, writes)
	return op != nil
}

// inFlightClass is the class of an ordinary access to what an asynchronous operation, not known to be complete,
// touches.
func (t *tracker) inFlightClass(p uint64) Class {
	actor := stampActor(p) % t.stride()
	switch {
	case actor >= t.actors:
		return AsyncBulk
	case actor%actorKinds == actsCopy:
		return AsyncCopy
	case actor%actorKinds == actsMatrix:
		return WgmmaReuse
	}
	return AsyncBulk
}

func (a *access) class(p, s uint64) Class {
	switch {
	case byte(p)&stampEngine != 0 && byte(s)&stampEngine == 0:
		return a.t.inFlightClass(p)
	case (byte(p)|byte(s))&(stampAsync|stampEngine) != 0:
		return RaceAsync
	case a.cta == nil:
		return RaceGlobal
	case a.cta != a.w.cta:
		return RaceCluster
	}
	if w := a.t.warpOf(a.w.cta.cluster, p); w != nil && w.cta != a.cta {
		return RaceCluster
	}
	return RaceShared
}

// sections of the manual: conflicts and races; proxies; waiting for asynchronous operations.
var raceSections = map[Class]string{RaceShared: "8.7.1", RaceGlobal: "8.7.1", RaceCluster: "8.7.1", RaceAsync: "8.7.1", AsyncCopy: "9.7.9.25.3", AsyncBulk: "9.7.9.25", Proxy: "8.6", MbarInit: "9.7.13.15"}

// conflicting is the earlier of two accesses.
type conflicting struct {
	stamp uint64
	line  int32
	write bool
}

// report makes a finding of two accesses to a cell: the earlier one, and this one by s.
func (a *access) report(class Class, sev Severity, p conflicting, s, off uint64, why string) {
	if a.w.known(class, a.in) {
		return
	}
	mine, other := a.mine(s, off), a.other(p, off)
	a.w.run.report(a.w.cta, raceFinding(class, sev, mine, other, why))
}

func raceFinding(class Class, sev Severity, mine, other Access, why string) Finding {
	return Finding{Class: class, Severity: sev, Line: mine.Line, Threads: mine.Threads, Section: raceSections[class], Accesses: []Access{mine, other},
		Message: fmt.Sprintf("%s of %s and %s of line %d by %s: %s", mine.Kind, mine.Object, other.Kind, other.Line, threadName(other.Threads), why)}
}

func threadName(ts []Thread) string {
	if len(ts) == 0 {
		return "an asynchronous operation"
	}
	t := ts[0]
	return fmt.Sprintf("block %d,%d,%d thread %d,%d,%d", t.CTA[0], t.CTA[1], t.CTA[2], t.Thread[0], t.Thread[1], t.Thread[2])
}

func (a *access) mine(s, off uint64) Access {
	x := Access{Kind: kindOf(byte(s), a.write), Line: int(a.in.line), Threads: a.w.threadsOf(stampLanes(s, a.unit) & a.w.exists)}
	a.where(&x, off)
	return x
}

func (a *access) other(p conflicting, off uint64) Access {
	x := Access{Kind: kindOf(byte(p.stamp), p.write), Line: int(p.line), Threads: a.t.threads(p.stamp, a.unit)}
	a.where(&x, off)
	if f := a.t.run.l.k.prog.Position; f != nil && p.line > 0 {
		x.Position = f(int(p.line))
	}
	return x
}

// where fills in the place: the cell that both touch.
func (a *access) where(x *Access, off uint64) {
	x.Bytes = 1 << a.unit
	if a.cta != nil {
		x.Space, x.Addr = "shared", a.cta.first+off
		x.Object = a.t.run.l.k.sharedName(off + sharedUserStart)
		return
	}
	x.Space, x.Addr = "global", a.alloc.base+off
	x.Object = fmt.Sprintf("%q+%d", a.alloc.name, off)
}

// sharedName names a byte of shared memory by the variable that it lies in.
func (k *Kernel) sharedName(addr uint64) string {
	for v, at := range k.vars {
		if at.space == isa.Shared && addr >= at.off && addr < at.off+uint64(v.Size()) {
			return fmt.Sprintf("%s+%d", v.Name, addr-at.off)
		}
	}
	return fmt.Sprintf("shared+%d", addr-sharedUserStart)
}

func kindOf(flags byte, write bool) string {
	kind := "read"
	if flags&stampAtomic != 0 {
		kind = "atomic"
	} else if write {
		kind = "write"
	}
	if flags&stampEngine != 0 {
		return "async " + kind
	}
	return kind
}

// threads names the threads behind a stamp; nobody for the copies of an mbarrier.
func (t *tracker) threads(p uint64, unit uint32) []Thread {
	stride := t.stride()
	cl, actor := stampActor(p)/stride, stampActor(p)%stride
	if actor >= t.actors {
		return nil
	}
	if t.proxies {
		actor /= actorKinds
	}
	index := int(cl*uint32(volume(t.run.l.Cluster)) + actor/t.warps)
	b := t.run.l.Block
	var out []Thread
	for m := stampLanes(p, unit); m != 0 && len(out) < threadsPerFinding; m &= m - 1 {
		n := actor%t.warps*warpSize + uint32(bits.TrailingZeros32(m))
		if n < uint32(t.run.l.threads) {
			out = append(out, Thread{CTA: t.run.l.ctaID(index), Thread: [3]uint32{n % b[0], n / b[0] % b[1], n / b[0] / b[1]}})
		}
	}
	return out
}
