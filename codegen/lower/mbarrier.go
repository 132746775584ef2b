package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// barrierOrder is the order and scope of a barrier operation, left out where they are the manual's defaults.
func barrierOrder(o *ir.Op) string {
	sem, scope := o.Enum("sem"), o.Enum("scope")
	if scope == "cta" && sem != "relaxed" {
		return ""
	}
	return dots(sem, scope)
}

func lowerBarrierInit(e *emitter, o *ir.Op) {
	e.emit("mbarrier.init.shared::cta.b64", e.slot(o, "mbar"), e.use(o.Args[1]))
}

func lowerBarrierInval(e *emitter, o *ir.Op) {
	e.emit("mbarrier.inval.shared::cta.b64", e.slot(o, "mbar"))
}

// lowerArrive spells an arrival; action is what it does besides.
func lowerArrive(action string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		name := "mbarrier.arrive"
		if o.Flag("drop") {
			name = "mbarrier.arrive_drop"
		}
		with := action
		if o.Flag("no_complete") {
			with = "noComplete"
		}
		var state ptx.Operand = ptx.Sink{}
		if o.Flag("state") {
			state = e.def(o.Results[0])
		}
		mn := dots(name, with, barrierOrder(o), window(o.Arg("mbar")), "b64")
		ops := e.optional([]ptx.Operand{state, e.slot(o, "mbar")}, o, "count", "bytes")
		if with == "noComplete" && o.Arg("count") == nil { // the form has no default
			ops = append(ops, ptx.I(1))
		}
		e.emit(mn, ops...)
	}
}

func lowerBarrierBytes(action string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		e.emit(dots("mbarrier", action, "relaxed", o.Enum("scope"), window(o.Arg("mbar")), "b64"), e.slot(o, "mbar"), e.use(o.Args[1]))
	}
}

// testBarrier asks once whether a phase has ended.
func (e *emitter) testBarrier(o *ir.Op, how string, done *ptx.Reg) {
	parity := ""
	if o.Args[1].Type().Kind == op.U32 {
		parity = "parity"
	}
	ops := []ptx.Operand{done, e.slot(o, "mbar"), e.use(o.Args[1])}
	if ns := o.Int("hint_ns"); ns > 0 {
		ops = append(ops, ptx.I(ns))
	}
	e.emit(dots("mbarrier", how, parity, barrierOrder(o), "shared::cta.b64"), ops...)
}

func lowerTest(how string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.testBarrier(o, how, e.def(o.Results[0])) }
}

// lowerWait asks until the phase has ended. The phase's register is fetched outside of the loop.
func lowerWait(e *emitter, o *ir.Op) {
	if o.Args[1].Type().Kind == op.U64 {
		e.reg(o.Args[1])
	}
	top, done := e.fn.NewLabel(), e.newReg(op.Scalar(op.Pred))
	e.fn.Place(top)
	e.testBarrier(o, "try_wait", done)
	e.emit("bra", top).IfNot(done)
}

func lowerPending(e *emitter, o *ir.Op) {
	e.emit("mbarrier.pending_count.b64", e.def(o.Results[0]), e.reg(o.Args[0]))
}
