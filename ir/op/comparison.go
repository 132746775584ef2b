package op

var ordered = Integers | Floats | halfScalar

func ftzOnly() []AttrSpec { return []AttrSpec{FTZ.On(Of(F32, F16))} }

var comparison = []Info{
	{Name: "lt", Method: "Less", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(),
		Doc: "tells whether x < y; false when either is NaN", PTX: "setp.lt", Section: "9.7.6.2"},
	{Name: "le", Method: "LessEqual", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(),
		Doc: "tells whether x <= y; false when either is NaN", PTX: "setp.le", Section: "9.7.6.2"},
	{Name: "gt", Method: "Greater", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(),
		Doc: "tells whether x > y; false when either is NaN", PTX: "setp.gt", Section: "9.7.6.2"},
	{Name: "ge", Method: "GreaterEqual", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(),
		Doc: "tells whether x >= y; false when either is NaN", PTX: "setp.ge", Section: "9.7.6.2"},
	{Name: "eq", Method: "Equal", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(), Commutes: true,
		Doc: "tells whether x == y; false when either is NaN", PTX: "setp.eq", Section: "9.7.6.2"},
	{Name: "ne", Method: "NotEqual", Sig: "x:T y:T -> pred", Kinds: ordered, Attrs: ftzOnly(), Commutes: true,
		Doc: "tells whether x != y as Go does; true when either is NaN", PTX: "setp.ne, setp.neu", Section: "9.7.6.2"},
	{Name: "is_nan", Method: "IsNaN", Sig: "x:T -> pred", Kinds: Floats | halfScalar,
		Doc: "tells whether x is NaN", PTX: "setp.nan", Section: "9.7.6.2"},
	{Name: "is_finite", Method: "IsFinite", Sig: "x:T -> pred", Kinds: Floats,
		Doc: "tells whether x is neither infinite nor NaN", PTX: "testp.finite", Section: "9.7.3.1"},
	{Name: "is_inf", Method: "IsInf", Sig: "x:T -> pred", Kinds: Floats,
		Doc: "tells whether x is an infinity", PTX: "testp.infinite", Section: "9.7.3.1"},
	{Name: "select", Sig: "p:pred x:T y:T -> T", Kinds: Loadable | Of(Pred, Ptr),
		Doc: "returns x where p holds, otherwise y", PTX: "selp", Section: "9.7.6.3"},
}
