package op

import "math/bits"

// Kind is the type of a scalar or packed device value. Ptr values carry a space and an element kind, see Type.
type Kind uint8

// The kinds. Packed kinds hold their elements low part first, in one 16- or 32-bit register.
const (
	Invalid Kind = iota
	Pred
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	BF16
	F32
	F64
	TF32
	E4M3
	E5M2
	F16x2
	BF16x2
	E4M3x2
	E5M2x2
	S8x4
	Ptr
	TensorMap
	numKinds
)

type kindInfo struct {
	text  string // in the text form
	goes  string // Go handle type in package ir
	bits  uint8  // register or memory size
	elem  Kind   // element of a packed kind
	lanes uint8
}

var kinds = [numKinds]kindInfo{
	Invalid: {text: "invalid", goes: "Invalid"},
	Pred:    {text: "pred", goes: "Pred", bits: 1},
	U8:      {text: "u8", goes: "U8", bits: 8},
	U16:     {text: "u16", goes: "U16", bits: 16},
	U32:     {text: "u32", goes: "U32", bits: 32},
	U64:     {text: "u64", goes: "U64", bits: 64},
	S8:      {text: "s8", goes: "S8", bits: 8},
	S16:     {text: "s16", goes: "S16", bits: 16},
	S32:     {text: "s32", goes: "S32", bits: 32},
	S64:     {text: "s64", goes: "S64", bits: 64},
	F16:     {text: "f16", goes: "F16", bits: 16},
	BF16:    {text: "bf16", goes: "BF16", bits: 16},
	F32:     {text: "f32", goes: "F32", bits: 32},
	F64:     {text: "f64", goes: "F64", bits: 64},
	TF32:    {text: "tf32", goes: "TF32", bits: 32},
	E4M3:    {text: "e4m3", goes: "E4M3", bits: 8},
	E5M2:    {text: "e5m2", goes: "E5M2", bits: 8},
	F16x2:   {text: "f16x2", goes: "F16x2", bits: 32, elem: F16, lanes: 2},
	BF16x2:  {text: "bf16x2", goes: "BF16x2", bits: 32, elem: BF16, lanes: 2},
	E4M3x2:  {text: "e4m3x2", goes: "E4M3x2", bits: 16, elem: E4M3, lanes: 2},
	E5M2x2:  {text: "e5m2x2", goes: "E5M2x2", bits: 16, elem: E5M2, lanes: 2},
	S8x4:    {text: "s8x4", goes: "S8x4", bits: 32, elem: S8, lanes: 4},
	Ptr:     {text: "ptr", goes: "Ptr"},
	// The address of a tensor map; as a parameter, the map itself.
	TensorMap: {text: "tensormap", goes: "TensorMap", bits: 64},
}

func (k Kind) info() kindInfo {
	if k >= numKinds {
		k = Invalid
	}
	return kinds[k]
}

// String gives the name in the text form: f32, bf16x2, pred.
func (k Kind) String() string { return k.info().text }

// GoName gives the handle type in package ir: F32, BF16x2, Pred.
func (k Kind) GoName() string { return k.info().goes }

// Bits is the size of a value; a Pred has 1, a Ptr 0 because its size depends on the space.
func (k Kind) Bits() int { return int(k.info().bits) }

// Bytes is the size in memory; 0 for kinds that have no memory form (Pred, Ptr).
func (k Kind) Bytes() int { return k.Bits() / 8 }

// Elem is the element kind of a packed kind and the kind itself otherwise.
func (k Kind) Elem() Kind {
	if e := k.info().elem; e != Invalid {
		return e
	}
	return k
}

// Lanes is the number of elements in a value: 2 for F16x2, 1 for scalars.
func (k Kind) Lanes() int { return max(1, int(k.info().lanes)) }

// Kinds lists every kind that has a handle type, in table order.
func Kinds() []Kind {
	var all []Kind
	for k := Pred; k < Ptr; k++ {
		all = append(all, k)
	}
	return all
}

// KindByName finds a kind by its text form.
func KindByName(text string) (Kind, bool) {
	for k := Pred; k < numKinds; k++ {
		if kinds[k].text == text {
			return k, true
		}
	}
	return Invalid, false
}

// KindSet is a set of kinds.
type KindSet uint32

// Of makes a set.
func Of(list ...Kind) KindSet {
	var s KindSet
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

// Has tells whether k is a member.
func (s KindSet) Has(k Kind) bool { return s&(1<<k) != 0 }

// List gives the members in table order.
func (s KindSet) List() []Kind {
	var list []Kind
	for r := uint32(s); r != 0; r &= r - 1 {
		list = append(list, Kind(bits.TrailingZeros32(r)))
	}
	return list
}

// Sets that several families share.
var (
	Unsigned   = Of(U16, U32, U64)
	Signed     = Of(S16, S32, S64)
	Integers   = Unsigned | Signed
	Integers32 = Of(U32, S32, U64, S64)
	Bytes      = Of(U8, S8)
	Floats     = Of(F32, F64)
	Halves     = Of(F16, BF16, F16x2, BF16x2)
	PackedHalf = Of(F16x2, BF16x2)
	Loadable   = allLoadable()
)

func allLoadable() KindSet {
	var s KindSet
	for _, k := range Kinds() {
		if k != Pred {
			s |= Of(k)
		}
	}
	return s
}
