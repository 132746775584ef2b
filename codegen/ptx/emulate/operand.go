package emulate

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// constantBits is the bit pattern of a constant operand of a type, zero-extended.
func constantBits(o ptx.Operand, t isa.Type) (uint64, bool) {
	switch o := o.(type) {
	case ptx.Int:
		switch t {
		case isa.F32:
			return uint64(math.Float32bits(float32(o.Value))), true
		case isa.F64:
			return math.Float64bits(float64(o.Value)), true
		}
		return mask(uint64(o.Value), t.Bits()), true
	case ptx.F32:
		if t == isa.F64 {
			return math.Float64bits(float64(math.Float32frombits(o.Bits))), true
		}
		return uint64(o.Bits), true
	case ptx.F64:
		if t.Bits() == 32 {
			return uint64(math.Float32bits(float32(math.Float64frombits(o.Bits)))), true
		}
		return o.Bits, true
	case ptx.WarpSize:
		return warpSize, true
	}
	return 0, false
}

func mask(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

// src decodes a value operand and notes that its definedness flows to the results.
func (b *build) src(o ptx.Operand, t isa.Type) src {
	s, id := b.value(o, t)
	if id >= 0 {
		b.inst.uses = append(b.inst.uses, id)
	}
	return s
}

// value decodes a value operand; id is its register for initcheck, or -1.
func (b *build) value(o ptx.Operand, t isa.Type) (s src, id int32) {
	if c, ok := constantBits(o, t); ok {
		return b.d.p.constant(c), -1
	}
	switch o := o.(type) {
	case *ptx.Reg:
		if o.Type() == isa.Pred {
			b.fail("predicate %s where a value is wanted", o.Name())
			return 0, -1
		}
		slot := b.d.slots[o]
		return src(slot), slot
	case ptx.SReg:
		slot := b.temp(o.Name())
		b.pre = append(b.pre, b.special(o, slot))
		return src(slot), slot
	case ptx.Sym:
		return b.symbol(o)
	}
	b.fail("an operand of kind %T is not modelled", o)
	return 0, -1
}

func (b *build) temp(name string) int32 { return b.d.newSlot(name) }

// symbol is the address of a variable as a value.
func (b *build) symbol(o ptx.Sym) (src, int32) {
	v, ok := o.Of.(*ptx.Var)
	if !ok {
		b.fail("the address of function %s is not modelled", o.Of.SymbolName())
		return 0, -1
	}
	if isModuleMemory(v) {
		slot := b.temp("address of " + v.Name)
		off := uint64(o.Off)
		b.pre = append(b.pre, inst{guard: noGuard, line: int32(b.in.Line), text: b.in, outs: []int32{slot}, exec: func(w *warp, _ *inst, m uint32) {
			broadcast(&w.regs[slot], w.run.l.mem.addr[v]+off)
		}})
		return src(slot), slot
	}
	a, ok := b.d.k.vars[v]
	if !ok {
		b.fail("variable %s has no place", v.Name)
	}
	off := a.off + uint64(o.Off)
	if a.space == isa.Shared && b.d.k.clustered {
		slot := b.temp("address of " + v.Name)
		b.pre = append(b.pre, inst{guard: noGuard, line: int32(b.in.Line), text: b.in, outs: []int32{slot}, exec: func(w *warp, _ *inst, _ uint32) {
			broadcast(&w.regs[slot], w.cta.first-sharedUserStart+off)
		}})
		return src(slot), slot
	}
	return b.d.p.constant(off), -1
}

func broadcast(d *lanes, v uint64) {
	for i := range d {
		d[i] = v
	}
}

// dst decodes a destination register and notes that it is written with the definedness of the operands. A sink gets
// a register of its own.
func (b *build) dst(o ptx.Operand) int32 {
	d := b.result(o)
	b.inst.outs = append(b.inst.outs, d)
	return d
}

// result decodes a destination whose definedness the instruction works out itself.
func (b *build) result(o ptx.Operand) int32 {
	slot := int32(0)
	switch o := o.(type) {
	case *ptx.Reg:
		if o.Type() == isa.Pred {
			b.fail("predicate %s where a value register is wanted", o.Name())
		}
		slot = b.d.slots[o]
	case ptx.Sink:
		slot = b.temp("_")
	default:
		b.fail("a destination of kind %T is not modelled", o)
	}
	b.inst.writes = append(b.inst.writes, slot)
	return slot
}

// width is the width of the register behind a destination, or of t for a sink.
func width(o ptx.Operand, t isa.Type) int {
	if r, ok := o.(*ptx.Reg); ok {
		return r.Type().Bits()
	}
	return t.Bits()
}

// predOperand is a predicate as an input.
type predOperand struct {
	idx   int32 // -1: a constant
	not   bool  // or the constant's value
	konst bool
}

func (p predOperand) id(k *Kernel) int32 { return int32(k.nregs) + p.idx }

// pred returns the value and definedness of a predicate, one bit a lane.
func (w *warp) pred(p predOperand) (v, def uint32) {
	if p.konst {
		if p.not {
			return fullMask, fullMask
		}
		return 0, fullMask
	}
	v = w.preds[p.idx]
	if p.not {
		v = ^v
	}
	return v, w.def[w.k.nregs+int(p.idx)]
}

// predUse is predSrc with automatic definedness.
func (b *build) predUse(o ptx.Operand) predOperand {
	p := b.predSrc(o)
	if !p.konst {
		b.inst.uses = append(b.inst.uses, ^p.idx)
	}
	return p
}

func (b *build) predSrc(o ptx.Operand) predOperand {
	switch o := o.(type) {
	case *ptx.Reg:
		if o.Type() == isa.Pred {
			return predOperand{idx: b.d.slots[o]}
		}
	case ptx.Not:
		return predOperand{idx: b.d.slots[o.Reg], not: true}
	case ptx.Int:
		return predOperand{konst: true, not: o.Value != 0}
	}
	b.fail("an operand of kind %T where a predicate is wanted", o)
	return predOperand{konst: true}
}

// predDst decodes a destination predicate; its definedness flows from the operands.
func (b *build) predDst(o ptx.Operand) int32 {
	p := b.predResult(o)
	b.inst.outs = append(b.inst.outs, ^p)
	return p
}

func (b *build) predResult(o ptx.Operand) int32 {
	var p int32
	switch o := o.(type) {
	case *ptx.Reg:
		if o.Type() != isa.Pred {
			b.fail("register %s where a predicate is wanted", o.Name())
		}
		p = b.d.slots[o]
	case ptx.Sink:
		p = b.d.newPred("_")
	default:
		b.fail("a destination of kind %T where a predicate is wanted", o)
	}
	b.inst.writes = append(b.inst.writes, ^p)
	return p
}
