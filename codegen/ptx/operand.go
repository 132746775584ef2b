package ptx

import "math"

// Operand is what an instruction works on: *Reg, SReg, Int, F32, F64, WarpSize, Sink, Not, Vec, List, Addr,
// Sym, *Label, *BranchTargets, *CallTargets or *CallPrototype.
type Operand interface{ isOperand() }

// Int is an integer constant. Its bits are Value's; Unsigned says that the text means them as a .u64.
type Int struct {
	Value    int64
	Unsigned bool
}

// F32 is a single-precision constant by its bits.
type F32 struct{ Bits uint32 }

// F64 is a double-precision constant by its bits.
type F64 struct{ Bits uint64 }

// WarpSize is the constant WARP_SZ.
type WarpSize struct{}

// Sink is "_": a result that nobody wants.
type Sink struct{}

// Not is "!p": the complement of a predicate operand.
type Not struct{ Reg *Reg }

// Vec is "{a, b, …}": registers, constants or sinks that form one operand.
type Vec []Operand

// List is "(a, b)": the results or arguments of a call.
type List []Operand

// Addr is "[base+off]" or "[base+off, {coords}]".
type Addr struct {
	Base   Operand // *Reg, Sym with Off 0, or nil for an absolute address
	Off    int64
	Coords Vec // tensor coordinates; nil for none
}

// Sym is the address or name of a variable or function, plus a number of bytes.
type Sym struct {
	Of  Symbol
	Off int64
}

func (Int) isOperand()      {}
func (F32) isOperand()      {}
func (F64) isOperand()      {}
func (WarpSize) isOperand() {}
func (Sink) isOperand()     {}
func (Not) isOperand()      {}
func (Vec) isOperand()      {}
func (List) isOperand()     {}
func (Addr) isOperand()     {}
func (Sym) isOperand()      {}

// I is an integer constant.
func I(v int64) Int { return Int{Value: v} }

// U is an unsigned integer constant; one below 2^63 is the same constant as the signed one, as in the text.
func U(v uint64) Int { return Int{Value: int64(v), Unsigned: v > math.MaxInt64} }

// Float32 is a single-precision constant.
func Float32(v float32) F32 { return F32{math.Float32bits(v)} }

// Float64 is a double-precision constant.
func Float64(v float64) F64 { return F64{math.Float64bits(v)} }

// At is the address base+off; base is a *Reg, or a Symbol's Sym.
func At(base Operand, off int64) Addr { return Addr{Base: base, Off: off} }

// AddressOf names a symbol.
func AddressOf(s Symbol) Sym { return Sym{Of: s} }
