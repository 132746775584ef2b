package emulate

import (
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func decodeLogic(b *build) {
	t := b.typ()
	op := b.in.Form.Opcode()
	if t == isa.Pred {
		decodePredLogic(b, op)
		return
	}
	b.binary(t, integerBinary(op, t))
	if b.err == nil {
		d, x, y := operands3(b)
		b.inst.exec = fastLogic(op, d, x, y, b.inst.exec)
	}
}

// decodePredLogic computes on ballots. Definedness follows the value: a defined false operand decides an and, a
// defined true one an or.
func decodePredLogic(b *build, op string) {
	x, y := b.predSrc(b.op(1)), b.predSrc(b.op(2))
	d := b.predResult(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		xv, xd := w.pred(x)
		yv, yd := w.pred(y)
		var v, def uint32
		switch op {
		case "and":
			v, def = xv&yv, xd&yd|xd&^xv|yd&^yv
		case "or":
			v, def = xv|yv, xd&yd|xd&xv|yd&yv
		default:
			v, def = xv^yv, xd&yd
		}
		w.setPred(d, m, v, def, w.predOrigin(m, x, y))
	}
}

// setPred writes a predicate with its definedness.
func (w *warp) setPred(p int32, m, v, def uint32, from origin) {
	w.preds[p] = w.preds[p]&^m | v&m
	w.setDef(int32(w.k.nregs)+p, m, def, from)
}

// predOrigin is where the first undefined one of some predicates got its value from.
func (w *warp) predOrigin(m uint32, ps ...predOperand) origin {
	for _, p := range ps {
		if _, def := w.pred(p); m&^def != 0 {
			return w.originOf(p.id(w.k))
		}
	}
	return origin{class: InitRegister}
}

func decodeNot(b *build) {
	t := b.typ()
	if t == isa.Pred {
		x := b.predUse(b.op(1))
		d := b.predDst(b.op(0))
		b.inst.exec = func(w *warp, _ *inst, m uint32) {
			v, _ := w.pred(x)
			w.preds[d] = w.preds[d]&^m | ^v&m
		}
		return
	}
	b.unary(t, func(x uint64) uint64 { return mask(^x, t.Bits()) })
}

func decodeCnot(b *build) {
	t := b.typ()
	b.unary(t, func(x uint64) uint64 {
		if x == 0 {
			return 1
		}
		return 0
	})
}

func decodeShift(b *build) {
	t := b.typ()
	n := uint64(t.Bits())
	x, y := b.src(b.op(1), t), b.src(b.op(2), isa.U32)
	d := b.dst(b.op(0))
	switch {
	case b.in.Form.Opcode() == "shl":
		b.inst.exec = lift2(d, x, y, func(x, y uint64) uint64 {
			if y &= 0xffffffff; y >= n {
				return 0
			}
			return mask(x<<y, int(n))
		})
	case t.Class() == isa.ClassSigned:
		b.inst.exec = lift2(d, x, y, func(x, y uint64) uint64 {
			return mask(uint64(signed(x, int(n))>>min(y&0xffffffff, 63)), int(n))
		})
	default:
		b.inst.exec = lift2(d, x, y, func(x, y uint64) uint64 {
			if y &= 0xffffffff; y >= n {
				return 0
			}
			return x >> y
		})
	}
}

// decodeShf is the funnel shift (manual 9.7.8.7).
func decodeShf(b *build) {
	t := b.typ()
	left := b.oneOf("l", "r") == "l"
	wrap := b.oneOf("wrap", "clamp") == "wrap"
	b.ternary(t, t, isa.U32, func(x, y, c uint64) uint64 {
		n := c & 31
		if !wrap {
			n = min(c, 32)
		}
		v := y<<32 | x
		if left {
			return uint64(uint32(v << n >> 32))
		}
		return uint64(uint32(v >> n))
	})
}

func decodeLop3(b *build) {
	t := b.typ()
	boolOp := b.oneOf("or", "and")
	lut, ok := constantBits(b.need("immLut"), isa.B32)
	if !ok {
		b.fail("the table of lop3 must be a constant")
		return
	}
	x, y, z := b.src(b.need("a"), t), b.src(b.need("b"), t), b.src(b.need("c"), t)
	f := func(x, y, z uint64) uint64 { return uint64(lop3(uint32(x), uint32(y), uint32(z), uint8(lut))) }
	if boolOp == "" {
		b.inst.exec = lift3(b.dst(b.need("d")), x, y, z, f)
		return
	}
	q := b.predUse(b.need("q"))
	d, pd := b.dst(b.need("d")), b.predDst(b.need("p"))
	compute := lift3(d, x, y, z, f)
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		qv, _ := w.pred(q)
		compute(w, in, m)
		var nz uint32
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t)
			if w.regs[d][l] != 0 {
				nz |= 1 << l
			}
		}
		if boolOp == "or" {
			nz |= qv
		} else {
			nz &= qv
		}
		w.preds[pd] = w.preds[pd]&^m | nz&m
	}
}

func lop3(a, b, c uint32, lut uint8) uint32 {
	var r uint32
	for i := range uint32(8) {
		if lut>>i&1 == 0 {
			continue
		}
		x, y, z := a, b, c
		if i&4 == 0 {
			x = ^x
		}
		if i&2 == 0 {
			y = ^y
		}
		if i&1 == 0 {
			z = ^z
		}
		r |= x & y & z
	}
	return r
}

func decodeCount(b *build) {
	t := b.typ()
	n := t.Bits()
	if b.in.Form.Opcode() == "popc" {
		b.unary(t, func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) })
		return
	}
	b.unary(t, func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x) - 64 + n) })
}

func decodeBrev(b *build) {
	t := b.typ()
	b.unary(t, func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - t.Bits()) })
}

func decodeBfind(b *build) {
	t := b.typ()
	n := t.Bits()
	shift := b.has("shiftamt")
	b.unary(t, func(x uint64) uint64 {
		if t.Class() == isa.ClassSigned && signed(x, n) < 0 {
			x = mask(^x, n)
		}
		if x == 0 {
			return 0xffffffff
		}
		p := bits.Len64(x) - 1
		if shift {
			p = n - 1 - p
		}
		return uint64(p)
	})
}

// decodeBfe extracts a field (manual 9.7.1.19). A field that reaches past the top is filled with the sign.
func decodeBfe(b *build) {
	t := b.typ()
	n := t.Bits()
	isSigned := t.Class() == isa.ClassSigned
	b.ternary(t, isa.U32, isa.U32, func(x, pos, length uint64) uint64 {
		pos, length = pos&0xff, length&0xff
		var sign uint64
		if isSigned && length > 0 {
			sign = x >> min(pos+length-1, uint64(n-1)) & 1
		}
		var v uint64
		if pos < 64 {
			v = x >> pos
		}
		avail := length
		if pos+length > uint64(n) {
			avail = uint64(max(0, n-int(pos)))
		}
		v = mask(v, int(avail))
		if sign != 0 && avail < uint64(n) {
			v |= mask(^uint64(0), n) &^ mask(^uint64(0), int(avail))
		}
		return v
	})
	b.fieldRange(b.src(b.op(2), isa.U32), b.src(b.op(3), isa.U32))
}

// fieldRange reports positions and lengths of a bit field above 255. The manual leaves their effect open, and ptxas makes
// code that differs between constants and registers (PTX ISA 9.7.1.19).
func (b *build) fieldRange(pos, length src) {
	exec := b.inst.exec
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		p, l := w.val(pos), w.val(length)
		for t := m; t != 0; t &= t - 1 {
			i := bits.TrailingZeros32(t) & 31
			if p[i]|l[i] > 255 && !w.known(BadOperand, in) {
				w.find(BadOperand, in, 1<<i, fmt.Sprintf("bit field at %d of %d bits: both must lie in 0 to 255", p[i], l[i]))
			}
		}
		exec(w, in, m)
	}
}

func decodeBfi(b *build) {
	t := b.typ()
	n := t.Bits()
	x, y := b.src(b.op(1), t), b.src(b.op(2), t)
	p, l := b.src(b.op(3), isa.U32), b.src(b.op(4), isa.U32)
	d := b.dst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		rd, rx, ry, rp, rl := &w.regs[d], w.val(x), w.val(y), w.val(p), w.val(l)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			pos, length := rp[i]&0xff, rl[i]&0xff
			field := uint64(0)
			if pos < uint64(n) {
				field = mask(mask(^uint64(0), int(min(length, 64)))<<pos, n)
			}
			rd[i] = ry[i]&^field | rx[i]<<(pos&63)&field
		}
	}
	b.fieldRange(p, l)
}

// decodeMaskOps is szext and bmsk (manual 9.7.1.21, 9.7.1.22).
func decodeSzext(b *build) {
	t := b.typ()
	wrap := b.oneOf("wrap", "clamp") == "wrap"
	b.binary(t, func(x, y uint64) uint64 {
		n := min(y, 32)
		if wrap {
			n = y & 31
		}
		if n == 0 {
			return 0
		}
		if t == isa.S32 {
			return uint64(uint32(signed(x, int(n))))
		}
		return mask(x, int(n))
	})
}

func decodeBmsk(b *build) {
	wrap := b.oneOf("wrap", "clamp") == "wrap"
	b.binary(b.typ(), func(x, y uint64) uint64 {
		if wrap {
			x, y = x&31, y&31
		}
		if x >= 32 {
			return 0
		}
		return uint64(uint32(mask(^uint64(0), int(min(y, 32))) << x))
	})
}

// decodeFns finds the n-th set bit from a position (manual 9.7.1.17).
func decodeFns(b *build) {
	b.types()
	b.ternary(isa.B32, isa.B32, isa.S32, func(m, base, offset uint64) uint64 {
		n, pos := signed(offset, 32), int(base)
		step, left := 1, n
		switch {
		case n == 0:
			if pos < 32 && m>>pos&1 == 1 {
				return uint64(pos)
			}
			return 0xffffffff
		case n < 0:
			step, left = -1, -n
		}
		for i := pos; i >= 0 && i < 32; i += step {
			if m>>i&1 == 1 {
				if left--; left == 0 {
					return uint64(i)
				}
			}
		}
		return 0xffffffff
	})
}

// decodePrmt picks bytes (manual 9.7.9.7).
func decodePrmt(b *build) {
	b.types()
	mode := b.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	b.ternary(isa.B32, isa.B32, isa.B32, func(x, y, c uint64) uint64 {
		v := y<<32 | x
		var out uint64
		for i := range uint64(4) {
			sel := prmtSelect(mode, c, i)
			by := v >> (sel & 7 * 8) & 0xff
			if sel&8 != 0 { // replicate the sign bit
				by = uint64(uint8(int8(by) >> 7))
			}
			out |= by << (i * 8)
		}
		return out
	})
}

func prmtSelect(mode string, c, i uint64) uint64 {
	s := c & 3
	switch mode {
	case "f4e":
		return (s + i) & 7
	case "b4e":
		return (s - i) & 7
	case "rc8":
		return s
	case "ecl":
		return max(s, i)
	case "ecr":
		return min(s, i)
	case "rc16":
		return c&1*2 + i&1
	}
	return c >> (4 * i) & 15
}
