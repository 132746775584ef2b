package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// carryFlag is the condition code register CC.CF of the function (manual 9.7.2), kept as a predicate.
func (b *build) carryFlag() int32 {
	if b.d.carry < 0 {
		b.d.carry = b.d.newPred("CC.CF")
	}
	return b.d.carry
}

// decodeCarry is add, sub with carry in or out. For sub the flag is the borrow.
func decodeCarry(b *build, op string, t isa.Type, in, out bool) {
	n := t.Bits()
	b.carry(t, 2, in, out, func(x, y, _, c uint64) (uint64, uint64) {
		if op == "sub" {
			d, br := bits.Sub64(x, y, c)
			return mask(d, n), br & 1
		}
		s, carry := bits.Add64(x, y, c)
		if n < 64 {
			carry = s >> n
		}
		return mask(s, n), carry & 1
	})
}

func decodeAddc(b *build) { decodeCarry(b, "add", b.typ(), true, b.has("cc")) }
func decodeSubc(b *build) { decodeCarry(b, "sub", b.typ(), true, b.has("cc")) }

func decodeMadc(b *build) {
	t := b.typ()
	decodeMadCarry(b, b.oneOf("lo", "hi"), t, true, b.has("cc"))
}

// decodeMadCarry is mad.cc and madc: the chosen half of the product, plus c, plus the carry.
func decodeMadCarry(b *build, mode string, t isa.Type, in, out bool) {
	n := t.Bits()
	isSigned := t.Class() == isa.ClassSigned
	b.carry(t, 3, in, out, func(x, y, z, c uint64) (uint64, uint64) {
		p := mask(x*y, n)
		if mode == "hi" {
			p = mulHi(x, y, n, isSigned)
		}
		s, carry := bits.Add64(p, z, c)
		if n < 64 {
			carry = s >> n
		}
		return mask(s, n), carry & 1
	})
}

// carry decodes an instruction of nsrc operands that reads or writes the carry flag.
func (b *build) carry(t isa.Type, nsrc int, in, out bool, f func(x, y, z, c uint64) (v, carry uint64)) {
	cf := b.carryFlag()
	x, y := b.src(b.op(1), t), b.src(b.op(2), t)
	z := b.d.p.constant(0)
	if nsrc == 3 {
		z = b.src(b.op(3), t)
	}
	if in {
		b.inst.uses = append(b.inst.uses, ^cf)
	}
	d := b.dst(b.op(0))
	if out {
		b.inst.outs = append(b.inst.outs, ^cf)
		b.inst.writes = append(b.inst.writes, ^cf)
	}
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		rd, rx, ry, rz := &w.regs[d], w.val(x), w.val(y), w.val(z)
		old := w.preds[cf]
		carry := old
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			c := uint64(0)
			if in {
				c = uint64(old >> l & 1)
			}
			v, cy := f(rx[l], ry[l], rz[l], c)
			rd[l] = v
			carry = carry&^(1<<l) | uint32(cy)<<l
		}
		if out {
			w.preds[cf] = carry
		}
	}
}
