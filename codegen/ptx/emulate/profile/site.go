package profile

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// site is what is known of one instruction of the code before it runs.
type site struct {
	in     *ptx.Instr
	op     string // opcode
	cost   cost
	uses   []int32 // registers, numbered over the kernel
	defs   []int32
	flop   uint64 // of a matrix instruction
	shared uint64 // bytes that it reads from shared memory
	wgmma  bool
	cp     bool // cp.async of a warp, not of the copy engine
	waits  bool
	order  bool // nothing behind it starts before what is in front of it
	// Groups of asynchronous operations: which of the three, and how many may stay in flight.
	commit, await int // -1: no such instruction
	left          int
}

// sites decodes instructions as they come by.
type sites struct {
	list []*site // by the number in the code
	regs map[*ptx.Reg]int32
}

func (t *sites) of(s *emulate.Step) *site {
	for len(t.list) <= s.PC {
		t.list = append(t.list, nil)
	}
	if x := t.list[s.PC]; x != nil {
		return x
	}
	x := t.decode(s.Instr)
	t.list[s.PC] = x
	return x
}

// The three kinds of groups.
const (
	cpGroups = iota
	bulkGroups
	matrixGroups
	groupKinds
)

func (t *sites) decode(in *ptx.Instr) *site {
	x := &site{in: in, commit: -1, await: -1}
	if in == nil { // the return at the end of a body
		x.op, x.cost, x.order = "ret", costs["ret"], true
		return x
	}
	f := in.Form
	x.op, x.cost = f.Opcode(), costOf(in)
	x.order = ordered[x.op]
	if in.Guard.Reg != nil {
		x.uses = append(x.uses, t.reg(in.Guard.Reg))
	}
	for i, slot := range f.Operands() {
		if i < len(in.Operands) && in.Operands[i] != nil {
			t.operand(x, in.Operands[i], slot.Dir.String() == "def")
		}
	}
	switch op := f.Op(); op {
	case "mma", "mma.sync", "wgmma.mma_async":
		x.flop, x.shared = matrixCost(in)
		x.wgmma = x.op == "wgmma"
	case "cp.async":
		x.cp = true
	case "cp.async.commit_group":
		x.commit = cpGroups
	case "cp.async.bulk.commit_group":
		x.commit = bulkGroups
	case "wgmma.commit_group":
		x.commit = matrixGroups
	case "cp.async.wait_group", "cp.async.wait_all":
		x.await = cpGroups
	case "cp.async.bulk.wait_group":
		x.await = bulkGroups
	case "wgmma.wait_group":
		x.await = matrixGroups
	}
	if x.op == "mma" {
		x.flop, _ = matrixCost(in)
	}
	if x.await >= 0 {
		for _, o := range in.Operands {
			if n, ok := o.(ptx.Int); ok {
				x.left = int(n.Value)
			}
		}
	}
	x.waits = x.await >= 0 || x.op == "mbarrier" && (f.Has("try_wait") || f.Has("test_wait"))
	return x
}

// ordered are the opcodes that ptxas moves no load across: ends of basic blocks, barriers, and what may write memory. Between two
// of them it issues loads as soon as their addresses are there, in front of what uses those before them.
var ordered = map[string]bool{
	"bra": true, "brx": true, "ret": true, "exit": true, "call": true, "trap": true,
	"bar": true, "barrier": true, "mbarrier": true, "fence": true, "membar": true, "griddepcontrol": true, "setmaxnreg": true,
	"st": true, "atom": true, "red": true, "stmatrix": true, "cp": true, "wgmma": true, "nanosleep": true,
}

func (t *sites) reg(r *ptx.Reg) int32 {
	n, ok := t.regs[r]
	if !ok {
		if t.regs == nil {
			t.regs = map[*ptx.Reg]int32{}
		}
		n = int32(len(t.regs))
		t.regs[r] = n
	}
	return n
}

// operand notes the registers of an operand. An address is always a use.
func (t *sites) operand(x *site, o ptx.Operand, def bool) {
	switch o := o.(type) {
	case *ptx.Reg:
		if def {
			x.defs = append(x.defs, t.reg(o))
		} else {
			x.uses = append(x.uses, t.reg(o))
		}
	case ptx.Not:
		x.uses = append(x.uses, t.reg(o.Reg))
	case ptx.Vec:
		for _, e := range o {
			t.operand(x, e, def)
		}
	case ptx.Addr:
		if o.Base != nil {
			t.operand(x, o.Base, false)
		}
		t.operand(x, o.Coords, false)
	}
}
