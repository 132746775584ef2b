package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// region lowers the ops of a region but its yield.
func (e *emitter) region(r *ir.Region) {
	for _, o := range r.Ops {
		if o.Info.Name == "yield" {
			return
		}
		e.op(o)
	}
}

// op lowers one op through the table.
func (e *emitter) op(o *ir.Op) {
	outer := e.at
	e.at = o
	f := e.lowering(o.Info.Name)
	if f == nil {
		e.bugf("no lowering")
	}
	for _, t := range o.Info.Ties {
		e.tie(o, t)
	}
	f(e, o)
	e.at = outer
}

// assign copies values into registers as if at the same time: a source that an earlier copy overwrites is saved first.
func (e *emitter) assign(to []*ptx.Reg, from []*ir.Value) {
	src := make([]ptx.Operand, len(from))
	for i, v := range from {
		src[i] = e.use(v)
	}
	for i := range src {
		for j := range i {
			if src[i] == ptx.Operand(to[j]) && src[j] != src[i] {
				saved := e.newReg(from[i].Type())
				e.move(saved, src[i], from[i].Type())
				src[i] = saved
				break
			}
		}
	}
	for i, r := range to {
		e.move(r, src[i], from[i].Type())
	}
}

// fresh gives every value a new register.
func (e *emitter) fresh(vals []*ir.Value) []*ptx.Reg {
	regs := make([]*ptx.Reg, len(vals))
	for i, v := range vals {
		regs[i] = e.newReg(v.Type())
		e.vals[v] = regs[i]
	}
	return regs
}

// lowerLoop tests once before the loop and then at its end, so that an iteration has one branch.
//
//	i = lo; carried = init
//	if !(i < hi) goto end
//	top: body; carried = next; i += step; if i < hi goto top
//	end:
func lowerLoop(e *emitter, o *ir.Op) {
	lo, hi, step, init := o.Args[0], o.Args[1], o.Args[2], o.Args[3:]
	body := o.Regions[0]
	args := e.fresh(body.Args)
	for i, r := range o.Results {
		e.vals[r] = args[1+i]
	}
	bound := e.use(hi) // before the loop: a constant, or a register that the body does not change
	inc := e.use(step)
	e.assign(args, append([]*ir.Value{lo}, init...))
	k := lo.Type().Kind
	test := func(cmp string) *ptx.Reg {
		p := e.newReg(op.Scalar(op.Pred))
		e.emit(dots("setp", cmp, suffix(k)), p, args[0], bound)
		return p
	}
	top, end := e.fn.NewLabel(), e.fn.NewLabel()
	if !runs(lo, hi) {
		none := test("ge") // before the branch is emitted, not as an argument of it
		e.emit("bra", end).If(none)
	}
	e.place(top, o)
	e.region(body)
	e.assign(args[1:], body.Yield().Args)
	e.emit(dots("add", suffix(k)), args[0], args[0], inc)
	more := test("lt")
	e.emit("bra", top).If(more)
	e.fn.Place(end)
}

// runs tells whether constant bounds prove that the loop runs at least once.
func runs(lo, hi *ir.Value) bool {
	if !lo.IsConst() || !hi.IsConst() {
		return false
	}
	if op.Signed.Has(lo.Type().Kind) {
		return lo.Int() < hi.Int()
	}
	return lo.Bits() < hi.Bits()
}

// place puts a loop's label, and the pragma that keeps ptxas from unrolling it (PTX ISA 11.4.8).
func (e *emitter) place(top *ptx.Label, o *ir.Op) {
	e.fn.Place(top)
	if o.Flag("nounroll") {
		e.fn.Body.Append(&ptx.Pragma{Text: "nounroll"})
	}
}

// lowerWhile evaluates the condition at the top of every iteration.
func lowerWhile(e *emitter, o *ir.Op) {
	cond, body := o.Regions[0], o.Regions[1]
	args := e.fresh(cond.Args)
	e.assign(args, o.Args)
	top, end := e.fn.NewLabel(), e.fn.NewLabel()
	e.place(top, o)
	e.region(cond)
	results := e.fresh(o.Results)
	exits := cond.Yield().Args
	p := e.reg(exits[0])
	e.assign(results, exits[1:])
	e.emit("bra", end).IfNot(p)
	e.region(body)
	e.assign(args, body.Yield().Args)
	e.emit("bra", top)
	e.fn.Place(end)
}

// lowerIf branches around the side that does not run; an empty side needs no jump.
func lowerIf(e *emitter, o *ir.Op) {
	yes, no := o.Regions[0], o.Regions[1]
	p := e.reg(o.Args[0])
	results := e.fresh(o.Results)
	end := e.fn.NewLabel()
	side := func(r *ir.Region) {
		e.region(r)
		e.assign(results, r.Yield().Args)
	}
	if len(no.Ops) == 1 && len(results) == 0 {
		e.emit("bra", end).IfNot(p)
		side(yes)
		e.fn.Place(end)
		return
	}
	other := e.fn.NewLabel()
	e.emit("bra", other).IfNot(p)
	side(yes)
	e.emit("bra", end)
	e.fn.Place(other)
	side(no)
	e.fn.Place(end)
}

// tie makes the results of a slot live in the registers of an operand slot.
func (e *emitter) tie(o *ir.Op, t op.Tie) {
	sig := o.Info.Signature()
	arg, res := slotIndex(sig.Args, t.Arg), slotIndex(sig.Results, t.Result)
	for i := res; i < len(o.Results); i++ {
		e.tied[o.Results[i]] = o.Args[arg+i-res]
	}
}

func slotIndex(slots []op.Slot, name string) int {
	for i, s := range slots {
		if s.Name == name {
			return i
		}
	}
	return -1
}
