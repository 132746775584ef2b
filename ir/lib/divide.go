package lib

import (
	"github.com/oxideinfer/oxide/internal/fastdiv"
	"github.com/oxideinfer/oxide/ir"
)

// FastDiv divides by a number that is fixed for a launch or known at build time: one high multiplication, two shifts and
// two additions instead of a division, exact for every 32-bit dividend.
type FastDiv struct {
	D              ir.U32
	mul            ir.U32
	shift1, shift2 ir.U32
}

// DivParam declares three parameters, name, name_mul and name_shifts, that the host fills from internal/fastdiv.
func DivParam(k *ir.Kernel, name string) FastDiv {
	d, mul := ir.Param[ir.U32](k, name), ir.Param[ir.U32](k, name+"_mul")
	shifts := ir.Param[ir.U32](k, name+"_shifts")
	return FastDiv{D: d, mul: mul, shift1: shifts.And(k.ConstU32(0xff)), shift2: shifts.ShiftRight(k.ConstU32(8))}
}

// DivConst is division by a build value; powers of two become shifts.
func DivConst(k *ir.Kernel, d uint32) FastDiv {
	m := fastdiv.New(d)
	f := FastDiv{D: k.ConstU32(m.D), shift2: k.ConstU32(m.Shift2 + m.Shift1)}
	if m.D&(m.D-1) != 0 {
		f.mul, f.shift1, f.shift2 = k.ConstU32(m.Mul), k.ConstU32(m.Shift1), k.ConstU32(m.Shift2)
	}
	return f
}

// Div is x / D.
func (f FastDiv) Div(x ir.U32) ir.U32 {
	if f.mul == (ir.U32{}) { // a power of two
		return x.ShiftRight(f.shift2)
	}
	t := x.MulHigh(f.mul)
	return x.Sub(t).ShiftRight(f.shift1).Add(t).ShiftRight(f.shift2)
}

// DivRem is x / D and x mod D.
func (f FastDiv) DivRem(x ir.U32) (quotient, remainder ir.U32) {
	q := f.Div(x)
	return q, x.Sub(q.Mul(f.D))
}
