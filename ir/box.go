package ir

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/ir/op"
)

// Box is what a tensor map must say for a kernel's copies: the part of the tensor that one copy moves and how it lies in
// shared memory. As an option of TensorMapParam it becomes part of the launch contract: the host encodes exactly this map,
// the verifier knows how many bytes a copy brings.
type Box struct {
	Elem      Kind
	Dims      []int // elements in each dimension, innermost first
	Swizzle   Swizzle
	Promotion int  // bytes that L2 fetches around what it misses: 0, 64, 128 or 256
	FillNaN   bool // elements outside of the tensor read as NaN, not as zero
}

// Bytes is the size of the box in shared memory.
func (b Box) Bytes() int {
	n := b.Elem.Bytes()
	for _, d := range b.Dims {
		n *= d
	}
	return n
}

// Equal tells whether two boxes ask for the same map.
func (b Box) Equal(c Box) bool { return b.text() == c.text() }

func (b Box) apply(p *ParamDecl) { p.Box = &b }

// text is the box as properties of a parameter.
func (b Box) text() string {
	var t strings.Builder
	fmt.Fprintf(&t, " elem %s", b.Elem)
	for _, d := range b.Dims {
		fmt.Fprintf(&t, " box %d", d)
	}
	return t.String() + word(b.Swizzle != "" && b.Swizzle != NoSwizzle, " swizzle "+string(b.Swizzle)) + number(" promotion", b.Promotion) + word(b.FillNaN, " nan")
}

func (b *Box) String() string {
	if b == nil {
		return ""
	}
	return b.text()
}

// Limits of a box (PTX ISA 5.5.2; CUDA driver API, cuTensorMapEncodeTiled).
const (
	maxBoxDims = 5
	maxBoxSize = 256
)

// swizzleSpan is the length of the rows that a swizzle permutes; without one rows may have any length.
var swizzleSpan = map[Swizzle]int{Swizzle32B: 32, Swizzle64B: 64, Swizzle128B: 128}

// boxes checks the boxes of tensor maps.
func (c *checker) boxes() {
	for _, p := range c.k.Params {
		if p.Box == nil {
			continue
		}
		refuse := func(fix, format string, args ...any) {
			c.add(Finding{Code: CodeBox, Pos: p.Pos, Msg: fmt.Sprintf("box of parameter %s: ", p.Name) + fmt.Sprintf(format, args...), Fix: fix, Manual: "5.5.2"})
		}
		if p.Type.Kind != op.TensorMap {
			refuse("declare the parameter with ir.TensorMapParam", "only a tensor map has one")
			continue
		}
		p.Box.check(refuse)
	}
}

func (b *Box) check(refuse func(fix, format string, args ...any)) {
	if n := len(b.Dims); n < 1 || n > maxBoxDims {
		refuse("give each of 1 to 5 dimensions its size", "%d dimensions", n)
		return
	}
	for _, d := range b.Dims {
		if d < 1 || d > maxBoxSize {
			refuse("copy several boxes", "%d elements in a dimension; 1 to 256 are possible", d)
		}
	}
	row, span := b.Dims[0]*b.Elem.Bytes(), swizzleSpan[b.Swizzle]
	if row%16 != 0 || span != 0 && row > span {
		refuse("choose another width or swizzle", "rows of %d bytes; they are a multiple of 16, and at most as long as the swizzle (%s)", row, b.Swizzle)
	}
	if p := b.Promotion; p != 0 && p != 64 && p != 128 && p != 256 {
		refuse("use 0, 64, 128 or 256", "L2 fetches %d bytes", p)
	}
}

// boxOf is the box of the map that a copy goes through, nil if the kernel does not say.
func (c *checker) boxOf(o *Op) *Box {
	if p := c.k.declared(c.roots.root(o.Arg("map"))); p != nil {
		return p.Box
	}
	return nil
}

// boxBytes is how many bytes a tensor copy moves, 0 if that is not known.
func (c *checker) boxBytes(o *Op) int64 {
	if b := c.boxOf(o); b != nil {
		return int64(b.Bytes())
	}
	return o.Int("box_bytes")
}
