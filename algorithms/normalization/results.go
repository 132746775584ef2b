package normalization

// rmsResults documents the special cases of the RMSNorm operators. Tests hold it to its word.
func rmsResults() []string {
	return []string{
		"A NaN in a row makes the whole row NaN.",
		"An infinity in a row makes it NaN at the infinite elements and zero elsewhere.",
		"Squares and their sum have the range of f32: a row whose sum of squares is 2^128 or more gives zeros. f16 rows cannot get there.",
		"Squares below 2^-150 count as zero; subnormal inputs are not flushed.",
		"Epsilon 0 and a mean square of zero: NaN for zero elements, infinities for others.",
		"The error bound is empty where the sum of squares, after the division by hidden and with epsilon, is below 2^-126.",
		"e4m3 outputs saturate at ±448, infinities too; NaN stays NaN (0x7f).",
		"Zero rows are allowed: nothing is launched.",
	}
}

// layerResults documents the special cases of LayerNorm.
func layerResults() []string {
	return []string{
		"A NaN or an infinity in a row makes the whole row NaN.",
		"Sums have the range of f32: a row whose sum of values overflows is NaN; one whose sum of squared differences reaches 2^128 gives the bias.",
		"A constant row gives the bias if epsilon is positive. With epsilon 0 it gives NaN where the mean is exact; otherwise nothing is promised.",
		"Subnormal inputs are not flushed.",
		"e4m3 outputs saturate at ±448, infinities too; NaN stays NaN (0x7f).",
		"Zero rows are allowed: nothing is launched.",
	}
}
