package lower

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// address is a base and a byte offset: what [reg+imm] can hold.
type address struct {
	base ptx.Operand
	off  int64
}

// A constant offset folds into the access (PTX ISA 6.4.1); SASS has 24 bits for it, so larger ones are added.
const maxFoldedOffset = 1<<23 - 1

// address finds the address of a pointer value plus off bytes, folding constant offsets.
func (e *emitter) address(p *ir.Value, off int64) ptx.Addr {
	a, ok := e.forwarded[p]
	if !ok {
		a = address{base: e.use(p)}
	}
	return ptx.At(a.base, a.off+off)
}

// materialise puts a folded address into a register, for uses that are no access. It does so anew at each use: a use in
// one branch does not dominate the next one.
func (e *emitter) materialise(v *ir.Value, a address) ptx.Operand {
	if a.off == 0 {
		return a.base
	}
	r := e.newReg(v.Type())
	e.emit(dots("add", pointerSuffix(v.Type())), r, a.base, ptx.I(a.off))
	return r
}

// pointerSuffix is the type of address arithmetic in a pointer's space.
func pointerSuffix(t op.Type) string { return "s" + bitSuffix(t.Bits())[1:] }

// lowerAddr computes p + i*scale + off. The index extends by its own sign before it is scaled, so a 32-bit index into
// a 64-bit space is one mad.wide. Constant parts, of the index too, wait for the access to take them.
func lowerAddr(e *emitter, o *ir.Op) {
	p, i, d := o.Args[0], o.Args[1], o.Results[0]
	scale := o.Int("scale")
	a := e.address(p, o.Int("off"))
	if i.IsConst() {
		e.forward(d, address{base: a.Base, off: a.Off + i.Int()*scale})
		return
	}
	wide, long := p.Type().Bits() == 64, i.Type().Bits() == 64
	r := e.newReg(d.Type())
	switch {
	case wide && !long:
		e.emit(dots("mad.wide", suffix(i.Type().Kind)), r, e.reg(i), ptx.I(scale), a.Base)
	case wide && scale&(scale-1) == 0: // ptxas makes two instructions of a shift and an add, three of a mad
		shifted := e.newReg(i.Type())
		e.emit("shl.b64", shifted, e.reg(i), ptx.I(int64(bits.TrailingZeros64(uint64(scale)))))
		e.emit(dots("add", pointerSuffix(d.Type())), r, shifted, a.Base)
	case wide:
		e.emit(dots("mad.lo", suffix(i.Type().Kind)), r, e.reg(i), ptx.I(scale), a.Base)
	default:
		e.emit("mad.lo.s32", r, e.narrow(i), ptx.I(scale), a.Base)
	}
	e.forward(d, address{base: r, off: a.Off})
}

// narrow returns the low 32 bits of an index: shared and local windows are 32 bits wide.
func (e *emitter) narrow(i *ir.Value) *ptx.Reg {
	r := e.reg(i)
	if i.Type().Bits() <= 32 {
		return r
	}
	low := e.newReg(op.Scalar(op.U32))
	e.emit("cvt.u32.u64", low, r)
	return low
}

// forward lets a value stand for an address; offsets that an instruction cannot hold are added at once.
func (e *emitter) forward(v *ir.Value, a address) {
	if a.off > maxFoldedOffset || a.off < -maxFoldedOffset {
		e.emit(dots("add", pointerSuffix(v.Type())), e.def(v), a.base, ptx.I(a.off))
		return
	}
	e.forwarded[v] = a
}

func lowerAddrOff(e *emitter, o *ir.Op) {
	a := e.address(o.Args[0], o.Int("off"))
	e.forward(o.Results[0], address{base: a.Base, off: a.Off})
}

func lowerPtrCast(e *emitter, o *ir.Op) {
	a := e.address(o.Args[0], 0)
	e.forward(o.Results[0], address{base: a.Base, off: a.Off})
}

// lowerToGeneric converts through the window of the operand's space. 32-bit addresses extend first.
func lowerToGeneric(e *emitter, o *ir.Op) {
	p := o.Args[0]
	src := e.reg(p)
	if p.Type().Bits() == 32 {
		long := e.fn.NewReg(regType(op.Scalar(op.U64)))
		e.emit("cvt.u64.u32", long, src)
		src = long
	}
	e.emit(dots("cvta", p.Type().Space.String(), "u64"), e.def(o.Results[0]), src)
}

func lowerFromGeneric(e *emitter, o *ir.Op) {
	t, d := o.Results[0].Type(), e.def(o.Results[0])
	if t.Bits() == 64 {
		e.emit(dots("cvta.to", t.Space.String(), "u64"), d, e.reg(o.Args[0]))
		return
	}
	long := e.fn.NewReg(regType(op.Scalar(op.U64)))
	e.emit(dots("cvta.to", t.Space.String(), "u64"), long, e.reg(o.Args[0]))
	e.emit("cvt.u32.u64", d, long)
}

func lowerPtrBits(e *emitter, o *ir.Op) { e.vals[o.Results[0]] = e.reg(o.Args[0]) }
func lowerBitsPtr(e *emitter, o *ir.Op) { e.vals[o.Results[0]] = e.reg(o.Args[0]) }
