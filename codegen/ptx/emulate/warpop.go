package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// sync makes the instruction a rendezvous of the lanes in its member mask.
func (b *build) sync(mask ptx.Operand, exec execFn) {
	s, id := b.value(mask, isa.B32)
	outs, uses := b.inst.outs, b.inst.uses
	b.inst.outs = nil // the rendezvous runs exec itself
	b.inst.visible = true
	memory := b.in.Form.Opcode() == "bar" || b.in.Form.Opcode() == "barrier"
	b.inst.ctl = rendezvous(s, id, func(w *warp, in *inst, m uint32) {
		exec(w, in, m)
		if t := w.run.track; t != nil {
			t.meet(w, m, memory)
		}
		if len(outs) > 0 && w.run.initcheck {
			w.flowOf(uses, outs, m)
		}
	})
	b.d.fixIDs(uses, outs)
}

// fixIDs resolves predicate numbers in lists that are not part of the instruction any more.
func (d *decoder) fixIDs(lists ...[]int32) {
	d.fix = append(d.fix, func() {
		for _, list := range lists {
			for j, id := range list {
				if id < 0 {
					list[j] = int32(len(d.k.names)) + ^id
				}
			}
		}
	})
}

// decodeShfl reads another lane's register (manual 9.7.9.6).
func decodeShfl(b *build) {
	b.types()
	b.ignore("sync")
	mode := b.oneOf("up", "down", "bfly", "idx")
	a, aid := b.value(b.need("a"), isa.B32)
	sel, selID := b.value(b.need("b"), isa.B32)
	c, cID := b.value(b.need("c"), isa.B32)
	d, p := b.result(b.need("d")), int32(-1)
	if po := b.arg("p"); po != nil {
		p = b.predResult(po)
	}
	b.sync(b.need("membermask"), func(w *warp, in *inst, m uint32) {
		w.needDefined(selID, in, m, "selects a lane")
		w.needDefined(cID, in, m, "selects a lane")
		w.shuffle(in, m, mode, d, p, a, aid, w.val(sel), w.val(c))
	})
}

func (w *warp) shuffle(in *inst, m uint32, mode string, d, p int32, a src, aid int32, sel, c *lanes) {
	from := *w.val(a)
	adef := w.defOf(aid)
	var inRange, def, bad uint32
	rd := &w.regs[d]
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		j, ok := shuffleSource(mode, uint32(l), uint32(sel[l]), uint32(c[l]))
		if !ok {
			j = uint32(l)
		} else {
			inRange |= 1 << l
		}
		if m>>j&1 == 0 {
			bad |= 1 << l
			continue
		}
		rd[l] = from[j]
		def |= adef >> j & 1 << l
	}
	// A lane that does not exist, behind the end of the block, is nobody's mistake until its value is used.
	if gone := bad &^ w.readsOnlyMissing(mode, m, sel, c); gone != 0 {
		w.find(SyncMask, in, gone, fmt.Sprintf("%s: lanes %s read from a lane that does not take part", in.name(), laneList(gone)))
		def |= gone
	}
	var o origin
	if aid >= 0 {
		o = w.originOf(aid)
	} else {
		o = origin{class: InitRegister}
	}
	w.setDef(d, m, def, o)
	if p >= 0 {
		w.setPred(p, m, inRange, fullMask, o)
	}
}

// readsOnlyMissing returns the lanes whose source is a lane that the block never had.
func (w *warp) readsOnlyMissing(mode string, m uint32, sel, c *lanes) uint32 {
	if w.exists == fullMask {
		return 0
	}
	var out uint32
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		if j, ok := shuffleSource(mode, uint32(l), uint32(sel[l]), uint32(c[l])); ok && w.exists>>j&1 == 0 {
			out |= 1 << l
		}
	}
	return out
}

// shuffleSource is the lane that l reads, if it is in range.
func shuffleSource(mode string, l, b, c uint32) (j uint32, ok bool) {
	b &= 31
	clamp, seg := c&31, c>>8&31
	maxLane := l&seg | clamp&^seg
	switch mode {
	case "up":
		j = l - b
		return j & 31, int32(j) >= int32(maxLane)
	case "down":
		j = l + b
	case "bfly":
		j = l ^ b
	default:
		j = l&seg | b&^seg
	}
	return j & 31, j <= maxLane
}

// decodeVote is vote.sync (manual 9.7.13.9).
func decodeVote(b *build) {
	t := b.typ()
	b.ignore("sync")
	mode := b.oneOf("all", "any", "uni", "ballot")
	a := b.predSrc(b.op(1))
	if mode == "ballot" && t == isa.B32 {
		d := b.result(b.op(0))
		b.sync(b.op(2), func(w *warp, _ *inst, m uint32) {
			v, def := w.pred(a)
			w.setLanes(d, m, uint64(v&m), allOrNone(def, m), w.predOrigin(m, a))
		})
		return
	}
	p := b.predResult(b.op(0))
	b.sync(b.op(2), func(w *warp, _ *inst, m uint32) {
		v, def := w.pred(a)
		v &= m
		ok := map[string]bool{"all": v == m, "any": v != 0, "uni": v == 0 || v == m}[mode]
		out := uint32(0)
		if ok {
			out = fullMask
		}
		w.setPred(p, m, out, allOrNone(def, m), w.predOrigin(m, a))
	})
}

// allOrNone: a result that depends on all lanes is defined if all are.
func allOrNone(def, m uint32) uint32 {
	if m&^def == 0 {
		return fullMask
	}
	return 0
}

// setLanes writes one value to a register of the lanes in m.
func (w *warp) setLanes(d int32, m uint32, v uint64, def uint32, from origin) {
	rd := &w.regs[d]
	for t := m; t != 0; t &= t - 1 {
		rd[bits.TrailingZeros32(t)&31] = v
	}
	w.setDef(d, m, def, from)
}

// decodeMatch is match.sync (manual 9.7.13.10).
func decodeMatch(b *build) {
	t := b.typ()
	b.ignore("sync")
	all := b.oneOf("any", "all") == "all"
	a := b.src(b.need("a"), t)
	d, p := b.dst(b.need("d")), int32(-1)
	if po := b.arg("p"); po != nil {
		p = b.predDst(po)
	}
	b.sync(b.need("membermask"), func(w *warp, _ *inst, m uint32) {
		va := *w.val(a)
		same := true
		first := va[bits.TrailingZeros32(m)]
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t)
			same = same && va[l] == first
			var set uint32
			for u := m; u != 0; u &= u - 1 {
				if j := bits.TrailingZeros32(u); va[j] == va[l] {
					set |= 1 << j
				}
			}
			w.regs[d][l] = uint64(set)
		}
		if !all {
			return
		}
		out := uint64(0)
		if same {
			out = uint64(m)
		}
		for t := m; t != 0; t &= t - 1 {
			w.regs[d][bits.TrailingZeros32(t)] = out
		}
		if p >= 0 {
			w.preds[p] &^= m
			if same {
				w.preds[p] |= m
			}
		}
	})
}

// decodeRedux reduces over the member mask (manual 9.7.13.12).
func decodeRedux(b *build) {
	t := b.typ()
	b.ignore("sync")
	op := b.oneOf("add", "min", "max", "and", "or", "xor")
	f := integerBinary(op, t)
	if f == nil {
		b.fail("redux of type .%s is not modelled", t)
		return
	}
	a, aid := b.value(b.op(1), t)
	d := b.result(b.op(0))
	b.sync(b.op(2), func(w *warp, _ *inst, m uint32) {
		va := w.val(a)
		acc := va[bits.TrailingZeros32(m)]
		for t := m & (m - 1); t != 0; t &= t - 1 {
			acc = f(acc, va[bits.TrailingZeros32(t)])
		}
		from := origin{class: InitRegister}
		if aid >= 0 {
			from = w.originOf(aid)
		}
		w.setLanes(d, m, acc, allOrNone(w.defOf(aid), m), from)
	})
}

// decodeElect names the lowest lane of the mask leader (manual 9.7.13.14).
func decodeElect(b *build) {
	b.ignore("sync")
	d, p := b.result(b.need("d")), b.predResult(b.need("p"))
	b.sync(b.need("membermask"), func(w *warp, _ *inst, m uint32) {
		leader := bits.TrailingZeros32(m)
		w.setLanes(d, m, uint64(leader), fullMask, origin{})
		w.setPred(p, m, 1<<leader, fullMask, origin{})
	})
}

func decodeActivemask(b *build) {
	b.types()
	d := b.dst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		for t := m; t != 0; t &= t - 1 {
			w.regs[d][bits.TrailingZeros32(t)] = uint64(m)
		}
	}
}

// decodeBar is bar and barrier (manual 9.7.13.1, 9.7.13.2).
func decodeBar(b *build) {
	if b.in.Form.Has("cluster") {
		decodeClusterBarrier(b)
		return
	}
	if b.has("warp") {
		b.ignore("sync")
		b.sync(b.op(0), func(*warp, *inst, uint32) {})
		return
	}
	b.ignore("cta")
	o := &barrierOp{aligned: b.in.Form.Opcode() == "bar" || b.has("aligned")}
	kind := b.oneOf("sync", "arrive", "red")
	o.arrive = kind == "arrive"
	if kind == "red" {
		b.types()
		if o.red = b.oneOf("popc", "and", "or"); o.red == "popc" {
			o.dst = b.result(b.need("d"))
		} else {
			o.dst = b.predResult(b.need("p"))
		}
		o.pred = b.predSrc(b.need("c"))
	}
	id, idReg := b.value(b.need("a"), isa.U32)
	o.id = id
	regs := []int32{idReg}
	if count := b.arg("b"); count != nil {
		var r int32
		o.count, r = b.value(count, isa.U32)
		o.counted = true
		regs = append(regs, r)
	}
	b.inst.visible = true
	b.inst.bar = o
	b.inst.ctl = func(w *warp, in *inst, m uint32) bool {
		for _, r := range regs {
			w.needDefined(r, in, m, "is an operand of a barrier")
		}
		return o.enter(w, in, m)
	}
}

func (in *inst) aligned() bool { return in.bar != nil && in.bar.aligned }

func (in *inst) barrierOf() *barrierOp { return in.bar }
