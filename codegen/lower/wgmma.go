package lower

import (
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// file returns the registers of a register array, which are the same ones wherever it is used.
func (e *emitter) file(v *ir.Value) []*ptx.Reg {
	regs, ok := e.files[v]
	if !ok {
		e.bugf("%s is no register array", v)
	}
	return regs
}

func lowerRegRead(e *emitter, o *ir.Op) {
	regs := e.file(o.Args[0])[o.Int("first"):]
	for i, d := range o.Results {
		e.move(e.def(d), regs[i], d.Type())
	}
}

// lowerRegWrite evaluates every value before it changes a register: they may be snapshots of the same array.
func lowerRegWrite(e *emitter, o *ir.Op) {
	first := int(o.Int("first"))
	e.assign(e.file(o.Args[0])[first:first+len(o.Args)-1], o.Args[1:])
}

func lowerSetMaxNReg(e *emitter, o *ir.Op) {
	e.emit(dots("setmaxnreg", o.Enum("action"), "sync.aligned.u32"), ptx.I(o.Int("registers")))
}

// lowerInWarps compares the warp's index, which the prologue has made equal in the warp.
func lowerInWarps(e *emitter, o *ir.Op) {
	first, n, d := o.Int("first"), o.Int("warps"), e.def(o.Results[0])
	switch {
	case first == 0:
		e.emit("setp.lt.u32", d, e.warp, ptx.I(n))
	case n == 1:
		e.emit("setp.eq.u32", d, e.warp, ptx.I(first))
	case first+n == int64(e.warps):
		e.emit("setp.ge.u32", d, e.warp, ptx.I(first))
	default:
		r := e.newReg(op.Scalar(op.U32))
		e.emit("sub.u32", r, e.warp, ptx.I(first))
		e.emit("setp.lt.u32", d, r, ptx.I(n))
	}
}

// warpIndex computes the warp's index in the block where the kernel asks for it. Lane 0's value is taken, so that ptxas
// knows it to be uniform and keeps what depends on it in uniform registers.
func (e *emitter) warpIndex(k *ir.Kernel) {
	if !uses(k, "in_warps") {
		return
	}
	e.warps = (k.Threads() + 31) / 32
	block, word := k.Block(), op.Scalar(op.U32)
	tid := func(axis string) *ptx.Reg {
		r := e.newReg(word)
		s, _ := specialRegister("tid." + axis)
		e.emit("mov.u32", r, s)
		return r
	}
	linear := tid("x")
	if block[1] > 1 || block[2] > 1 {
		rows := tid("y")
		if block[2] > 1 {
			r := e.newReg(word)
			e.emit("mad.lo.u32", r, tid("z"), ptx.I(int64(block[1])), rows)
			rows = r
		}
		r := e.newReg(word)
		e.emit("mad.lo.u32", r, rows, ptx.I(int64(block[0])), linear)
		linear = r
	}
	own := e.newReg(word)
	e.warp = e.newReg(word)
	e.emit("shr.u32", own, linear, ptx.I(5))
	e.emit("shfl.sync.idx.b32", e.warp, own, ptx.I(0), ptx.I(31), ptx.U(0xffffffff))
}

// lowerMatrixDesc packs a descriptor: address, leading and stride offset in units of 16 bytes in bits 0-13, 16-29 and 32-45,
// base offset in 49-51, swizzle in 62-63 (PTX ISA 9.7.15.5.1). All but the address is constant; the upper word is whole.
func lowerMatrixDesc(e *emitter, o *ir.Op) {
	word := op.Scalar(op.U32)
	a := e.address(o.Args[0], 0)
	if a.Off%16 != 0 {
		a = ptx.At(e.materialise(o.Args[0], address{a.Base, a.Off}), 0)
	}
	lo := e.newReg(word)
	e.emit("shr.u32", lo, a.Base, ptx.I(4))
	if a.Off != 0 {
		r := e.newReg(word)
		e.emit("add.s32", r, lo, ptx.I(a.Off/16))
		lo = r
	}
	masked := e.newReg(word)
	e.emit("and.b32", masked, lo, ptx.U(0x3fff))
	if lbo := o.Int("lbo"); lbo != 0 {
		r := e.newReg(word)
		e.emit("or.b32", r, masked, ptx.U(uint64(lbo)>>4<<16))
		masked = r
	}
	swizzle := map[string]uint64{"128B": 1, "64B": 2, "32B": 3}[o.Enum("swizzle")]
	hi := e.constant(word, ptx.U(uint64(o.Int("sbo"))>>4|uint64(o.Int("base"))<<17|swizzle<<30))
	e.emit("mov.b64", e.def(o.Results[0]), ptx.Vec{masked, hi})
}

// lowerDescAdd moves the address in the low word; it cannot carry into the fields above.
func lowerDescAdd(e *emitter, o *ir.Op) {
	word := op.Scalar(op.U32)
	lo, hi, sum := e.newReg(word), e.newReg(word), e.newReg(word)
	e.emit("mov.b64", ptx.Vec{lo, hi}, e.reg(o.Args[0]))
	if by := o.Args[1]; by.IsConst() {
		e.emit("add.s32", sum, lo, ptx.I(int64(by.Bits()>>4)))
	} else {
		r := e.newReg(word)
		e.emit("shr.u32", r, e.reg(by), ptx.I(4))
		e.emit("add.s32", sum, lo, r)
	}
	e.emit("mov.b64", e.def(o.Results[0]), ptx.Vec{sum, hi})
}

func lowerWGMMA(e *emitter, o *ir.Op) { e.wgmma(o, e.reg(o.Args[1])) }

func lowerWGMMARegisters(e *emitter, o *ir.Op) {
	first := o.Int("first")
	e.wgmma(o, vecOf(e.file(o.Args[1])[first:first+4]))
}

func vecOf(regs []*ptx.Reg) ptx.Vec {
	v := make(ptx.Vec, len(regs))
	for i, r := range regs {
		v[i] = r
	}
	return v
}

// sumLength is the K of a wgmma: 32 bytes of each row.
var sumLength = map[string]int{"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}

func (e *emitter) wgmma(o *ir.Op, a ptx.Operand) {
	at, bt := o.Enum("a_type"), o.Enum("b_type")
	shape := "m64n" + strconv.FormatInt(o.Int("n"), 10) + "k" + strconv.Itoa(sumLength[at])
	mn := dots("wgmma.mma_async.sync.aligned", shape, flag(o, "satfinite"), accumulatorType(o.Args[0].Type().Elem), at, bt)
	var scale ptx.Operand = ptx.I(1)
	switch {
	case o.Flag("zero"):
		scale = ptx.I(0)
	case o.Flag("scale_d"):
		scale = e.reg(o.Arg("scale_d"))
	}
	ops := []ptx.Operand{vecOf(e.file(o.Args[0])), a, e.reg(o.Args[2]), scale}
	if at != "s8" && at != "u8" {
		ops = append(ops, negated(o, "neg_a"), negated(o, "neg_b"))
	}
	if sumLength[at] == 16 {
		if o.Info.Name == "wgmma" {
			ops = append(ops, bit(o, "trans_a"))
		}
		ops = append(ops, bit(o, "trans_b"))
	}
	e.emit(mn, ops...)
}

func negated(o *ir.Op, name string) ptx.Operand {
	if o.Flag(name) {
		return ptx.I(-1)
	}
	return ptx.I(1)
}

func bit(o *ir.Op, name string) ptx.Operand {
	if o.Flag(name) {
		return ptx.I(1)
	}
	return ptx.I(0)
}

// accumulatorType is the element type of a matrix product's result.
func accumulatorType(k op.Kind) string { return suffix(k.Elem()) }

func lowerMMA(e *emitter, o *ir.Op) {
	shape, at, bt := o.Enum("shape"), o.Enum("a_type"), o.Enum("b_type")
	d := accumulatorType(o.Results[0].Type().Kind)
	na, nb, _ := op.MMARegisters(shape, at, o.Results[0].Type().Kind)
	regs := make(ptx.Vec, len(o.Args))
	for i, v := range o.Args {
		regs[i] = e.reg(v)
	}
	var dst ptx.Vec
	for _, r := range o.Results {
		dst = append(dst, e.def(r))
	}
	e.emit(dots("mma.sync.aligned", shape, "row.col", flag(o, "satfinite"), d, at, bt, d), dst, regs[:na:na], regs[na:na+nb:na+nb], regs[na+nb:])
}

func matrixShape(n int) string { return "m8n8.x" + strconv.Itoa(n) }

func lowerLdmatrix(e *emitter, o *ir.Op) {
	var dst ptx.Vec
	for _, r := range o.Results {
		dst = append(dst, e.def(r))
	}
	e.emit(dots("ldmatrix.sync.aligned", matrixShape(len(dst)), flag(o, "trans"), "shared::cta.b16"), dst, e.address(o.Args[0], o.Int("off")))
}

func lowerStmatrix(e *emitter, o *ir.Op) {
	var src ptx.Vec
	for _, v := range o.Args[1:] {
		src = append(src, e.reg(v))
	}
	e.emit(dots("stmatrix.sync.aligned", matrixShape(len(src)), flag(o, "trans"), "shared::cta.b16"), e.address(o.Args[0], o.Int("off")), src)
}

func lowerMovmatrix(e *emitter, o *ir.Op) { e.simple(o, "movmatrix.sync.aligned.m8n8.trans.b16") }
