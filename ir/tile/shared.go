package tile

import (
	"math/bits"

	"github.com/oxideinfer/oxide/ir"
)

// Shared is a tile in shared memory, or a part of one.
type Shared struct {
	b     *Block
	name  string
	l     Layout // of this part
	whole Layout // of the tile that it is a part of, for the distance of its panels
	p     ir.Shared[ir.U8]
	slot  *Slot // the stage of a ring that it lies in, nil for none
	stage ir.U32
	moved bool // stage counts
}

// Place puts a tile into the block's dynamic shared memory.
func (b *Block) Place(name string, l Layout) *Shared {
	if msg, fix := l.check(); msg != "" {
		b.refuse(CodeShape, fix, "tile %s: %s", name, msg)
		l = Layout{Format: l.Format, Rows: 64, Cols: 64}
	}
	return &Shared{b: b, name: name, l: l, whole: l, p: ir.DynamicArray[ir.U8](b.k, name, l.Bytes(), l.Align())}
}

// Layout is how the tile lies in memory.
func (s *Shared) Layout() Layout { return s.l }

// Stage is the tile in stage i.
func (s *Shared) Stage(i ir.U32) *Shared {
	t := *s
	t.stage, t.moved = i, true
	return &t
}

// Rows is the part of n rows from the first on. In memory it must start where the swizzle's pattern does.
func (s *Shared) Rows(first, n int) *Shared {
	unit := 8
	if s.l.Major == ColumnMajor {
		unit = s.l.perPanel()
	}
	if first%unit != 0 || n%unit != 0 || first < 0 || n < 1 || first+n > s.l.Rows {
		s.b.refuse(CodeShape, "use whole groups of rows inside of the tile", "rows %d to %d of %s, in groups of %d", first, first+n-1, s.l, unit)
		return s
	}
	t := *s
	t.l.Rows = n
	t.p = s.p.AtConst(s.rowOffset(first))
	return &t
}

// RowsFrom is Rows for a device value: part i of parts of n rows.
func (s *Shared) RowsFrom(i ir.U32, n int) *Shared {
	t := *s.Rows(0, n)
	t.p = t.p.At(i.Mul(s.b.u32(s.rowOffset(n))))
	return &t
}

func (s *Shared) rowOffset(row int) int {
	if s.l.Major == ColumnMajor {
		return row / s.l.perPanel() * s.whole.panelBytes()
	}
	return row * s.l.width()
}

// Transposed is the same memory with rows and columns exchanged.
func (s *Shared) Transposed() *Shared {
	t := *s
	t.l, t.whole = s.l.Transposed(), s.whole.Transposed()
	return &t
}

// base is the address of the first byte in its stage.
func (s *Shared) base() ir.Shared[ir.U8] {
	s.alive("used")
	if !s.moved {
		return s.p
	}
	return s.p.At(s.stage.Mul(s.b.u32(s.whole.StageBytes())))
}

// panel is the address of a panel of the part.
func (s *Shared) panel(i int) ir.Shared[ir.U8] { return s.base().AtConst(i * s.whole.panelBytes()) }

// alive reports that the stage of a ring has been given back.
func (s *Shared) alive(what string) {
	if s.slot != nil && s.slot.released {
		s.b.refuse(CodeSlotReleased, "use it before Release", "tile %s is %s after its stage was given back at %s", s.name, what, s.slot.releasedAt)
	}
}

// Address is the address of the element in a row and column. Elements of a 16-byte chunk are contiguous.
func Address[T ir.Elem](s *Shared, row, col ir.U32) ir.Shared[T] {
	l, c := s.l, s.b.u32
	line, at := row, col
	if l.Major == ColumnMajor {
		line, at = col, row
	}
	bytes := at.Mul(c(l.Format.Bytes()))
	shift := bits.TrailingZeros(uint(l.width()))
	panel, inside := bytes.ShiftRight(c(shift)), bytes.And(c(l.width()-1))
	offset := panel.Mul(c(s.whole.panelBytes())).Add(line.Mul(c(l.width()))).Add(inside.Xor(l.permute(line)))
	return ir.CastShared[T](s.base().At(offset))
}

// permute is what a line's number changes in the address of a chunk (PTX ISA 5.5.7): address bits 4 and up are combined
// with bits 7 and up.
func (l Layout) permute(line ir.U32) ir.U32 {
	k := ir.KernelOf(line)
	c := func(n int) ir.U32 { return k.ConstU32(uint32(n)) }
	chunks := l.width() / 16
	if chunks == 1 {
		return c(0)
	}
	return line.ShiftRight(c(bits.TrailingZeros(uint(128 / l.width())))).And(c(chunks - 1)).ShiftLeft(c(4))
}

// descriptor describes the tile as a factor to wgmma.
func (s *Shared) descriptor() ir.MatrixDesc {
	s.alive("read")
	d := ir.Describe(s.p, s.whole.operand())
	if s.moved {
		d = d.Add(s.stage.Mul(s.b.u32(s.whole.StageBytes())))
	}
	return d
}
