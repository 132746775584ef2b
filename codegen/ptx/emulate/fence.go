package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// fenceOp is a decoded fence or membar (manual 9.7.13.4). Memory is sequentially consistent here, so a fence changes no
// value; it tells the checkers what a thread has ordered.
type fenceOp struct {
	kind  string // Op of the form: "fence", "membar", "fence.proxy.async", "fence.mbarrier_init", …
	sem   string // "sc", "acq_rel", "acquire", "release"
	scope string // "cta", "cluster", "gpu", "sys"
	space string // of a proxy fence that is limited to one
}

func decodeFence(b *build) {
	o := &fenceOp{kind: b.in.Form.Op()}
	o.sem = b.oneOf("sc", "acq_rel", "acquire", "release")
	o.scope = b.oneOf("cta", "cluster", "gpu", "sys")
	switch b.in.Form.Op() {
	case "membar":
		o.sem, o.scope = "sc", map[string]string{"cta": "cta", "gl": "gpu", "sys": "sys"}[b.oneOf("cta", "gl", "sys")]
	case "fence":
		if o.sem == "" {
			o.sem = "acq_rel"
		}
	case "fence.proxy.async":
		o.space = b.oneOf("global", "shared::cta", "shared::cluster")
	}
	b.ignore("proxy", "async", "alias", "mbarrier_init", "async::generic", "tensormap::generic", "sync_restrict*", "proxykind")
	tell := o.tells()
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		if t := w.run.track; t != nil && tell != nil {
			tell(t, w, m)
		}
	}
	if x := b.arg("addr"); x != nil {
		p := b.placeIn(x, isa.Generic, TensorMapBytes)
		b.inst.exec = func(w *warp, in *inst, m uint32) { w.acquireMap(in, &p, m) }
	}
}

// acquireMap is fence.proxy.tensormap::generic.acquire: the block may use the map of the address.
func (w *warp) acquireMap(in *inst, p *place, m uint32) {
	w.needDefined(p.id, in, m, "is an address")
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t) & 31
		addr := w.val(p.base)[l] + p.off
		if mem, _, _ := w.locate(p, addr, l); mem == nil {
			w.badAccess(in, p, addr, l, in.name())
			continue
		}
		if w.cta.mapFences == nil {
			w.cta.mapFences = map[uint64]bool{}
		}
		w.cta.mapFences[addr] = true
	}
}

// mapFenced reports the use of a tensor map in global memory that no fence of the block covers: the tensormap proxy does
// not see generic writes by itself. Parameters and constants need none.
func (w *warp) mapFenced(in *inst, l int, addr uint64) {
	if a := w.run.l.dev.find(addr); a != nil && a.readOnly || w.cta.mapFences[addr] || !w.run.asynccheck {
		return
	}
	if !w.known(Proxy, in) {
		w.run.report(w.cta, Finding{Class: Proxy, Line: int(in.line), Threads: w.threadsOf(1 << l), Section: "9.7.13.4",
			Message: fmt.Sprintf("a tensor map in global memory (%#x, %s) is used without fence.proxy.tensormap::generic.acquire", addr, w.run.l.dev.describe(addr, TensorMapBytes))})
	}
}
