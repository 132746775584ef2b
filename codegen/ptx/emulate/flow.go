package emulate

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func decodeBra(b *build) {
	b.inst.uni = b.has("uni")
	l, ok := b.op(0).(*ptx.Label)
	if !ok {
		b.fail("a branch to an operand of kind %T", b.op(0))
		return
	}
	b.jump = l
	b.inst.ctl = branch
}

func decodeBrx(b *build) {
	b.ignore("uni", "idx")
	t, ok := b.op(1).(*ptx.BranchTargets)
	if !ok {
		b.fail("brx needs a .branchtargets list")
		return
	}
	x, id := b.value(b.op(0), isa.U32)
	bt := &branchTable{index: x, use: id, targets: make([]int32, len(t.Targets))}
	b.d.fix = append(b.d.fix, func() {
		for i, l := range t.Targets {
			bt.targets[i] = b.d.at[l]
		}
	})
	b.inst.ctl = bt.jump
}

func decodeRet(b *build) {
	b.ignore("uni")
	b.inst.ctl = ret
}

func decodeExit(b *build) { b.inst.ctl = exitThreads }

func decodeTrap(b *build) { b.inst.ctl = trap }

// decodeCall copies the arguments into the callee's parameters, jumps, and copies the results back. Functions do not
// recurse, so every parameter has one place.
func decodeCall(b *build) {
	b.ignore("uni")
	f, err := b.d.callee(b.d.fn, b.in)
	if err != nil {
		b.err = err
		return
	}
	var rets, args ptx.List
	seen := false
	for _, o := range b.in.Operands {
		switch o := o.(type) {
		case ptx.Sym:
			seen = true
		case ptx.List:
			if seen {
				args = o
			} else {
				rets = o
			}
		}
	}
	if len(args) != len(f.Params) || len(rets) != len(f.Returns) {
		b.fail("%s takes %d arguments and has %d results", f.Name, len(f.Params), len(f.Returns))
		return
	}
	for i, a := range args {
		b.pre = append(b.pre, b.copyParam(f.Params[i], a, true))
	}
	for i, r := range rets {
		b.post = append(b.post, b.copyParam(f.Returns[i], r, false))
	}
	b.jump = f
	b.inst.ctl = call
}

// copyParam moves between a callee's parameter in the frame and what the call names: a .param variable of the caller,
// a register or a constant. The guard of the call holds for the copies too.
func (b *build) copyParam(v *ptx.Var, o ptx.Operand, in bool) inst {
	i := inst{guard: b.inst.guard, guardNot: b.inst.guardNot, line: int32(b.in.Line), text: b.in}
	n := uint64(v.Size())
	at := b.d.k.vars[v].off
	if s, ok := o.(ptx.Sym); ok {
		w, ok := s.Of.(*ptx.Var)
		if !ok || b.d.k.vars[w].space != isa.Local {
			b.fail("an argument of kind %T is not modelled", o)
			return i
		}
		to, from := at, b.d.k.vars[w].off+uint64(s.Off)
		if !in {
			to, from = from, to
		}
		i.exec = func(w *warp, _ *inst, m uint32) { w.copyLocal(to, from, n, m) }
		return i
	}
	size := int(n)
	if r, ok := o.(*ptx.Reg); ok && r.Type() == isa.Pred || size > 8 {
		b.fail("an argument of this type is not modelled")
		return i
	}
	p := place{space: isa.Local, base: b.d.p.constant(at), id: -1, bytes: n}
	if in {
		s, id := b.value(o, v.Type)
		i.exec = (&storeOp{place: p, elem: size, val: []src{s}, ids: []int32{id}}).exec
		return i
	}
	d := b.result(o)
	i.exec = (&loadOp{place: p, elem: size, dst: []int32{d}, sext: []uint{0}, width: []int{v.Type.Bits()}}).exec
	return i
}

func (w *warp) copyLocal(to, from, n uint64, m uint32) {
	size := uint64(w.k.localBytes)
	for l := uint64(0); l < warpSize; l++ {
		if m>>l&1 != 0 {
			base := l * size
			copy(w.local[base+to:base+to+n], w.local[base+from:base+from+n])
			copy(w.lInit[base+to:base+to+n], w.lInit[base+from:base+from+n])
		}
	}
}
