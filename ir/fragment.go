package ir

import "github.com/oxideinfer/oxide/ir/op"

// Fragment is an array of registers that each thread holds: the accumulator of a matrix product or the part of a factor.
// It has an identity, unlike other values: matrix instructions change it in place while the thread goes on, and loops and
// branches carry nothing. Get makes snapshots. While an instruction in flight uses it, it must not be touched.
type Fragment[T Elem] struct{ v *Value }

func (f Fragment[T]) value() *Value { return f.v }
func (Fragment[T]) static() Type    { return elemType[T](op.Register) }

// NewFragment declares n registers of 32 or 64 bits, not initialised.
func NewFragment[T Elem](k *Kernel, name string, n int) Fragment[T] {
	return Fragment[T]{k.array(Array{Name: name, Type: elemType[T](op.Register), Count: n})}
}

// Len is the number of registers.
func (f Fragment[T]) Len() int {
	v := use(f)
	if v == nil || v.kind != ArrayValue {
		return 0
	}
	return v.kernel.Arrays[v.index].Count
}

// Get reads n registers from the first on.
func (f Fragment[T]) Get(first, n int) Vec[T] {
	var t T
	v := use(f)
	types := make([]Type, max(n, 0))
	for i := range types {
		types[i] = t.static()
	}
	return handles[T](owner(v).Emit("reg_read", []op.Attr{{Name: "first", Int: int64(first)}}, types, v).Results)
}

// All reads every register.
func (f Fragment[T]) All() Vec[T] { return f.Get(0, f.Len()) }

// Set writes registers from the first on.
func (f Fragment[T]) Set(first int, x Vec[T]) {
	emitNone("reg_write", []op.Attr{{Name: "first", Int: int64(first)}}, append([]*Value{use(f)}, useAll(x)...)...)
}

// Fill sets every register to x.
func (f Fragment[T]) Fill(x T) {
	all := make(Vec[T], f.Len())
	for i := range all {
		all[i] = x
	}
	f.Set(0, all)
}

// InWarps holds in the n warps of the block from the first on, build values. Branches on it divide the block into roles,
// which the verifier follows one by one. Warps count along x, then y, then z.
func (k *Kernel) InWarps(first, n int) Pred {
	return Pred{k.Emit("in_warps", []op.Attr{{Name: "first", Int: int64(first)}, {Name: "warps", Int: int64(n)}}, []Type{scalar(op.Pred)}).Result()}
}

// InWarpgroups is InWarps for groups of four warps.
func (k *Kernel) InWarpgroups(first, n int) Pred { return k.InWarps(4*first, 4*n) }

// IncreaseRegisters gives each thread of the warpgroup n registers, and waits until they are there. PTX: setmaxnreg.inc (ISA
// 9.7.19.5).
func (k *Kernel) IncreaseRegisters(n int) { k.setRegisters("inc", n) }

// DecreaseRegisters leaves each thread of the warpgroup n registers. PTX: setmaxnreg.dec (ISA 9.7.19.5).
func (k *Kernel) DecreaseRegisters(n int) { k.setRegisters("dec", n) }

func (k *Kernel) setRegisters(action string, n int) {
	k.Emit("setmaxnreg", []op.Attr{{Name: "action", Text: action}, {Name: "registers", Int: int64(n)}}, nil)
}
