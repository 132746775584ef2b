package lib

import "github.com/oxideinfer/oxide/ir"

// Cursor is a pointer that walks with a fixed step: a loop over rows adds to an address instead of multiplying a 64-bit
// row number by a stride each time.
type Cursor[T ir.Elem] struct {
	at   ir.Var[ir.Global[T]]
	step ir.U64
}

// NewCursor starts at element index first·stride of p and steps by count·stride elements. The multiplications are
// 32×32→64 and happen once.
func NewCursor[T ir.Elem](p ir.Global[T], first, count, stride ir.U32) Cursor[T] {
	return NewCursorAt(p.At(first.MulWide(stride)), elementBytes[T](count.MulWide(stride)))
}

// NewCursorAt starts at p and steps by stepBytes.
func NewCursorAt[T ir.Elem](p ir.Global[T], stepBytes ir.U64) Cursor[T] {
	return Cursor[T]{at: ir.NewVar(p), step: stepBytes}
}

// elementBytes is n elements of T in bytes.
func elementBytes[T ir.Elem](n ir.U64) ir.U64 {
	bytes, k := ir.SizeOf[T](), ir.KernelOf(n)
	shift := uint32(0)
	for 1<<shift < bytes {
		shift++
	}
	return n.ShiftLeft(k.ConstU32(shift))
}

// Get is where the cursor is now.
func (c Cursor[T]) Get() ir.Global[T] { return c.at.Get() }

// Advance moves it by one step.
func (c Cursor[T]) Advance() { c.at.Set(c.at.Get().AtByte(c.step)) }
