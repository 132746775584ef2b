package ir

import (
	"iter"

	"github.com/oxideinfer/oxide/ir/op"
)

// LoopOption changes how a loop is compiled, not what it does.
type LoopOption interface{ loopAttr() op.Attr }

// LoopHint is a LoopOption.
type LoopHint string

// NoUnroll keeps ptxas from unrolling the loop.
const NoUnroll LoopHint = "nounroll"

func (h LoopHint) loopAttr() op.Attr { return op.Attr{Name: string(h)} }

// LoopIndex is a type that a device loop can count in.
type LoopIndex interface {
	Handle
	index()
}

// Loop is a device loop: i = lo, lo+step, … while i < hi. Its body is traced once. hi + step must not overflow. break and
// return inside it are reported as LOOP_BREAK: they would act on tracing, not on the device.
func (k *Kernel) Loop(lo, hi, step U32, opts ...LoopOption) iter.Seq[U32] {
	return Loop(k, lo, hi, step, opts...)
}

// Loop is Kernel.Loop for any index type.
func Loop[T LoopIndex](k *Kernel, lo, hi, step T, opts ...LoopOption) iter.Seq[T] {
	return func(yield func(T) bool) {
		o := k.Emit("loop", loopAttrs(opts), nil, use(lo), use(hi), use(step))
		body := &Region{owner: o, outer: o.parent}
		o.Regions = []*Region{body}
		i := &Value{kernel: k, typ: lo.static(), kind: ArgumentValue, region: body, bad: o.bad}
		body.Args = []*Value{i}
		f := k.push(loopFrame, o, body)
		if !yield(T{i}) {
			k.reportBreak(o)
		}
		k.pop(f)
		k.closeLoop(f)
	}
}

func loopAttrs(opts []LoopOption) []op.Attr {
	var list []op.Attr
	for _, o := range opts {
		list = append(list, o.loopAttr())
	}
	return list
}

// While is a device loop that runs as long as the condition, computed anew each time, holds.
func (k *Kernel) While(cond func() Pred, opts ...LoopOption) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		o := k.Emit("while", loopAttrs(opts), nil)
		top := &Region{owner: o, outer: o.parent}
		body := &Region{owner: o, outer: top}
		o.Regions = []*Region{top, body}
		f := k.push(loopFrame, o, top)
		p := k.checked(cond(), "While condition")
		for _, e := range f.entries {
			e.exit = e.cur
		}
		f.region = body
		if !yield(struct{}{}) {
			k.reportBreak(o)
		}
		k.pop(f)
		k.closeWhile(f, p)
	}
}

func (k *Kernel) reportBreak(o *Op) {
	k.report(Finding{Code: CodeLoopBreak, Pos: o.Pos, Op: o.Info.Name, Msg: "break or return inside a device loop acts on the tracing of the kernel, not on the device",
		Fix: "use k.If inside the body, k.While with a condition, or k.Exit"})
}

// Branch is a finished k.If; Else adds the other side.
type Branch struct {
	kernel *Kernel
	op     *Op
	then   *frame
	merged []*merge
}

type merge struct {
	outer  *entry
	result *Value
	before *Value // outer's value before the branch
	maybe  bool
}

// If runs then on the device where p holds.
func (k *Kernel) If(p Pred, then func()) *Branch {
	o := k.Emit("if", nil, nil, use(p))
	o.Regions = []*Region{{owner: o, outer: o.parent}, {owner: o, outer: o.parent}}
	f := k.push(branchFrame, o, o.Regions[0])
	then()
	k.pop(f)
	b := &Branch{kernel: k, op: o, then: f}
	b.join(&frame{kind: branchFrame})
	return b
}

// Else runs other where the predicate does not hold. It must follow its If at once.
func (b *Branch) Else(other func()) {
	k, o := b.kernel, b.op
	if ops := k.frame.region.Ops; len(ops) == 0 || ops[len(ops)-1] != o {
		k.report(Finding{Code: CodeElseLate, Pos: here(), Op: "if", Msg: "Else does not follow its If at once", Fix: "write k.If(p, func(){…}).Else(func(){…})"})
		return
	}
	for _, m := range b.merged {
		m.outer.cur, m.outer.maybe = m.before, m.maybe
	}
	o.Regions[0].Ops = o.Regions[0].Ops[:len(o.Regions[0].Ops)-1]
	o.Regions[1].Ops = nil
	f := k.push(branchFrame, o, o.Regions[1])
	other()
	k.pop(f)
	b.join(f)
}

// join makes the results for the variables that either side has set, and the yields.
func (b *Branch) join(other *frame) {
	k := b.kernel
	var vars []*variable
	for _, f := range []*frame{b.then, other} {
		for _, e := range f.entries {
			if e.changed() && k.frame.visible(e.v) && !contains(vars, e.v) {
				vars = append(vars, e.v)
			}
		}
	}
	var yes, no []*Value
	for i, v := range vars {
		outer := k.lookup(k.frame, v)
		if i == len(b.merged) {
			b.merged = append(b.merged, &merge{result: b.op.addResult(k, v.typ)})
		}
		m := b.merged[i]
		m.outer, m.before, m.maybe = outer, outer.cur, outer.maybe
		y, ym := b.then.value(v, outer)
		n, nm := other.value(v, outer)
		yes, no = append(yes, k.defined(y, v.typ)), append(no, k.defined(n, v.typ))
		outer.cur, outer.maybe = m.result, ym || nm
	}
	o := b.op
	o.Regions[0].Ops = append(o.Regions[0].Ops, k.yield(o.Regions[0], yes))
	o.Regions[1].Ops = append(o.Regions[1].Ops, k.yield(o.Regions[1], no))
}

func contains(list []*variable, v *variable) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// changed tells whether the region has set the variable, which must be one from outside.
func (e *entry) changed() bool { return e.cur != e.init || e.maybe != e.never }

// visible tells whether the variable was made in this frame or further out.
func (f *frame) visible(v *variable) bool {
	for ; f != nil; f = f.parent {
		if f.find(v) != nil {
			return true
		}
	}
	return false
}

func (f *frame) value(v *variable, outer *entry) (*Value, bool) {
	if e := f.find(v); e != nil {
		return e.cur, e.maybe
	}
	return outer.cur, outer.maybe
}

func (k *Kernel) push(kind frameKind, o *Op, r *Region) *frame {
	f := &frame{kind: kind, op: o, region: r, parent: k.frame}
	k.frame = f
	return f
}

func (k *Kernel) pop(f *frame) { k.frame = f.parent }

func (k *Kernel) yield(r *Region, vals []*Value) *Op {
	info, _ := op.ByName("yield")
	return &Op{Info: info, Args: vals, parent: r}
}

// closeLoop turns the variables that the body has set into carried values and the others back into what they were.
func (k *Kernel) closeLoop(f *frame) {
	body := f.op.Regions[0]
	body.Args = body.Args[:1]
	var next []*Value
	for _, e := range f.entries {
		if e.arg == nil {
			continue
		}
		if e.cur == e.arg {
			e.arg.fwd = k.defined(e.init, e.v.typ)
			continue
		}
		k.carry(f, e, body)
		next = append(next, k.defined(e.cur, e.v.typ))
		k.leave(f, e)
	}
	body.Ops = append(body.Ops, k.yield(body, next))
}

func (k *Kernel) closeWhile(f *frame, p *Value) {
	top, body := f.op.Regions[0], f.op.Regions[1]
	top.Args = nil
	next, exits := []*Value(nil), []*Value{p}
	for _, e := range f.entries {
		if e.arg == nil {
			continue
		}
		if e.cur == e.arg && e.exit == e.arg {
			e.arg.fwd = k.defined(e.init, e.v.typ)
			continue
		}
		k.carry(f, e, top)
		exits = append(exits, k.defined(e.exit, e.v.typ))
		next = append(next, k.defined(e.cur, e.v.typ))
		k.leave(f, e)
	}
	top.Ops = append(top.Ops, k.yield(top, exits))
	body.Ops = append(body.Ops, k.yield(body, next))
}

func (k *Kernel) carry(f *frame, e *entry, r *Region) {
	e.arg.index = len(r.Args)
	r.Args = append(r.Args, e.arg)
	f.op.Args = append(f.op.Args, k.defined(e.init, e.v.typ))
}

// leave makes the loop's result the variable's value outside. A loop may run zero times, so what was undefined before it
// still is, except that a while's condition always runs.
func (k *Kernel) leave(f *frame, e *entry) {
	outer := k.lookup(k.frame, e.v)
	outer.cur = f.op.addResult(k, e.v.typ)
	outer.maybe = e.never && e.exit == e.arg
}

// InLoop tells whether a device loop is being traced around the current op.
func (k *Kernel) InLoop() bool {
	for f := k.frame; f != nil; f = f.parent {
		if f.kind == loopFrame {
			return true
		}
	}
	return false
}
