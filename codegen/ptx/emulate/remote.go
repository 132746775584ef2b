package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// remoteOp is st.async or red.async: values that go from registers to the shared memory of a block of the cluster and
// are counted by an mbarrier there (manual 9.7.9.12, 9.7.13.7).
type remoteOp struct {
	dst     place
	bar     place
	elem    int
	val     []src
	ids     []int32
	combine *combiner
}

func decodeRemote(b *build) {
	b.ignore("async", "weak", "relaxed", "cluster", "shared::cluster", "mbarrier::complete_tx::bytes", "v2", "v4")
	t := b.typ()
	o := &remoteOp{elem: t.Bits() / 8}
	vec := operandList(b.need("b"))
	for _, r := range vec {
		s, id := b.value(r, t)
		o.val, o.ids = append(o.val, s), append(o.ids, id)
	}
	o.dst = b.placeIn(b.need("a"), isa.SharedCluster, uint64(o.elem*len(vec)))
	o.bar = b.placeIn(b.need("mbar"), isa.SharedCluster, 8)
	if b.in.Form.Opcode() == "red" {
		o.combine = b.combiner(t)
	}
	b.inst.visible = true
	b.inst.exec = o.exec
}

func (o *remoteOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.dst.id, in, m, "is an address")
	w.needDefined(o.bar.id, in, m, "is an address")
	for t := m; t != 0; t &= t - 1 {
		o.lane(w, in, bits.TrailingZeros32(t)&31)
	}
}

// lane starts the store of one lane: its registers are read now.
func (o *remoteOp) lane(w *warp, in *inst, l int) {
	addr := w.val(o.dst.base)[l] + o.dst.off
	if w.run.memcheck && addr%o.dst.bytes != 0 {
		w.misaligned(in, &o.dst, addr, l, in.name())
		return
	}
	if mem, _, _ := w.locate(&o.dst, addr, l); mem == nil {
		w.badAccess(in, &o.dst, addr, l, in.name())
		return
	}
	n := int(o.dst.bytes)
	data, defined := make([]byte, n), make([]byte, n)
	for e, s := range o.val {
		writeBytes(data[e*o.elem:], o.elem, w.val(s)[l])
		if id := o.ids[e]; id < 0 || w.def[id]>>l&1 != 0 || !w.run.initcheck {
			fill(defined[e*o.elem:(e+1)*o.elem], shadowWritten)
		}
	}
	to := w.spanOf(&o.dst, addr, uint64(n))
	bar := w.mbarrierAt(in, &o.bar, w.val(o.bar.base)[l]+o.bar.off, l, false)
	w.checkTargets(in, l, []span{to}, o.combine)
	op := &asyncOp{kind: asyncRemote, warp: w, lanes: 1 << l, in: in, writes: []span{to}, combines: o.combine != nil}
	op.give = func() { w.giveTo(op, to, data, defined, o.combine) }
	w.enlist(op, bar, n)
}
