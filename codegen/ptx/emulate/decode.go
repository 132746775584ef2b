package emulate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// decoder turns one kernel, with the functions it calls, into instructions.
type decoder struct {
	p     *Program
	k     *Kernel
	fn    *ptx.Func          // being decoded
	funcs []*ptx.Func        // the kernel and what it calls, in order of first call
	names map[*ptx.Var]bool  // module variables that those functions name
	slots map[*ptx.Reg]int32 // value register -> slot, predicate -> index
	preds []string
	code  []inst
	at    map[any]int32 // label or function -> pc
	fix   []func()
	carry int32 // predicate of the carry flag of the current function, -1: none yet
}

func decodeKernel(p *Program, f *ptx.Func) (*Kernel, error) {
	k := &Kernel{Name: f.Name, prog: p, fn: f, vars: map[*ptx.Var]address{}}
	d := &decoder{p: p, k: k, names: map[*ptx.Var]bool{}, slots: map[*ptx.Reg]int32{}, at: map[any]int32{}}
	if err := d.reach(f, nil); err != nil {
		return nil, err
	}
	if err := layoutParams(k); err != nil {
		return nil, err
	}
	if err := d.layoutVars(); err != nil {
		return nil, err
	}
	for _, fn := range d.funcs {
		if err := d.function(fn); err != nil {
			return nil, err
		}
	}
	for _, f := range d.fix {
		f()
	}
	k.code = d.code
	k.npreds = len(d.preds)
	k.nregs = len(k.names)
	k.names = append(k.names, d.preds...)
	finish(k)
	return k, nil
}

// reach lists the functions that f calls, and the module variables they name. PTX of this stage has no recursion.
func (d *decoder) reach(f *ptx.Func, path []*ptx.Func) error {
	for _, p := range path {
		if p == f {
			return &DecodeError{Line: f.Line, Col: f.Col, Func: f.Name, Text: ".func " + f.Name, Reason: "recursive calls are not modelled"}
		}
	}
	for _, g := range d.funcs {
		if g == f {
			return nil
		}
	}
	d.funcs = append(d.funcs, f)
	path = append(path, f)
	var walk func(b *ptx.Block) error
	walk = func(b *ptx.Block) error {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *ptx.Block:
				if err := walk(s); err != nil {
					return err
				}
			case *ptx.Instr:
				for _, o := range s.Operands {
					d.mention(o)
				}
				if s.Form.Opcode() == "call" {
					g, err := d.callee(f, s)
					if err != nil {
						return err
					}
					if err := d.reach(g, path); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	return walk(f.Body)
}

func (d *decoder) mention(o ptx.Operand) {
	switch o := o.(type) {
	case ptx.Sym:
		if v, ok := o.Of.(*ptx.Var); ok {
			d.names[v] = true
		}
	case ptx.Addr:
		if o.Base != nil {
			d.mention(o.Base)
		}
	case ptx.Vec:
		for _, e := range o {
			d.mention(e)
		}
	}
}

// callee resolves the target of a direct call.
func (d *decoder) callee(f *ptx.Func, in *ptx.Instr) (*ptx.Func, error) {
	for _, o := range in.Operands {
		s, ok := o.(ptx.Sym)
		if !ok {
			continue
		}
		if g, ok := s.Of.(*ptx.Func); ok {
			if g.Body == nil && g.Definition != nil {
				g = g.Definition
			}
			if g.Body == nil {
				return nil, &DecodeError{Line: in.Line, Col: in.Col, Func: f.Name, Text: in.Form.Mnemonic(), Reason: "function " + g.Name + " has no body in this module"}
			}
			return g, nil
		}
	}
	return nil, &DecodeError{Line: in.Line, Col: in.Col, Func: f.Name, Text: in.Form.Mnemonic(), Reason: "indirect calls are not modelled"}
}

func (d *decoder) function(f *ptx.Func) error {
	d.fn, d.carry = f, -1
	d.at[f] = int32(len(d.code))
	for _, r := range f.Regs() {
		if r.Type() == isa.Pred {
			d.slots[r] = int32(len(d.preds))
			d.preds = append(d.preds, r.Name())
		} else {
			d.slots[r] = d.newSlot(r.Name())
		}
	}
	if err := d.block(f.Body); err != nil {
		return err
	}
	// Falling off the end of a body is a return.
	d.code = append(d.code, inst{ctl: ret, guard: noGuard, line: int32(f.Line)})
	return nil
}

func (d *decoder) newSlot(name string) int32 {
	d.k.names = append(d.k.names, name)
	return int32(len(d.k.names) - 1)
}

func (d *decoder) newPred(name string) int32 {
	d.preds = append(d.preds, name)
	return int32(len(d.preds) - 1)
}

func (d *decoder) block(b *ptx.Block) error {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Block:
			if err := d.block(s); err != nil {
				return err
			}
		case *ptx.Label:
			d.at[s] = int32(len(d.code))
		case *ptx.Instr:
			if err := d.instr(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// instr decodes one instruction with the handler of its opcode.
func (d *decoder) instr(in *ptx.Instr) error {
	b := &build{d: d, in: in, mods: in.Form.Mods()}
	b.inst = inst{guard: noGuard, line: int32(in.Line), text: in}
	if r := in.Guard.Reg; r != nil {
		b.inst.guard, b.inst.guardNot = d.slots[r], in.Guard.Not
	}
	h := handlers[in.Form.Opcode()]
	if h == nil {
		return b.fail("the instruction is not modelled")
	}
	h(b)
	if b.err == nil {
		for i, m := range b.mods {
			if b.used>>i&1 == 0 {
				return b.fail("the modifier .%s is not modelled", m)
			}
		}
	}
	if b.err != nil {
		return b.err
	}
	d.code = append(d.code, b.pre...)
	pc := len(d.code)
	d.code = append(d.code, b.inst)
	d.code = append(d.code, b.post...)
	if b.jump != nil {
		target := b.jump
		d.fix = append(d.fix, func() { d.code[pc].target = d.at[target] })
	}
	return nil
}

// build is the decoding of one instruction.
type build struct {
	d    *decoder
	in   *ptx.Instr
	mods []string
	used uint64 // modifiers that the handler knows
	inst inst
	pre  []inst // helpers before it: special registers and addresses as operands
	post []inst
	jump any
	err  error
}

func (b *build) fail(format string, args ...any) error {
	if b.err == nil {
		b.err = &DecodeError{Line: b.in.Line, Col: b.in.Col, Func: b.d.fn.Name, Text: b.in.Form.Mnemonic(), Reason: fmt.Sprintf(format, args...)}
	}
	return b.err
}

// has reports whether a modifier is there, and accounts for it.
func (b *build) has(tok string) bool {
	for i, m := range b.mods {
		if m == tok {
			b.used |= 1 << i
			return true
		}
	}
	return false
}

// oneOf returns the modifier of the list that is there, or "".
func (b *build) oneOf(toks ...string) string {
	for _, t := range toks {
		if b.has(t) {
			return t
		}
	}
	return ""
}

// ignore accounts for modifiers that do not change a result here: cache hints, scopes, alignment promises.
func (b *build) ignore(prefixes ...string) {
	for i, m := range b.mods {
		for _, p := range prefixes {
			if m == p || strings.HasSuffix(p, "*") && strings.HasPrefix(m, p[:len(p)-1]) {
				b.used |= 1 << i
			}
		}
	}
}

// types returns the type modifiers in order and accounts for them.
func (b *build) types() []isa.Type {
	var out []isa.Type
	for i, m := range b.mods {
		if t := isa.TypeOf(m); t != isa.NoType {
			b.used |= 1 << i
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		out = append(out, isa.NoType)
	}
	return out
}

// typ returns the last type modifier.
func (b *build) typ() isa.Type {
	t := b.types()
	return t[len(t)-1]
}

// rounding returns the floating-point rounding modifier, rn by default.
func (b *build) rounding() string {
	if r := b.oneOf("rn", "rz", "rm", "rp"); r != "" {
		return r
	}
	return "rn"
}

// op returns the operand of a slot by its index, failing where the text leaves it out.
func (b *build) op(i int) ptx.Operand {
	if i < len(b.in.Operands) && b.in.Operands[i] != nil {
		return b.in.Operands[i]
	}
	b.fail("operand %d is missing", i+1)
	return ptx.Int{}
}

// arg returns the operand of a slot by the manual's name for it, or nil where the text leaves it out.
func (b *build) arg(name string) ptx.Operand {
	for i, s := range b.in.Form.Operands() {
		if s.Name == name && i < len(b.in.Operands) {
			return b.in.Operands[i]
		}
	}
	return nil
}

// need is arg for an operand that must be there.
func (b *build) need(name string) ptx.Operand {
	if o := b.arg(name); o != nil {
		return o
	}
	b.fail("operand %s is missing", name)
	return ptx.Int{}
}

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
	return b.d.p.constant(a.off + uint64(o.Off)), -1
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

// finish resolves predicate numbers to ids, and marks loops that wait and kernels whose CTAs are independent.
func finish(k *Kernel) {
	k.private = true
	for i := range k.code {
		in := &k.code[i]
		for _, list := range [][]int32{in.uses, in.outs, in.writes} {
			for j, id := range list {
				if id < 0 {
					list[j] = int32(k.nregs) + ^id
				}
			}
		}
		if in.text == nil {
			continue
		}
		if shares(in.text) {
			k.private = false
		}
		if in.text.Form.Opcode() == "bra" && in.target <= int32(i) {
			for j := in.target; j <= int32(i); j++ {
				if t := k.code[j].text; t != nil && waits(t) {
					in.spin = true
				}
			}
		}
	}
}

// shares reports whether an instruction may let CTAs see each other: an atomic, or an ordered or volatile access, that
// is not known to stay in the CTA's shared memory.
func shares(in *ptx.Instr) bool {
	f := in.Form
	switch f.Opcode() {
	case "atom", "red":
		return !f.Has("shared") && !f.Has("shared::cta")
	case "ld", "st":
		return (f.Has("volatile") || f.Has("acquire") || f.Has("release") || f.Has("relaxed")) && !f.Has("shared") && !f.Has("shared::cta")
	case "barrier":
		return f.Has("cluster")
	case "mapa", "multimem", "mbarrier", "cp":
		return true
	case "mov":
		for _, o := range in.Operands {
			if s, ok := o.(ptx.SReg); ok && (s == ptx.Clock || s == ptx.Clock64 || s == ptx.ClockHi || s == ptx.GlobalTimer || s == ptx.GlobalTimerLo || s == ptx.GlobalTimerHi || s == ptx.SMID) {
				return true
			}
		}
	}
	return false
}

// waits reports whether a loop around the instruction may wait for another thread.
func waits(in *ptx.Instr) bool {
	f := in.Form
	switch f.Opcode() {
	case "atom", "nanosleep":
		return true
	case "ld":
		return f.Has("volatile") || f.Has("acquire") || f.Has("relaxed") || f.Has("cv") || f.Has("cg")
	case "mbarrier":
		return f.Has("test_wait") || f.Has("try_wait")
	}
	return false
}

func (in *inst) name() string {
	if in.text == nil {
		return "the end of the function"
	}
	return in.text.Form.Mnemonic()
}

// laneList writes a mask as ranges: "0-3,7".
func laneList(m uint32) string {
	if m == fullMask {
		return "0-31"
	}
	var b strings.Builder
	for l := 0; l < warpSize; l++ {
		if m>>l&1 == 0 {
			continue
		}
		end := l
		for end+1 < warpSize && m>>(end+1)&1 != 0 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(l))
		if end > l {
			b.WriteString("-" + strconv.Itoa(end))
		}
		l = end
	}
	return b.String()
}

func itoa(n int) string { return strconv.Itoa(n) }
