package emulate

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// place is the address operand of a memory instruction.
type place struct {
	space isa.Space // Generic, Global, Shared, Local, Param; Const is Global
	base  src
	id    int32 // register of the base for initcheck, -1: a constant
	off   uint64
	bytes uint64 // of the whole access, which is also its alignment
}

// spaceNames are the modifiers that name a space.
var spaceNames = []string{"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry", "param::func"}

// place decodes an address operand of an access of n bytes.
func (b *build) place(o ptx.Operand, n uint64) place {
	p := place{bytes: n, id: -1}
	if s := b.oneOf(spaceNames...); s != "" {
		sp, _ := isa.SpaceOf(s)
		if p.space = sp.Base(); p.space == isa.Const {
			p.space = isa.Global
		}
	}
	a, ok := o.(ptx.Addr)
	if !ok {
		b.fail("an address of kind %T is not modelled", o)
		return p
	}
	p.off = uint64(a.Off)
	switch base := a.Base.(type) {
	case nil:
		p.base = b.d.p.constant(0)
	case ptx.Sym:
		v, ok := base.Of.(*ptx.Var)
		if ok && !isModuleMemory(v) {
			at := b.d.k.vars[v]
			if p.space == isa.Param && at.space == isa.Local {
				p.space = isa.Local // a device function's parameter lives in the frame
			}
		}
		p.base, p.id = b.symbol(base)
	default:
		p.base, p.id = b.value(base, isa.B64)
	}
	b.inst.places = append(b.inst.places, p)
	return p
}

// locate returns the bytes of an access by one lane and their init bytes, or nil where there is no such memory.
func (w *warp) locate(p *place, addr uint64, lane int) (mem, init []byte, global bool) {
	switch p.space {
	case isa.Global:
		mem, init = w.run.globalAt(addr, p.bytes)
		return mem, init, true
	case isa.Shared:
		mem, init = w.cta.sharedAt(addr, p.bytes)
	case isa.SharedCluster:
		mem, init = w.sharedOfCluster(addr, p.bytes)
	case isa.Local:
		mem, init = w.localAt(addr, p.bytes, lane)
	case isa.Param:
		mem = w.run.l.paramAt(addr, p.bytes)
	default:
		switch addr >> windowShift {
		case sharedWindow >> windowShift:
			mem, init = w.sharedOfCluster(addr-sharedWindow, p.bytes)
		case localWindow >> windowShift:
			mem, init = w.localAt(addr-localWindow, p.bytes, lane)
		case paramWindow >> windowShift:
			mem = w.run.l.paramAt(addr-paramWindow, p.bytes)
		default:
			mem, init = w.run.globalAt(addr, p.bytes)
			return mem, init, true
		}
	}
	return mem, init, false
}

func (r *worker) globalAt(addr, n uint64) (mem, init []byte) {
	a := r.last
	if a == nil || addr-a.base >= a.size || n > a.size-(addr-a.base) || a.data == nil {
		a = r.l.dev.find(addr)
		if a == nil || a.data == nil || addr-a.base >= a.size || n > a.size-(addr-a.base) {
			return nil, nil
		}
		r.last = a
	}
	off := addr - a.base
	return a.data[off : off+n : off+n], a.init[off : off+n : off+n]
}

func (c *cta) sharedAt(addr, n uint64) (mem, init []byte) {
	off := addr - c.first
	if size := uint64(len(c.shared)); off >= size || n > size-off {
		return nil, nil
	}
	return c.shared[off : off+n : off+n], c.sInit[off : off+n : off+n]
}

func (w *warp) localAt(addr, n uint64, lane int) (mem, init []byte) {
	size := uint64(w.k.localBytes)
	if addr >= size || n > size-addr {
		return nil, nil
	}
	off := uint64(lane)*size + addr
	return w.local[off : off+n : off+n], w.lInit[off : off+n : off+n]
}

func (l *launch) paramAt(addr, n uint64) []byte {
	size := uint64(len(l.params))
	if addr >= size || n > size-addr {
		return nil
	}
	return l.params[addr : addr+n : addr+n]
}

// badAccess reports an access without memory behind it.
func (w *warp) badAccess(in *inst, p *place, addr uint64, lane int, verb string) {
	where, class := "", p.oobClass(addr)
	if w.known(class, in) {
		return
	}
	space := p.spaceOf(addr)
	if p.space == isa.Generic && space != isa.Global {
		addr &= 1<<windowShift - 1
	}
	switch space {
	case isa.Shared, isa.SharedCluster:
		class, where = w.describeShared(addr, space == isa.SharedCluster || p.space == isa.Generic)
	case isa.Local:
		where = fmt.Sprintf("local offset %d; a thread has %d bytes", int64(addr), w.k.localBytes)
	case isa.Param:
		where = fmt.Sprintf("parameter offset %d; the kernel takes %d bytes", int64(addr), w.k.paramBytes)
	default:
		where = fmt.Sprintf("address %#x is %s", addr, w.run.l.dev.describe(addr, p.bytes))
	}
	w.find(class, in, 1<<lane, fmt.Sprintf("%s of %d bytes: %s", verb, p.bytes, where))
}

func (w *warp) misaligned(in *inst, p *place, addr uint64, lane int, verb string) {
	if w.known(Misaligned, in) {
		return
	}
	w.find(Misaligned, in, 1<<lane, fmt.Sprintf("%s of %d bytes at address %#x, which is no multiple of %d", verb, p.bytes, addr, p.bytes))
}

// readOnly reports a store into memory that a kernel must not write.
func (w *warp) readOnly(in *inst, p *place, addr uint64, lane int) bool {
	if p.space == isa.Param || p.space == isa.Generic && addr>>windowShift == paramWindow>>windowShift {
		w.find(ReadOnly, in, 1<<lane, "a store to the kernel's parameters")
		return true
	}
	if a := w.run.last; a != nil && a.readOnly && addr-a.base < a.size {
		w.find(ReadOnly, in, 1<<lane, fmt.Sprintf("a store to the constant %q", a.name))
		return true
	}
	return false
}

// spaceOf resolves the space of an access through a generic address.
func (p *place) spaceOf(addr uint64) isa.Space {
	if p.space != isa.Generic {
		return p.space
	}
	switch addr >> windowShift {
	case sharedWindow >> windowShift:
		return isa.Shared
	case localWindow >> windowShift:
		return isa.Local
	case paramWindow >> windowShift:
		return isa.Param
	}
	return isa.Global
}

// describeShared says why a shared address has no memory behind it. remote: the access may reach other CTAs.
func (w *warp) describeShared(addr uint64, remote bool) (Class, string) {
	c := w.cta
	if w.k.clustered {
		peer, class, why := w.peer(addr)
		switch {
		case remote && class != "" && class != ClusterStart:
			return class, why
		case !remote && peer != c && class != ClusterRank:
			return OOBShared, fmt.Sprintf("shared address %#x belongs to the block of rank %d, and .shared reaches only the own block's memory (rank %d)", addr, peer.rank, c.rank)
		case remote && peer != nil:
			c = peer
		}
	}
	return OOBShared, fmt.Sprintf("shared address %#x is offset %d; the block has %d bytes of shared memory (%d static)", addr, int64(addr-c.first), len(c.shared), w.k.StaticShared())
}

func (p *place) oobClass(addr uint64) Class {
	switch p.spaceOf(addr) {
	case isa.Shared, isa.SharedCluster:
		return OOBShared
	case isa.Local:
		return OOBLocal
	case isa.Param:
		return OOBParam
	}
	return OOBGlobal
}

// initClass says which unwritten memory an access found, for later reports.
func (p *place) initClass(addr uint64) Class {
	switch p.spaceOf(addr) {
	case isa.Shared, isa.SharedCluster:
		return InitShared
	case isa.Local:
		return InitLocal
	}
	return InitGlobal
}

func readBytes(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func writeBytes(b []byte, n int, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// allInit is the pattern of n written bytes.
func allInit(n int) uint64 { return mask(0x0101010101010101, 8*n) }

// loadOp is a decoded ld.
type loadOp struct {
	place
	elem  int // bytes of an element
	dst   []int32
	sext  []uint // per element: shift pair that extends the sign to the register's width, 0: zero extension
	width []int
	order order
}

func (o *loadOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.id, in, m, "is an address")
	base := w.val(o.base)
	if t := w.run.track; t != nil {
		t.load(w, in, m, &o.place, base, o.order)
	}
	var undef [8]uint32
	var bad uint32
	var from origin
	want := allInit(o.elem)
	checkInit := w.run.initcheck
	checkShadow := checkInit || w.run.asynccheck
	alignMask := uint64(0)
	if w.run.memcheck {
		alignMask = o.bytes - 1
	}
	if w.pairs() {
		w.noteGrid(in, &o.place, m, false)
	}
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		addr := base[l&31] + o.off
		if addr&alignMask != 0 {
			w.misaligned(in, &o.place, addr, l, "load")
			bad |= 1 << l
			continue
		}
		mem, init, _ := w.locate(&o.place, addr, l)
		if mem == nil {
			w.badAccess(in, &o.place, addr, l, "load")
			bad |= 1 << l
			continue
		}
		for e, d := range o.dst {
			v := readBytes(mem[e*o.elem:], o.elem)
			if s := o.sext[e]; s != 0 {
				v = mask(uint64(int64(v<<s)>>s), o.width[e])
			}
			w.regs[d][l&31] = v
			if checkShadow && init != nil {
				if shadow := readBytes(init[e*o.elem:], o.elem); shadow != want && !w.readable(in, &o.place, addr+uint64(e*o.elem), shadow, o.elem, l) {
					undef[e] |= 1 << l
					from = origin{o.initClass(addr), int(in.line)}
				}
			}
		}
	}
	for t := bad; t != 0; t &= t - 1 {
		for _, d := range o.dst {
			w.regs[d][bits.TrailingZeros32(t)] = 0
		}
	}
	if checkInit {
		for e, d := range o.dst {
			w.setDef(d, m, m&^undef[e], from)
		}
	}
}

// storeOp is a decoded st.
type storeOp struct {
	place
	elem  int
	val   []src
	ids   []int32
	order order
}

func (o *storeOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.id, in, m, "is an address")
	base := w.val(o.base)
	w.run.progress++
	if t := w.run.track; t != nil {
		t.storing(w, in, m, o, base)
	}
	undef := uint32(0)
	if w.run.initcheck {
		for _, id := range o.ids {
			if id >= 0 {
				undef |= m &^ w.def[id]
			}
		}
	}
	alignMask := uint64(0)
	if w.run.memcheck {
		alignMask = o.bytes - 1
	}
	if w.pairs() {
		w.noteGrid(in, &o.place, m, true)
	}
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		addr := base[l&31] + o.off
		if addr&alignMask != 0 {
			w.misaligned(in, &o.place, addr, l, "store")
			continue
		}
		mem, init, global := w.locate(&o.place, addr, l)
		if mem == nil {
			w.badAccess(in, &o.place, addr, l, "store")
			continue
		}
		if (init == nil || global && w.run.last.readOnly) && w.readOnly(in, &o.place, addr, l) {
			continue
		}
		for e, s := range o.val {
			writeBytes(mem[e*o.elem:], o.elem, w.val(s)[l&31])
			ok := allInit(o.elem)
			if undef>>l&1 != 0 && o.ids[e] >= 0 && w.def[o.ids[e]]>>l&1 == 0 {
				if global {
					w.undefined(o.ids[e], m&^w.def[o.ids[e]], in, "is stored to global memory")
				} else {
					ok = 0
				}
			}
			if old := readBytes(init[e*o.elem:], o.elem); w.run.asynccheck && old&^allInit(o.elem) != 0 {
				ok |= w.overwrites(in, &o.place, addr+uint64(e*o.elem), old, o.elem, l)
			}
			writeBytes(init[e*o.elem:], o.elem, ok)
		}
	}
}

// cacheHints are modifiers of memory instructions that change speed and not results.
var cacheHints = []string{"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak", "volatile", "relaxed", "acquire", "release",
	"acq_rel", "sc", "cta", "cluster", "gpu", "sys", "L1::*", "L2::*", "v2", "v4", "v8"}

func decodeLd(b *build) {
	t := b.typ()
	ord := b.order()
	b.ignore(cacheHints...)
	vec := operandList(b.op(0))
	elem := (t.Bits() + 7) / 8
	if elem > 8 {
		b.fail("loads of type .%s are not modelled", t)
		return
	}
	if t == isa.Pred {
		b.fail("a load of a predicate")
		return
	}
	o := &loadOp{place: b.place(b.op(1), uint64(elem*len(vec))), elem: elem, order: ord}
	for _, r := range vec {
		wd := width(r, t)
		o.dst = append(o.dst, b.result(r))
		s := uint(0)
		if t.Class() == isa.ClassSigned && wd > t.Bits() {
			s = uint(64 - t.Bits())
		}
		o.sext, o.width = append(o.sext, s), append(o.width, wd)
	}
	if o.space == isa.Param && o.id < 0 && b.err == nil {
		b.inst.exec = o.param(b.d.p)
		b.inst.outs = b.inst.writes
		return
	}
	b.inst.exec = o.exec
}

// param is a load of kernel parameters at a constant offset: the same value in all lanes.
func (o *loadOp) param(p *Program) execFn {
	at := p.consts[^o.base][0] + o.off
	return func(w *warp, in *inst, m uint32) {
		mem := w.run.l.paramAt(at, o.bytes)
		if mem == nil {
			w.badAccess(in, &o.place, at, bits.TrailingZeros32(m), "load")
			return
		}
		for e, d := range o.dst {
			v := readBytes(mem[e*o.elem:], o.elem)
			if s := o.sext[e]; s != 0 {
				v = mask(uint64(int64(v<<s)>>s), o.width[e])
			}
			r := &w.regs[d]
			if m == fullMask {
				broadcast(r, v)
				continue
			}
			for t := m; t != 0; t &= t - 1 {
				r[bits.TrailingZeros32(t)] = v
			}
		}
	}
}

func decodeSt(b *build) {
	t := b.typ()
	ord := b.order()
	b.ignore(cacheHints...)
	vec := operandList(b.op(1))
	elem := (t.Bits() + 7) / 8
	if elem > 8 {
		b.fail("stores of type .%s are not modelled", t)
		return
	}
	o := &storeOp{place: b.place(b.op(0), uint64(elem*len(vec))), elem: elem, order: ord}
	for _, r := range vec {
		s, id := b.value(r, t)
		o.val, o.ids = append(o.val, s), append(o.ids, id)
	}
	b.inst.visible = o.space != isa.Local
	b.inst.exec = o.exec
}

// operandList returns the elements of a vector operand, or the operand itself.
func operandList(o ptx.Operand) []ptx.Operand {
	if v, ok := o.(ptx.Vec); ok {
		return v
	}
	return []ptx.Operand{o}
}

// decodeNothing is for instructions whose only effect is on speed or on order that this machine keeps anyway.
func decodeNothing(b *build) {
	b.used = ^uint64(0)
	b.inst.exec = func(*warp, *inst, uint32) {}
}
