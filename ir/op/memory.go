package op

var (
	anySpace   = In(Global, Shared, Local, Const, Param, Generic, SharedCluster)
	loadSpaces = anySpace
	dataSpaces = In(Global, Shared, Local, Generic, SharedCluster)
)

// Addresses are pointer plus index times scale plus offset; scale and off are bytes. Indexes extend by their own sign to
// the address width before they are scaled, so a 32-bit index never wraps.
var address = []Info{
	{Name: "addr", Sig: "p:ptr i:T -> ptr", Kinds: Integers32, Spaces: anySpace, Attrs: []AttrSpec{Scale, Offset},
		Doc: "returns p + i*scale + off bytes", PTX: "mad.wide, mad.lo, add", Section: "9.7.1.4"},
	{Name: "addr_off", Sig: "p:ptr -> ptr", Spaces: anySpace, Attrs: []AttrSpec{Offset},
		Doc: "returns p + off bytes", PTX: "add, or folded into the access", Section: "6.4.1"},
	{Name: "ptr_cast", Sig: "p:ptr -> any", Spaces: anySpace,
		Doc: "returns the same address with another element type", PTX: "none", Section: "6.4.1"},
	{Name: "to_generic", Sig: "p:ptr -> any", Spaces: In(Global, Shared, Local, Const),
		Doc: "returns the generic address of p", PTX: "cvta", Section: "9.7.9.20"},
	{Name: "from_generic", Sig: "p:ptr -> any", Spaces: In(Generic),
		Doc: "returns the address in the result's space; undefined if p does not point into it", PTX: "cvta.to", Section: "9.7.9.20"},
	{Name: "ptr_bits", Sig: "p:ptr -> any", Spaces: anySpace,
		Doc: "returns the address as an integer: U32 for shared and local, U64 otherwise", PTX: "mov", Section: "9.7.9.3"},
	{Name: "bits_ptr", Sig: "x:T -> any", Kinds: Of(U32, U64),
		Doc: "returns an integer as an address of the result's space", PTX: "mov", Section: "9.7.9.3"},
}

func loadAttrs() []AttrSpec {
	return []AttrSpec{Offset, NC, Cache, L1, L2Fetch, Policy, Sem, Scope}
}

func storeAttrs() []AttrSpec { return []AttrSpec{Offset, StCache, L1, Policy, Sem, Scope} }

var memory = []Info{
	{Name: "load", Sig: "p:ptr policy:u64? -> v:E*", Spaces: loadSpaces, Attrs: loadAttrs(),
		Effects: Effects{ByPointer: Reads}, Uniform: FromConstantMemory,
		Doc: "loads 1, 2, 4 or 8 consecutive elements", PTX: "ld", Section: "9.7.9.8, 9.7.9.9"},
	{Name: "load_if", Sig: "p:ptr mask:pred other:E* policy:u64? -> v:E*", Spaces: loadSpaces, Attrs: loadAttrs(),
		Effects: Effects{ByPointer: Reads}, Uniform: FromConstantMemory,
		Doc: "loads like load where mask holds and returns other elsewhere; memory is not touched there", PTX: "@p ld", Section: "9.7.9.8"},
	{Name: "store", Sig: "p:ptr v:E* policy:u64?", Spaces: dataSpaces, Attrs: storeAttrs(),
		Effects: Effects{ByPointer: Writes},
		Doc:     "stores 1, 2, 4 or 8 consecutive elements", PTX: "st", Section: "9.7.9.11"},
	{Name: "store_if", Sig: "p:ptr mask:pred v:E* policy:u64?", Spaces: dataSpaces, Attrs: storeAttrs(),
		Effects: Effects{ByPointer: Writes},
		Doc:     "stores like store where mask holds", PTX: "@p st", Section: "9.7.9.11"},
	{Name: "prefetch", Sig: "p:ptr", Spaces: In(Global, Generic, Local),
		Attrs: []AttrSpec{Offset, {Name: "level", Kind: Enum, Values: []string{"L2", "L1", "L2::evict_last", "L2::evict_normal"}}}, Effects: Effects{Order: true},
		Doc: "asks for the line of p to be brought into a cache", PTX: "prefetch", Section: "9.7.9.15"},
	{Name: "create_policy", Sig: "-> u64",
		Attrs:   []AttrSpec{{Name: "l2", Kind: Enum, Values: []string{"evict_first", "evict_last", "evict_normal", "evict_unchanged"}}},
		Uniform: Fixed, Level: UniformGrid,
		Doc: "returns an L2 eviction policy for all of the accesses that name it", PTX: "createpolicy.fractional.L2", Section: "9.7.9.18"},
	{Name: "fence", Sig: "", Attrs: []AttrSpec{FenceSem, Scope}, Effects: Effects{Order: true},
		Doc: "orders this thread's memory accesses as seen by the scope", PTX: "fence", Section: "9.7.13.4"},
}
