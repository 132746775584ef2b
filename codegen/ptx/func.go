package ptx

import (
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Func is a kernel (.entry) or a device function (.func), or a prototype of one (manual 5.1.6, 11.2).
type Func struct {
	Pos
	Linkage    Linkage
	Entry      bool
	Name       string
	Returns    []*Var // .func only
	Params     []*Var
	Directives Directives
	Body       *Block // nil: a prototype
	Definition *Func  // of a prototype: the function that defines it in this module, or nil

	regs    []*Reg
	nLabels int
}

func (*Func) isDecl()   {}
func (*Func) isSymbol() {}

// SymbolName returns the function's name.
func (f *Func) SymbolName() string { return f.Name }

// Directives are the performance-tuning and cluster directives of a function (manual 11.4, 11.7). Zero or nil: absent.
type Directives struct {
	MaxNTID           [3]int // .maxntid x[, y[, z]]; dimensions left out are 1
	ReqNTID           [3]int // .reqntid x[, y[, z]]; dimensions left out are 1
	MinNCTAPerSM      int    // .minnctapersm
	MaxNCTAPerSM      int    // .maxnctapersm
	MaxNReg           int    // .maxnreg
	ReqNCTAPerCluster [3]int // .reqnctapercluster x[, y[, z]]; dimensions left out are 1
	ExplicitCluster   bool   // .explicitcluster
	MaxClusterRank    int    // .maxclusterrank
	BlocksAreClusters bool   // .blocksareclusters
	NoReturn          bool   // .noreturn
	Pragmas           []string
}

// NewEntry appends a visible kernel with an empty body.
func (m *Module) NewEntry(name string) *Func {
	f := &Func{Linkage: Visible, Entry: true, Name: name, Body: &Block{}}
	m.Decls = append(m.Decls, f)
	return f
}

// NewVar appends a module-level variable and returns it; the caller may fill in more fields.
func (m *Module) NewVar(space isa.Space, t isa.Type, name string, dims ...int64) *Var {
	v := &Var{Space: space, Type: t, Name: name, Dims: dims}
	m.Decls = append(m.Decls, v)
	return v
}

// DynamicShared appends the declaration of dynamic shared memory: .extern .shared .align n .b8 name[].
func (m *Module) DynamicShared(name string, align int) *Var {
	v := m.NewVar(isa.Shared, isa.B8, name, 0)
	v.Linkage, v.Align = Extern, align
	return v
}

// NewParam appends a scalar parameter. Its name is the function's with a number, as other compilers do.
func (f *Func) NewParam(t isa.Type) *Var {
	v := &Var{Space: isa.Param, Type: t, Name: f.Name + "_param_" + strconv.Itoa(len(f.Params))}
	f.Params = append(f.Params, v)
	return v
}

// NewBytesParam appends a parameter of size bytes that is passed by value, such as a tensor map.
func (f *Func) NewBytesParam(size int64, align int) *Var {
	v := f.NewParam(isa.B8)
	v.Dims, v.Align = []int64{size}, align
	return v
}

// NewShared declares a static shared array in the function's body, before its instructions.
func (f *Func) NewShared(t isa.Type, name string, align int, n int64) *Var {
	v := &Var{Space: isa.Shared, Type: t, Name: name, Align: align, Dims: []int64{n}}
	f.insertDecl(v)
	return v
}

// insertDecl puts a variable behind the declarations at the head of the body.
func (f *Func) insertDecl(v *Var) {
	i := 0
	for ; i < len(f.Body.Stmts); i++ {
		_, isReg := f.Body.Stmts[i].(*RegDecl)
		_, isVar := f.Body.Stmts[i].(*Var)
		if !isReg && !isVar {
			break
		}
	}
	f.insert(i, v)
}

func (f *Func) insert(i int, s Stmt) {
	f.Body.Stmts = append(f.Body.Stmts, nil)
	copy(f.Body.Stmts[i+1:], f.Body.Stmts[i:])
	f.Body.Stmts[i] = s
}

// NewReg hands out the next register of a type, numbered from 1: %f1, %f2, … The head of the body declares one range
// for each type in use, in the order of the types, whatever the order of the calls.
func (f *Func) NewReg(t isa.Type) *Reg {
	d := f.regRange(t)
	d.Count++
	return d.reg(d.Count - 1)
}

// regRange finds or makes the range of a type among the leading declarations.
func (f *Func) regRange(t isa.Type) *RegDecl {
	i := 0
	for ; i < len(f.Body.Stmts); i++ {
		d, ok := f.Body.Stmts[i].(*RegDecl)
		if !ok || d.Type > t {
			break
		}
		if d.Type == t && d.Count > 0 && d.Name == regPrefix(t) {
			return d
		}
	}
	d := &RegDecl{Type: t, Name: regPrefix(t), Count: 1, fn: f} // number 0 stays unused: names count from 1
	f.insert(i, d)
	return d
}

// NewLabel returns a label with the next number; Block.Append places it.
func (f *Func) NewLabel() *Label {
	f.nLabels++
	return &Label{Name: "$L" + strconv.Itoa(f.nLabels)}
}

// Emit appends an instruction to the body.
func (f *Func) Emit(form *isa.Form, operands ...Operand) *Instr {
	return f.Body.Emit(form, operands...)
}

// Place appends a label to the body.
func (f *Func) Place(l *Label) { f.Body.Append(l) }

// Regs returns every register that the function names, indexed by Reg.ID.
func (f *Func) Regs() []*Reg { return f.regs }
