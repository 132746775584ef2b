package tile

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/op"
)

// Major says which dimension of a tile is contiguous.
type Major string

// Majors. A factor of a matrix product has rows of M or N, and columns of K, the dimension that is summed over.
const (
	RowMajor    Major = ""    // a row's elements are contiguous: K-major for a factor
	ColumnMajor Major = "col" // a column's elements are: MN-major
)

// Layout is how a tile lies in shared memory: a build value, from which the bytes, the tensor map's box and the descriptors
// of matrix instructions follow, so that they cannot disagree.
//
// The contiguous dimension is cut into panels as wide as the swizzle, 128, 64 or 32 bytes, 16 without one. A panel holds
// its part of every line, one after the other; 16-byte chunks are permuted by the line's number. This is what a tensor copy
// writes and what wgmma reads (PTX ISA 9.7.15.5.1, 5.5.7).
//
//	panel 0            panel 1
//	line 0  c0 c1 …    line 0 …
//	line 1  c1 c0 …    line 1 …
//	…
type Layout struct {
	Format     lib.Format
	Rows, Cols int
	Major      Major
	Swizzle    ir.Swizzle
	Stages     int // copies of the tile, one after the other; 0 is 1
}

// stages counts them.
func (l Layout) stages() int { return max(1, l.Stages) }

// width is the length of a panel's line in bytes.
func (l Layout) width() int {
	switch l.Swizzle {
	case ir.Swizzle128B:
		return 128
	case ir.Swizzle64B:
		return 64
	case ir.Swizzle32B:
		return 32
	}
	return 16
}

// lines is how many lines a panel has, length the elements of a whole line.
func (l Layout) lines() int {
	if l.Major == ColumnMajor {
		return l.Cols
	}
	return l.Rows
}

func (l Layout) length() int {
	if l.Major == ColumnMajor {
		return l.Rows
	}
	return l.Cols
}

// perPanel is the number of elements in a panel's line.
func (l Layout) perPanel() int { return l.width() / l.Format.Bytes() }

func (l Layout) panels() int { return l.length() / l.perPanel() }

func (l Layout) panelBytes() int { return l.lines() * l.width() }

// StageBytes is the size of one stage.
func (l Layout) StageBytes() int { return l.Rows * l.Cols * l.Format.Bytes() }

// Bytes is the size of all stages.
func (l Layout) Bytes() int { return l.stages() * l.StageBytes() }

// Align is the alignment of the tile: the swizzle's pattern must start where a stage does, a tensor copy at 128 bytes.
func (l Layout) Align() int { return max(128, l.Swizzle.Span()) }

// kind is the element's kind in the IR.
func kind(f lib.Format) ir.Kind {
	switch f {
	case lib.F32:
		return op.F32
	case lib.F16:
		return op.F16
	case lib.E4M3:
		return op.E4M3
	}
	return op.BF16
}

// Promotion is how much L2 fetches around what a tensor copy misses, in bytes.
const promotion = 256

// Box is the box of one tensor copy: all lines of a panel. A wider tile takes one copy a panel, which fills with zeros what
// lies outside of the tensor.
func (l Layout) Box() ir.Box {
	return ir.Box{Elem: kind(l.Format), Dims: []int{l.perPanel(), l.lines()}, Swizzle: l.swizzle(), Promotion: promotion}
}

func (l Layout) swizzle() ir.Swizzle {
	if l.Swizzle == "" {
		return ir.NoSwizzle
	}
	return l.Swizzle
}

// Slice is the layout of so many rows of the tile, what one of several blocks copies for all.
func (l Layout) Slice(rows int) Layout {
	l.Rows = rows
	return l
}

// Transposed is the same memory with rows and columns exchanged.
func (l Layout) Transposed() Layout {
	l.Rows, l.Cols = l.Cols, l.Rows
	if l.Major == ColumnMajor {
		l.Major = RowMajor
	} else {
		l.Major = ColumnMajor
	}
	return l
}

// String is BF16[128×64] col 128B ×4.
func (l Layout) String() string {
	s := fmt.Sprintf("%s[%d×%d]", l.Format, l.Rows, l.Cols)
	if l.Major == ColumnMajor {
		s += " col"
	}
	return s + " " + string(l.swizzle()) + fmt.Sprintf(" ×%d", l.stages())
}

// check says what is wrong with the layout, or nothing.
func (l Layout) check() (msg, fix string) {
	switch {
	case l.Rows < 1 || l.Cols < 1 || l.Stages < 0:
		return "a tile without elements", "give it rows and columns"
	case l.length()%l.perPanel() != 0:
		return fmt.Sprintf("lines of %d elements are not whole panels of %d", l.length(), l.perPanel()), "choose a narrower swizzle or another width"
	case l.lines()%8 != 0:
		return fmt.Sprintf("%d lines are not whole groups of 8", l.lines()), "use a multiple of 8"
	case l.StageBytes()%l.Align() != 0:
		return fmt.Sprintf("stages of %d bytes break the alignment of %d", l.StageBytes(), l.Align()), "choose a narrower swizzle or more lines"
	}
	return "", ""
}

// sumBytes is the part of each row that one wgmma sums over.
const sumBytes = 32

// operand is how a descriptor reads the tile as a factor whose columns are summed over (PTX ISA 9.7.15.5.1). Without a
// swizzle the two offsets change their roles with the major dimension.
func (l Layout) operand() ir.TileLayout {
	t := ir.TileLayout{Swizzle: l.swizzle(), StrideBytes: 8 * l.width()}
	switch {
	case l.Major == RowMajor && l.swizzle() == ir.NoSwizzle:
		t.LeadingBytes = l.panelBytes()
	case l.Major == ColumnMajor && l.swizzle() == ir.NoSwizzle:
		t.LeadingBytes, t.StrideBytes = 8*l.width(), l.panelBytes()
	case l.Major == ColumnMajor:
		t.LeadingBytes = l.panelBytes()
	}
	return t
}

// steps is how many wgmma sum over all columns.
func (l Layout) steps() int { return l.Cols * l.Format.Bytes() / sumBytes }

// step is the offset of the columns that the i-th wgmma sums over.
func (l Layout) step(i int) int {
	if l.Major == ColumnMajor {
		return i * sumBytes / l.Format.Bytes() * l.width()
	}
	at := i * sumBytes
	return at/l.width()*l.panelBytes() + at%l.width()
}

// matrixType is the factor's type in wgmma.
func matrixType(f lib.Format) ir.MatrixType {
	switch f {
	case lib.F16:
		return ir.MatrixF16
	case lib.E4M3:
		return ir.MatrixE4M3
	case lib.F32:
		return ir.MatrixTF32
	}
	return ir.MatrixBF16
}
