package ir

import (
	"math"

	"github.com/oxideinfer/oxide/ir/op"
)

// ParamOption describes what a kernel may assume about a parameter.
type ParamOption interface{ apply(*ParamDecl) }

type paramFlag string

// Constant says that no launch which may still be in flight writes the memory behind the parameter (weights, tables that
// were uploaded before). Only such memory may be read with NC, or before GridDependencyWait.
const Constant paramFlag = "constant"

// Writes says that the kernel writes through the parameter.
const Writes paramFlag = "writes"

func (f paramFlag) apply(p *ParamDecl) {
	switch f {
	case Constant:
		p.Constant = true
	case Writes:
		p.Writes = true
	}
}

// Aligned promises that the parameter's address is a multiple of that many bytes.
type Aligned int

func (a Aligned) apply(p *ParamDecl) { p.Align = int(a) }

// Param declares a parameter that is passed by value.
func Param[T Elem](k *Kernel, name string) T {
	var t T
	return T{k.param(t.static(), name, nil)}
}

// GlobalParam declares a pointer to global memory.
func GlobalParam[T Elem](k *Kernel, name string, opts ...ParamOption) Global[T] {
	return Global[T]{k.param(elemType[T](op.Global), name, opts)}
}

// SharedArray declares n elements of static shared memory, aligned to align bytes at least (0: the element's size).
func SharedArray[T Elem](k *Kernel, name string, n, align int) Shared[T] {
	return Shared[T]{k.array(Array{Name: name, Type: elemType[T](op.Shared), Count: n, Align: align})}
}

// wholeDynamic is the array that stands for all dynamic shared memory.
const wholeDynamic = "dynamic_shared"

// DynamicShared gives the start of the dynamic shared memory, whose size is in the launch contract. The base is only as
// aligned as promised here if the kernel has no static shared arrays.
func DynamicShared[T Elem](k *Kernel, align int) Shared[T] {
	for _, a := range k.Arrays {
		if a.Dynamic && a.Count == 0 {
			return Shared[T]{emitOne("ptr_cast", nil, elemType[T](op.Shared), a.Value)}
		}
	}
	return Shared[T]{k.array(Array{Name: wholeDynamic, Type: elemType[T](op.Shared), Align: align, Dynamic: true})}
}

// DynamicArray declares n elements of dynamic shared memory behind those that were declared before, aligned to align bytes
// at least. Each is an array of its own for the verifier. A kernel that uses it has no static shared arrays, so that the
// first one's alignment holds, and does not use DynamicShared.
func DynamicArray[T Elem](k *Kernel, name string, n, align int) Shared[T] {
	a := Array{Name: name, Type: elemType[T](op.Shared), Count: n, Align: align, Dynamic: true}
	end := k.dynamicEnd()
	a.Offset = (end + max(align, 1) - 1) / max(align, 1) * max(align, 1)
	return Shared[T]{k.array(a)}
}

// dynamicEnd is the size of the dynamic shared arrays so far.
func (k *Kernel) dynamicEnd() int {
	end := 0
	for _, a := range k.Arrays {
		if a.Dynamic {
			end = max(end, a.Offset+a.Bytes())
		}
	}
	return end
}

// LocalArray declares n elements of a thread's local memory. It is slow; the contract must allow the stack it takes.
func LocalArray[T Elem](k *Kernel, name string, n, align int) Local[T] {
	return Local[T]{k.array(Array{Name: name, Type: elemType[T](op.Local), Count: n, Align: align})}
}

// ConstF32 makes an f32 constant.
func (k *Kernel) ConstF32(x float32) F32 {
	return F32{k.constant(scalar(op.F32), uint64(math.Float32bits(x)))}
}

// ConstF64 makes an f64 constant.
func (k *Kernel) ConstF64(x float64) F64 { return F64{k.constant(scalar(op.F64), math.Float64bits(x))} }

// ConstPred makes a predicate constant.
func (k *Kernel) ConstPred(x bool) Pred {
	if x {
		return Pred{k.constant(scalar(op.Pred), 1)}
	}
	return Pred{k.constant(scalar(op.Pred), 0)}
}

// ConstBits makes a constant of any element type from its representation: halves, fp8 and packed values.
func ConstBits[T Elem](k *Kernel, bits uint64) T {
	var t T
	return T{k.constant(t.static(), bits)}
}

// Uniform gives lane 0's value in every lane of the warp, which makes it known to be equal there.
func Uniform[T Handle](x T) T {
	return T{emitOne("uniform", nil, x.static(), use(x))}
}

// Uniform is ir.Uniform for the common case of an index.
func (k *Kernel) Uniform(x U32) U32 { return Uniform(x) }

// Select gives x where p holds and y elsewhere, without a branch.
func Select[T Handle](p Pred, x, y T) T {
	return T{emitOne("select", nil, x.static(), use(p), use(x), use(y))}
}
