package ir

import "github.com/oxideinfer/oxide/ir/op"

// Operand is any typed handle of a device value.
type Operand interface {
	value() *Value
	static() Type
}

// Handle constrains containers such as Var to handle types: scalars, packed values and pointers.
type Handle interface {
	~struct{ v *Value }
	Operand
}

// Elem is a type that memory can hold: every scalar and packed type except Pred.
type Elem interface {
	Handle
	elem()
}

// Index is a device integer that can index memory.
type Index interface {
	Operand
	index()
}

// ValueOf gives the value behind a handle; for packages that add nouns on top of this one.
func ValueOf(h Operand) *Value { return resolve(h.value()) }

// HandleOf makes a typed handle for a value, reporting TYPE_MISMATCH if the types disagree.
func HandleOf[T Handle](v *Value) T {
	var t T
	v = resolve(v)
	if v != nil && v.typ != t.static() && !v.bad {
		k := owner(v)
		k.report(Finding{Code: CodeTypeMismatch, Pos: here(), Msg: "a " + v.typ.String() + " value cannot be a " + t.static().String()})
		v = &Value{kernel: k, typ: t.static(), kind: ConstValue, bad: true}
	}
	return T{v}
}

func elemType[T Elem](s Space) Type {
	var t T
	return Type{Kind: op.Ptr, Space: s, Elem: t.static().Kind}
}
