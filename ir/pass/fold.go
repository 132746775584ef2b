package pass

import (
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// Fold computes pure ops on constants and removes those that change nothing, such as x + 0 on integers. Floats fold only
// where the result is the device's own: round-to-nearest add, sub and mul without flushing, and no NaN.
func Fold(k *ir.Kernel) {
	rewrite(k, func(o *ir.Op) []*ir.Value {
		if !o.Info.Effects.Pure() || len(o.Results) != 1 || len(o.Regions) > 0 {
			return nil
		}
		if v := fold(k, o); v != nil {
			return []*ir.Value{v}
		}
		return nil
	}, map[*ir.Value]*ir.Value{})
}

func fold(k *ir.Kernel, o *ir.Op) *ir.Value {
	if o.Info.Name == "select" {
		return foldSelect(o)
	}
	if v := identity(k, o); v != nil {
		return v
	}
	if v := divideByPower(k, o); v != nil {
		return v
	}
	for _, a := range o.Args {
		if !a.IsConst() {
			return nil
		}
	}
	t := o.Results[0].Type()
	if len(o.Args) == 0 || len(o.Attrs) > 0 {
		return nil
	}
	switch kind := o.Args[0].Type().Kind; {
	case op.Integers.Has(kind):
		if bits, ok := foldInt(o); ok {
			return k.Const(t, bits)
		}
	case kind == op.F32:
		if bits, ok := foldF32(o); ok {
			return k.Const(t, bits)
		}
	}
	return nil
}

func foldSelect(o *ir.Op) *ir.Value {
	switch p := o.Args[0]; {
	case o.Args[1] == o.Args[2]:
		return o.Args[1]
	case p.IsConst() && p.Bits() != 0:
		return o.Args[1]
	case p.IsConst():
		return o.Args[2]
	}
	return nil
}

// identity finds integer ops with an operand that decides or does not matter.
func identity(k *ir.Kernel, o *ir.Op) *ir.Value {
	if len(o.Args) != 2 || !op.Integers.Has(o.Args[0].Type().Kind) {
		return nil
	}
	x, y := o.Args[0], o.Args[1]
	if o.Info.Commutes && x.IsConst() && !y.IsConst() {
		x, y = y, x
	}
	if !y.IsConst() {
		return nil
	}
	ones := uint64(math.MaxUint64) >> (64 - y.Type().Bits())
	switch o.Info.Name {
	case "add", "sub", "or", "xor", "shl", "shr":
		if y.Bits() == 0 {
			return x
		}
	case "mul":
		switch y.Bits() {
		case 0:
			return y
		case 1:
			return x
		}
	case "and":
		switch y.Bits() {
		case 0:
			return y
		case ones:
			return x
		}
	case "div":
		if y.Bits() == 1 {
			return x
		}
	case "rem":
		if y.Bits() == 1 {
			return k.Const(o.Results[0].Type(), 0)
		}
	}
	return nil
}

// divideByPower turns an unsigned division by a power of two into a shift and its remainder into a mask: ptxas divides in
// full, whatever the divisor.
func divideByPower(k *ir.Kernel, o *ir.Op) *ir.Value {
	if name := o.Info.Name; name != "div" && name != "rem" || o.Args[0].IsConst() || !o.Args[1].IsConst() {
		return nil
	}
	t, n := o.Results[0].Type(), o.Args[1].Bits()
	if !op.Integers.Has(t.Kind) || op.Signed.Has(t.Kind) || bits.OnesCount64(n) != 1 {
		return nil
	}
	if o.Info.Name == "rem" {
		return k.InsertBefore(o, "and", nil, []op.Type{t}, o.Args[0], k.Const(t, n-1)).Result()
	}
	shift := k.Const(op.Scalar(op.U32), uint64(bits.TrailingZeros64(n)))
	return k.InsertBefore(o, "shr", nil, []op.Type{t}, o.Args[0], shift).Result()
}

func foldInt(o *ir.Op) (uint64, bool) {
	kind := o.Args[0].Type().Kind
	x, y := o.Args[0].Int(), int64(0)
	if len(o.Args) > 1 {
		y = o.Args[1].Int()
	}
	signed := op.Signed.Has(kind)
	ux, uy := uint64(x), uint64(y)
	if !signed {
		ux, uy = o.Args[0].Bits(), 0
		if len(o.Args) > 1 {
			uy = o.Args[1].Bits()
		}
	}
	if bits, ok := compareInt(o.Info.Name, x, y, ux, uy, signed); ok {
		return bits, true
	}
	switch o.Info.Name {
	case "add":
		return ux + uy, true
	case "sub":
		return ux - uy, true
	case "mul", "mul_wide":
		return ux * uy, true
	case "mad", "mad_wide":
		z := o.Args[2].Bits()
		if signed {
			z = uint64(o.Args[2].Int())
		}
		return ux*uy + z, true
	case "and":
		return ux & uy, true
	case "or":
		return ux | uy, true
	case "xor":
		return ux ^ uy, true
	case "not":
		return ^ux, true
	case "neg":
		return -ux, true
	case "cvt_int":
		return ux, true
	case "shl":
		return shiftLeft(ux, uy, kind.Bits()), true
	case "shr":
		return shiftRight(x, ux, uy, signed), true
	case "min":
		return pick(x, y, ux, uy, signed, true), true
	case "max":
		return pick(x, y, ux, uy, signed, false), true
	case "div", "rem":
		return divide(o.Info.Name, x, y, ux, uy, signed)
	}
	return 0, false
}

func compareInt(name string, x, y int64, ux, uy uint64, signed bool) (uint64, bool) {
	less := ux < uy
	if signed {
		less = x < y
	}
	switch name {
	case "lt":
		return truth(less), true
	case "ge":
		return truth(!less), true
	case "eq":
		return truth(ux == uy), true
	case "ne":
		return truth(ux != uy), true
	case "le":
		return truth(less || ux == uy), true
	case "gt":
		return truth(!less && ux != uy), true
	}
	return 0, false
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Shifts by the width or more give zeros or the sign (PTX ISA 9.7.8.8, 9.7.8.9).
func shiftLeft(x, n uint64, bits int) uint64 {
	if n >= uint64(bits) {
		return 0
	}
	return x << n
}

func shiftRight(x int64, ux, n uint64, signed bool) uint64 {
	n = min(n, 63)
	if signed {
		return uint64(x >> n)
	}
	return ux >> n
}

func pick(x, y int64, ux, uy uint64, signed, least bool) uint64 {
	less := ux < uy
	if signed {
		less = x < y
	}
	if less == least {
		return ux
	}
	return uy
}

// divide leaves what PTX does not define: a zero divisor and the one overflow.
func divide(name string, x, y int64, ux, uy uint64, signed bool) (uint64, bool) {
	if uy == 0 || signed && y == -1 {
		return 0, false
	}
	switch {
	case name == "div" && signed:
		return uint64(x / y), true
	case name == "div":
		return ux / uy, true
	case signed:
		return uint64(x % y), true
	}
	return ux % uy, true
}

func foldF32(o *ir.Op) (uint64, bool) {
	if len(o.Args) != 2 {
		return 0, false
	}
	x, y := math.Float32frombits(uint32(o.Args[0].Bits())), math.Float32frombits(uint32(o.Args[1].Bits()))
	var r float32
	switch o.Info.Name {
	case "add":
		r = x + y
	case "sub":
		r = x - y
	case "mul":
		r = x * y
	default:
		return 0, false
	}
	if r != r {
		return 0, false
	}
	return uint64(math.Float32bits(r)), true
}
