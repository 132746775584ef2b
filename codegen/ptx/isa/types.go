package isa

// Type is a PTX type as an instruction or a declaration names it (manual 5.2), including the packed and alternate
// floating-point formats that are never register types.
type Type uint8

// The types. Order within a class is by width.
const (
	NoType Type = iota
	Pred
	B1
	B8
	B16
	B32
	B64
	B128
	U4
	U8
	U16
	U32
	U64
	S4
	S8
	S16
	S32
	S64
	F16
	F16X2
	BF16
	BF16X2
	TF32
	F32
	F32X2
	F64
	E4M3
	E5M2
	E4M3X2
	E5M2X2
	U8X4
	S8X4
	U16X2
	S16X2
	B1024
	numTypes
)

// Class groups the types by what arithmetic on them means.
type Class uint8

// The classes of types.
const (
	ClassNone Class = iota
	ClassPred
	ClassBits
	ClassUnsigned
	ClassSigned
	ClassFloat
	ClassPacked // several elements, or a format without registers of its own: lives in a register of type .b
)

type typeInfo struct {
	name  string
	bits  int
	class Class
}

var typeInfos = [numTypes]typeInfo{
	NoType: {"", 0, ClassNone}, Pred: {"pred", 1, ClassPred},
	B1: {"b1", 1, ClassBits}, B8: {"b8", 8, ClassBits}, B16: {"b16", 16, ClassBits}, B32: {"b32", 32, ClassBits},
	B64: {"b64", 64, ClassBits}, B128: {"b128", 128, ClassBits}, B1024: {"b1024", 1024, ClassBits},
	U4: {"u4", 4, ClassUnsigned}, U8: {"u8", 8, ClassUnsigned}, U16: {"u16", 16, ClassUnsigned},
	U32: {"u32", 32, ClassUnsigned}, U64: {"u64", 64, ClassUnsigned},
	S4: {"s4", 4, ClassSigned}, S8: {"s8", 8, ClassSigned}, S16: {"s16", 16, ClassSigned},
	S32: {"s32", 32, ClassSigned}, S64: {"s64", 64, ClassSigned},
	F16: {"f16", 16, ClassFloat}, F32: {"f32", 32, ClassFloat}, F64: {"f64", 64, ClassFloat},
	F16X2: {"f16x2", 32, ClassPacked}, BF16: {"bf16", 16, ClassPacked}, BF16X2: {"bf16x2", 32, ClassPacked},
	TF32: {"tf32", 32, ClassPacked}, F32X2: {"f32x2", 64, ClassPacked},
	E4M3: {"e4m3", 8, ClassPacked}, E5M2: {"e5m2", 8, ClassPacked},
	E4M3X2: {"e4m3x2", 16, ClassPacked}, E5M2X2: {"e5m2x2", 16, ClassPacked},
	U8X4: {"u8x4", 32, ClassPacked}, S8X4: {"s8x4", 32, ClassPacked},
	U16X2: {"u16x2", 32, ClassPacked}, S16X2: {"s16x2", 32, ClassPacked},
}

// TypeOf returns the type of a name without its dot, or NoType.
func TypeOf(name string) Type {
	for t := NoType + 1; t < numTypes; t++ {
		if typeInfos[t].name == name {
			return t
		}
	}
	return NoType
}

// String returns the name without a dot.
func (t Type) String() string {
	if t >= numTypes {
		return "?"
	}
	return typeInfos[t].name
}

// Bits is the width of a value.
func (t Type) Bits() int {
	if t >= numTypes {
		return 0
	}
	return typeInfos[t].bits
}

// Class is the type's class.
func (t Type) Class() Class {
	if t >= numTypes {
		return ClassNone
	}
	return typeInfos[t].class
}

// Declarable reports whether .reg may declare a register of the type (manual 5.2.1).
func (t Type) Declarable() bool {
	switch t.Class() {
	case ClassPred:
		return true
	case ClassBits:
		return t == B8 || t == B16 || t == B32 || t == B64 || t == B128
	case ClassUnsigned:
		return t != U4
	case ClassSigned:
		return t != S4
	case ClassFloat:
		return true
	}
	return t == F16X2
}

// Register is the type to declare for a value of the type: the type itself where registers have it, else bits of
// the width, at least 16 (manual 5.2.3: alternate formats have no registers of their own).
func (t Type) Register() Type {
	switch t.Class() {
	case ClassPred, ClassFloat:
		return t
	}
	if t.Bits() >= 16 && (t.Class() == ClassUnsigned || t.Class() == ClassSigned) {
		return t
	}
	switch w := t.Bits(); {
	case w == 0:
		return NoType
	case w <= 16:
		return B16
	case w == 32:
		return B32
	case w == 64:
		return B64
	}
	return B128
}

// Accepts reports whether a register declared as reg may stand where an operand of type t is wanted (manual 9.4,
// tables 27 and 28). wide allows a wider register, as ld, st and cvt do (manual 9.4.1).
func (t Type) Accepts(reg Type, wide bool) bool {
	if t == Pred || reg == Pred {
		return t == reg
	}
	tc, rc := t.Class(), reg.Class()
	if t.Bits() != reg.Bits() {
		// Floating-point types never widen, except that 8-bit data always sits in a wider register.
		if !wide || reg.Bits() < t.Bits() || tc == ClassFloat || rc == ClassFloat {
			return false
		}
	}
	if tc == ClassBits || rc == ClassBits || tc == ClassPacked || rc == ClassPacked {
		return true
	}
	return (tc == ClassFloat) == (rc == ClassFloat)
}
