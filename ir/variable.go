package ir

import "fmt"

// Var is a device variable. Get is a snapshot: a value that was read does not change when the variable is set again.
// Variables become loop-carried values and results of branches while the kernel is built; they cost nothing by themselves.
type Var[T Handle] struct{ v *variable }

type variable struct {
	kernel *Kernel
	typ    Type
	pos    Pos
}

// NewVar makes a variable that holds init.
func NewVar[T Handle](init T) Var[T] {
	k := owner(init.value())
	v := &variable{kernel: k, typ: init.static(), pos: here()}
	k.frame.entries = append(k.frame.entries, &entry{v: v, cur: k.checked(init, "NewVar")})
	return Var[T]{v}
}

// DeclareVar makes a variable without a value. Reading it before every path has set it is reported as UNINIT_VAR.
func DeclareVar[T Handle](k *Kernel) Var[T] {
	var t T
	v := &variable{kernel: k, typ: t.static(), pos: here()}
	k.frame.entries = append(k.frame.entries, &entry{v: v, maybe: true})
	return Var[T]{v}
}

// Set gives the variable a new value.
func (x Var[T]) Set(value T) {
	k := x.kernel()
	val := k.checked(value, "Set")
	if e := k.lookup(k.frame, x.v); e != nil {
		e.cur, e.maybe = val, false
		return
	}
	k.reportVar(x.v, CodeOutOfRegion, "Set of a variable made inside a device region that has ended")
}

// Get reads the variable now.
func (x Var[T]) Get() T {
	k := x.kernel()
	e := k.lookup(k.frame, x.v)
	switch {
	case e == nil:
		k.reportVar(x.v, CodeOutOfRegion, "Get of a variable made inside a device region that has ended")
	case e.cur == nil || e.maybe:
		k.reportVar(x.v, CodeUninitVar, "Get of a variable that not every path has set")
	default:
		return T{e.cur}
	}
	return T{k.standIn(x.v.typ)}
}

// Update sets the variable to f of its value.
func (x Var[T]) Update(f func(T) T) { x.Set(f(x.Get())) }

func (x Var[T]) kernel() *Kernel {
	if x.v == nil {
		panic(abort{Finding{Code: CodeZeroValue, Pos: here(), Msg: "a zero ir.Var was used", Fix: "make it with ir.NewVar or ir.DeclareVar"}})
	}
	x.v.kernel.checkOpen()
	return x.v.kernel
}

func (k *Kernel) reportVar(v *variable, code, msg string) {
	k.report(Finding{Code: code, Pos: here(), Msg: fmt.Sprintf("%s (variable made at %s)", msg, v.pos),
		Fix: "give it a value with ir.NewVar before the region"})
}

// checked is the value behind a handle, or a silent stand-in after reporting why it cannot be used.
func (k *Kernel) checked(h Operand, what string) *Value {
	v := resolve(h.value())
	bad := func(code, msg string) *Value {
		k.report(Finding{Code: code, Pos: here(), Msg: what + " of " + msg})
		return k.standIn(h.static())
	}
	switch {
	case v == nil:
		return bad(CodeZeroValue, "the zero handle, which is no device value")
	case v.kernel != k:
		return bad(CodeForeignValue, "a device value of kernel "+v.kernel.Name)
	case v.bad:
		return v
	case !k.frame.region.sees(v.region):
		return bad(CodeOutOfRegion, "a device value made inside a device region that has ended")
	case v.typ != h.static():
		return bad(CodeTypeMismatch, fmt.Sprintf("a %s value behind a handle for %s", v.typ, h.static()))
	}
	return v
}

// A frame keeps the current values of variables in one open region.
type frame struct {
	kind    frameKind
	op      *Op
	region  *Region
	parent  *frame
	entries []*entry
}

type frameKind uint8

const (
	bodyFrame frameKind = iota
	branchFrame
	loopFrame
)

// An entry is a variable's state in a frame. In a loop, arg is the carried argument that stands for it at the top of the
// body; it exists from the first access on and goes away if nothing is ever set.
type entry struct {
	v     *variable
	cur   *Value // nil: undefined
	maybe bool   // undefined on some path
	init  *Value // value outside when the region was entered
	never bool   // init was undefined, or undefined on some path
	arg   *Value
	exit  *Value // of a while: value when the condition has been computed
}

func (f *frame) find(v *variable) *entry {
	for _, e := range f.entries {
		if e.v == v {
			return e
		}
	}
	return nil
}

func (k *Kernel) lookup(f *frame, v *variable) *entry {
	if e := f.find(v); e != nil {
		return e
	}
	if f.parent == nil {
		return nil
	}
	outer := k.lookup(f.parent, v)
	if outer == nil {
		return nil
	}
	e := &entry{v: v, cur: outer.cur, maybe: outer.maybe, init: outer.cur, never: outer.maybe}
	if f.kind == loopFrame {
		r := f.op.Regions[0]
		e.arg = &Value{kernel: k, typ: v.typ, kind: ArgumentValue, region: r, index: len(r.Args)}
		r.Args = append(r.Args, e.arg)
		e.cur, e.exit = e.arg, e.arg
	}
	f.entries = append(f.entries, e)
	return e
}

// defined stands in for an undefined value on a path where nobody reads it.
func (k *Kernel) defined(v *Value, t Type) *Value {
	if v == nil {
		return k.constant(t, 0)
	}
	return v
}
