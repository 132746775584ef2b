package op

var (
	halfScalar = Of(F16, BF16)
	f16s       = Of(F16, F16x2)
	signedAll  = Signed
	numeric    = Integers | Floats | Halves
	brainFloat = []Gate{{Of(BF16, BF16x2), SM90}}
)

// Rounding, flushing and saturation exist on f32; f16 flushes and saturates, bf16 does neither (PTX ISA 9.7.3, 9.7.4).
func floatAttrs() []AttrSpec {
	return []AttrSpec{Rnd.On(Floats), FTZ.On(Of(F32) | f16s), Sat.On(Of(F32) | f16s)}
}

var arithmetic = []Info{
	{Name: "add", Method: "Add", Sig: "x:T y:T -> T", Kinds: numeric, Gates: brainFloat, Attrs: floatAttrs(), Commutes: true,
		Doc: "returns x + y; integers wrap", PTX: "add", Section: "9.7.1.1, 9.7.3.3, 9.7.4.1"},
	{Name: "sub", Method: "Sub", Sig: "x:T y:T -> T", Kinds: numeric, Gates: brainFloat, Attrs: floatAttrs(),
		Doc: "returns x - y; integers wrap", PTX: "sub", Section: "9.7.1.2, 9.7.3.4, 9.7.4.2"},
	{Name: "mul", Method: "Mul", Sig: "x:T y:T -> T", Kinds: numeric, Gates: brainFloat, Attrs: floatAttrs(), Commutes: true,
		Doc: "returns x * y; integers keep the low half", PTX: "mul, mul.lo", Section: "9.7.1.3, 9.7.3.5, 9.7.4.3"},
	{Name: "mul_hi", Method: "MulHigh", Sig: "x:T y:T -> T", Kinds: Integers, Commutes: true,
		Doc: "returns the high half of x * y", PTX: "mul.hi", Section: "9.7.1.3"},
	{Name: "mul_wide", Method: "MulWide", Sig: "x:T y:T -> W", Kinds: Of(U16, U32, S16, S32), Commutes: true,
		Doc: "returns x * y in twice the width", PTX: "mul.wide", Section: "9.7.1.3"},
	{Name: "mad", Method: "MulAdd", Sig: "x:T y:T z:T -> T", Kinds: Integers,
		Doc: "returns x * y + z, low half", PTX: "mad.lo", Section: "9.7.1.4"},
	{Name: "mad_wide", Method: "MulWideAdd", Sig: "x:T y:T z:W -> W", Kinds: Of(U16, U32, S16, S32),
		Doc: "returns x * y + z in twice the width", PTX: "mad.wide", Section: "9.7.1.4"},
	{Name: "fma", Method: "MulAdd", Sig: "x:T y:T z:T -> T", Kinds: Floats | Halves,
		Attrs: append(floatAttrs(), ReluA.On(Halves)),
		Doc:   "returns x * y + z with one rounding", PTX: "fma", Section: "9.7.3.6, 9.7.4.4"},
	{Name: "div", Method: "Div", Sig: "x:T y:T -> T", Kinds: Integers | Of(F32),
		Attrs: []AttrSpec{Full.On(Of(F32)), Rnd.On(Of(F32)), FTZ.On(Of(F32))},
		Doc:   "returns x / y; integers truncate and are undefined for y = 0", PTX: "div", Section: "9.7.1.8, 9.7.3.8"},
	{Name: "rem", Method: "Rem", Sig: "x:T y:T -> T", Kinds: Integers,
		Doc: "returns x - y*(x/y); undefined for y = 0", PTX: "rem", Section: "9.7.1.9"},
	{Name: "neg", Method: "Neg", Sig: "x:T -> T", Kinds: signedAll | Floats | Halves, Attrs: []AttrSpec{FTZ.On(Of(F32) | f16s)},
		Doc: "returns -x; of the least integer itself", PTX: "neg", Section: "9.7.1.11, 9.7.3.10, 9.7.4.5"},
	{Name: "abs", Method: "Abs", Sig: "x:T -> T", Kinds: signedAll | Floats | Halves, Attrs: []AttrSpec{FTZ.On(Of(F32) | f16s)},
		Doc: "returns |x|; of the least integer itself, which must then not be widened or clamped", PTX: "abs", Section: "9.7.1.10, 9.7.3.9, 9.7.4.6"},
	{Name: "min", Method: "Min", Sig: "x:T y:T -> T", Kinds: Integers | Of(F32) | Halves, Commutes: true,
		Attrs: []AttrSpec{FTZ.On(Of(F32) | f16s), NaN.On(Of(F32) | Halves)},
		Doc:   "returns the smaller; one NaN loses unless PropagateNaN is asked for, and -0 < +0", PTX: "min", Section: "9.7.1.12, 9.7.3.11, 9.7.4.7"},
	{Name: "max", Method: "Max", Sig: "x:T y:T -> T", Kinds: Integers | Of(F32) | Halves, Commutes: true,
		Attrs: []AttrSpec{FTZ.On(Of(F32) | f16s), NaN.On(Of(F32) | Halves)},
		Doc:   "returns the larger; one NaN loses unless PropagateNaN is asked for, and -0 < +0", PTX: "max", Section: "9.7.1.13, 9.7.3.12, 9.7.4.8"},
	{Name: "sqrt", Method: "Sqrt", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Approx, Rnd, FTZ},
		Doc: "returns the square root, correctly rounded unless Approx is asked for", PTX: "sqrt", Section: "9.7.3.15"},
	{Name: "rcp", Method: "Reciprocal", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{Approx, Rnd, FTZ},
		Doc: "returns 1/x, correctly rounded unless Approx is asked for", PTX: "rcp", Section: "9.7.3.13"},
	{Name: "copysign", Method: "CopySign", Sig: "x:T y:T -> T", Kinds: Of(F32),
		Doc: "returns |x| with the sign of y", PTX: "copysign", Section: "9.7.3.2"},
	{Name: "dp4a", Method: "DotAdd", Sig: "x:T y:T z:s32 -> s32", Kinds: Of(S8x4),
		Doc: "returns z plus the dot product of the four signed bytes", PTX: "dp4a.s32.s32", Section: "9.7.1.23"},
}
