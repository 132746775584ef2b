package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
)

func lowerBarrier(e *emitter, _ *ir.Op) { e.emit("bar.sync", ptx.I(0)) }

func lowerNamedBarrier(action string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		e.emit(dots("bar", action), ptx.I(o.Int("id")), ptx.I(o.Int("threads")))
	}
}

func lowerBarrierPopc(e *emitter, o *ir.Op) {
	e.emit("bar.red.popc.u32", e.def(o.Results[0]), ptx.I(0), e.reg(o.Args[0]))
}

func lowerBarrierRed(action string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		e.emit(dots("bar.red", action, "pred"), e.def(o.Results[0]), ptx.I(0), e.reg(o.Args[0]))
	}
}

func lowerPlain(mnemonic string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.emit(mnemonic, e.args(o)...) }
}
