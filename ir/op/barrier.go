package op

var blockWide = Effects{Convergent: true, Order: true}

// Barrier 0 belongs to the whole block; named barriers 1 to 15 count the threads they are told, a multiple of 32.
var barrier = []Info{
	{Name: "barrier", On: OnKernel, Method: "Barrier", Sig: "", Effects: blockWide, Converge: UniformBlock,
		Doc: "waits for all threads of the block and orders their memory accesses", PTX: "bar.sync 0", Section: "9.7.13.1"},
	{Name: "barrier_named", On: OnKernel, Method: "BarrierNamed", Sig: "", Attrs: []AttrSpec{Bar, Threads}, Effects: blockWide, Converge: UniformWarp,
		Doc: "waits until that many threads have arrived at the barrier id", PTX: "bar.sync", Section: "9.7.13.1"},
	{Name: "barrier_arrive", On: OnKernel, Method: "BarrierArrive", Sig: "", Attrs: []AttrSpec{Bar, Threads}, Effects: blockWide, Converge: UniformWarp,
		Doc: "arrives at the barrier id without waiting", PTX: "bar.arrive", Section: "9.7.13.1"},
	{Name: "barrier_popc", On: OnKernel, Method: "BarrierCount", Sig: "p:pred -> u32", Effects: blockWide, Converge: UniformBlock, Uniform: Fixed, Level: UniformBlock,
		Doc: "waits for all threads of the block and returns in how many p holds", PTX: "bar.red.popc", Section: "9.7.13.1"},
	{Name: "barrier_and", On: OnKernel, Method: "BarrierAll", Sig: "p:pred -> pred", Effects: blockWide, Converge: UniformBlock, Uniform: Fixed, Level: UniformBlock,
		Doc: "waits for all threads of the block and tells whether p holds in all", PTX: "bar.red.and", Section: "9.7.13.1"},
	{Name: "barrier_or", On: OnKernel, Method: "BarrierAny", Sig: "p:pred -> pred", Effects: blockWide, Converge: UniformBlock, Uniform: Fixed, Level: UniformBlock,
		Doc: "waits for all threads of the block and tells whether p holds in any", PTX: "bar.red.or", Section: "9.7.13.1"},
}
