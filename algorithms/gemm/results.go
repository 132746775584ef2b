package gemm

// results documents the special cases. Tests hold the family to its word.
func results(k kind) []string {
	all := []string{
		"The sums are f32, in an order that the algorithm chooses and that does not change from run to run. Their error is at most (1.5·⌈k/16⌉ + 4)·2^-23 of the sum of the products' magnitudes (two-byte inputs); integers whose products' magnitudes sum to less than 2^24 are exact.",
		"A NaN in a row of a or b makes a NaN of everything that it takes part in, an infinity an infinity or, with a zero or one of the other sign, a NaN.",
		"Sums of finite products whose magnitudes reach 2^127 may be infinities or NaN.",
		"Results beyond the output's format round to infinities of their sign; e4m3 saturates at ±448, infinities too, and keeps NaN (0x7f).",
		"m, n and k may be 0. With k = 0 the product is 0, not read, and what is added remains.",
		"d may be exactly c where element types and strides are equal. Every other overlap of an output is refused.",
	}
	if k.gated {
		all[5] = "Every overlap of an output with an input is refused."
		all = append(all, "gate(-Inf) is NaN for every function; an infinity of u times a zero of the gate is NaN.")
	}
	if k.scaling != unscaled {
		all[0] = "The sums are f32; those of at most 128 products in k may lose all but 13 bits (wgmma of e4m3), and are then added to the total in f32. The error of such a part is at most 24·2^-13 of the sum of its products' magnitudes; integers are exact where those sums stay below 2^13."
		all = append(all, "A NaN scale gives NaN, whatever it scales.")
	}
	return all
}
