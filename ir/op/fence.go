package op

var ordering = Effects{Order: true}

// Fences between proxies: the ways on which memory is reached (PTX ISA 8.6, 9.7.13.4). Ordinary accesses and cp.async take
// the generic proxy; bulk and tensor copies and matrix instructions that read shared memory take the async proxy.
var fences = []Info{
	{Name: "fence_proxy_async", Attrs: []AttrSpec{{Name: "space", Kind: Enum, Values: []string{"all", "global", "shared::cta", "shared::cluster"}}}, Arch: SM90,
		Effects: ordering, Doc: "makes this thread's earlier ordinary accesses visible to the async proxy, and the reverse", PTX: "fence.proxy.async", Section: "9.7.13.4"},
	{Name: "fence_mbarrier_init", On: OnKernel, Method: "FenceMBarrierInit", Arch: SM90,
		Effects: ordering, Doc: "makes the barriers that this thread has initialised visible to the cluster", PTX: "fence.mbarrier_init.release.cluster", Section: "9.7.13.4"},
	{Name: "fence_tensormap_release", Attrs: []AttrSpec{Scope}, Arch: SM90,
		Effects: ordering, Doc: "releases this thread's ordinary writes of a tensor map to tensor copies", PTX: "fence.proxy.tensormap::generic.release", Section: "9.7.13.4"},
	{Name: "fence_tensormap_acquire", Sig: "map:tensormap", Attrs: []AttrSpec{Scope}, Arch: SM90,
		Effects: ordering, Doc: "makes released writes of a tensor map visible to tensor copies", PTX: "fence.proxy.tensormap::generic.acquire", Section: "9.7.13.4"},
}
