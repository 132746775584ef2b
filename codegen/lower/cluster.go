package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
)

// lowerMapa keeps a constant offset for the access: mapa changes the block and leaves the offset in it alone.
func lowerMapa(e *emitter, o *ir.Op) {
	a, d := e.address(o.Args[0], 0), e.newReg(o.Results[0].Type())
	e.emit("mapa.shared::cluster.u32", d, a.Base, e.use(o.Args[1]))
	e.forward(o.Results[0], address{base: d, off: a.Off})
}

func lowerGetCTARank(e *emitter, o *ir.Op) {
	e.emit("getctarank.shared::cluster.u32", e.def(o.Results[0]), e.reg(o.Args[0]))
}

func lowerStoreAsync(e *emitter, o *ir.Op) {
	var src []ptx.Operand
	for _, v := range o.ArgsOf("v") {
		src = append(src, e.reg(v))
	}
	mn := dots("st.async.shared::cluster", completesBytes, vec(len(src)), memSuffix(o.ArgsOf("v")[0].Type()))
	e.emit(mn, e.slot(o, "p"), group(src), e.slot(o, "mbar"))
}

func lowerReduceAsync(e *emitter, o *ir.Op) {
	e.emit(dots("red.async.relaxed.cluster.shared::cluster", completesBytes, reductionType(o, o.Arg("p").Type().Elem)),
		e.slot(o, "p"), e.reg(o.Arg("v")), e.slot(o, "mbar"))
}

func lowerClusterArrive(e *emitter, o *ir.Op) {
	e.emit(dots("barrier.cluster.arrive", o.Enum("sem"), "aligned"))
}
