package op

var fp8 = []Gate{{Of(E4M3x2, E5M2x2), SM90}}

var halfPairs = []Pair{{F16, F16x2}, {BF16, BF16x2}}

// Packed registers hold their first element in the low part. PTX names the high operand first; ours name the low one first.
var packing = []Info{
	{Name: "cvt_pack_half", Method: "ConvertTo", Sig: "lo:S hi:S -> T", Pairs: []Pair{{F32, F16x2}, {F32, BF16x2}},
		Attrs: []AttrSpec{{Name: "rnd", Kind: Enum, Values: []string{"rn", "rz"}, Go: "Rounding"}, ReluA, SatFin},
		Doc:   "rounds two values into the low and the high half", PTX: "cvt.rn.f16x2.f32", Section: "9.7.9.21"},
	{Name: "cvt_pack_fp8", Gates: fp8, Method: "ConvertTo", Sig: "lo:S hi:S -> T", Pairs: []Pair{{F32, E4M3x2}, {F32, E5M2x2}},
		Attrs: []AttrSpec{ReluA},
		Doc:   "rounds two values to nearest even, clamping to the largest finite value; NaN stays NaN", PTX: "cvt.rn.satfinite.e4m3x2.f32", Section: "9.7.9.21"},
	{Name: "cvt_half_fp8", Gates: fp8, Method: "ConvertTo", Sig: "x:S -> T", Pairs: []Pair{{F16x2, E4M3x2}, {F16x2, E5M2x2}},
		Attrs: []AttrSpec{ReluA},
		Doc:   "rounds both halves to nearest even, clamping to the largest finite value", PTX: "cvt.rn.satfinite.e4m3x2.f16x2", Section: "9.7.9.21"},
	{Name: "cvt_fp8_half", Gates: fp8, Method: "ConvertTo", Sig: "x:S -> T", Pairs: []Pair{{E4M3x2, F16x2}, {E5M2x2, F16x2}},
		Attrs: []AttrSpec{ReluA},
		Doc:   "converts both values, exactly", PTX: "cvt.rn.f16x2.e4m3x2", Section: "9.7.9.21"},
	{Name: "cvt_half_wide", Method: "ConvertToF32", Sig: "x:S -> lo:T hi:T", Pairs: []Pair{{F16x2, F32}, {BF16x2, F32}},
		Doc: "converts the low and the high half, exactly", PTX: "cvt.f32.f16; shl, and for bf16", Section: "9.7.9.21"},
	{Name: "pack", Method: "PackTo", Sig: "lo:S hi:S -> T",
		Pairs: append([]Pair{{U16, U32}, {U32, U64}, {U8, U16}, {E4M3, E4M3x2}, {E5M2, E5M2x2}}, halfPairs...),
		Doc:   "joins two values, the receiver in the low part", PTX: "mov.b32 {lo, hi}", Section: "9.7.9.4"},
	{Name: "unpack", Method: "UnpackTo", Sig: "x:S -> lo:T hi:T",
		Pairs: []Pair{{U32, U16}, {U64, U32}, {U16, U8}, {E4M3x2, E4M3}, {E5M2x2, E5M2}, {F16x2, F16}, {BF16x2, BF16}},
		Doc:   "splits a value into its low and its high part", PTX: "mov.b32 {lo, hi}", Section: "9.7.9.4"},
}
