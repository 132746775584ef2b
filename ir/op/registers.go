package op

// Register arrays: accumulators and fragments. They keep their registers for the whole kernel, so an asynchronous matrix
// instruction may go on using them while others are issued, and nothing is copied at joins and loops. Reading one makes a
// snapshot.
var registers = []Info{
	{Name: "reg_read", Sig: "f:ptr -> v:E*", Spaces: In(Register), Attrs: []AttrSpec{{Name: "first", Kind: Int}},
		Effects: Effects{ByPointer: Reads}, Uniform: Fixed, Level: Divergent,
		Doc: "returns registers of an array, from the first on", PTX: "mov", Section: "9.7.9.3"},
	{Name: "reg_write", Sig: "f:ptr v:E*", Spaces: In(Register), Attrs: []AttrSpec{{Name: "first", Kind: Int}},
		Effects: Effects{ByPointer: Writes},
		Doc:     "sets registers of an array, from the first on", PTX: "mov", Section: "9.7.9.3"},
	{Name: "setmaxnreg", On: OnKernel, Attrs: []AttrSpec{{Name: "action", Kind: Enum, Values: []string{"inc", "dec"}, Required: true}, {Name: "registers", Kind: Int, Required: true}}, Arch: SM90a,
		Effects: Effects{Convergent: true, Order: true}, Converge: UniformWarpgroup,
		Doc: "changes how many registers each thread of the warpgroup has; inc waits until others have given theirs back", PTX: "setmaxnreg", Section: "9.7.19.5"},
	{Name: "in_warps", Sig: "-> pred", Attrs: []AttrSpec{{Name: "first", Kind: Int}, {Name: "warps", Kind: Int, Required: true}},
		Effects: Effects{Convergent: true}, Converge: UniformWarp, Uniform: Fixed, Level: UniformWarp,
		Doc: "holds in the warps of the block from the first on: the condition of a role", PTX: "shfl.sync.idx, setp", Section: "9.7.9.6"},
}
