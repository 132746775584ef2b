package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// atomMnemonic spells atom or red. Adding 16-bit floats says .noftz, which is what the hardware does; logic and
// exchange work on bits (PTX ISA 9.7.13.5).
func atomMnemonic(name, action string, o *ir.Op, p *ir.Value, n int) string {
	t := p.Type()
	k := t.Elem
	noftz, typ := "", suffix(k)
	switch {
	case (op.Halves).Has(k):
		noftz = "noftz"
	case action == "and" || action == "or" || action == "xor" || action == "exch" || action == "cas":
		typ = bitSuffix(k.Bits())
	case k == op.S64 && action == "add":
		typ = "u64" // two's complement: there is no signed form
	case k == op.S32 && (action == "inc" || action == "dec"):
		typ = "u32"
	}
	return dots(name, o.Enum("sem"), o.Enum("scope"), spaceName(t.Space), action, noftz, vec(n), typ)
}

func lowerAtom(e *emitter, o *ir.Op) {
	p, v := o.Args[0], o.Args[1]
	mn := atomMnemonic("atom", o.Enum("op"), o, p, 1)
	e.emit(mn, e.def(o.Results[0]), e.address(p, o.Int("off")), e.reg(v))
}

func lowerCas(e *emitter, o *ir.Op) {
	p := o.Args[0]
	mn := atomMnemonic("atom", "cas", o, p, 1)
	e.emit(mn, e.def(o.Results[0]), e.address(p, o.Int("off")), e.reg(o.Args[1]), e.reg(o.Args[2]))
}

func lowerRed(e *emitter, o *ir.Op) {
	p := o.Args[0]
	var src []ptx.Operand
	for _, v := range o.Args[1:] {
		src = append(src, e.reg(v))
	}
	e.emit(atomMnemonic("red", o.Enum("op"), o, p, len(src)), e.address(p, o.Int("off")), group(src))
}
