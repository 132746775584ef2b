package ir

import "github.com/oxideinfer/oxide/ir/op"

// Option is a typed modifier of an operation. Which ones a method takes is in its signature.
type Option interface{ attr() op.Attr }

// Rounding of a floating-point result; RN, to nearest even, is the default.
type Rounding string

// Rounding modes: to nearest even, towards zero, down, up.
const (
	RN Rounding = "rn"
	RZ Rounding = "rz"
	RM Rounding = "rm"
	RP Rounding = "rp"
)

// RoundingToInt is the rounding of a conversion to an integer; RZI, truncation, is the default as in Go.
type RoundingToInt string

// Integer rounding modes: towards zero, to nearest even, down, up.
const (
	RZI RoundingToInt = "rzi"
	RNI RoundingToInt = "rni"
	RMI RoundingToInt = "rmi"
	RPI RoundingToInt = "rpi"
)

// Approximation asks for a faster, inexact instruction; its error bound is in the method's comment.
type Approximation string

// Approximations. Full exists for Div only: 2 ulp over the full range of the divisor.
const (
	Approx Approximation = "approx"
	Full   Approximation = "full"
)

// Flush treats subnormal operands and results as zero.
type Flush string

// Saturate clamps: floats to [0, 1] with NaN as 0, integer conversions to the range of the result.
type Saturate string

// Finite makes an overflowing conversion give the largest finite value.
type Finite string

// Relu makes negative results 0.
type Relu string

// PropagateNaN makes Min and Max return NaN when either operand is NaN.
type PropagateNaN string

// Flags.
const (
	FTZ       Flush        = "ftz"
	Sat       Saturate     = "sat"
	SatFinite Finite       = "satfinite"
	ReLU      Relu         = "relu"
	NaN       PropagateNaN = "nan"
)

// Width divides the warp into segments of 2, 4, 8 or 16 lanes that shuffles do not cross.
type Width int

// Members restricts a warp operation to a set of lanes, bit i for lane i; all of them must execute it.
type Members uint32

func (r Rounding) attr() op.Attr      { return op.Attr{Name: "rnd", Text: string(r)} }
func (r RoundingToInt) attr() op.Attr { return op.Attr{Name: "rnd", Text: string(r)} }
func (a Approximation) attr() op.Attr { return op.Attr{Name: "approx", Text: string(a)} }
func (f Flush) attr() op.Attr         { return op.Attr{Name: string(f)} }
func (f Saturate) attr() op.Attr      { return op.Attr{Name: string(f)} }
func (f Finite) attr() op.Attr        { return op.Attr{Name: string(f)} }
func (f Relu) attr() op.Attr          { return op.Attr{Name: string(f)} }
func (f PropagateNaN) attr() op.Attr  { return op.Attr{Name: string(f)} }
func (w Width) attr() op.Attr         { return op.Attr{Name: "width", Int: int64(w)} }
func (m Members) attr() op.Attr       { return op.Attr{Name: "mask", Int: int64(m)} }

func attrsOf[O Option](opts []O, more ...op.Attr) []op.Attr {
	list := more
	for _, o := range opts {
		list = append(list, o.attr())
	}
	return list
}
