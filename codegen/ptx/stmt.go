package ptx

import "github.com/oxideinfer/oxide/codegen/ptx/isa"

// Stmt is a statement of a body: *Instr, *Label, *RegDecl, *Var, *Block, *Pragma, *BranchTargets, *CallTargets or
// *CallPrototype. Debug directives (.loc, .file, .section) are read over: canonical PTX has none.
type Stmt interface{ isStmt() }

// Block is a body or a braced scope inside one: names declared in it end with it.
type Block struct {
	Pos
	Stmts []Stmt
}

func (*Block) isStmt() {}

// Append adds statements at the end.
func (b *Block) Append(s ...Stmt) { b.Stmts = append(b.Stmts, s...) }

// Emit appends an instruction and returns it. The operands are parallel to form.Operands();
// Check compares them with it.
func (b *Block) Emit(form *isa.Form, operands ...Operand) *Instr {
	in := &Instr{Form: form, Operands: operands}
	b.Append(in)
	return in
}

// Guard is the predicate before an instruction (manual 9.3). The zero Guard is none.
type Guard struct {
	Reg *Reg
	Not bool // @!p
}

// Instr is one instruction.
type Instr struct {
	Pos
	Guard Guard
	Form  *isa.Form
	// Operands is parallel to Form.Operands(): nil where an optional operand is left out, and shorter where those at
	// the end are. Both halves of d|p have their own place.
	Operands []Operand
}

func (*Instr) isStmt() {}

// If guards the instruction by a predicate and returns it.
func (in *Instr) If(p *Reg) *Instr { in.Guard = Guard{Reg: p}; return in }

// IfNot guards the instruction by the complement of a predicate and returns it.
func (in *Instr) IfNot(p *Reg) *Instr { in.Guard = Guard{Reg: p, Not: true}; return in }

// Label is a place in a body, as a statement, and a branch to it, as an operand.
type Label struct {
	Pos
	Name string
}

func (*Label) isStmt()    {}
func (*Label) isOperand() {}

// BranchTargets is a labelled .branchtargets list, the operand of brx.idx (manual 9.7.12.4, 11.3).
type BranchTargets struct {
	Pos
	Name    string
	Targets []*Label
}

func (*BranchTargets) isStmt()    {}
func (*BranchTargets) isOperand() {}

// CallTargets is a labelled .calltargets list (manual 11.3).
type CallTargets struct {
	Pos
	Name    string
	Targets []*Func
}

func (*CallTargets) isStmt()    {}
func (*CallTargets) isOperand() {}

// CallPrototype is a labelled .callprototype: the signature of an indirect call (manual 11.3).
type CallPrototype struct {
	Pos
	Name            string
	Returns, Params []*Var
	NoReturn        bool
}

func (*CallPrototype) isStmt()    {}
func (*CallPrototype) isOperand() {}
