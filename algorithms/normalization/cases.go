package normalization

import (
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// fills are all kinds of input values.
var fills = [...]catalog.Fill{catalog.Normal, catalog.Positive, catalog.Cancelling, catalog.Integers, catalog.Zeros, catalog.Special,
	catalog.Tiny, catalog.Huge, catalog.Constant}

// formatCombinations are the admitted element types: input, weight, output.
func formatCombinations() [][3]oxrt.DType {
	var all [][3]oxrt.DType
	for _, in := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32} {
		for _, w := range []oxrt.DType{in, oxrt.F32} {
			if w == oxrt.F32 && in == oxrt.F32 && len(all) > 0 && all[len(all)-1][0] == oxrt.F32 {
				continue
			}
			all = append(all, [3]oxrt.DType{in, w, in}, [3]oxrt.DType{in, w, oxrt.E4M3})
		}
	}
	return all
}

// rowShape is what the cases of the row operators vary.
type rowShape struct {
	rows, hidden  int
	maxRows       int // what the plan is made for; 0: rows
	types         [3]oxrt.DType
	rounding      Rounding
	pad           int // elements between the rows
	align         int
	epsilon       float32
	offset, scale float32
	fill          catalog.Fill
	inPlace       bool
	misplace      int
	quick         bool
}

func (s rowShape) name() string {
	name := fmt.Sprintf("%dx%d %v*%v->%v %s", s.rows, s.hidden, s.types[0], s.types[1], s.types[2], s.fill)
	for _, note := range []struct {
		say  bool
		text string
	}{
		{s.maxRows > 0, "planned for many rows"}, {s.rounding == RoundBeforeWeight, "rounded before"}, {s.pad > 0, fmt.Sprintf("padded %d", s.pad)},
		{s.misplace > 0, "misaligned"}, {s.epsilon == 0, "epsilon 0"}, {s.offset != 0, "offset 1"},
		{s.scale != 1, fmt.Sprintf("scale %g", s.scale)}, {s.inPlace, "in place"},
	} {
		if note.say {
			name += ", " + note.text
		}
	}
	return name
}

// rowShapes is the list of cases that every row operator goes through.
func rowShapes() []rowShape {
	bf16 := [3]oxrt.DType{oxrt.BF16, oxrt.BF16, oxrt.BF16}
	base := rowShape{rows: 3, hidden: 256, types: bf16, align: 16, epsilon: 1e-6, scale: 1, fill: catalog.Normal, quick: true}
	var all []rowShape
	with := func(change func(*rowShape)) {
		s := base
		change(&s)
		all = append(all, s)
	}
	for _, h := range []int{1, 7, 8, 63, 64, 65, 127, 128, 129, 512, 1000, 1024, 1536, 2048, 4096, 4104, 8192, 16384, 16392, 65535, 65536} {
		with(func(s *rowShape) { s.hidden, s.quick = h, h <= 4104 })
	}
	for _, h := range []int{512, 1024, 1536, 2048, 4096, 8192, 16384} {
		with(func(s *rowShape) { s.hidden, s.maxRows, s.quick = h, 1<<20, h <= 4096 })
	}
	with(func(s *rowShape) { s.rows, s.hidden, s.maxRows = 20, 8192, 1<<20 }) // more rows than the emulated device holds: prefetched
	with(func(s *rowShape) { s.rows, s.hidden, s.maxRows, s.pad, s.quick = 1100, 8192, 1<<20, 8, false })
	with(func(s *rowShape) { s.rows, s.hidden, s.maxRows, s.quick = 100, 8192, 128, false })
	with(func(s *rowShape) { s.rows = 0 })
	with(func(s *rowShape) { s.rows, s.hidden, s.quick = 1000, 512, false })
	for _, types := range formatCombinations() {
		for _, rounding := range []Rounding{RoundAfterWeight, RoundBeforeWeight} {
			for _, h := range []int{104, 129, 2056, 4104} {
				with(func(s *rowShape) {
					s.types, s.rounding, s.hidden, s.rows = types, rounding, h, 2
					s.scale = scaleOf(types[2])
					s.quick = h < 2048
				})
			}
		}
	}
	for _, in := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32} {
		for _, fill := range fills {
			with(func(s *rowShape) { s.types, s.fill, s.rows = [3]oxrt.DType{in, in, in}, fill, 9 })
		}
		with(func(s *rowShape) {
			s.types, s.fill, s.rows = [3]oxrt.DType{in, in, oxrt.E4M3}, catalog.Special, 9
		})
		for _, fill := range []catalog.Fill{catalog.Normal, catalog.Zeros, catalog.Integers} {
			with(func(s *rowShape) { s.types, s.fill, s.epsilon = [3]oxrt.DType{in, in, in}, fill, 0 })
		}
		with(func(s *rowShape) { s.types, s.inPlace = [3]oxrt.DType{in, in, in}, true })
		with(func(s *rowShape) { s.types, s.pad = [3]oxrt.DType{in, in, in}, 8 })
		with(func(s *rowShape) { s.types, s.pad, s.inPlace = [3]oxrt.DType{in, in, in}, 24, true })
		with(func(s *rowShape) { s.types, s.pad, s.hidden = [3]oxrt.DType{in, in, in}, 3, 130 })
		with(func(s *rowShape) { s.types, s.align, s.misplace = [3]oxrt.DType{in, in, in}, in.Size(), 1 })
		with(func(s *rowShape) { s.types, s.offset = [3]oxrt.DType{in, in, in}, 1 })
	}
	return all
}

func scaleOf(output oxrt.DType) float32 {
	if output == oxrt.E4M3 {
		return 0.03
	}
	return 1
}

// limit is the Spec's MaxRows.
func (s rowShape) limit() int { return max(s.rows, s.maxRows, 1) }

func (s rowShape) strideOf() int {
	if s.pad == 0 {
		return 0
	}
	return s.hidden + s.pad
}

func (s rowShape) asCase(spec any) catalog.Case {
	return catalog.Case{Name: s.name(), Spec: spec, Dims: []int{s.rows}, Fill: s.fill, InPlace: s.inPlace, Offset: s.misplace, Quick: s.quick}
}
