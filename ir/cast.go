package ir

import "github.com/oxideinfer/oxide/ir/op"

// Cast gives the same address with another element type: ir.Cast[ir.BF16x2](p). Methods cannot have type parameters in
// Go, hence one function per space.
func Cast[U, T Elem](p Global[T]) Global[U] { return Global[U]{castTo[U](use(p), op.Global)} }

// CastShared is Cast for shared memory.
func CastShared[U, T Elem](p Shared[T]) Shared[U] { return Shared[U]{castTo[U](use(p), op.Shared)} }

// CastLocal is Cast for local memory.
func CastLocal[U, T Elem](p Local[T]) Local[U] { return Local[U]{castTo[U](use(p), op.Local)} }

// CastGeneric is Cast for generic addresses.
func CastGeneric[U, T Elem](p Generic[T]) Generic[U] {
	return Generic[U]{castTo[U](use(p), op.Generic)}
}

// castTo keeps a constant offset outermost, so that it still folds into accesses.
func castTo[U Elem](p *Value, s Space) *Value {
	base, off := fold(p)
	cast := emitOne("ptr_cast", nil, elemType[U](s), base)
	if off == 0 {
		return cast
	}
	return atConst(cast, off)
}

// GlobalAt makes a global pointer from an address that the kernel computed or loaded, such as an entry of a page table.
func GlobalAt[T Elem](address U64) Global[T] {
	return Global[T]{emitOne("bits_ptr", nil, elemType[T](op.Global), use(address))}
}

// SharedAt makes a shared pointer from an address in the shared window.
func SharedAt[T Elem](address U32) Shared[T] {
	return Shared[T]{emitOne("bits_ptr", nil, elemType[T](op.Shared), use(address))}
}

// ToGlobal converts a generic address that is known to be global.
func ToGlobal[T Elem](p Generic[T]) Global[T] {
	return Global[T]{emitOne("from_generic", nil, elemType[T](op.Global), use(p))}
}

// ToShared converts a generic address that is known to be shared.
func ToShared[T Elem](p Generic[T]) Shared[T] {
	return Shared[T]{emitOne("from_generic", nil, elemType[T](op.Shared), use(p))}
}
