package ptx

import (
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// RegDecl is a .reg directive for one name or for one range of names (manual 5.1.1, 5.4.6).
type RegDecl struct {
	Pos
	Type  isa.Type
	Name  string // the register's name, or the prefix of a range
	Count int    // a range Name0 … Name(Count-1); 0 declares the single register Name

	fn   *Func
	regs map[int]*Reg // registers that something names; a range may declare a million
}

func (*RegDecl) isStmt() {}

// Reg is a register. It exists once somebody names it; a range declares more names than are ever used.
type Reg struct {
	Decl  *RegDecl
	Index int // within the range; 0 for a single register
	// ID numbers the registers of one function densely from 0, in the order in which they were first named.
	ID int
}

func (*Reg) isOperand() {}

// Type is the declared type.
func (r *Reg) Type() isa.Type { return r.Decl.Type }

// Name is the name in the text.
func (r *Reg) Name() string {
	if r.Decl.Count == 0 {
		return r.Decl.Name
	}
	return r.Decl.Name + strconv.Itoa(r.Index)
}

// reg returns the register of an index below Count (0 for a single register).
func (d *RegDecl) reg(index int) *Reg {
	if r := d.regs[index]; r != nil {
		return r
	}
	r := &Reg{Decl: d, Index: index, ID: len(d.fn.regs)}
	if d.regs == nil {
		d.regs = map[int]*Reg{}
	}
	d.regs[index] = r
	d.fn.regs = append(d.fn.regs, r)
	return r
}

// regPrefix is the name prefix of built registers: one prefix a declared type, so that ptxas checks every use.
func regPrefix(t isa.Type) string {
	switch t {
	case isa.Pred:
		return "%p"
	case isa.B8:
		return "%c"
	case isa.U8:
		return "%uc"
	case isa.S8:
		return "%sc"
	case isa.B16:
		return "%h"
	case isa.U16:
		return "%rs"
	case isa.S16:
		return "%ss"
	case isa.F16:
		return "%hf"
	case isa.B32:
		return "%b"
	case isa.U32:
		return "%r"
	case isa.S32:
		return "%s"
	case isa.F32:
		return "%f"
	case isa.F16X2:
		return "%hx"
	case isa.B64:
		return "%bd"
	case isa.U64:
		return "%rd"
	case isa.S64:
		return "%sd"
	case isa.F64:
		return "%fd"
	case isa.B128:
		return "%rq"
	}
	return ""
}
