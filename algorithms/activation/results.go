package activation

// siluResults documents the special cases of SiLU. Tests hold it to its word.
func siluResults(x string) []string {
	return []string{
		"silu(NaN) is NaN, silu(+Inf) is +Inf, silu(-Inf) is NaN (-Inf times zero), silu(±0) is ±0.",
		"The power e^-" + x + " has the range of f32: silu is -0 where " + x + " is -88.73 or less.",
	}
}

// geluResults documents the special cases of both forms of GELU.
func geluResults(x string) []string {
	return []string{
		"gelu(NaN) is NaN, gelu(+Inf) is +Inf, gelu(-Inf) is NaN (-Inf times zero), gelu(±0) is ±0, for both approximations.",
		"Exact: the error of Φ(" + x + ") is relative for negative " + x + " too, at most (40 + 4·" + x + "²)·2^-24, until Φ becomes subnormal in f32 (" + x + " below -12.9); from -15 down gelu is -0.",
		"Tanh: the power e^-2u, u = sqrt(2/π)·(" + x + " + 0.044715·" + x + "³), has the range of f32: gelu is -0 where u is -44.37 or less (" + x + " below -10.07).",
	}
}

// gatedResults documents what the factor adds.
func gatedResults() []string {
	return []string{
		"A NaN in up gives NaN. An infinity in up times a zero (gate ±0, or one so negative that the function is -0) gives NaN.",
		"Finite factors whose product is 2^128 or more give an infinity.",
		"y may be gate where element types and strides are equal. y over up, over gate_up or over part of a tensor is refused.",
	}
}

// results documents what holds for every operator.
func results() []string {
	return []string{
		"Results beyond the output's format round to infinities of their sign.",
		"Subnormal inputs and results are not flushed.",
		"e4m3 outputs saturate at ±448, infinities too; NaN stays NaN (0x7f).",
		"Zero rows are allowed: nothing is launched.",
	}
}
