package emulate

import "math/bits"

// lift1 applies a scalar function to every lane.
func lift1(d int32, a src, f func(a uint64) uint64) execFn {
	return func(w *warp, _ *inst, m uint32) {
		rd, ra := &w.regs[d], w.val(a)
		if m == fullMask {
			for i := range rd {
				rd[i] = f(ra[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			rd[l] = f(ra[l])
		}
	}
}

func lift2(d int32, a, b src, f func(a, b uint64) uint64) execFn {
	return func(w *warp, _ *inst, m uint32) {
		rd, ra, rb := &w.regs[d], w.val(a), w.val(b)
		if m == fullMask {
			for i := range rd {
				rd[i] = f(ra[i], rb[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			rd[l] = f(ra[l], rb[l])
		}
	}
}

func lift3(d int32, a, b, c src, f func(a, b, c uint64) uint64) execFn {
	return func(w *warp, _ *inst, m uint32) {
		rd, ra, rb, rc := &w.regs[d], w.val(a), w.val(b), w.val(c)
		if m == fullMask {
			for i := range rd {
				rd[i] = f(ra[i], rb[i], rc[i])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			rd[l] = f(ra[l], rb[l], rc[l])
		}
	}
}

// liftPred2 computes a predicate from two values.
func liftPred2(w *warp, a, b src, m uint32, f func(a, b uint64) bool) uint32 {
	ra, rb := w.val(a), w.val(b)
	var out uint32
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		if f(ra[l], rb[l]) {
			out |= 1 << l
		}
	}
	return out
}

// unary decodes an instruction "op d, a" whose operands have type t.
func (b *build) unary(t isaType, f func(a uint64) uint64) {
	if f == nil {
		b.fail("type .%s is not modelled", t)
		return
	}
	a := b.src(b.op(1), t)
	b.inst.exec = lift1(b.dst(b.op(0)), a, f)
}

// binary decodes "op d, a, b".
func (b *build) binary(t isaType, f func(a, b uint64) uint64) {
	if f == nil {
		b.fail("type .%s is not modelled", t)
		return
	}
	x, y := b.src(b.op(1), t), b.src(b.op(2), t)
	b.inst.exec = lift2(b.dst(b.op(0)), x, y, f)
}
