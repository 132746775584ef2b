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
		v = k.standIn(t.static())
	}
	return T{v}
}

func elemType[T Elem](s Space) Type {
	var t T
	return Type{Kind: op.Ptr, Space: s, Elem: t.static().Kind}
}

// use is the value behind a handle that is about to become an operand. Go can convert between handle types, because they
// have one layout; a value behind the wrong one is reported here.
func use(h Operand) *Value {
	v := resolve(h.value())
	want := h.static()
	if v == nil || v.bad || v.typ == want {
		return v
	}
	k := owner(v)
	code := CodeTypeMismatch
	if v.typ.Kind == op.Ptr && want.Kind == op.Ptr && v.typ.Space != want.Space {
		code = CodeSpaceMismatch
	}
	k.report(Finding{Code: code, Pos: here(), Msg: "a handle for " + want.String() + " holds a " + v.typ.String() + " value",
		Fix: "convert with ConvertTo…, As…, ir.Cast or Generic, not with a Go conversion"})
	return k.standIn(want)
}

func useAll[T Handle](list []T) []*Value {
	out := make([]*Value, len(list))
	for i, x := range list {
		out[i] = use(x)
	}
	return out
}

// SizeOf is the number of bytes that a T has in memory.
func SizeOf[T Elem]() int {
	var t T
	return t.static().Kind.Bytes()
}

// KernelOf is the kernel that a device value belongs to.
func KernelOf(h Operand) *Kernel { return owner(h.value()) }
