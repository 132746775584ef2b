package gemm

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// shape is what the cases vary.
type shape struct {
	m, n, k       int
	room          int // rows that the plan is made for beyond m
	input, output oxrt.DType
	addend, bias  oxrt.DType // none: absent
	pad           int        // elements between rows
	align         int
	misplace      int
	byK           bool
	alpha, beta   float32
	factor        bool
	squaresOf     bool // the factor is made of sums of squares
	activation    Activation
	squares       bool
	scale         float32
	inPlace       bool
	invariant     bool
	fill          catalog.Fill
	slow          bool
}

func (s *shape) name() string {
	name := fmt.Sprintf("%d×%d×%d %v->%v %s", s.m, s.n, s.k, s.input, s.output, s.fill)
	for _, note := range []struct {
		say  bool
		text string
	}{
		{s.byK, "b by k"}, {s.alpha != 1, fmt.Sprintf("alpha %g", s.alpha)}, {s.addend != 0, fmt.Sprintf("c %v beta %g", s.addend, s.beta)},
		{s.bias != 0, fmt.Sprintf("bias %v", s.bias)}, {s.factor, "row factor"}, {s.squaresOf, "from squares"},
		{s.activation != None, strings.ToLower([...]string{"", "SiLU", "GELU", "GELUTanh"}[s.activation])}, {s.squares, "sum of squares"},
		{s.scale != 1, fmt.Sprintf("scale %g", s.scale)}, {s.pad > 0, fmt.Sprintf("padded %d", s.pad)}, {s.misplace > 0, "misaligned"},
		{s.inPlace, "in place"}, {s.invariant, "invariant"}, {s.room > 0, fmt.Sprintf("of %d", s.m+s.room)},
	} {
		if note.say {
			name += ", " + note.text
		}
	}
	return name
}

// fills are all kinds of input values.
var fills = [...]catalog.Fill{catalog.Normal, catalog.Positive, catalog.Cancelling, catalog.Integers, catalog.Zeros, catalog.Special,
	catalog.Tiny, catalog.Huge, catalog.Constant}

// sizes are around tiles, steps and packets, and primes; the last are layers' that only a device finishes soon.
var sizes = [...][3]int{{1, 1, 1}, {1, 64, 128}, {7, 8, 63}, {8, 65, 64}, {16, 192, 256}, {63, 127, 7}, {64, 64, 64}, {65, 63, 129}, {127, 8, 65}, {2, 7, 127},
	{129, 129, 8}, {31, 37, 41}, {0, 8, 8}, {3, 0, 8}, {3, 8, 0}, {33, 136, 520}, {128, 256, 192}}

var large = [...][3]int{{1, 1536, 1536}, {1, 4096, 4096}, {16, 1536, 8960}, {64, 1024, 4096}, {130, 1536, 1536}, {257, 384, 2048}, {500, 1000, 504}}

// casesOf makes the shapes of an operator; with returns the base shape, changed.
func casesOf(k kind) []shape {
	var all []shape
	add := func(change func(*shape)) {
		s := shape{m: 5, n: 40, k: 48, input: oxrt.BF16, output: oxrt.BF16, align: 16, alpha: 1, beta: 1, scale: 1, fill: catalog.Normal}
		if k.scaling != unscaled {
			s.input, s.k = oxrt.E4M3, 144
		}
		if k.gated {
			s.activation = SiLU
		}
		change(&s)
		all = append(all, s)
	}
	for _, fill := range fills {
		add(func(s *shape) { s.fill, s.m = fill, 9 })
	}
	for i, size := range sizes {
		add(func(s *shape) { s.m, s.n, s.k, s.fill = size[0], size[1], size[2], fills[[]int{0, 3}[i%2]] })
	}
	for _, size := range large {
		add(func(s *shape) { s.m, s.n, s.k, s.slow = size[0], size[1], size[2], true })
	}
	for _, output := range []oxrt.DType{oxrt.F32, oxrt.F16, oxrt.E4M3} {
		add(func(s *shape) { s.output, s.bias = output, oxrt.F32 })
	}
	add(func(s *shape) { s.output, s.scale, s.fill = oxrt.E4M3, 0.25, catalog.Special })
	add(func(s *shape) { s.pad, s.bias = 3, oxrt.BF16 })
	add(func(s *shape) { s.pad, s.fill = 8, catalog.Integers })
	add(func(s *shape) { s.pad, s.fill = 16, catalog.Positive })
	add(func(s *shape) { s.align, s.misplace = 4, 4 })
	add(func(s *shape) { s.invariant, s.m, s.room = true, 3, 100 })
	add(func(s *shape) { s.bias, s.fill = oxrt.F16, catalog.Special })
	for _, a := range []Activation{SiLU, GELU, GELUTanh} {
		add(func(s *shape) { s.activation, s.bias = a, oxrt.F32 })
		add(func(s *shape) { s.activation, s.fill, s.m = a, catalog.Special, 9 })
	}
	if !k.gated {
		for _, c := range addedShapes() {
			add(c)
		}
	}
	if k.scaling == unscaled {
		for _, c := range factorShapes() {
			add(c)
		}
	}
	if k == (kind{}) {
		for _, c := range append(plainShapes(), fewShapes()...) {
			add(c)
		}
	}
	return all
}

// addedShapes vary c.
func addedShapes() []func(*shape) {
	return []func(*shape){
		func(s *shape) { s.addend = oxrt.BF16 },
		func(s *shape) { s.addend, s.beta, s.fill = oxrt.F32, -0.5, catalog.Cancelling },
		func(s *shape) { s.addend, s.inPlace = oxrt.BF16, true },
		func(s *shape) { s.addend, s.output, s.inPlace, s.pad, s.bias = oxrt.F32, oxrt.F32, true, 4, oxrt.BF16 },
		func(s *shape) { s.addend, s.k, s.bias = oxrt.F16, 0, oxrt.F32 },
		func(s *shape) { s.addend, s.fill, s.m, s.activation = oxrt.BF16, catalog.Special, 9, SiLU },
	}
}

// factorShapes vary the type of input and the row factor.
func factorShapes() []func(*shape) {
	all := []func(*shape){
		func(s *shape) { s.factor = true },
		func(s *shape) { s.factor, s.squaresOf, s.fill, s.bias = true, true, catalog.Positive, oxrt.BF16 },
		func(s *shape) { s.factor, s.fill, s.m = true, catalog.Special, 9 },
	}
	for _, fill := range fills {
		all = append(all, func(s *shape) { s.input, s.output, s.fill, s.m = oxrt.F16, oxrt.F16, fill, 9 })
	}
	return append(all, func(s *shape) { s.input, s.output, s.m, s.n, s.k = oxrt.F16, oxrt.F32, 65, 129, 63 })
}

// plainShapes vary what only the plain product has.
func plainShapes() []func(*shape) {
	all := []func(*shape){
		func(s *shape) { s.alpha, s.fill = -2.5, catalog.Integers },
		func(s *shape) {
			s.alpha, s.addend, s.beta, s.bias, s.activation = 0.3, oxrt.BF16, 2, oxrt.F32, GELUTanh
		},
		func(s *shape) { s.byK = true },
		func(s *shape) { s.byK, s.m, s.n, s.k, s.pad, s.fill = true, 65, 127, 63, 5, catalog.Integers },
		func(s *shape) { s.byK, s.input, s.output, s.bias = true, oxrt.F16, oxrt.F16, oxrt.F16 },
		func(s *shape) { s.byK, s.m, s.n, s.k, s.slow = true, 64, 1536, 1536, true },
		func(s *shape) { s.squares, s.m, s.n = true, 9, 300 },
		func(s *shape) { s.squares, s.addend, s.inPlace, s.fill = true, oxrt.BF16, true, catalog.Integers },
		func(s *shape) { s.squares, s.output, s.n, s.fill = true, oxrt.F32, 0, catalog.Positive },
		func(s *shape) { s.squares, s.fill, s.m = true, catalog.Special, 9 },
	}
	return all
}

// stride is that of a tensor whose dense rows have so many elements.
func (s *shape) stride(dense int) int {
	if s.pad == 0 {
		return 0
	}
	return dense + s.pad
}

// spec makes the Spec of an operator.
func (s *shape) spec(k kind) any {
	or := func(d, other oxrt.DType) oxrt.DType {
		if d == 0 {
			return other
		}
		return d
	}
	other := oxrt.BF16
	if k.scaling == unscaled {
		other = s.input
	}
	m := MatmulSpec{MaxM: max(s.m+s.room, 1), N: s.n, K: s.k, Input: s.input, Output: s.output, Addend: or(s.addend, other), BiasType: or(s.bias, other),
		ScaleType: oxrt.F32, BByK: s.byK, AStride: s.stride(s.k), BStride: s.stride(s.k), DStride: s.stride(s.n), Align: s.align, Alpha: s.alpha,
		Accumulate: s.addend != 0, Beta: s.beta, Bias: s.bias != 0, RowFactor: s.factor, FromSquares: s.squaresOf, Activation: s.activation,
		SumSquares: s.squares, OutputScale: s.scale, BatchInvariant: s.invariant}
	if s.byK {
		m.BStride = s.stride(s.n)
	}
	if s.addend != 0 {
		m.CStride = s.stride(s.n)
	}
	if s.squaresOf {
		m.Epsilon = 1e-5
	}
	gate := Gate(s.activation - SiLU)
	switch {
	case k.scaling == unscaled && k.gated:
		return &GatedSpec{MaxM: m.MaxM, N: m.N, K: m.K, Input: m.Input, Output: m.Output, BiasType: m.BiasType, ScaleType: m.ScaleType, AStride: m.AStride,
			BStride: m.BStride, DStride: m.DStride, Align: m.Align, Bias: m.Bias, RowFactor: m.RowFactor, FromSquares: m.FromSquares, Epsilon: m.Epsilon,
			Gate: gate, OutputScale: m.OutputScale, BatchInvariant: m.BatchInvariant}
	case k.gated:
		return &ScaledGatedSpec{MaxM: m.MaxM, N: m.N, K: m.K, Input: m.Input, Output: m.Output, BiasType: m.BiasType, ScaleType: m.ScaleType,
			AStride: m.AStride, BStride: m.BStride, DStride: m.DStride, Align: m.Align, Bias: m.Bias, Gate: gate, OutputScale: m.OutputScale,
			BatchInvariant: m.BatchInvariant}
	case k.scaling != unscaled:
		return &ScaledSpec{MaxM: m.MaxM, N: m.N, K: m.K, Input: m.Input, Output: m.Output, Addend: m.Addend, BiasType: m.BiasType, ScaleType: m.ScaleType,
			AStride: m.AStride, BStride: m.BStride, CStride: m.CStride, DStride: m.DStride, Align: m.Align, Accumulate: m.Accumulate, Beta: m.Beta,
			Bias: m.Bias, Activation: m.Activation, OutputScale: m.OutputScale, BatchInvariant: m.BatchInvariant}
	}
	return &m
}

// cases are the declared cases of an operator.
func cases(k kind) []catalog.Case {
	var all []catalog.Case
	seen := map[string]bool{}
	for _, s := range casesOf(k) {
		if name := s.name(); !seen[name] {
			seen[name] = true
			all = append(all, catalog.Case{Name: name, Spec: s.spec(k), Dims: []int{s.m}, Fill: s.fill, InPlace: s.inPlace, Offset: s.misplace, Quick: !s.slow})
		}
	}
	return all
}
