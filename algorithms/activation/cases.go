package activation

import (
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// fills are all kinds of input values.
var fills = [...]catalog.Fill{catalog.Normal, catalog.Positive, catalog.Cancelling, catalog.Integers, catalog.Zeros, catalog.Special,
	catalog.Tiny, catalog.Huge, catalog.Constant}

// shape is what the cases vary.
type shape struct {
	rows, size    int
	input, output oxrt.DType
	approximation Approximation
	packed        bool
	pad           int // elements between the rows
	align         int
	scale         float32
	fill          catalog.Fill
	inPlace       bool
	misplace      int
	quick         bool
}

func (s shape) name() string {
	name := fmt.Sprintf("%dx%d %v->%v %v %s", s.rows, s.size, s.input, s.output, s.approximation, s.fill)
	for _, note := range []struct {
		say  bool
		text string
	}{
		{s.packed, "packed"}, {s.pad > 0, fmt.Sprintf("padded %d", s.pad)}, {s.misplace > 0, "misaligned"},
		{s.scale != 1, fmt.Sprintf("scale %g", s.scale)}, {s.inPlace, "in place"},
	} {
		if note.say {
			name += ", " + note.text
		}
	}
	return name
}

// sizes are the lengths of rows: around a packet, a warp, a block, and those of models.
var sizes = [...]int{1, 7, 8, 63, 64, 65, 127, 129, 2056, 8960, 14336}

// with returns a copy of the base shape, changed.
func with(change func(*shape)) shape {
	s := shape{rows: 3, size: 64, input: oxrt.BF16, output: oxrt.BF16, align: 16, scale: 1, fill: catalog.Normal, quick: true}
	change(&s)
	return s
}

// sizeShapes vary rows and sizes.
func sizeShapes() []shape {
	var all []shape
	for _, size := range sizes {
		for _, rows := range []int{0, 1, 3, 128} {
			all = append(all, with(func(s *shape) { s.rows, s.size, s.quick = rows, size, rows <= 3 && size <= 2056 }))
		}
	}
	// More rows than a grid has blocks in y.
	return append(all, with(func(s *shape) { s.rows, s.size, s.quick = 65537, 1, false }))
}

// formatShapes go through every kernel variant of one function.
func formatShapes(a Approximation) []shape {
	var all []shape
	for _, in := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32} {
		add := func(change func(*shape)) {
			all = append(all, with(func(s *shape) {
				s.input, s.output, s.approximation = in, in, a
				change(s)
			}))
		}
		for _, fill := range fills {
			add(func(s *shape) { s.fill, s.rows = fill, 9 })
			add(func(s *shape) { s.fill, s.rows, s.output, s.scale = fill, 9, oxrt.E4M3, 0.03 })
		}
		add(func(s *shape) { s.inPlace = true })
		add(func(s *shape) { s.pad, s.inPlace = 24, true })
		add(func(s *shape) { s.pad, s.size, s.inPlace = 3, 65, true })
		add(func(s *shape) { s.pad = 8 })
		add(func(s *shape) { s.pad, s.output = 16, oxrt.E4M3 })
		add(func(s *shape) { s.align, s.misplace = in.Size(), 1 })
		add(func(s *shape) { s.align, s.misplace, s.size, s.pad = in.Size(), 3, 65, 5 })
		add(func(s *shape) { s.rows, s.size, s.quick = 16, 8960, false })
	}
	return all
}

// stride is that of a tensor whose dense rows have so many elements.
func (s shape) stride(dense int) int {
	if s.pad == 0 {
		return 0
	}
	return dense + s.pad
}

// asCase names a Spec.
func (s shape) asCase(spec any) catalog.Case {
	return catalog.Case{Name: s.name(), Spec: spec, Dims: []int{s.rows}, Fill: s.fill, InPlace: s.inPlace, Offset: s.misplace, Quick: s.quick}
}

// casesOf makes the cases of one operator.
func casesOf(gated bool, approximations []Approximation, spec func(shape) any) []catalog.Case {
	shapes := sizeShapes()
	for _, a := range approximations {
		shapes = append(shapes, formatShapes(a)...)
	}
	var all []catalog.Case
	for _, s := range shapes {
		all = append(all, s.asCase(spec(s)))
		if gated && !s.inPlace {
			s.packed = true
			all = append(all, s.asCase(spec(s)))
		}
	}
	return all
}

func swiglu(s shape) any {
	g := &SwiGLUSpec{MaxRows: max(s.rows, 1), Size: s.size, Input: s.input, Output: s.output, Packed: s.packed, YStride: s.stride(s.size),
		Align: s.align, OutputScale: s.scale}
	if s.packed {
		g.GateUpStride = s.stride(2 * s.size)
	} else {
		g.GateStride, g.UpStride = s.stride(s.size), s.stride(2*s.size)
	}
	return g
}

func geglu(s shape) any {
	g := swiglu(s).(*SwiGLUSpec)
	return &GeGLUSpec{g.MaxRows, g.Size, g.Input, g.Output, g.Packed, g.GateUpStride, g.GateStride, g.UpStride, g.YStride, g.Align,
		g.OutputScale, s.approximation}
}

func plainSiLU(s shape) any {
	return &SiLUSpec{MaxRows: max(s.rows, 1), Size: s.size, Input: s.input, Output: s.output, XStride: s.stride(s.size),
		YStride: s.stride(s.size), Align: s.align, OutputScale: s.scale}
}

func plainGELU(s shape) any {
	x := plainSiLU(s).(*SiLUSpec)
	return &GELUSpec{x.MaxRows, x.Size, x.Input, x.Output, x.XStride, x.YStride, x.Align, x.OutputScale, s.approximation}
}

func swigluCases() []catalog.Case { return casesOf(true, []Approximation{Exact}, swiglu) }
func gegluCases() []catalog.Case  { return casesOf(true, []Approximation{Exact, Tanh}, geglu) }
func siluCases() []catalog.Case   { return casesOf(false, []Approximation{Exact}, plainSiLU) }
func geluCases() []catalog.Case   { return casesOf(false, []Approximation{Exact, Tanh}, plainGELU) }
