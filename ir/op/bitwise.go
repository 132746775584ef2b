package op

var (
	words     = Integers
	words3264 = Integers32
)

var bitwise = []Info{
	{Name: "and", Method: "And", Sig: "x:T y:T -> T", Kinds: words | Of(Pred), Commutes: true,
		Doc: "returns x & y", PTX: "and", Section: "9.7.8.1"},
	{Name: "or", Method: "Or", Sig: "x:T y:T -> T", Kinds: words | Of(Pred), Commutes: true,
		Doc: "returns x | y", PTX: "or", Section: "9.7.8.2"},
	{Name: "xor", Method: "Xor", Sig: "x:T y:T -> T", Kinds: words | Of(Pred), Commutes: true,
		Doc: "returns x ^ y", PTX: "xor", Section: "9.7.8.3"},
	{Name: "not", Method: "Not", Sig: "x:T -> T", Kinds: words | Of(Pred),
		Doc: "returns the complement of x", PTX: "not", Section: "9.7.8.4"},
	{Name: "andnot", Method: "AndNot", Sig: "x:T y:T -> T", Kinds: words | Of(Pred),
		Doc: "returns x &^ y", PTX: "not, and", Section: "9.7.8.1"},
	{Name: "shl", Method: "ShiftLeft", Sig: "x:T n:u32 -> T", Kinds: words,
		Doc: "returns x << n; 0 when n is the width or more", PTX: "shl", Section: "9.7.8.8"},
	{Name: "shr", Method: "ShiftRight", Sig: "x:T n:u32 -> T", Kinds: words,
		Doc: "returns x >> n, arithmetic when signed; n at or over the width fills with zeros or the sign", PTX: "shr", Section: "9.7.8.9"},
	{Name: "funnel_left", Method: "FunnelLeft", Sig: "lo:T hi:T n:u32 -> T", Kinds: Of(U32),
		Doc: "returns the high word of (hi:lo) << (n mod 32)", PTX: "shf.l.wrap", Section: "9.7.8.7"},
	{Name: "funnel_right", Method: "FunnelRight", Sig: "lo:T hi:T n:u32 -> T", Kinds: Of(U32),
		Doc: "returns the low word of (hi:lo) >> (n mod 32)", PTX: "shf.r.wrap", Section: "9.7.8.7"},
	{Name: "popc", Method: "OnesCount", Sig: "x:T -> u32", Kinds: Of(U32, U64),
		Doc: "returns the number of one bits", PTX: "popc", Section: "9.7.1.14"},
	{Name: "clz", Method: "LeadingZeros", Sig: "x:T -> u32", Kinds: Of(U32, U64),
		Doc: "returns the number of leading zero bits", PTX: "clz", Section: "9.7.1.15"},
	{Name: "bfind", Method: "HighestBit", Sig: "x:T -> u32", Kinds: words3264,
		Doc: "returns the position of the most significant bit that differs from the sign, 0xffffffff if none", PTX: "bfind", Section: "9.7.1.16"},
	{Name: "brev", Method: "ReverseBits", Sig: "x:T -> T", Kinds: Of(U32, U64),
		Doc: "returns x with its bits in reverse order", PTX: "brev", Section: "9.7.1.18"},
	{Name: "bfe", Method: "ExtractBits", Sig: "x:T pos:u32 n:u32 -> T", Kinds: words3264,
		Doc: "returns the n bits of x from bit pos, sign extended when signed; pos and n are less than the width", PTX: "bfe", Section: "9.7.1.19"},
	{Name: "bfi", Method: "InsertBits", Sig: "x:T into:T pos:u32 n:u32 -> T", Kinds: Of(U32, U64),
		Doc: "returns into with its n bits from pos replaced by the low bits of x; pos and n are less than the width", PTX: "bfi", Section: "9.7.1.20"},
	{Name: "lop3", Method: "Logic3", Sig: "x:T y:T z:T -> T", Kinds: Of(U32),
		Attrs: []AttrSpec{{Name: "table", Kind: Int, Required: true}},
		Doc:   "returns the bitwise function of three operands whose truth table is given (0xf0 selects x, 0xcc y, 0xaa z)", PTX: "lop3", Section: "9.7.8.6"},
	{Name: "prmt", Method: "PermuteBytes", Sig: "x:T y:T selector:u32 -> T", Kinds: Of(U32),
		Doc: "returns four bytes chosen from y:x, one selector nibble each", PTX: "prmt", Section: "9.7.9.7"},
}
