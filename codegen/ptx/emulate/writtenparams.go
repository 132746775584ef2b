package emulate

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// writtenAllocs says which allocations a launch may write, as far as the text tells: those that pointers in its
// parameters lie in, where every address that the kernel writes comes from such a pointer. Reads of the others are
// not kept by the race checker. A write that comes anyway ends that.
type writtenAllocs struct {
	all    bool
	allocs map[*alloc]bool
}

func (s *writtenAllocs) may(a *alloc) bool { return s.all || s.allocs[a] }

// writtenBy evaluates a launch's parameters.
func writtenBy(l *launch) *writtenAllocs {
	if l.k.writes == nil {
		return &writtenAllocs{all: true}
	}
	s := &writtenAllocs{allocs: map[*alloc]bool{}}
	for off := range l.k.writes {
		if int(off)+8 > len(l.params) {
			continue
		}
		if a := l.dev.find(binary.LittleEndian.Uint64(l.params[off:])); a != nil {
			s.allocs[a] = true
		}
	}
	return s
}

// origins is where a 64-bit register's value may come from: offsets of parameters, or anywhere.
type origins struct {
	params map[uint64]bool
	any    bool
}

// pointerFlow follows pointers through the 64-bit registers of one function. Narrower registers hold no pointer.
type pointerFlow struct {
	k       *Kernel
	from    map[*ptx.Reg]*origins
	instrs  []*ptx.Instr
	changed bool
}

// pointersWritten returns the offsets of the parameters that the addresses of writes come from, or nil if an address
// may come from elsewhere.
func pointersWritten(k *Kernel) map[uint64]bool {
	f := &pointerFlow{k: k, from: map[*ptx.Reg]*origins{}}
	eachInstr(k.fn.Body, func(in *ptx.Instr) { f.instrs = append(f.instrs, in) })
	for f.changed = true; f.changed; {
		f.changed = false
		for _, in := range f.instrs {
			f.derive(in)
		}
	}
	out := map[uint64]bool{}
	for _, in := range f.instrs {
		if !f.written(in, out) {
			return nil
		}
	}
	return out
}

func eachInstr(b *ptx.Block, f func(*ptx.Instr)) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Instr:
			f(s)
		case *ptx.Block:
			eachInstr(s, f)
		}
	}
}

// derive joins what flows through an instruction into its 64-bit results.
func (f *pointerFlow) derive(in *ptx.Instr) {
	if len(in.Operands) == 0 {
		return
	}
	for _, o := range operandList(in.Operands[0]) {
		d, ok := o.(*ptx.Reg)
		if !ok || d.Type().Bits() < 64 {
			continue
		}
		switch in.Form.Opcode() {
		case "add", "sub", "mad", "cvta", "cvt", "selp", "min", "max", "and", "or", "mov":
			for _, s := range in.Operands[1:] {
				f.flow(d, s)
			}
		case "mul", "shl", "shr", "mapa", "st", "red":
		case "ld":
			f.load(d, in)
		default:
			f.join(d, true, nil)
		}
	}
}

func (f *pointerFlow) flow(d *ptx.Reg, s ptx.Operand) {
	switch s := s.(type) {
	case *ptx.Reg:
		if o := f.from[s]; o != nil {
			f.join(d, o.any, o.params)
		}
	case ptx.Vec:
		f.join(d, true, nil)
	case ptx.Sym:
		v, ok := s.Of.(*ptx.Var)
		f.join(d, !ok || isModuleMemory(v), nil)
	}
}

func (f *pointerFlow) load(d *ptx.Reg, in *ptx.Instr) {
	if a, ok := in.Operands[1].(ptx.Addr); ok && in.Form.Has("param") {
		if s, ok := a.Base.(ptx.Sym); ok {
			if v, ok := s.Of.(*ptx.Var); ok {
				f.join(d, false, map[uint64]bool{f.k.vars[v].off + uint64(s.Off) + uint64(a.Off): true})
				return
			}
		}
	}
	f.join(d, true, nil)
}

func (f *pointerFlow) join(d *ptx.Reg, any bool, params map[uint64]bool) {
	o := f.from[d]
	if o == nil {
		o = &origins{params: map[uint64]bool{}}
		f.from[d] = o
	}
	if any && !o.any {
		o.any, f.changed = true, true
	}
	for p := range params {
		if !o.params[p] {
			o.params[p], f.changed = true, true
		}
	}
}

// written adds the parameters behind the addresses that an instruction may write; false: an address is unknown.
func (f *pointerFlow) written(in *ptx.Instr, out map[uint64]bool) bool {
	switch in.Form.Opcode() {
	case "call":
		return false
	case "cp":
		if in.Form.Has("tensor") && in.Operands != nil && !in.Form.Has("mbarrier::complete_tx::bytes") && !in.Form.Has("prefetch") {
			return false // a store through a tensor map
		}
	case "st", "atom", "red", "multimem":
	default:
		return true
	}
	for _, s := range in.Operands {
		a, ok := s.(ptx.Addr)
		if !ok {
			continue
		}
		switch b := a.Base.(type) {
		case *ptx.Reg:
			if o := f.from[b]; o != nil && b.Type().Bits() == 64 {
				if o.any && !onlyShared(in) {
					return false
				}
				for p := range o.params {
					out[p] = true
				}
			}
		case ptx.Sym:
			if v, ok := b.Of.(*ptx.Var); ok && isModuleMemory(v) {
				return false
			}
		}
	}
	return true
}

// onlyShared reports whether every address of the instruction is in shared or local memory.
func onlyShared(in *ptx.Instr) bool {
	switch in.Form.Opcode() {
	case "st", "atom", "red":
		for _, n := range []string{"shared", "shared::cta", "shared::cluster", "local", "param"} {
			if in.Form.Has(n) {
				return true
			}
		}
	}
	return false
}
