package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// binding is what a signature's variables stand for in one op.
type binding struct {
	t, s, elem Kind
	ptr        Type
}

// checkTypes compares an op with its row: operand and result counts, types, spaces and the kinds on which it is offered.
func checkTypes(o *Op) []Finding {
	c := typeCheck{op: o}
	c.run()
	return c.found
}

type typeCheck struct {
	op    *Op
	b     binding
	found []Finding
}

func (c *typeCheck) fail(code, format string, args ...any) {
	c.found = append(c.found, Finding{Code: code, Pos: c.op.Pos, Op: c.op.Info.Name, Msg: fmt.Sprintf(format, args...), Manual: c.op.Info.Section})
}

func (c *typeCheck) run() {
	info := c.op.Info
	if info.Effects.Control {
		c.control()
		return
	}
	sig := info.Signature()
	args, ok := spread(sig.Args, typesOf(c.op.Args), c.op)
	if !ok {
		c.fail(CodeStructure, "%s takes %s, not %d operands", info.Name, info.Sig, len(c.op.Args))
		return
	}
	for _, a := range args {
		c.match(a.slot, a.t, "operand")
	}
	results, ok := spread(sig.Results, typesOf(c.op.Results), c.op)
	if !ok {
		c.fail(CodeStructure, "%s gives %s, not %d results", info.Name, info.Sig, len(c.op.Results))
		return
	}
	for _, r := range results {
		c.match(r.slot, r.t, "result")
	}
	c.offered()
}

func typesOf(vals []*Value) []Type {
	list := make([]Type, len(vals))
	for i, v := range vals {
		list[i] = v.typ
	}
	return list
}

type slotted struct {
	slot op.Slot
	t    Type
}

// spread assigns values to slots: optional ones by their flag, at most one variadic one takes what is left.
func spread(slots []op.Slot, types []Type, o *Op) ([]slotted, bool) {
	fixed := 0
	for _, s := range slots {
		if !s.Variadic && (!s.Optional || o.Flag(s.Name)) {
			fixed++
		}
	}
	rest := len(types) - fixed
	var list []slotted
	for _, s := range slots {
		n := 1
		switch {
		case s.Variadic:
			n, rest = rest, 0
		case s.Optional && !o.Flag(s.Name):
			n = 0
		}
		if n < 0 || n > len(types) {
			return nil, false
		}
		for range n {
			list = append(list, slotted{s, types[0]})
			types = types[1:]
		}
	}
	return list, len(types) == 0
}

// ArgsOf gives the operands of one slot of the op's signature.
func (o *Op) ArgsOf(slot string) []*Value {
	at := 0
	list, ok := spread(o.Info.Signature().Args, typesOf(o.Args), o)
	if !ok {
		return nil
	}
	var vals []*Value
	for _, s := range list {
		if s.slot.Name == slot {
			vals = append(vals, o.Args[at])
		}
		at++
	}
	return vals
}

// ResultsOf gives the results of one slot.
func (o *Op) ResultsOf(slot string) []*Value {
	list, ok := spread(o.Info.Signature().Results, typesOf(o.Results), o)
	if !ok {
		return nil
	}
	var vals []*Value
	for i, s := range list {
		if s.slot.Name == slot {
			vals = append(vals, o.Results[i])
		}
	}
	return vals
}

// Arg gives the only operand of a slot, nil where an optional one is absent.
func (o *Op) Arg(slot string) *Value {
	if vals := o.ArgsOf(slot); len(vals) > 0 {
		return vals[0]
	}
	return nil
}

var wide = map[Kind]Kind{op.U16: op.U32, op.U32: op.U64, op.S16: op.S32, op.S32: op.S64}

func (c *typeCheck) match(s op.Slot, t Type, what string) {
	bind := func(have *Kind) {
		switch {
		case *have == op.Invalid && (t.Kind != op.Ptr || c.op.Info.Kinds.Has(op.Ptr)):
			*have = t.Kind
		case *have != t.Kind:
			c.fail(CodeTypeMismatch, "%s %s of %s is %s, want %s", what, s.Name, c.op.Info.Name, t, *have)
		}
	}
	want := func(k Kind) {
		if t != scalar(k) {
			c.fail(CodeTypeMismatch, "%s %s of %s is %s, want %s", what, s.Name, c.op.Info.Name, t, k)
		}
	}
	switch s.Pattern {
	case "any":
	case "T":
		bind(&c.b.t)
		if t.Kind == op.Ptr {
			c.samePointer(s, t, what)
		}
	case "S":
		bind(&c.b.s)
	case "W":
		want(wide[c.b.t])
	case "E":
		want(c.b.elem)
	case "ptr":
		c.samePointer(s, t, what)
	default:
		if spaces, elem, ok := op.PointerPattern(s.Pattern); ok {
			c.pointer(s, t, spaces, elem, what)
			return
		}
		k, _ := op.KindByName(s.Pattern)
		want(k)
	}
}

func (c *typeCheck) pointer(s op.Slot, t Type, spaces op.SpaceSet, elem Kind, what string) {
	switch {
	case t.Kind != op.Ptr:
		c.fail(CodeTypeMismatch, "%s %s of %s is %s, not a pointer", what, s.Name, c.op.Info.Name, t)
	case !spaces.Has(t.Space):
		c.fail(CodeSpaceMismatch, "%s %s of %s is a pointer into %s", what, s.Name, c.op.Info.Name, t.Space)
	case elem != op.Invalid && t.Elem != elem:
		c.fail(CodeTypeMismatch, "%s %s of %s points to %s, want %s", what, s.Name, c.op.Info.Name, t.Elem, elem)
	}
}

func (c *typeCheck) samePointer(s op.Slot, t Type, what string) {
	switch {
	case t.Kind != op.Ptr:
		c.fail(CodeTypeMismatch, "%s %s of %s is %s, not a pointer", what, s.Name, c.op.Info.Name, t)
	case c.b.ptr == Type{}:
		c.b.ptr, c.b.elem = t, t.Elem
		if spaces := c.op.Info.Spaces; spaces != 0 && !spaces.Has(t.Space) {
			c.fail(CodeSpaceMismatch, "%s does not take a pointer into %s", c.op.Info.Name, t.Space)
		}
	case c.b.ptr != t:
		c.fail(CodeTypeMismatch, "%s %s of %s is %s, want %s", what, s.Name, c.op.Info.Name, t, c.b.ptr)
	}
}

// offered checks the kinds and the attributes that exist on them.
func (c *typeCheck) offered() {
	info, b := c.op.Info, c.b
	if len(c.found) > 0 {
		return
	}
	if info.Kinds != 0 && !info.Kinds.Has(b.t) {
		c.fail(CodeTypeMismatch, "%s is not offered on %s", info.Name, b.t)
	}
	if info.Pairs != nil && !paired(info.Pairs, b.s, b.t) {
		c.fail(CodeTypeMismatch, "%s does not convert %s to %s", info.Name, b.s, b.t)
	}
	for _, a := range c.op.Attrs {
		if spec, ok := info.Spec(a.Name); ok && !spec.For(b.t, b.s) {
			c.fail(CodeBadAttribute, "%s is not offered on %s %s", a.Name, info.Name, b.t)
		}
	}
}

func paired(list []op.Pair, s, t Kind) bool {
	for _, p := range list {
		if p.S == s && p.T == t {
			return true
		}
	}
	return false
}
