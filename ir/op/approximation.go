package op

// These have no exact instruction: every call says ir.Approx.
var approximation = []Info{
	{Name: "rsqrt", Method: "ReciprocalSqrt", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Only, FTZ},
		Doc: "returns 1/sqrt(x) within 2^-22.9 relative", PTX: "rsqrt.approx", Section: "9.7.3.16"},
	{Name: "ex2", Method: "Exp2", Sig: "x:T -> T", Kinds: Of(F32) | Halves, Attrs: []AttrSpec{Only, FTZ.On(Of(F32, BF16, BF16x2))},
		Doc: "returns 2^x; f32 within 2 ulp, f16 2^-9.9 and bf16 2^-7 relative (bf16 always flushes)", PTX: "ex2.approx", Section: "9.7.3.21, 9.7.4.10"},
	{Name: "lg2", Method: "Log2", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Only, FTZ},
		Doc: "returns the base 2 logarithm, within 2^-22 absolute on (0.5, 2) and relative elsewhere", PTX: "lg2.approx", Section: "9.7.3.20"},
	{Name: "tanh", Method: "Tanh", Sig: "x:T -> T", Kinds: Of(F32) | Halves, Attrs: []AttrSpec{Only},
		Doc: "returns the hyperbolic tangent; f32 within 2^-11 relative", PTX: "tanh.approx", Section: "9.7.3.22, 9.7.4.9"},
	{Name: "sin", Method: "Sin", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Only, FTZ},
		Doc: "returns the sine, within 2^-20.5 absolute on [-pi, pi]", PTX: "sin.approx", Section: "9.7.3.18"},
	{Name: "cos", Method: "Cos", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Only, FTZ},
		Doc: "returns the cosine, within 2^-20.5 absolute on [-pi, pi]", PTX: "cos.approx", Section: "9.7.3.19"},
}
