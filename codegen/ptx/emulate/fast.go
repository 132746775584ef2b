package emulate

import (
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// Loops without a function call a lane, for the instructions that fill kernels. Each falls back to the general form
// under a partial mask, so there is one definition of what it computes to test against.

func operands3(b *build) (d int32, x, y src) {
	d = b.inst.writes[len(b.inst.writes)-1]
	x, _ = b.value(b.op(1), b.typ())
	y, _ = b.value(b.op(2), b.typ())
	return d, x, y
}

func fastAdd32(slow execFn, b *build) execFn {
	d, x, y := operands3(b)
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx, ry := &w.regs[d], w.val(x), w.val(y)
		for i := range rd {
			rd[i] = uint64(uint32(rx[i]) + uint32(ry[i]))
		}
	}
}

func fastFloat32(op string, b *build) execFn {
	slow := b.inst.exec
	d, x, y := operands3(b)
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx, ry := &w.regs[d], w.val(x), w.val(y)
		switch op {
		case "add":
			for i := range rd {
				rd[i] = uint64(canon32(f32(uint32(rx[i])) + f32(uint32(ry[i]))))
			}
		case "sub":
			for i := range rd {
				rd[i] = uint64(canon32(f32(uint32(rx[i])) - f32(uint32(ry[i]))))
			}
		case "mul":
			for i := range rd {
				rd[i] = uint64(canon32(f32(uint32(rx[i])) * f32(uint32(ry[i]))))
			}
		default:
			slow(w, in, m)
		}
	}
}

func fastFma32(b *build) execFn {
	slow := b.inst.exec
	d, x, y := operands3(b)
	z, _ := b.value(b.op(3), isa.F32)
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx, ry, rz := &w.regs[d], w.val(x), w.val(y), w.val(z)
		for i := range rd {
			rd[i] = uint64(canon32(numfmt.FMA32(f32(uint32(rx[i])), f32(uint32(ry[i])), f32(uint32(rz[i])))))
		}
	}
}

// fastWiden is cvt.f32.bf16.
func fastWiden(d int32, x src, slow execFn) execFn {
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx := &w.regs[d], w.val(x)
		for i := range rd {
			rd[i] = uint64(uint32(rx[i]) << 16)
		}
	}
}

// fastPackBF16 is cvt.rn.bf16x2.f32.
func fastPackBF16(d int32, x, y src) execFn {
	pack := func(x, y uint64) uint64 {
		return uint64(numfmt.F32ToBF16(f32(uint32(x))))<<16 | uint64(numfmt.F32ToBF16(f32(uint32(y))))
	}
	slow := lift2(d, x, y, pack)
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx, ry := &w.regs[d], w.val(x), w.val(y)
		for i := range rd {
			rd[i] = uint64(numfmt.F32ToBF16(f32(uint32(rx[i]))))<<16 | uint64(numfmt.F32ToBF16(f32(uint32(ry[i]))))
		}
	}
}

// fastLogic covers and, or, xor.
func fastLogic(op string, d int32, x, y src, slow execFn) execFn {
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rd, rx, ry := &w.regs[d], w.val(x), w.val(y)
		switch op {
		case "and":
			for i := range rd {
				rd[i] = rx[i] & ry[i]
			}
		case "or":
			for i := range rd {
				rd[i] = rx[i] | ry[i]
			}
		default:
			for i := range rd {
				rd[i] = rx[i] ^ ry[i]
			}
		}
	}
}

// fastUnpack2 splits 32-bit values into halves.
func fastUnpack2(lo, hi int32, x src, slow execFn) execFn {
	return func(w *warp, in *inst, m uint32) {
		if m != fullMask {
			slow(w, in, m)
			return
		}
		rx, rl, rh := w.val(x), &w.regs[lo], &w.regs[hi]
		for i := range rx {
			v := uint32(rx[i])
			rl[i], rh[i] = uint64(v&0xffff), uint64(v>>16)
		}
	}
}

// fastSetp covers the integer comparisons that loops and bounds use.
func fastSetp(op string, t isa.Type, x, y src, p int32, slow execFn) execFn {
	if t.Bits() != 32 || isPackedFloat(t) || t == isa.F32 {
		return slow
	}
	isSigned := t.Class() == isa.ClassSigned
	var flip uint64 // maps a signed order to an unsigned one
	if isSigned {
		flip = 1 << 31
	}
	var swap, not bool
	switch op {
	case "lt", "lo":
	case "gt", "hi":
		swap = true
	case "ge", "hs":
		not = true
	case "le", "ls":
		swap, not = true, true
	default:
		return slow
	}
	if swap {
		x, y = y, x
	}
	return func(w *warp, in *inst, m uint32) {
		rx, ry := w.val(x), w.val(y)
		var v uint32
		for i := range rx {
			// The borrow of the 33-bit difference is the answer.
			v |= uint32(((rx[i]^flip)-(ry[i]^flip))>>63) << i
		}
		if not {
			v = ^v
		}
		w.preds[p] = w.preds[p]&^m | v&m
	}
}
