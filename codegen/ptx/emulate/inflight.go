package emulate

import "fmt"

// readable judges a read of n bytes whose shadow is not plainly "written": it reports a read of what an operation in
// flight still has to write, and returns whether the value is defined. A reported value counts as defined.
func (w *warp) readable(in *inst, p *place, addr, shadow uint64, n, lane int) bool {
	if w.touches(in, p, addr, shadow, n, lane, "read") {
		return true
	}
	return shadow&allInit(n) == allInit(n)
}

// overwrites judges a write over bytes that an operation in flight writes or reads, or that are an mbarrier. It
// returns the shadow bits that stay.
func (w *warp) overwrites(in *inst, p *place, addr, shadow uint64, n, lane int) uint64 {
	w.touches(in, p, addr, shadow, n, lane, "write")
	return shadow &^ allInit(n)
}

// touches reports an access that conflicts with what its shadow says.
func (w *warp) touches(in *inst, p *place, addr, shadow uint64, n, lane int, verb string) bool {
	special := byte(0)
	for i := range n {
		special |= byte(shadow >> (8 * i))
	}
	if verb == "read" {
		special &^= shadowSource
	}
	if special &^= shadowWritten; special == 0 || !w.run.asynccheck {
		return false
	}
	at := w.spanOf(p, addr, uint64(n))
	if special&shadowBarrier != 0 {
		w.conflict(MbarInit, "9.7.13.15", in, lane, at, verb, Access{Kind: "mbarrier", Addr: addr &^ 7, Bytes: 8},
			fmt.Sprintf("a plain %s of the mbarrier at shared address %#x, which mbarrier instructions own until mbarrier.inval", verb, addr&^7))
		return true
	}
	op, other := w.run.inFlight(w.cta, at, special&shadowTarget != 0)
	if op == nil {
		return false
	}
	what := "the operation still has to write it"
	kind := "async write"
	if special&shadowTarget == 0 {
		what, kind = "the operation may still read it", "async read"
	}
	w.conflict(op.class(), op.section(), in, lane, at, verb, Access{Kind: kind, Addr: other.addr, Bytes: other.n, Line: op.line(), Threads: op.warp.threadsOf(op.lanes)},
		fmt.Sprintf("a %s of %s while %s of line %d is in flight: %s, and no wait came in between", verb, w.run.nameSpan(at), op.in.name(), op.line(), what))
	return true
}

// class is the class of findings about an operation.
func (op *asyncOp) class() Class {
	switch op.kind {
	case asyncCopy:
		return AsyncCopy
	case asyncMatrix:
		return WgmmaReuse
	}
	return AsyncBulk
}

// section is the part of the manual about waiting for the operation.
func (op *asyncOp) section() string {
	switch op.kind {
	case asyncCopy:
		return "9.7.9.25.3"
	case asyncMatrix:
		return "9.7.15.7.3"
	}
	return "9.7.9.25"
}

// inFlight returns an operation that still writes, or reads, bytes of a span.
func (r *worker) inFlight(c *cta, s span, writes bool) (*asyncOp, span) {
	for _, peer := range c.cluster.ctas {
		for _, op := range peer.flight {
			list := op.reads
			if writes {
				list = op.writes
			} else if op.stage != asyncIssued {
				continue
			}
			for _, t := range list {
				if t.overlaps(s) {
					return op, t
				}
			}
			if op.sources != nil && !writes {
				for t := range op.sources {
					if t.overlaps(s) {
						return op, t
					}
				}
			}
		}
	}
	return nil, span{}
}

// spanOf says which bytes a lane's access means.
func (w *warp) spanOf(p *place, addr, n uint64) span {
	switch p.oobClass(addr) {
	case OOBShared:
		addr &= 1<<windowShift - 1
		c := w.cta
		if w.k.clustered && addr>>rankShift < uint64(len(c.cluster.ctas)) {
			c = c.cluster.ctas[addr>>rankShift]
		}
		return span{c, addr, n}
	}
	return span{nil, addr, n}
}

// nameSpan names bytes for messages.
func (r *worker) nameSpan(s span) string {
	if s.cta == nil {
		return fmt.Sprintf("address %#x (%s)", s.addr, r.l.dev.describe(s.addr, s.n))
	}
	return fmt.Sprintf("shared address %#x", s.addr)
}

// conflict reports two accesses that do not go together.
func (w *warp) conflict(class Class, section string, in *inst, lane int, at span, verb string, other Access, msg string) {
	if w.known(class, in) {
		return
	}
	space := "shared"
	if at.cta == nil {
		space = "global"
	}
	other.Space = space
	mine := Access{Kind: verb, Space: space, Addr: at.addr, Bytes: at.n, Line: int(in.line), Threads: w.threadsOf(1 << lane)}
	w.run.report(w.cta, Finding{Class: class, Line: int(in.line), Threads: mine.Threads, Section: section, Message: msg, Accesses: []Access{mine, other}})
}
