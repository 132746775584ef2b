package op

var clusterWide = Effects{Convergent: true, Order: true}

// Clusters of blocks (PTX ISA 5.1.7): whose shared memory each block of it can reach.
var cluster = []Info{
	{Name: "mapa", Sig: "p:@shared rank:u32 -> any", Arch: SM90,
		Doc: "returns the address that p has in the block of that rank in the cluster", PTX: "mapa.shared::cluster", Section: "9.7.9.23"},
	{Name: "to_cluster", Sig: "p:@shared -> any", Arch: SM90,
		Doc: "returns p as an address of the cluster's shared memory", PTX: "none", Section: "5.1.7"},
	{Name: "getctarank", Sig: "p:@shared_cluster -> u32", Arch: SM90,
		Doc: "returns the rank of the block that owns an address", PTX: "getctarank.shared::cluster", Section: "9.7.9.24"},
	{Name: "st_async", Sig: "p:ptr v:E* mbar:@shared_cluster.u64", Spaces: In(SharedCluster), Arch: SM90, Effects: later,
		Touches: []Touch{{"p", Writes}, {"mbar", Reads | Writes}},
		Doc:     "stores 1, 2 or 4 elements of 4 or 8 bytes in another block, whose barrier counts the bytes", PTX: "st.async.shared::cluster", Section: "9.7.9.12"},
	{Name: "red_async", Sig: "p:ptr v:E mbar:@shared_cluster.u64", Spaces: In(SharedCluster), Arch: SM90, Attrs: []AttrSpec{RedOp}, Effects: later,
		Touches: []Touch{{"p", Reads | Writes}, {"mbar", Reads | Writes}},
		Doc:     "updates an integer atomically in another block, whose barrier counts the bytes", PTX: "red.async.relaxed.cluster.shared::cluster", Section: "9.7.13.7"},
	{Name: "cluster_arrive", Attrs: []AttrSpec{Arrival}, Arch: SM90, Effects: clusterWide, Converge: UniformWarp,
		Doc: "arrives at the cluster's barrier without waiting", PTX: "barrier.cluster.arrive.aligned", Section: "9.7.13.3"},
	{Name: "cluster_wait", On: OnKernel, Method: "ClusterWait", Arch: SM90, Effects: clusterWide, Converge: UniformWarp,
		Doc: "waits until all threads of the cluster have arrived, and sees what they released", PTX: "barrier.cluster.wait.acquire.aligned", Section: "9.7.13.3"},
	clusterRegister("clusterid.x", "ClusterIDX", UniformCluster, "the cluster's x index in the grid", "10.12"),
	clusterRegister("clusterid.y", "ClusterIDY", UniformCluster, "the cluster's y index in the grid", "10.12"),
	clusterRegister("clusterid.z", "ClusterIDZ", UniformCluster, "the cluster's z index in the grid", "10.12"),
	clusterRegister("nclusterid.x", "NClusterIDX", UniformGrid, "the grid's x size in clusters", "10.13"),
	clusterRegister("nclusterid.y", "NClusterIDY", UniformGrid, "the grid's y size in clusters", "10.13"),
	clusterRegister("nclusterid.z", "NClusterIDZ", UniformGrid, "the grid's z size in clusters", "10.13"),
	clusterRegister("cluster_ctaid.x", "ClusterCTAIDX", UniformBlock, "the block's x index in the cluster", "10.14"),
	clusterRegister("cluster_ctaid.y", "ClusterCTAIDY", UniformBlock, "the block's y index in the cluster", "10.14"),
	clusterRegister("cluster_ctaid.z", "ClusterCTAIDZ", UniformBlock, "the block's z index in the cluster", "10.14"),
	clusterRegister("cluster_nctaid.x", "ClusterNCTAIDX", UniformGrid, "the cluster's x size in blocks", "10.15"),
	clusterRegister("cluster_nctaid.y", "ClusterNCTAIDY", UniformGrid, "the cluster's y size in blocks", "10.15"),
	clusterRegister("cluster_nctaid.z", "ClusterNCTAIDZ", UniformGrid, "the cluster's z size in blocks", "10.15"),
	clusterRegister("cluster_ctarank", "ClusterCTARank", UniformBlock, "the block's rank in the cluster", "10.16"),
	clusterRegister("cluster_nctarank", "ClusterNCTARank", UniformGrid, "the number of blocks in the cluster", "10.17"),
}

func clusterRegister(name, method string, level Level, what, section string) Info {
	return Info{Name: name, On: OnKernel, Method: method, Sig: "-> u32", Arch: SM90, Uniform: Fixed, Level: level,
		Doc: "returns " + what, PTX: "mov %" + name, Section: section}
}
