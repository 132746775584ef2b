package normalization

import (
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

func rmsNormCases() []catalog.Case {
	var all []catalog.Case
	for _, s := range rowShapes() {
		all = append(all, s.asCase(&RMSNormSpec{
			MaxRows: s.limit(), Hidden: s.hidden, Input: s.types[0], Weight: s.types[1], Output: s.types[2],
			XStride: s.strideOf(), YStride: s.strideOf(), Align: s.align, Epsilon: s.epsilon, WeightOffset: s.offset,
			Rounding: s.rounding, OutputScale: s.scale,
		}))
	}
	return all
}

func addRMSNormCases() []catalog.Case {
	var all []catalog.Case
	for _, s := range rowShapes() {
		all = append(all, s.asCase(&AddRMSNormSpec{
			MaxRows: s.limit(), Hidden: s.hidden, Input: s.types[0], Weight: s.types[1], Output: s.types[2],
			XStride: s.strideOf(), ResidualStride: s.strideOf(), SumStride: s.strideOf(), YStride: s.strideOf(),
			Align: s.align, Epsilon: s.epsilon, WeightOffset: s.offset, Rounding: s.rounding, OutputScale: s.scale,
		}))
	}
	return all
}

// layerNormCases runs every shape without and, where the shape is about values, with a bias.
func layerNormCases() []catalog.Case {
	var all []catalog.Case
	for _, s := range rowShapes() {
		if s.rounding != RoundAfterWeight || s.offset != 0 {
			continue
		}
		for _, bias := range []bool{false, true} {
			if bias && s.hidden > 4104 {
				continue
			}
			c := s.asCase(&LayerNormSpec{
				MaxRows: s.limit(), Hidden: s.hidden, Input: s.types[0], Weight: s.types[1], Output: s.types[2], Bias: bias,
				XStride: s.strideOf(), YStride: s.strideOf(), Align: s.align, Epsilon: s.epsilon, OutputScale: s.scale,
			})
			if bias {
				c.Name += ", bias"
			}
			all = append(all, c)
		}
	}
	return all
}

func headRMSNormCases() []catalog.Case {
	var all []catalog.Case
	add := func(note string, tokens int, s HeadRMSNormSpec, fill catalog.Fill, inPlace bool) {
		s.MaxTokens, s.Epsilon = max(tokens, 1), 1e-6
		name := fmt.Sprintf("%d tokens %d+%d heads of %d %v*%v %s %s", tokens, s.QHeads, s.KHeads, s.HeadDim, s.Input, s.Weight, s.Rounding, fill)
		if note != "" {
			name += ", " + note
		}
		all = append(all, catalog.Case{Name: name, Spec: &s, Dims: []int{tokens}, Fill: fill, InPlace: inPlace, Quick: true})
	}
	for _, types := range formatCombinations() {
		if types[2] == oxrt.E4M3 {
			continue
		}
		for _, dim := range []int{64, 128, 256} {
			base := HeadRMSNormSpec{QHeads: 5, KHeads: 3, HeadDim: dim, Input: types[0], Weight: types[1]}
			add("", 3, base, catalog.Normal, false)
			base.Rounding = RoundBeforeWeight
			add("", 2, base, catalog.Normal, true)
		}
	}
	for _, in := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32} {
		base := HeadRMSNormSpec{QHeads: 32, KHeads: 8, HeadDim: 128, Input: in, Weight: in}
		for _, fill := range fills {
			add("", 2, base, fill, false)
		}
		strided := base
		strided.QTokenStride, strided.KTokenStride, strided.QHeadStride, strided.KOutHeadStride = 48*136, 48*128, 136, 192
		add("strided", 2, strided, catalog.Normal, false)
		gemma := base
		gemma.WeightOffset = 1
		add("offset 1", 2, gemma, catalog.Normal, true)
		add("", 0, base, catalog.Normal, false)
		base.KHeads = 0
		add("no k", 2, base, catalog.Normal, true)
		base.QHeads = 1
		add("one head", 2, base, catalog.Normal, false)
	}
	return all
}
