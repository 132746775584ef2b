package isa

// Barriers of a CTA, a warp and a cluster, and programmatic launch (manual 9.7.13).
var barrierRows = []Row{
	{Op: "barrier.sync", Syntax: "barrier{.cta}.sync{.aligned} a{, b}", Args: barArgs, PTX: 60, SM: 30, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "Waits at barrier a until b threads (all) have arrived."},
	{Op: "barrier.arrive", Syntax: "barrier{.cta}.arrive{.aligned} a, b", Args: barArgs, PTX: 60, SM: 30, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "Arrives at barrier a without waiting."},
	{Op: "barrier.red", Syntax: "barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c", Args: barArgs + "; c: pred", PTX: 60, SM: 30,
		Sec: "9.7.13.1", Convergent: true, Sync: true, Doc: "barrier.sync, counting the threads whose c holds."},
	{Op: "barrier.red", Syntax: "barrier{.cta}.red.op{.aligned}.pred p, a{, b}, {!}c", Alt: A{"op", "and or"}, Args: barArgs + "; c: pred",
		PTX: 60, SM: 30, Sec: "9.7.13.1", Convergent: true, Sync: true, Doc: "barrier.sync, combining c of all threads."},
	{Op: "bar.sync", Syntax: "bar{.cta}.sync a{, b}", Args: barArgs, PTX: 10, SM: 10, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "barrier.sync.aligned."},
	{Op: "bar.arrive", Syntax: "bar{.cta}.arrive a, b", Args: barArgs, PTX: 20, SM: 20, Sec: "9.7.13.1", Convergent: true,
		Sync: true, Doc: "barrier.arrive.aligned."},
	{Op: "bar.red", Syntax: "bar{.cta}.red.popc.u32 d, a{, b}, {!}c", Args: barArgs + "; c: pred", PTX: 20, SM: 20, Sec: "9.7.13.1",
		Convergent: true, Sync: true, Doc: "barrier.red.popc.aligned."},
	{Op: "bar.red", Syntax: "bar{.cta}.red.op.pred p, a{, b}, {!}c", Alt: A{"op", "and or"}, Args: barArgs + "; c: pred", PTX: 20, SM: 20,
		Sec: "9.7.13.1", Convergent: true, Sync: true, Doc: "barrier.red.op.aligned."},
	{Op: "bar.warp.sync", Syntax: "bar.warp.sync membermask", PTX: 60, SM: 30, Sec: "9.7.13.2", Convergent: true, Sync: true,
		Doc: "Waits for the lanes of the mask and orders their memory accesses."},
	{Op: "barrier.cluster.arrive", Syntax: "barrier.cluster.arrive{.sem}{.aligned}", Alt: A{"sem", "release relaxed"}, PTX: 78, SM: 90,
		Sec: "9.7.13.3", Convergent: true, Sync: true, Doc: "Arrives at the cluster's barrier."},
	{Op: "barrier.cluster.wait", Syntax: "barrier.cluster.wait{.acquire}{.aligned}", PTX: 78, SM: 90, Sec: "9.7.13.3", Convergent: true,
		Sync: true, Doc: "Waits until all threads of the cluster have arrived."},
	{Syntax: "griddepcontrol.action", Alt: A{"action", "launch_dependents wait"}, PTX: 78, SM: 90, Sec: "9.7.13.13", Sync: true, Volatile: true,
		Doc: "Lets dependent grids start, or waits until the grids this one depends on have finished and flushed."},
}

const barArgs = "a: u32 either; b: u32 either"

// Fences (manual 9.7.13.4). What they order is told by Op and the modifiers, not by Reads and Writes.
var fenceRows = []Row{
	{Syntax: "fence{.sem}.scope", Alt: A{"sem", "sc acq_rel acquire release", "scope", scopes}, PTX: 60, SM: 70, Sec: "9.7.13.4", Sync: true,
		Doc: "Orders the thread's memory accesses as seen in a scope; .acq_rel by default."},
	{Op: "fence.sync_restrict", Syntax: "fence.acquire.sync_restrict::shared::cluster.cluster", PTX: 86, SM: 90, Sec: "9.7.13.4", Sync: true,
		Doc: "Acquire restricted to objects in shared::cluster."},
	{Op: "fence.sync_restrict", Syntax: "fence.release.sync_restrict::shared::cta.cluster", PTX: 86, SM: 90, Sec: "9.7.13.4", Sync: true,
		Doc: "Release restricted to objects in shared::cta."},
	{Op: "fence.mbarrier_init", Syntax: "fence.mbarrier_init.release.cluster", PTX: 80, SM: 90, Sec: "9.7.13.4", Sync: true,
		Doc: "Makes earlier mbarrier.init visible to the cluster."},
	{Op: "fence.proxy.alias", Syntax: "fence.proxy.alias", PTX: 75, SM: 70, Sec: "9.7.13.4", Sync: true,
		Doc: "Orders accesses to the same memory through different addresses."},
	{Op: "fence.proxy.async", Syntax: "fence.proxy.async{.space}", Alt: A{"space", "global shared::cta shared::cluster"}, PTX: 80, SM: 90,
		Sec: "9.7.13.4", Sync: true, Doc: "Orders generic accesses and those of the async proxy."},
	{Op: "fence.proxy.tensormap", Syntax: "fence.proxy.tensormap::generic.release.scope", Alt: A{"scope", scopes}, PTX: 83, SM: 90,
		Sec: "9.7.13.4", Sync: true, Doc: "Releases generic writes of a tensor map to the tensormap proxy."},
	{Op: "fence.proxy.tensormap", Syntax: "fence.proxy.tensormap::generic.acquire.scope [addr], size", Alt: A{"scope", scopes},
		Args: "addr: b1024; size: b32 imm=128", PTX: 83, SM: 90, Sec: "9.7.13.4", Sync: true,
		Doc: "Makes generic writes of a tensor map visible to the tensormap proxy."},
	{Op: "fence.proxy.async_generic", Syntax: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", PTX: 86, SM: 90,
		Sec: "9.7.13.4", Sync: true, Doc: "Acquire from the async to the generic proxy, on shared::cluster."},
	{Op: "fence.proxy.async_generic", Syntax: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", PTX: 86, SM: 90,
		Sec: "9.7.13.4", Sync: true, Doc: "Release from the generic to the async proxy, on shared::cta."},
	{Syntax: "membar.level", Alt: A{"level", "cta gl sys"}, PTX: 14, SM: 10, Sec: "9.7.13.4", Sync: true, Doc: "fence.sc of .cta, .gpu or .sys scope."},
	{Op: "membar.proxy", Syntax: "membar.proxy.proxykind", Alt: A{"proxykind", "alias"}, PTX: 75, SM: 70, Sec: "9.7.13.4",
		Sync: true, Doc: "fence.proxy."},
}
