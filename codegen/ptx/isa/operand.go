package isa

import "strings"

// Kind is the set of things that may stand at an operand position.
type Kind uint16

// The kinds.
const (
	KindReg    Kind = 1 << iota // a register
	KindImm                     // a constant expression
	KindVec                     // { r0, r1, … } of Slot.N elements
	KindAddr                    // [ base + offset ]
	KindTensor                  // [ map, { coordinates } ], Slot.N of them
	KindLabel                   // a label of the function
	KindSym                     // the address of a variable or function, by name
	KindSReg                    // a special register
	KindTable                   // the name of a .branchtargets list
	KindFunc                    // a function name, or a register holding its address
	KindList                    // ( a, b, … ): parameters of a call
	KindProto                   // the name of a .callprototype or .calltargets
)

var kindNames = []string{"register", "constant", "vector", "address", "tensor address", "label", "symbol",
	"special register", "branch table", "function", "parameter list", "prototype"}

// String lists the kinds in words.
func (k Kind) String() string {
	var out []string
	for i, n := range kindNames {
		if k>>i&1 != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, " or ")
}

// Dir says whether an instruction reads or writes an operand register.
type Dir uint8

// The directions. UseDef is an accumulator: read and written in place.
const (
	Use Dir = iota
	Def
	UseDef
)

// String returns "use", "def" or "usedef".
func (d Dir) String() string { return [...]string{"use", "def", "usedef"}[d] }

// Slot is one operand position of a form.
type Slot struct {
	Name  string // as in the manual
	Kind  Kind
	Dir   Dir
	Type  Type  // of a register, of each element of a vector, of the accessed datum of an address
	N     int   // elements of KindVec, coordinates of KindTensor; 0: no vector
	Space Space // of an address
	// Opt: may be left out. Where several are, the ones given fill them from the left; see Form.Assign.
	Opt bool
	// ScalarOnly names another operand: where a vector stands there, this one does not exist (wgmma with its A operand
	// in registers has no imm-trans-a).
	ScalarOnly string
	// OrPred: a predicate may stand here too, with another meaning (ignore-src of cp.async).
	OrPred bool
	// Pair: joined to the operand before it by '|' instead of a comma: d|p.
	Pair bool
	// Sink: '_' may stand for a result that is not wanted; SinkOnly: it must.
	Sink, SinkOnly bool
	// Negate: !p may stand for a predicate.
	Negate bool
	// Wide: the register may be wider than the type (ld, st, cvt; manual 9.4.1).
	Wide bool
	// Pack: a vector may stand here whose elements together fill the type (mov of a .b type; manual 9.7.9.4). N is 0:
	// the number of elements is free.
	Pack bool
	// ElemImm: elements of a vector may be constants.
	ElemImm bool
	// Values lists the constants that the manual allows, or typical ones, separated by '|'; empty for any.
	Values string
}

// Vector reports whether only a vector may stand here.
func (s *Slot) Vector() bool { return s.Kind == KindVec }
