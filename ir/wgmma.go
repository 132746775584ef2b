package ir

import "github.com/oxideinfer/oxide/ir/op"

// MatrixType is the type of a factor's elements.
type MatrixType string

// Types of factors.
const (
	MatrixF16  MatrixType = "f16"
	MatrixBF16 MatrixType = "bf16"
	MatrixTF32 MatrixType = "tf32"
	MatrixE4M3 MatrixType = "e4m3"
	MatrixE5M2 MatrixType = "e5m2"
	MatrixS8   MatrixType = "s8"
	MatrixU8   MatrixType = "u8"
	MatrixF64  MatrixType = "f64" // MMA only
)

// Swizzle is how 16-byte chunks of a shared tile are permuted, by the width of its rows.
type Swizzle string

// Swizzles.
const (
	NoSwizzle   Swizzle = "none"
	Swizzle32B  Swizzle = "32B"
	Swizzle64B  Swizzle = "64B"
	Swizzle128B Swizzle = "128B"
)

// Span is the number of bytes after which the pattern repeats, to which tiles are aligned.
func (s Swizzle) Span() int {
	switch s {
	case Swizzle32B:
		return 256
	case Swizzle64B:
		return 512
	case Swizzle128B:
		return 1024
	}
	return 16
}

// TileLayout tells a matrix descriptor how a tile lies in shared memory. What the two offsets mean depends on swizzle and
// major dimension (PTX ISA 9.7.15.5.1).
type TileLayout struct {
	LeadingBytes int // leading dimension byte offset, a multiple of 16
	StrideBytes  int // stride dimension byte offset, a multiple of 16
	Swizzle      Swizzle
	BaseOffset   int // 0 where the tile starts on a multiple of the swizzle's span
}

// MatrixDesc describes a tile in shared memory to a warpgroup's matrix instruction.
type MatrixDesc struct{ d U64 }

// Describe makes the descriptor of the tile at p.
func Describe[T Elem](p Shared[T], l TileLayout) MatrixDesc {
	swizzle := l.Swizzle
	if swizzle == "" {
		swizzle = NoSwizzle
	}
	attrs := []op.Attr{{Name: "lbo", Int: int64(l.LeadingBytes)}, {Name: "sbo", Int: int64(l.StrideBytes)},
		{Name: "swizzle", Text: string(swizzle)}, {Name: "base", Int: int64(l.BaseOffset)}}
	return MatrixDesc{U64{emitOne("matrix_desc", attrs, scalar(op.U64), use(p))}}
}

// Add is the descriptor of the tile that lies bytes further, a multiple of 16: another stage or step of the sum.
func (d MatrixDesc) Add(bytes U32) MatrixDesc {
	return MatrixDesc{U64{emitOne("desc_add", nil, scalar(op.U64), use(d.d), use(bytes))}}
}

// AddConst is Add for a build value.
func (d MatrixDesc) AddConst(bytes int) MatrixDesc {
	if bytes == 0 {
		return d
	}
	return d.Add(owner(use(d.d)).ConstU32(uint32(bytes)))
}

// Bits is the descriptor as an integer.
func (d MatrixDesc) Bits() U64 { return d.d }

// WGMMAOption modifies a WGMMA.
type WGMMAOption interface{ wgmma() access }

// WGMMAFlag is a WGMMAOption.
type WGMMAFlag string

// Modifiers of WGMMA. Transposed factors have the dimension that is not summed over innermost in shared memory; only f16 and
// bf16 can.
const (
	ZeroD      WGMMAFlag = "zero" // d = a·b: what d held is dropped
	NegateA    WGMMAFlag = "neg_a"
	NegateB    WGMMAFlag = "neg_b"
	TransposeA WGMMAFlag = "trans_a"
	TransposeB WGMMAFlag = "trans_b"
)

// Accumulate is a WGMMAOption; see AddWhere.
type Accumulate struct{ p *Value }

// AddWhere drops what d held where p, equal in the warpgroup, does not hold.
func AddWhere(p Pred) Accumulate { return Accumulate{use(p)} }

func (f WGMMAFlag) wgmma() access  { return access{attr: op.Attr{Name: string(f)}} }
func (f Finite) wgmma() access     { return access{attr: f.attr()} }
func (a Accumulate) wgmma() access { return access{attr: op.Attr{Name: "scale_d"}, operand: a.p} }

// columns is the N of an accumulator: its warpgroup's 128 threads hold 64 rows.
func columns[D Elem](d Fragment[D]) op.Attr {
	var t D
	n := d.Len() * 2
	if t.static().Kind.Lanes() == 2 {
		n *= 2
	}
	return op.Attr{Name: "n", Int: int64(n)}
}

func wgmmaOp[D Elem](name string, d Fragment[D], at, bt MatrixType, opts []WGMMAOption) *optionSet {
	o := &optionSet{name: name, attrs: []op.Attr{columns(d), {Name: "a_type", Text: string(at)}, {Name: "b_type", Text: string(bt)}}}
	for _, x := range opts {
		o.add(x.wgmma())
	}
	return o
}

// WGMMA starts d = a·b + d in a warpgroup: 64 rows, and as many columns as d has registers for (two a register, four with
// packed halves). The sum is over 32 bytes of each row of a and column of b. d, and the tiles, must not be touched until a
// WGMMAWait has covered the group. PTX: wgmma.mma_async (ISA 9.7.15.5.2).
func WGMMA[D Elem](d Fragment[D], a, b MatrixDesc, at, bt MatrixType, opts ...WGMMAOption) {
	wgmmaOp("wgmma", d, at, bt, opts).emit([]*Value{use(d), use(a.d), use(b.d)})
}

// WGMMARegisters is WGMMA with a in four registers of a fragment, from the first on.
func WGMMARegisters[D, A Elem](d Fragment[D], a Fragment[A], first int, b MatrixDesc, at, bt MatrixType, opts ...WGMMAOption) {
	o := wgmmaOp("wgmma_rs", d, at, bt, opts)
	o.attrs = append(o.attrs, op.Attr{Name: "first", Int: int64(first)})
	o.emit([]*Value{use(d), use(a), use(b.d)})
}
