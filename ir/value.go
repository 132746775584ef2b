package ir

import (
	"math"
	"strconv"

	"github.com/oxideinfer/oxide/ir/op"
)

// Type, Kind and Space are the table's; see package op.
type (
	Type  = op.Type
	Kind  = op.Kind
	Space = op.Space
)

// Value is one device value: an op's result, a region's argument, a kernel parameter, an array's address or a constant.
// Kernel code holds typed handles (F32, Global[BF16]); passes and the lowering see Values.
type Value struct {
	kernel *Kernel
	typ    Type
	kind   ValueKind
	name   string
	bits   uint64  // of a constant
	def    *Op     // of a result
	region *Region // where it is visible; nil means everywhere
	index  int     // among the results, arguments, parameters or arrays
	id     int     // dense, set by Kernel.number
	bad    bool    // made from something already reported: suppresses further findings
	fwd    *Value  // set when another value took its place
}

// ValueKind tells where a value comes from.
type ValueKind uint8

// Value kinds.
const (
	ResultValue ValueKind = iota
	ArgumentValue
	ParamValue
	ArrayValue
	ConstValue
)

// Type gives the value's type.
func (v *Value) Type() Type { return v.typ }

// Kind tells where the value comes from.
func (v *Value) Kind() ValueKind { return v.kind }

// Def is the op whose result this is, or nil.
func (v *Value) Def() *Op { return v.def }

// Region is where the value lives; nil for parameters, arrays and constants.
func (v *Value) Region() *Region { return v.region }

// Index is the position among its op's results, its region's arguments, the kernel's parameters or its arrays.
func (v *Value) Index() int { return v.index }

// ID is dense and in textual order; it is renewed when a kernel is printed, parsed or finished.
func (v *Value) ID() int { return v.id }

// Name is the parameter's or array's name, else empty.
func (v *Value) Name() string { return v.name }

// IsConst tells whether the value is a constant.
func (v *Value) IsConst() bool { return v.kind == ConstValue }

// Bits is a constant's representation in its own width, zero extended.
func (v *Value) Bits() uint64 { return v.bits }

// Int is an integer constant's value, sign extended for signed kinds.
func (v *Value) Int() int64 { return signed(v.typ.Kind, v.bits) }

func signed(k Kind, bits uint64) int64 {
	switch k {
	case op.S8:
		return int64(int8(bits))
	case op.S16:
		return int64(int16(bits))
	case op.S32:
		return int64(int32(bits))
	}
	return int64(bits)
}

// literal is a constant's text: u32:7, f32:1.5, pred:true. Floats that decimal text would not carry are written in bits.
func (v *Value) literal() string {
	k := v.typ.Kind
	text := ""
	switch {
	case k == op.Pred:
		text = strconv.FormatBool(v.bits != 0)
	case k == op.F32 && finite32(v.bits):
		text = strconv.FormatFloat(float64(math.Float32frombits(uint32(v.bits))), 'g', -1, 32)
	case k == op.F64 && finite64(v.bits):
		text = strconv.FormatFloat(math.Float64frombits(v.bits), 'g', -1, 64)
	case op.Signed.Has(k) || k == op.S8:
		text = strconv.FormatInt(v.Int(), 10)
	case op.Unsigned.Has(k) || k == op.U8:
		text = strconv.FormatUint(v.bits, 10)
	default:
		text = "0x" + strconv.FormatUint(v.bits, 16)
	}
	return v.typ.String() + ":" + text
}

func finite32(bits uint64) bool { return uint32(bits)&0x7f800000 != 0x7f800000 }

func finite64(bits uint64) bool { return bits&0x7ff0000000000000 != 0x7ff0000000000000 }

// resolve follows replacements.
func resolve(v *Value) *Value {
	for v != nil && v.fwd != nil {
		v = v.fwd
	}
	return v
}
