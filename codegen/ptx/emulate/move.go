package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// decodeMov copies, packs and unpacks (manual 9.7.9.3, 9.7.9.4).
func decodeMov(b *build) {
	t := b.typ()
	dv, dIsVec := b.op(0).(ptx.Vec)
	sv, sIsVec := b.op(1).(ptx.Vec)
	switch {
	case t == isa.Pred:
		decodeMovPred(b)
	case dIsVec:
		b.unpack(t, dv)
	case sIsVec:
		b.pack(t, sv)
	case t == isa.B128:
		b.fail("128-bit registers are not modelled")
	default:
		if s, ok := b.op(1).(ptx.SReg); ok {
			d := b.dst(b.op(0))
			b.inst.exec = b.special(s, d).exec
			return
		}
		x := b.src(b.op(1), t)
		d := b.dst(b.op(0))
		b.inst.exec = func(w *warp, _ *inst, m uint32) {
			rd, rx := &w.regs[d], w.val(x)
			if m == fullMask {
				*rd = *rx
				return
			}
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				rd[l] = rx[l]
			}
		}
	}
}

func decodeMovPred(b *build) {
	if s, ok := b.op(1).(ptx.SReg); ok {
		d := b.predDst(b.op(0))
		if s != ptx.IsExplicitCluster {
			b.fail("%s is not modelled", s.Name())
			return
		}
		b.inst.exec = func(w *warp, _ *inst, m uint32) {
			w.preds[d] &^= m
			if w.run.l.HasCluster {
				w.preds[d] |= m
			}
		}
		return
	}
	x := b.predUse(b.op(1))
	d := b.predDst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		v, _ := w.pred(x)
		w.preds[d] = w.preds[d]&^m | v&m
	}
}

// unpack splits a register into the elements of a vector, the low bits first.
func (b *build) unpack(t isa.Type, v ptx.Vec) {
	if len(v) == 0 || t.Bits()%len(v) != 0 || t.Bits() > 64 {
		b.fail("this vector is not modelled")
		return
	}
	n := t.Bits() / len(v)
	x := b.src(b.op(1), t)
	ds := make([]int32, len(v))
	for i, e := range v {
		ds[i] = b.dst(e)
	}
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		in := *w.val(x) // a copy: an element may be the source
		for i, d := range ds {
			rd := &w.regs[d]
			for t := m; t != 0; t &= t - 1 {
				l := bits.TrailingZeros32(t) & 31
				rd[l] = mask(in[l]>>(i*n), n)
			}
		}
	}
	if len(ds) == 2 && n == 16 && src(ds[0]) != x && src(ds[1]) != x {
		b.inst.exec = fastUnpack2(ds[0], ds[1], x, b.inst.exec)
	}
}

func (b *build) pack(t isa.Type, v ptx.Vec) {
	if len(v) == 0 || t.Bits()%len(v) != 0 || t.Bits() > 64 {
		b.fail("this vector is not modelled")
		return
	}
	n := t.Bits() / len(v)
	et := map[int]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32}[n]
	ss := make([]src, len(v))
	for i, e := range v {
		ss[i] = b.src(e, et)
	}
	d := b.dst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		var out lanes
		for i, s := range ss {
			rs := w.val(s)
			for t := m; t != 0; t &= t - 1 {
				l := bits.TrailingZeros32(t) & 31
				out[l] |= mask(rs[l], n) << (i * n)
			}
		}
		rd := &w.regs[d]
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			rd[l] = out[l]
		}
	}
}

// windowOf is the generic address of offset 0 of a space.
func windowOf(s isa.Space) (uint64, bool) {
	switch s.Base() {
	case isa.Global, isa.Const:
		return 0, true
	case isa.Shared, isa.SharedCluster:
		return sharedWindow, true
	case isa.Local:
		return localWindow, true
	case isa.Param:
		return paramWindow, true
	}
	return 0, false
}

// decodeCvta converts between generic addresses and those of a space.
func decodeCvta(b *build) {
	t := b.typ()
	to := b.has("to")
	name := b.oneOf(spaceNames...)
	s, _ := isa.SpaceOf(name)
	base, ok := windowOf(s)
	if !ok || name == "" {
		b.fail("this space is not modelled")
		return
	}
	if to {
		base = -base
	}
	b.unary(t, func(a uint64) uint64 { return mask(a+base, t.Bits()) })
}

func decodeIsspacep(b *build) {
	s, _ := isa.SpaceOf(b.oneOf(spaceNames...))
	base, ok := windowOf(s)
	if !ok {
		b.fail("this space is not modelled")
		return
	}
	x := b.src(b.op(1), isa.U64)
	p := b.predDst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		v := liftPred2(w, x, x, m, func(a, _ uint64) bool {
			if win := a >> windowShift; base != 0 || win >= 1 && win <= 3 {
				if base == 0 || win != base>>windowShift {
					return false
				}
				return s.Base() != isa.Shared || !w.k.clustered || a>>rankShift&0xff == uint64(w.cta.rank)
			}
			// Constant variables lie among the global allocations.
			at := w.run.l.dev.find(a)
			isConst := at != nil && at.readOnly && a-at.base < at.size
			return isConst == (s == isa.Const)
		})
		w.preds[p] = w.preds[p]&^m | v&m
	}
}

// decodeCreatePolicy makes an opaque cache policy: hints do not change results.
func decodeCreatePolicy(b *build) {
	b.used = ^uint64(0)
	d := b.dst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		for ; m != 0; m &= m - 1 {
			w.regs[d][bits.TrailingZeros32(m)] = 0x12f0000000000000
		}
	}
}
