package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
)

// lowerSpecial reads the special register of the op's name.
func lowerSpecial(e *emitter, o *ir.Op) {
	r, ok := specialRegister(o.Info.Name)
	if !ok {
		e.bugf("no special register %%%s", o.Info.Name)
	}
	t := o.Results[0].Type()
	e.emit(dots("mov", suffix(t.Kind)), e.def(o.Results[0]), r)
}

// specialRegister finds the register that an op of this name reads.
func specialRegister(name string) (ptx.SReg, bool) { return ptx.SRegOf("%" + name) }
