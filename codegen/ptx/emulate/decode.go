package emulate

import (
	"fmt"
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
	k.writes = pointersWritten(k)
	d.watchMatrices()
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
				d.k.clustered = d.k.clustered || usesCluster(s.Form)
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
	b.inst = inst{guard: noGuard, line: int32(in.Line), text: in, own: true}
	if r := in.Guard.Reg; r != nil {
		b.inst.guard, b.inst.guardNot = d.slots[r], in.Guard.Not
	}
	h := handlers[in.Form.Opcode()]
	if h == nil {
		return b.fail("the instruction is not modelled")
	}
	if !d.p.ring || !decodeRing(b) {
		h(b)
	}
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
