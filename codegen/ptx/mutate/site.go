package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Site is a place in a module where one mistake of a kind can be planted.
type Site struct {
	Kind Kind
	Line int    // of the instruction in the original text
	What string // the instruction, and what becomes of it
	// Plant changes the module that the site was found in. A module takes one mistake.
	Plant func()
	// Reach, of the same module, makes a thread trap where the mistake could make a difference: if nobody traps, the
	// mutant is equivalent in this case.
	Reach func()
	// Redundant: what is removed stands next to one that does the same, or orders nothing.
	Redundant bool
}

// finder collects the sites of a module.
type finder struct {
	sites     []Site
	fn        *ptx.Func
	block     *ptx.Block
	pipelined bool              // the function has asynchronous copies
	matrix    bool              // it has wgmma
	address   map[*ptx.Reg]bool // registers that addresses of shared memory are made from
}

// Sites lists the places of a module, in text order.
func Sites(m *ptx.Module) []Site {
	f := &finder{}
	for _, fn := range m.Funcs() {
		if fn.Body == nil {
			continue
		}
		f.fn, f.pipelined, f.matrix = fn, false, false
		f.survey(fn.Body)
		f.address = sharedAddresses(fn.Body)
		f.walk(fn.Body)
	}
	return f.sites
}

func (f *finder) survey(b *ptx.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Block:
			f.survey(s)
		case *ptx.Instr:
			op := s.Form.Opcode()
			f.pipelined = f.pipelined || op == "cp" || op == "mbarrier"
			f.matrix = f.matrix || op == "wgmma"
		}
	}
}

func (f *finder) walk(b *ptx.Block) {
	for _, s := range slices.Clone(b.Stmts) {
		f.block = b
		switch s := s.(type) {
		case *ptx.Block:
			f.walk(s)
		case *ptx.Instr:
			f.instr(s)
		}
	}
}

// instr finds the mistakes that one instruction can take.
func (f *finder) instr(in *ptx.Instr) {
	switch in.Form.Opcode() {
	case "bar", "barrier":
		f.barrier(in)
	case "fence", "membar":
		f.fence(in)
	case "cp":
		f.copies(in)
	case "wgmma":
		f.wgmma(in)
	case "mbarrier":
		f.mbarrier(in)
	case "ld", "st", "atom", "red":
		f.ordered(in)
	case "shfl", "vote", "redux", "match":
		f.member(in)
	case "setp":
		f.compare(in)
	case "xor", "or", "mov", "add":
		f.bits(in)
	}
}

// add records a site. reach is nil where execution of the instruction is what counts.
func (f *finder) add(kind Kind, in *ptx.Instr, what string, plant func()) *Site {
	b := f.block
	f.sites = append(f.sites, Site{Kind: kind, Line: in.Line, What: in.Form.Mnemonic() + ": " + what, Plant: plant,
		Reach: func() { before(b, in, trap(in)) }})
	return &f.sites[len(f.sites)-1]
}

// trap is a trap under the guard of an instruction.
func trap(in *ptx.Instr) *ptx.Instr {
	return &ptx.Instr{Pos: in.Pos, Guard: in.Guard, Form: must("trap")}
}

// must returns a form that is in the table.
func must(mnemonic string) *isa.Form {
	f, err := isa.Parse(mnemonic)
	if err != nil {
		panic(fmt.Sprintf("mutate: %v", err)) // a mnemonic of this package, not input
	}
	return f
}

func index(b *ptx.Block, s ptx.Stmt) int {
	return slices.IndexFunc(b.Stmts, func(x ptx.Stmt) bool { return x == s })
}

func before(b *ptx.Block, at ptx.Stmt, s ...ptx.Stmt) {
	b.Stmts = slices.Insert(b.Stmts, index(b, at), s...)
}

func remove(b *ptx.Block, s ptx.Stmt) {
	if i := index(b, s); i >= 0 {
		b.Stmts = slices.Delete(b.Stmts, i, i+1)
	}
}

// removal is a site that deletes an instruction.
func (f *finder) removal(kind Kind, in *ptx.Instr) {
	b := f.block
	redundant := f.twin(in) || kind == WarpBarrierRemoved && f.idle(in)
	f.add(kind, in, "removed", func() { remove(b, in) }).Redundant = redundant
}

// twin reports whether an equal instruction stands before or behind this one, with nothing between that touches
// memory or moves control.
func (f *finder) twin(in *ptx.Instr) bool {
	i := index(f.block, in)
	for _, step := range []int{-1, 1} {
		for j, n := i+step, 0; j >= 0 && j < len(f.block.Stmts) && n < len(f.block.Stmts); j, n = j+step, n+1 {
			o, ok := f.block.Stmts[j].(*ptx.Instr)
			if _, label := f.block.Stmts[j].(*ptx.Label); label && step > 0 {
				continue // whoever comes from the instruction goes on here
			}
			if !ok {
				break
			}
			if o.Guard == in.Guard && (o.Form == in.Form && operandsEqual(o.Operands, in.Operands) || fencesCopies(o) && fencesCopies(in) || wholeBarrier(o) && wholeBarrier(in)) {
				return true
			}
			if to, ok := jump(o); ok && step > 0 {
				if j = index(f.block, to); j < 0 {
					break
				}
				continue
			}
			if !o.Form.Pure() {
				break
			}
		}
	}
	return false
}

// wholeBarrier reports whether all threads of the block meet at barrier 0.
func wholeBarrier(in *ptx.Instr) bool {
	if op := in.Form.Opcode(); op != "bar" && op != "barrier" || in.Form.Has("warp") || in.Form.Has("cluster") || in.Form.Has("arrive") {
		return false
	}
	a := arg(in, "a")
	return a >= 0 && in.Operands[a] == ptx.Operand(ptx.I(0)) && arg(in, "b") < 0
}

// jump returns the target of a branch that everybody takes.
func jump(in *ptx.Instr) (*ptx.Label, bool) {
	if in.Form.Opcode() != "bra" || in.Guard.Reg != nil {
		return nil, false
	}
	l, ok := in.Operands[0].(*ptx.Label)
	return l, ok
}

// fencesCopies: fence.mbarrier_init and fence.proxy.async both hand an mbarrier to the copy engine.
func fencesCopies(in *ptx.Instr) bool {
	return in.Form.Opcode() == "fence" && (in.Form.Has("mbarrier_init") || in.Form.Has("async"))
}

func operandsEqual(a, b []ptx.Operand) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// arg is the place of an operand by the manual's name, or -1.
func arg(in *ptx.Instr, name string) int {
	for i, s := range in.Form.Operands() {
		if s.Name == name && i < len(in.Operands) && in.Operands[i] != nil {
			return i
		}
	}
	return -1
}

// alter is a site that changes an integer operand: a constant by f, a register by an instruction of the form before.
func (f *finder) alter(kind Kind, in *ptx.Instr, i int, what string, of func(int64) int64, mnemonic string, by int64) {
	if i < 0 {
		return
	}
	b, fn := f.block, f.fn
	switch o := in.Operands[i].(type) {
	case ptx.Int:
		f.add(kind, in, fmt.Sprintf("%s %d becomes %d", what, o.Value, of(o.Value)), func() { in.Operands[i] = ptx.Int{Value: of(o.Value)} })
	case *ptx.Reg:
		f.add(kind, in, what+" "+o.Name()+" changed by "+mnemonic+" "+fmt.Sprint(by), func() {
			r := fn.NewReg(o.Type())
			before(b, in, &ptx.Instr{Pos: in.Pos, Form: must(mnemonic), Operands: []ptx.Operand{r, o, ptx.I(by)}})
			in.Operands[i] = r
		})
	}
}

// reform replaces a modifier of an instruction, if the result is an instruction.
func reform(f *isa.Form, from, to string) *isa.Form {
	parts := strings.Split(f.Mnemonic(), ".")
	i := slices.Index(parts, from)
	if i < 0 {
		return nil
	}
	if to == "" {
		parts = slices.Delete(parts, i, i+1)
	} else {
		parts[i] = to
	}
	g, err := isa.Parse(strings.Join(parts, "."))
	if err != nil {
		return nil
	}
	return g
}
