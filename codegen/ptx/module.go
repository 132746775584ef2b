package ptx

import "github.com/oxideinfer/oxide/codegen/ptx/isa"

// Pos is a place in PTX text. The zero Pos belongs to what was built and not read.
type Pos struct {
	Line, Col int // both from 1
}

// Module is one PTX translation unit (manual 3 and 5).
type Module struct {
	Version     isa.Version // 90 is PTX ISA 9.0
	Target      []string    // "sm_90a", and options such as "debug"
	AddressSize int         // 64, or 32 for old text; 0 where the text leaves it out
	Decls       []Decl      // in text order: a symbol is declared before it is used
}

// NewModule returns an empty module for one target with 64-bit addresses.
func NewModule(version isa.Version, target string) *Module {
	return &Module{Version: version, Target: []string{target}, AddressSize: 64}
}

// Decl is a declaration at module level: *Var, *Func or *Pragma.
type Decl interface{ isDecl() }

// Symbol is what a name in an operand may stand for besides registers and labels: *Var or *Func.
type Symbol interface {
	SymbolName() string
	isSymbol()
}

// Linkage is the linking directive of a variable or function (manual 11.6).
type Linkage uint8

// The linking directives.
const (
	NoLinkage Linkage = iota
	Extern
	Visible
	Weak
	Common
	numLinkages
)

var linkageNames = [numLinkages]string{"", ".extern", ".visible", ".weak", ".common"}

// String returns the directive, empty for none.
func (l Linkage) String() string {
	if l >= numLinkages {
		return "?"
	}
	return linkageNames[l]
}

// Pragma is a .pragma directive at module level or between instructions (manual 11.4).
type Pragma struct {
	Pos
	Text string // without quotes; it contains neither quotes nor line ends
}

func (*Pragma) isDecl() {}
func (*Pragma) isStmt() {}

// Funcs returns the functions of the module in text order, prototypes included.
func (m *Module) Funcs() []*Func {
	var out []*Func
	for _, d := range m.Decls {
		if f, ok := d.(*Func); ok {
			out = append(out, f)
		}
	}
	return out
}

// Entry returns the kernel of that name that has a body, or nil.
func (m *Module) Entry(name string) *Func {
	for _, f := range m.Funcs() {
		if f.Entry && f.Body != nil && f.Name == name {
			return f
		}
	}
	return nil
}
