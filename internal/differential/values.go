package differential

import (
	"math"
	"reflect"

	"github.com/oxideinfer/oxide/ir"
)

// add makes a value visible to later statements.
func (g *generator) add(v any) {
	r := reflect.ValueOf(v)
	g.pool[r.Type()] = append(g.pool[r.Type()], r)
}

// anyValue is a visible value of a random type.
func (g *generator) anyValue() any { return g.value(pick(g.r, types)).Interface() }

// value is a visible value of a type, mostly a late one, or a new one.
func (g *generator) value(t reflect.Type) reflect.Value {
	if list := g.pool[t]; len(list) > 0 && g.r.IntN(8) != 0 {
		return list[max(g.r.IntN(len(list)), g.r.IntN(len(list)))]
	}
	return reflect.ValueOf(g.fresh(reflect.Zero(t).Interface()))
}

// specials are words with a meaning in some format: limits, infinities, NaNs, subnormals, ones.
var specials = []uint32{
	0, 1, 2, 31, 32, 63, 255, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
	0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x80000001, 0x3c003c00, 0x7bff0400, 0x7c00fc00, 0x3f803f80, 0x7f7f0080,
	0x4f000000, 0xcf000000, 0x5f000000, 0x33000000, 0x477fe000, 0x43e00000, 0x7e7e3838,
}

func (g *generator) bits() uint32 {
	switch g.r.IntN(4) {
	case 0:
		return g.r.Uint32()
	case 1:
		return uint32(g.r.IntN(64))
	case 2:
		return math.Float32bits(float32(g.r.NormFloat64()))
	}
	return pick(g.r, specials)
}

// fresh makes a value of the same type as zero, from a constant or from an integer that is visible.
func (g *generator) fresh(zero any) any {
	k := g.k
	word := k.ConstU32(g.bits())
	if list := g.pool[reflect.TypeFor[ir.U32]()]; g.r.IntN(2) == 0 && len(list) > 0 {
		word = pick(g.r, list).Interface().(ir.U32)
	}
	return g.from(word, zero)
}

// from makes a value of the same type as like from the bits of a word.
func (g *generator) from(word ir.U32, like any) any {
	k := g.k
	half := word.ConvertToU16()
	switch like.(type) {
	case ir.U8:
		return half.ConvertToU8()
	case ir.S8:
		return half.ConvertToU8().AsS8()
	case ir.U16:
		return half
	case ir.S16:
		return half.AsS16()
	case ir.S32:
		return word.AsS32()
	case ir.U64:
		return word.MulWide(k.ConstU32(g.bits()))
	case ir.S64:
		return word.AsS32().MulWide(k.ConstS32(int32(g.bits())))
	case ir.F16:
		return half.AsF16()
	case ir.BF16:
		return half.AsBF16()
	case ir.F32:
		return word.AsF32()
	case ir.F64:
		return word.AsF32().ConvertToF64()
	case ir.TF32:
		return word.AsF32().ConvertToTF32()
	case ir.F16x2:
		return word.AsF16x2()
	case ir.BF16x2:
		return word.AsBF16x2()
	case ir.E4M3x2:
		return half.AsE4M3x2()
	case ir.E5M2x2:
		return half.AsE5M2x2()
	case ir.S8x4:
		return word.AsS8x4()
	case ir.Pred:
		return word.Less(k.ConstU32(g.bits()))
	}
	return word
}

// divisor makes an integer odd and positive: the manual leaves division by zero open, and the quotient that overflows.
func (g *generator) divisor(v reflect.Value) reflect.Value {
	k := g.k
	switch x := v.Interface().(type) {
	case ir.U16:
		return reflect.ValueOf(x.Or(k.ConstU16(1)))
	case ir.S16:
		return reflect.ValueOf(x.Or(k.ConstS16(1)).And(k.ConstS16(math.MaxInt16)))
	case ir.U32:
		return reflect.ValueOf(x.Or(k.ConstU32(1)))
	case ir.S32:
		return reflect.ValueOf(x.Or(k.ConstS32(1)).And(k.ConstS32(math.MaxInt32)))
	case ir.U64:
		return reflect.ValueOf(x.Or(k.ConstU64(1)))
	case ir.S64:
		return reflect.ValueOf(x.Or(k.ConstS64(1)).And(k.ConstS64(math.MaxInt64)))
	}
	return v
}

// negatable keeps a signed integer from its least value: ptxas takes the result of Abs for one that did not overflow where
// it widens or clamps it next.
func (g *generator) negatable(v reflect.Value) reflect.Value {
	k := g.k
	switch x := v.Interface().(type) {
	case ir.S16:
		return reflect.ValueOf(x.Max(k.ConstS16(-math.MaxInt16)))
	case ir.S32:
		return reflect.ValueOf(x.Max(k.ConstS32(-math.MaxInt32)))
	case ir.S64:
		return reflect.ValueOf(x.Max(k.ConstS64(-math.MaxInt64)))
	}
	return v
}

// number replaces a NaN. Its conversion to 64 bits is 0x8000…, but ptxas merges it with a conversion to 32 bits that
// follows and then gives 0.
func (g *generator) number(v reflect.Value) reflect.Value {
	one := g.k.ConstF32(1)
	switch x := v.Interface().(type) {
	case ir.F16:
		return reflect.ValueOf(ir.Select(x.IsNaN(), one.ConvertToF16(), x))
	case ir.BF16:
		return reflect.ValueOf(ir.Select(x.IsNaN(), one.ConvertToBF16(), x))
	case ir.F32:
		return reflect.ValueOf(ir.Select(x.IsNaN(), one, x))
	case ir.F64:
		return reflect.ValueOf(ir.Select(x.IsNaN(), one.ConvertToF64(), x))
	}
	return v
}

// word turns a value into 32 bits that are the same wherever the value is. All NaNs are one.
func (g *generator) word(v any) ir.U32 {
	k := g.k
	switch x := v.(type) {
	case ir.U8:
		return x.ConvertToU32()
	case ir.S8:
		return x.ConvertToS32().AsU32()
	case ir.U16:
		return x.ConvertToU32()
	case ir.S16:
		return x.ConvertToS32().AsU32()
	case ir.U32:
		return x
	case ir.S32:
		return x.AsU32()
	case ir.U64:
		lo, hi := x.UnpackToU32()
		return hi.MulAdd(k.ConstU32(0x9e3779b1), lo)
	case ir.S64:
		return g.word(x.AsU64())
	case ir.F16:
		return g.word(ir.Select(x.IsNaN(), k.ConstU16(0x7fff), x.AsU16()))
	case ir.BF16:
		return g.word(ir.Select(x.IsNaN(), k.ConstU16(0x7fff), x.AsU16()))
	case ir.F32:
		return ir.Select(x.IsNaN(), k.ConstU32(0x7fffffff), x.AsU32())
	case ir.F64:
		return g.word(ir.Select(x.IsNaN(), k.ConstU64(math.MaxInt64), x.AsU64()))
	case ir.TF32:
		return g.word(x.ConvertToF32())
	case ir.F16x2:
		lo, hi := x.UnpackToF16()
		return g.word(lo).MulAdd(k.ConstU32(0x10001), g.word(hi))
	case ir.BF16x2:
		lo, hi := x.UnpackToBF16()
		return g.word(lo).MulAdd(k.ConstU32(0x10001), g.word(hi))
	case ir.E4M3x2:
		return g.word(x.ConvertToF16x2())
	case ir.E5M2x2:
		return g.word(x.ConvertToF16x2())
	case ir.S8x4:
		return x.AsU32()
	case ir.Pred:
		return ir.Select(x, k.ConstU32(1), k.ConstU32(2))
	}
	panic("differential: a type without a word")
}
