package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// Vec is a build-time list of device values, as LoadVec gives and StoreVec takes. The registers are separate values.
type Vec[T Elem] []T

// fold splits a pointer into a base and a byte offset that the access instruction can hold.
func fold(p *Value) (*Value, int64) {
	p = resolve(p)
	if p != nil && p.def != nil && p.def.Info.Name == "addr_off" {
		return p.def.Args[0], p.def.Int("off")
	}
	return p, 0
}

func offset(off int64) op.Attr { return op.Attr{Name: "off", Int: off} }

// at is p + i*scale bytes.
func at(p *Value, i Index, scale int) *Value {
	k := owner(p, use(i))
	o := k.Emit("addr", []op.Attr{{Name: "scale", Int: int64(scale)}}, []Type{pointerType(p)}, p, use(i))
	return o.Result()
}

func pointerType(p *Value) Type {
	if p == nil {
		return Type{}
	}
	return p.typ
}

// atConst is p + off bytes, joined with an offset that p already has.
func atConst(p *Value, off int64) *Value {
	k := owner(p)
	base, have := fold(p)
	if have+off == 0 {
		return base
	}
	return k.Emit("addr_off", []op.Attr{offset(have + off)}, []Type{base.typ}, base).Result()
}

func load(p *Value, elem Type, n int, opts []LoadOption) []*Value {
	if p != nil && travelsInWords(elem, n) {
		return apart(load(asWords(p), scalar(op.U32), words(elem), opts), elem)
	}
	var m memOp
	for _, o := range opts {
		m.add(o.load())
	}
	k := owner(p)
	base, off := fold(p)
	args := append([]*Value{base}, m.operands...)
	return k.Emit("load", append(m.attrs, offset(off)), k.repeat(elem, n), args...).Results
}

// repeat makes n result types; a width that no load has is reported and read as one element.
func (k *Kernel) repeat(t Type, n int) []Type {
	if n < 1 || n > 16 {
		k.report(Finding{Code: CodeVectorWidth, Pos: here(), Msg: fmt.Sprintf("a vector of %d elements cannot be loaded at once", n),
			Fix: "load 1, 2, 4 or 8 elements, at most 16 bytes", Manual: "9.7.9.8"})
		n = 1
	}
	list := make([]Type, n)
	for i := range list {
		list[i] = t
	}
	return list
}

func loadIf(p *Value, elem Type, mask *Value, other []*Value, opts []LoadOption) []*Value {
	if p != nil && travelsInWords(elem, len(other)) {
		return apart(loadIf(asWords(p), scalar(op.U32), mask, together(other), opts), elem)
	}
	var m memOp
	for _, o := range opts {
		m.add(o.load())
	}
	k := owner(p, mask)
	base, off := fold(p)
	args := append([]*Value{base, mask}, other...)
	return k.Emit("load_if", append(m.attrs, offset(off)), k.repeat(elem, len(other)), append(args, m.operands...)...).Results
}

func store(name string, p *Value, mask []*Value, vals []*Value, opts []StoreOption) {
	if p != nil && travelsInWords(scalar(p.typ.Elem), len(vals)) {
		store(name, asWords(p), mask, together(vals), opts)
		return
	}
	var m memOp
	for _, o := range opts {
		m.add(o.store())
	}
	k := owner(append([]*Value{p}, vals...)...)
	base, off := fold(p)
	args := append([]*Value{base}, mask...)
	args = append(append(args, vals...), m.operands...)
	k.Emit(name, append(m.attrs, offset(off)), nil, args...)
}

func atomic(name, what string, p *Value, results []Type, vals []*Value, opts []AtomicOption) []*Value {
	attrs := []op.Attr{}
	if what != "" {
		attrs = append(attrs, op.Attr{Name: "op", Text: what})
	}
	for _, o := range opts {
		attrs = append(attrs, o.atomic().attr)
	}
	k := owner(append([]*Value{p}, vals...)...)
	base, off := fold(p)
	return k.Emit(name, append(attrs, offset(off)), results, append([]*Value{base}, vals...)...).Results
}

func handles[T Elem](list []*Value) Vec[T] {
	out := make(Vec[T], len(list))
	for i, v := range list {
		out[i] = T{v}
	}
	return out
}

// PrefetchLevel is the cache that a prefetch fills.
type PrefetchLevel string

// Prefetch levels.
const (
	PrefetchL1          PrefetchLevel = "L1"
	PrefetchL2          PrefetchLevel = "L2"
	PrefetchL2EvictLast PrefetchLevel = "L2::evict_last"
)

func prefetch(p *Value, level PrefetchLevel) {
	base, off := fold(p)
	owner(p).Emit("prefetch", []op.Attr{{Name: "level", Text: string(level)}, offset(off)}, nil, base)
}
