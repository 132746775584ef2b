package op

var (
	wgmmaWide  = Effects{Convergent: true, Order: true}
	wgmmaIssue = Effects{Convergent: true, Async: true}
	wgmmaTypes = []string{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"}
)

func wgmmaAttrs(more ...AttrSpec) []AttrSpec {
	return append([]AttrSpec{
		{Name: "n", Kind: Int, Required: true},
		{Name: "a_type", Kind: Enum, Values: wgmmaTypes, Required: true}, {Name: "b_type", Kind: Enum, Values: wgmmaTypes, Required: true},
		{Name: "zero", Kind: Flag}, {Name: "scale_d", Kind: Flag}, {Name: "neg_a", Kind: Flag}, {Name: "neg_b", Kind: Flag},
		{Name: "trans_b", Kind: Flag}, {Name: "satfinite", Kind: Flag},
	}, more...)
}

// Matrix instructions of a warpgroup (PTX ISA 9.7.15). d is the whole register array of the accumulator; b, and a unless it
// is in registers, are descriptors of tiles in shared memory, read through the async proxy.
var wgmma = []Info{
	{Name: "wgmma", Sig: "d:@register a:u64 b:u64 scale_d:pred?", Arch: SM90a, Attrs: wgmmaAttrs(AttrSpec{Name: "trans_a", Kind: Flag}),
		Effects: wgmmaIssue, Converge: UniformWarpgroup, Touches: []Touch{{"d", Reads | Writes}, {"a", Reads}, {"b", Reads}},
		Demands: []Demand{{"a", UniformWarp}, {"b", UniformWarp}, {"scale_d", UniformWarpgroup}},
		Doc:     "starts d = a·b + d for a tile of 64 rows and n columns; zero, or scale_d where it is false, drops d", PTX: "wgmma.mma_async", Section: "9.7.15.5.2"},
	{Name: "wgmma_rs", Sig: "d:@register a:@register b:u64 scale_d:pred?", Arch: SM90a, Attrs: wgmmaAttrs(AttrSpec{Name: "first", Kind: Int}),
		Effects: wgmmaIssue, Converge: UniformWarpgroup, Touches: []Touch{{"d", Reads | Writes}, {"a", Reads}, {"b", Reads}},
		Demands: []Demand{{"b", UniformWarp}, {"scale_d", UniformWarpgroup}},
		Doc:     "is wgmma with a in four registers of an array, from the first on", PTX: "wgmma.mma_async", Section: "9.7.15.5.2"},
	{Name: "wgmma_fence", On: OnKernel, Method: "WGMMAFence", Arch: SM90a, Effects: wgmmaWide, Converge: UniformWarpgroup,
		Doc: "orders earlier accesses of registers before the next wgmma; needed before the first one of a group", PTX: "wgmma.fence", Section: "9.7.15.7.1"},
	{Name: "wgmma_commit", On: OnKernel, Method: "WGMMACommit", Arch: SM90a, Effects: Effects{Convergent: true, Async: true, Order: true}, Converge: UniformWarpgroup,
		Doc: "closes the group of the wgmma since the last one", PTX: "wgmma.commit_group", Section: "9.7.15.7.2"},
	{Name: "wgmma_wait", On: OnKernel, Method: "WGMMAWait", Attrs: []AttrSpec{Groups}, Arch: SM90a, Effects: wgmmaWide, Converge: UniformWarpgroup,
		Doc: "waits until at most that many of the newest groups are in flight", PTX: "wgmma.wait_group", Section: "9.7.15.7.3"},
	{Name: "matrix_desc", Sig: "p:@shared -> u64", Arch: SM90a,
		Attrs: []AttrSpec{{Name: "lbo", Kind: Int}, {Name: "sbo", Kind: Int}, {Name: "swizzle", Kind: Enum, Values: []string{"none", "128B", "64B", "32B"}}, {Name: "base", Kind: Int}},
		Doc:   "returns the descriptor of a tile: its address, the byte offsets between its blocks, and its swizzle", PTX: "shr, and, or, mov.b64", Section: "9.7.15.5.1"},
	{Name: "desc_add", Sig: "d:u64 bytes:T -> u64", Kinds: Of(U32), Arch: SM90a,
		Doc: "returns the descriptor of a tile that lies bytes further", PTX: "shr, add, mov.b64", Section: "9.7.15.5.1"},
}
