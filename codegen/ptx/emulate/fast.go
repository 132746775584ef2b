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
