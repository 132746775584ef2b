package ptx

import "github.com/oxideinfer/oxide/codegen/ptx/isa"

// Var is a variable: at module level, in a body, or a parameter (manual 5.1, 5.4).
type Var struct {
	Pos
	Linkage Linkage
	Space   isa.Space // a space that Declares variables
	Align   int       // bytes; 0 where the text names none: the natural alignment, see Alignment
	Type    isa.Type  // element type
	Vec     int       // 2 or 4 for .v2 and .v4, else 0
	Name    string
	// Dims are the array dimensions, outermost first; nil for a scalar. A first dimension of 0 is an array without
	// a size: dynamic shared memory.
	Dims []int64
	Init *Init    // nil: not initialised
	Ptr  *PtrAttr // entry parameters only: what the pointer is said to point to
}

func (*Var) isDecl()   {}
func (*Var) isStmt()   {}
func (*Var) isSymbol() {}

// SymbolName returns the variable's name.
func (v *Var) SymbolName() string { return v.Name }

// PtrAttr is the .ptr attribute of a kernel parameter (manual 5.1.6.2).
type PtrAttr struct {
	Space isa.Space // Generic where the text names none
	Align int       // bytes; 0 where the text names none
}

// ElemSize is the size of one element in bytes, the vector included.
func (v *Var) ElemSize() int64 {
	n := int64(v.Type.Bits()+7) / 8
	if v.Vec > 1 {
		n *= int64(v.Vec)
	}
	return n
}

// Size is the size in bytes; 0 for an array without a size.
func (v *Var) Size() int64 {
	n := v.ElemSize()
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// Alignment is the alignment in bytes, the natural one where the text names none.
func (v *Var) Alignment() int {
	if v.Align > 0 {
		return v.Align
	}
	return int(v.ElemSize())
}

// Init is an initialiser: a list in braces, or one value (manual 5.4.4).
type Init struct {
	List  []*Init // for a list
	Value Operand // for a value: Int, F32, F64 or Sym; nil for a list
	// Generic marks generic(symbol): the generic address of the symbol, and not its address in its space.
	Generic bool
}
