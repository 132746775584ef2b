package op

var (
	allInts   = Integers | Bytes
	allFloats = Floats | halfScalar
)

// product pairs every kind of one set with every other one of the second.
func product(from, to KindSet) []Pair {
	var list []Pair
	for _, s := range from.List() {
		for _, t := range to.List() {
			if s != t {
				list = append(list, Pair{s, t})
			}
		}
	}
	return list
}

func sameWidth() []Pair {
	var list []Pair
	for _, p := range product(Loadable&^Of(Ptr), Loadable&^Of(Ptr)) {
		if p.S.Bits() == p.T.Bits() {
			list = append(list, p)
		}
	}
	return list
}

// Conversions of values are ConvertTo<Kind>, reinterpretations of bits As<Kind>.
var conversion = []Info{
	{Name: "bitcast", Method: "As", Sig: "x:S -> T", Pairs: sameWidth(),
		Doc: "returns the same bits as another type", PTX: "mov", Section: "9.7.9.3"},
	{Name: "cvt_int", Method: "ConvertTo", Sig: "x:S -> T", Pairs: product(allInts, allInts), Attrs: []AttrSpec{Sat},
		Doc: "converts an integer: extends by its own sign, truncates, or clamps with Sat", PTX: "cvt", Section: "9.7.9.21"},
	{Name: "cvt_int_float", Method: "ConvertTo", Sig: "x:S -> T", Gates: brainFloat, Pairs: product(allInts, allFloats), Attrs: []AttrSpec{Rnd},
		Doc: "converts an integer to a float", PTX: "cvt.rn", Section: "9.7.9.21"},
	{Name: "cvt_float_int", Method: "ConvertTo", Sig: "x:S -> T", Gates: brainFloat, Pairs: product(allFloats, allInts),
		Attrs: []AttrSpec{RndInt, FTZ.OnFrom(Of(F32))},
		Doc:   "converts a float to an integer, truncating by default; clamps to the range, NaN gives 0 or for 64 bits 0x8000…", PTX: "cvt.rzi", Section: "9.7.9.21"},
	{Name: "cvt_widen", Method: "ConvertTo", Sig: "x:S -> T", Attrs: []AttrSpec{FTZ.On(Of(F32)).OnFrom(Of(F16))},
		Pairs: []Pair{{F16, F32}, {F16, F64}, {BF16, F32}, {BF16, F64}, {F32, F64}, {TF32, F32}},
		Doc:   "converts to a wider float, exactly", PTX: "cvt", Section: "9.7.9.21"},
	{Name: "cvt_narrow", Method: "ConvertTo", Sig: "x:S -> T", Pairs: []Pair{{F32, F16}, {F32, BF16}, {F64, F32}},
		Attrs: []AttrSpec{Rnd, FTZ.On(Of(F16, F32)).OnFrom(Of(F32)), ReluA.On(halfScalar), SatFin.On(halfScalar)},
		Doc:   "rounds to a narrower float; overflow gives an infinity unless Finite is asked for", PTX: "cvt.rn", Section: "9.7.9.21"},
	{Name: "cvt_half", Gates: brainFloat, Method: "ConvertTo", Sig: "x:S -> T", Pairs: []Pair{{F16, BF16}, {BF16, F16}},
		Doc: "rounds one 16-bit float to the other", PTX: "cvt.rn", Section: "9.7.9.21"},
	{Name: "cvt_tf32", Method: "ConvertTo", Sig: "x:S -> T", Pairs: []Pair{{F32, TF32}},
		Doc: "rounds to the 10 mantissa bits of tf32, ties away from zero", PTX: "cvt.rna.tf32.f32", Section: "9.7.9.21"},
	{Name: "floor", Method: "Floor", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{FTZ},
		Doc: "rounds down to an integral value", PTX: "cvt.rmi.f32.f32", Section: "9.7.9.21"},
	{Name: "ceil", Method: "Ceil", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{FTZ},
		Doc: "rounds up to an integral value", PTX: "cvt.rpi.f32.f32", Section: "9.7.9.21"},
	{Name: "trunc", Method: "Trunc", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{FTZ},
		Doc: "rounds towards zero to an integral value", PTX: "cvt.rzi.f32.f32", Section: "9.7.9.21"},
	{Name: "rint", Method: "RoundToEven", Sig: "x:T -> T", Kinds: Of(F32), Attrs: []AttrSpec{FTZ},
		Doc: "rounds to the nearest integral value, ties to even", PTX: "cvt.rni.f32.f32", Section: "9.7.9.21"},
}
