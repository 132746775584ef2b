package op

var (
	shuffled = Of(U32, S32, F32, TF32, F16x2, BF16x2, S8x4, U64, S64, F64)
	warpWide = Effects{Convergent: true}
)

// Results that depend on how many lanes there are (ballot, sums) are equal in a warp only: the last warp of a block may be
// short. Warp ops run with all lanes of the member mask (all 32 by default) together: control flow around them is warp-uniform.
var warp = []Info{
	{Name: "shfl_bfly", Method: "ShflBfly", Sig: "x:T -> T", Kinds: shuffled, Attrs: []AttrSpec{Lane, Width, Mask}, Effects: warpWide, Converge: UniformWarp,
		Doc: "returns the value of lane (own lane xor lane)", PTX: "shfl.sync.bfly", Section: "9.7.9.6"},
	{Name: "shfl_up", Method: "ShflUp", Sig: "x:T -> T", Kinds: shuffled, Attrs: []AttrSpec{Lane, Width, Mask}, Effects: warpWide, Converge: UniformWarp,
		Uniform: Fixed, Level: Divergent,
		Doc: "returns the value of the lane that is lane lower, the own value if there is none", PTX: "shfl.sync.up", Section: "9.7.9.6"},
	{Name: "shfl_down", Method: "ShflDown", Sig: "x:T -> T", Kinds: shuffled, Attrs: []AttrSpec{Lane, Width, Mask}, Effects: warpWide, Converge: UniformWarp,
		Uniform: Fixed, Level: Divergent,
		Doc: "returns the value of the lane that is lane higher, the own value if there is none", PTX: "shfl.sync.down", Section: "9.7.9.6"},
	{Name: "shfl_idx", Method: "ShflIdx", Sig: "x:T lane:u32 -> T", Kinds: shuffled, Attrs: []AttrSpec{Width, Mask}, Effects: warpWide, Converge: UniformWarp,
		Doc: "returns the value of the given lane of the segment", PTX: "shfl.sync.idx", Section: "9.7.9.6"},
	{Name: "uniform", Sig: "x:T -> T", Kinds: shuffled | Of(Pred), Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "returns lane 0's value in all lanes, so that it is known to be equal in the warp", PTX: "shfl.sync.idx", Section: "9.7.9.6"},
	{Name: "vote_all", Method: "VoteAll", Sig: "p:T -> pred", Kinds: Of(Pred), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "tells whether p holds in all lanes", PTX: "vote.sync.all", Section: "9.7.13.9"},
	{Name: "vote_any", Method: "VoteAny", Sig: "p:T -> pred", Kinds: Of(Pred), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "tells whether p holds in some lane", PTX: "vote.sync.any", Section: "9.7.13.9"},
	{Name: "vote_uni", Method: "VoteUniform", Sig: "p:T -> pred", Kinds: Of(Pred), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "tells whether p is equal in all lanes", PTX: "vote.sync.uni", Section: "9.7.13.9"},
	{Name: "ballot", Method: "Ballot", Sig: "p:T -> u32", Kinds: Of(Pred), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: UniformWarp,
		Doc: "returns p of all lanes, lane i in bit i", PTX: "vote.sync.ballot", Section: "9.7.13.9"},
	{Name: "match_any", Method: "MatchAny", Sig: "x:T -> u32", Kinds: Of(U32, U64), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: Divergent,
		Doc: "returns the mask of lanes that hold the same value", PTX: "match.any.sync", Section: "9.7.13.10"},
	{Name: "match_all", Method: "MatchAll", Sig: "x:T -> lanes:u32 all:pred", Kinds: Of(U32, U64), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: UniformWarp,
		Doc: "returns the member mask and true if all lanes hold the same value, otherwise 0 and false", PTX: "match.all.sync", Section: "9.7.13.10"},
	{Name: "redux_add", Method: "ReduxAdd", Sig: "x:T -> T", Kinds: Of(U32, S32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: UniformWarp,
		Doc: "returns the sum over the warp, wrapping", PTX: "redux.sync.add", Section: "9.7.13.12"},
	{Name: "redux_min", Method: "ReduxMin", Sig: "x:T -> T", Kinds: Of(U32, S32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "returns the smallest value in the warp", PTX: "redux.sync.min", Section: "9.7.13.12"},
	{Name: "redux_max", Method: "ReduxMax", Sig: "x:T -> T", Kinds: Of(U32, S32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "returns the largest value in the warp", PTX: "redux.sync.max", Section: "9.7.13.12"},
	{Name: "redux_and", Method: "ReduxAnd", Sig: "x:T -> T", Kinds: Of(U32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "returns the bitwise and over the warp", PTX: "redux.sync.and", Section: "9.7.13.12"},
	{Name: "redux_or", Method: "ReduxOr", Sig: "x:T -> T", Kinds: Of(U32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: AtLeast, Level: UniformWarp,
		Doc: "returns the bitwise or over the warp", PTX: "redux.sync.or", Section: "9.7.13.12"},
	{Name: "redux_xor", Method: "ReduxXor", Sig: "x:T -> T", Kinds: Of(U32), Attrs: []AttrSpec{Mask}, Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: UniformWarp,
		Doc: "returns the bitwise exclusive or over the warp", PTX: "redux.sync.xor", Section: "9.7.13.12"},
	{Name: "elect", On: OnKernel, Method: "Elect", Sig: "-> pred", Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: Divergent, Arch: SM90,
		Doc: "holds in exactly one lane of the warp", PTX: "elect.sync", Section: "9.7.13.14"},
	{Name: "activemask", On: OnKernel, Method: "ActiveMask", Sig: "-> u32", Effects: Effects{Convergent: true, Order: true}, Uniform: Fixed, Level: Divergent,
		Doc: "returns the lanes that execute it together; says nothing about which ones could", PTX: "activemask", Section: "9.7.13.11"},
	{Name: "sync_warp", On: OnKernel, Method: "SyncWarp", Sig: "", Attrs: []AttrSpec{Mask}, Effects: Effects{Convergent: true, Order: true}, Converge: UniformWarp,
		Doc: "waits for the lanes of the warp and orders their memory accesses", PTX: "bar.warp.sync", Section: "9.7.13.2"},
}
