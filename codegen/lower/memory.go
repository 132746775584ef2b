package lower

import (
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// vec is the vector modifier of n elements.
func vec(n int) string {
	if n == 1 {
		return ""
	}
	return "v" + strconv.Itoa(n)
}

// group is one operand for n values: the value, or a vector of them.
func group(ops []ptx.Operand) ptx.Operand {
	if len(ops) == 1 {
		return ops[0]
	}
	return ptx.Vec(ops)
}

// spaceName is the state space modifier; generic addresses have none.
func spaceName(s op.Space) string {
	switch s {
	case op.Generic, op.NoSpace:
		return ""
	case op.SharedCluster:
		return "shared::cluster"
	}
	return s.String()
}

// order is the memory-order part of a load or store: sem.scope for the strong ones.
func order(o *ir.Op) (sem, scope string) {
	switch sem = o.Enum("sem"); sem {
	case "weak":
		return "", ""
	case "volatile":
		return sem, ""
	}
	return sem, o.Enum("scope")
}

// none makes the absent alternative of an enumeration an empty modifier.
func none(s string) string {
	if s == "none" {
		return ""
	}
	return s
}

func prefixed(prefix, s string) string {
	if s = none(s); s == "" {
		return ""
	}
	return prefix + s
}

func lowerLoad(e *emitter, o *ir.Op) { e.load(o, nil, o.Args[1:]) }

// lowerLoadIf first gives the results their other values and then loads under the mask.
func lowerLoadIf(e *emitter, o *ir.Op) {
	n := len(o.Results)
	mask := e.reg(o.Args[1])
	for i, d := range o.Results {
		e.move(e.def(d), e.use(o.Args[2+i]), d.Type())
	}
	e.load(o, mask, o.Args[2+n:])
}

func (e *emitter) load(o *ir.Op, mask *ptx.Reg, policy []*ir.Value) {
	p := o.Args[0]
	sem, scope := order(o)
	nc := flag(o, "nc")
	hint := ""
	if len(policy) > 0 {
		hint = "L2::cache_hint"
	}
	var dst []ptx.Operand
	for _, d := range o.Results {
		dst = append(dst, e.def(d))
	}
	mn := dots("ld", sem, scope, spaceName(p.Type().Space), none(o.Enum("cache")), nc,
		prefixed("L1::", o.Enum("l1")), hint, prefixed("L2::", o.Enum("l2")), vec(len(dst)), memSuffix(o.Results[0].Type()))
	ops := []ptx.Operand{group(dst), e.address(p, o.Int("off"))}
	for _, v := range policy {
		ops = append(ops, e.reg(v))
	}
	in := e.emit(mn, ops...)
	if mask != nil {
		in.If(mask)
	}
}

func lowerStore(e *emitter, o *ir.Op)   { e.store(o, nil, o.Args[1:]) }
func lowerStoreIf(e *emitter, o *ir.Op) { e.store(o, e.reg(o.Args[1]), o.Args[2:]) }

func (e *emitter) store(o *ir.Op, mask *ptx.Reg, args []*ir.Value) {
	p := o.Args[0]
	hint, n := "", len(args)
	if flag(o, "policy") != "" {
		hint, n = "L2::cache_hint", n-1
	}
	sem, scope := order(o)
	var src []ptx.Operand
	for _, v := range args[:n] {
		src = append(src, e.reg(v))
	}
	mn := dots("st", sem, scope, spaceName(p.Type().Space), none(o.Enum("cache")),
		prefixed("L1::", o.Enum("l1")), hint, vec(n), memSuffix(args[0].Type()))
	ops := []ptx.Operand{e.address(p, o.Int("off")), group(src)}
	for _, v := range args[n:] {
		ops = append(ops, e.reg(v))
	}
	in := e.emit(mn, ops...)
	if mask != nil {
		in.If(mask)
	}
}

func lowerPrefetch(e *emitter, o *ir.Op) {
	p := o.Args[0]
	e.emit(dots("prefetch", spaceName(p.Type().Space), o.Enum("level")), e.address(p, o.Int("off")))
}

func lowerCreatePolicy(e *emitter, o *ir.Op) {
	e.emit(dots("createpolicy.fractional", "L2::"+o.Enum("l2"), "b64"), e.def(o.Results[0]), ptx.Float32(1))
}

func lowerFence(e *emitter, o *ir.Op) { e.emit(dots("fence", o.Enum("sem"), o.Enum("scope"))) }
