package lower

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// members is the member mask of a warp-wide op, all lanes unless it names others.
func members(o *ir.Op) ptx.Operand {
	if m := o.Int("mask"); m != 0 {
		return ptx.U(uint64(uint32(m)))
	}
	return ptx.U(0xffffffff)
}

// clamp is shfl's c operand: the clamp in bits 0-4 and the segment mask in bits 8-12 (PTX ISA 9.7.9.6).
func clamp(o *ir.Op, mode string) ptx.Operand {
	width := o.Int("width")
	if width == 0 {
		width = 32
	}
	c := (32 - width) << 8
	if mode != "up" {
		c |= 31
	}
	return ptx.I(c)
}

func lowerShfl(mode string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		var lane ptx.Operand = ptx.I(o.Int("lane"))
		if mode == "idx" {
			lane = e.use(o.Args[1])
		}
		e.shuffle(mode, o.Args[0], o.Results[0], lane, clamp(o, mode), members(o))
	}
}

// shuffle moves 32-bit registers; 64-bit values go as two.
func (e *emitter) shuffle(mode string, x, d *ir.Value, lane, c, mask ptx.Operand) {
	mn := dots("shfl.sync", mode, "b32")
	if x.Type().Bits() == 32 {
		e.emit(mn, e.def(d), e.reg(x), lane, c, mask)
		return
	}
	word := op.Scalar(op.U32)
	lo, hi, lo2, hi2 := e.newReg(word), e.newReg(word), e.newReg(word), e.newReg(word)
	e.emit("mov.b64", ptx.Vec{lo, hi}, e.reg(x))
	e.emit(mn, lo2, lo, lane, c, mask)
	e.emit(mn, hi2, hi, lane, c, mask)
	e.emit("mov.b64", e.def(d), ptx.Vec{lo2, hi2})
}

// lowerUniform broadcasts lane 0; a predicate goes through a word.
func lowerUniform(e *emitter, o *ir.Op) {
	x, d := o.Args[0], o.Results[0]
	lane, c, mask := ptx.I(0), ptx.I(31), ptx.U(0xffffffff)
	if x.Type().Kind != op.Pred {
		e.shuffle("idx", x, d, lane, c, mask)
		return
	}
	word := op.Scalar(op.U32)
	w, w0 := e.newReg(word), e.newReg(word)
	e.emit("selp.b32", w, ptx.I(1), ptx.I(0), e.reg(x))
	e.emit("shfl.sync.idx.b32", w0, w, lane, c, mask)
	e.emit("setp.ne.u32", e.def(d), w0, ptx.I(0))
}

func lowerVote(mode string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		typ := "pred"
		if mode == "ballot" {
			typ = "b32"
		}
		e.emit(dots("vote.sync", mode, typ), e.def(o.Results[0]), e.reg(o.Args[0]), members(o))
	}
}

func lowerMatchAny(e *emitter, o *ir.Op) {
	e.emit(dots("match.any.sync", typeBits(o.Args[0].Type())), e.def(o.Results[0]), e.reg(o.Args[0]), members(o))
}

func lowerMatchAll(e *emitter, o *ir.Op) {
	e.emit(dots("match.all.sync", typeBits(o.Args[0].Type())),
		e.def(o.Results[0]), e.def(o.Results[1]), e.reg(o.Args[0]), members(o))
}

func lowerRedux(action string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) {
		typ := suffix(kind(o))
		if action == "and" || action == "or" || action == "xor" {
			typ = "b32"
		}
		e.emit(dots("redux.sync", action, typ), e.def(o.Results[0]), e.reg(o.Args[0]), members(o))
	}
}

func lowerElect(e *emitter, o *ir.Op) {
	e.emit("elect.sync", ptx.Sink{}, e.def(o.Results[0]), ptx.U(0xffffffff))
}

func lowerActiveMask(e *emitter, o *ir.Op) { e.emit("activemask.b32", e.def(o.Results[0])) }
func lowerSyncWarp(e *emitter, o *ir.Op)   { e.emit("bar.warp.sync", members(o)) }
