package emulate

import (
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// atomicOp is a decoded atom or red. Lanes act one after another, in lane order.
type atomicOp struct {
	place
	elem   int
	dst    []int32 // nil for red
	b, c   []src   // c of cas only
	bID    []int32
	cID    []int32
	apply  func(old, b, c uint64) uint64
	global func(old, b, c uint64) uint64 // where global memory differs: f32 addition flushes subnormals there
	order  order
	exch   bool // the new value does not depend on the old one
}

func (o *atomicOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.id, in, m, "is an address")
	for e := range o.b {
		w.needDefined(o.bID[e], in, m, "is an operand of an atomic")
		if o.c != nil {
			w.needDefined(o.cID[e], in, m, "is an operand of an atomic")
		}
	}
	if w.pairs() {
		w.noteGrid(in, &o.place, m, true)
	}
	base := w.val(o.base)
	if t := w.run.track; t != nil {
		t.atomic(w, in, m, &o.place, base, o.order)
	}
	var undef [8]uint32
	var from origin
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		addr := base[l] + o.off
		if w.run.memcheck && addr&(o.bytes-1) != 0 {
			w.misaligned(in, &o.place, addr, l, "atomic")
			continue
		}
		mem, init, global := w.locate(&o.place, addr, l)
		if mem == nil {
			w.badAccess(in, &o.place, addr, l, "atomic")
			continue
		}
		if (init == nil || global && w.run.last.readOnly) && w.readOnly(in, &o.place, addr, l) {
			continue
		}
		for e := range o.b {
			if !o.element(w, in, e, l, addr, mem, init, global) {
				undef[e] |= 1 << l
				from = origin{o.initClass(addr), int(in.line)}
			}
		}
	}
	if w.run.initcheck {
		o.settle(w, in, m, &undef, from)
	}
}

// element updates one element and reports whether its old value was defined.
func (o *atomicOp) element(w *warp, in *inst, e, l int, addr uint64, mem, init []byte, global bool) bool {
	at := mem[e*o.elem:]
	old := readBytes(at, o.elem)
	var c uint64
	if o.c != nil {
		c = w.val(o.c[e])[l]
	}
	f := o.apply
	if global && o.global != nil {
		f = o.global
	}
	v := f(old, w.val(o.b[e])[l], c)
	if v != old {
		w.run.progress++
	}
	writeBytes(at, o.elem, v)
	if o.dst != nil {
		w.regs[o.dst[e]][l] = old
	}
	want := allInit(o.elem)
	shadow := readBytes(init[e*o.elem:], o.elem)
	ok := shadow == want
	if shadow&^want != 0 {
		ok = w.readable(in, &o.place, addr+uint64(e*o.elem), shadow, o.elem, l)
	}
	if o.exch {
		writeBytes(init[e*o.elem:], o.elem, shadow|want)
	}
	return ok
}

// settle records which results are defined. An atomic that combines with unwritten memory is reported at once: the
// result stays in memory, where everybody sees it.
func (o *atomicOp) settle(w *warp, in *inst, m uint32, undef *[8]uint32, from origin) {
	for e := range o.b {
		if undef[e] != 0 && !o.exch {
			w.find(from.class, in, undef[e], "an atomic on memory that nobody wrote")
			undef[e] = 0
		}
		if o.dst != nil {
			w.setDef(o.dst[e], m, m&^undef[e], from)
		}
	}
}

func decodeAtomic(b *build) {
	ret := b.in.Form.Opcode() == "atom"
	ts := b.types()
	t := ts[len(ts)-1]
	op := b.oneOf("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
	ord := b.order()
	if ord.sem == semWeak { // atomics are relaxed at gpu scope where they say nothing
		ord.sem, ord.scope = semRelaxed, max(ord.scope, b.scope(scopeGPU))
	}
	ord.rmw, ord.red = true, !ret
	b.ignore(append([]string{"noftz"}, cacheHints...)...)
	if op == "" || b.in.Form.Has("async") || t.Bits() > 64 {
		b.fail("this atomic is not modelled")
		return
	}
	o := &atomicOp{elem: t.Bits() / 8, exch: op == "exch", order: ord}
	i := 0
	if ret {
		for _, r := range operandList(b.op(0)) {
			o.dst = append(o.dst, b.result(r))
		}
		i = 1
	}
	vals := operandList(b.op(i + 1))
	o.place = b.place(b.op(i), uint64(o.elem*len(vals)))
	for _, v := range vals {
		s, id := b.value(v, t)
		o.b, o.bID = append(o.b, s), append(o.bID, id)
	}
	if op == "cas" {
		s, id := b.value(b.op(i+2), t)
		o.c, o.cID = []src{s}, []int32{id}
	}
	if o.apply = atomicFunc(op, t); o.apply == nil {
		b.fail("atomic %s of type .%s is not modelled", op, t)
		return
	}
	if op == "add" && t == isa.F32 {
		o.global = addF32Ftz
	}
	b.inst.visible = true
	b.inst.exec = o.exec
}

// addF32Ftz is the addition of the L2's atomic unit: subnormals are flushed, rounding is to nearest.
func addF32Ftz(old, v, _ uint64) uint64 {
	return uint64(flush(canon32(f32(flush(uint32(old))) + f32(flush(uint32(v))))))
}

func atomicFunc(op string, t isa.Type) func(old, b, c uint64) uint64 {
	switch op {
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }
	case "cas":
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case "inc":
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	}
	if f := atomicFloat(op, t); f != nil {
		return f
	}
	f := integerBinary(op, t)
	if f == nil {
		return nil
	}
	return func(old, b, _ uint64) uint64 { return f(old, b) }
}

func atomicFloat(op string, t isa.Type) func(old, b, c uint64) uint64 {
	var f func(a, b uint64) uint64
	switch t {
	case isa.F32:
		if op == "add" {
			f = floatBinary32("add", numfmt.RN, false, false)
		}
	case isa.F64:
		if op == "add" {
			f = func(a, b uint64) uint64 { return canon64(math.Float64frombits(a) + math.Float64frombits(b)) }
		}
	case isa.F16, isa.BF16, isa.F16X2, isa.BF16X2:
		f = halfBinary(op, t, halfMods{})
	}
	if f == nil {
		return nil
	}
	return func(old, b, _ uint64) uint64 { return f(old, b) }
}
