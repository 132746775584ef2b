package op

var later = Effects{Async: true}

// moves says which memory a copy reads and which it writes.
var moves = []Touch{{"dst", Writes}, {"src", Reads}}

// Asynchronous copies of up to 16 bytes a thread (PTX ISA 9.7.9.25.3). They write through the generic proxy.
var copies = []Info{
	{Name: "cp_async", Sig: "dst:@shared src:@global src_bytes:u32? policy:u64?", Effects: later, Touches: moves,
		Attrs: []AttrSpec{{Name: "bytes", Kind: Int, Required: true}, {Name: "cache", Kind: Enum, Values: []string{"ca", "cg"}}, PadBytes, L2Fetch, Policy},
		Doc:   "copies 4, 8 or 16 bytes from global to shared memory; bytes past src_bytes become 0 and are not read", PTX: "cp.async", Section: "9.7.9.25.3.1"},
	{Name: "cp_async_commit", On: OnKernel, Method: "CopyAsyncCommit", Effects: Effects{Async: true, Order: true},
		Doc: "closes the group of this thread's cp_async since the last one", PTX: "cp.async.commit_group", Section: "9.7.9.25.3.2"},
	{Name: "cp_async_wait", On: OnKernel, Method: "CopyAsyncWait", Attrs: []AttrSpec{Groups}, Effects: ordering,
		Doc: "waits until at most that many of this thread's newest groups are in flight", PTX: "cp.async.wait_group", Section: "9.7.9.25.3.3"},
	{Name: "cp_async_wait_all", On: OnKernel, Method: "CopyAsyncWaitAll", Effects: ordering,
		Doc: "waits for all of this thread's cp_async, committed or not", PTX: "cp.async.wait_all", Section: "9.7.9.25.3.3"},
	{Name: "cp_async_arrive", Sig: ownBarrier, Attrs: []AttrSpec{{Name: "noinc", Kind: Flag}}, Effects: Effects{Async: true, Order: true}, Touches: signals,
		Doc: "arrives when this thread's cp_async so far are done; noinc takes the arrival from the barrier's count, which otherwise is raised for it",
		PTX: "cp.async.mbarrier.arrive", Section: "9.7.13.15.15"},
}

// Bulk copies of 16 bytes and more by one thread, through the async proxy (PTX ISA 9.7.9.25.4). Loads and sends count their
// bytes at an mbarrier; stores and reductions into global memory belong to the thread's bulk groups.
var bulk = []Info{
	{Name: "bulk_load", Sig: "dst:@shared|shared_cluster src:@global bytes:u32 mbar:@shared|shared_cluster.u64 multicast:u16? policy:u64?", Arch: SM90,
		Attrs: []AttrSpec{Spread, Policy}, Effects: later, Touches: append(moves[:2:2], signals...),
		Doc: "copies bytes from global to shared memory, of every block in the mask multicast if there is one", PTX: "cp.async.bulk.shared::cluster.global", Section: "9.7.9.25.4.1"},
	{Name: "bulk_send", Sig: "dst:@shared_cluster src:@shared bytes:u32 mbar:@shared_cluster.u64", Arch: SM90, Effects: later, Touches: append(moves[:2:2], signals...),
		Doc: "copies bytes to the shared memory of another block, whose barrier counts them", PTX: "cp.async.bulk.shared::cluster.shared::cta", Section: "9.7.9.25.4.1"},
	{Name: "bulk_store", Sig: "dst:@global src:@shared bytes:u32 policy:u64?", Arch: SM90, Attrs: []AttrSpec{Policy}, Effects: later, Touches: moves,
		Doc: "copies bytes from shared to global memory", PTX: "cp.async.bulk.global.shared::cta", Section: "9.7.9.25.4.1"},
	{Name: "bulk_reduce", Sig: "dst:@global src:@shared bytes:u32 policy:u64?", Arch: SM90, Attrs: []AttrSpec{RedOp, Policy}, Effects: later,
		Touches: []Touch{{"dst", Reads | Writes}, {"src", Reads}},
		Doc:     "combines bytes of shared memory into global memory, each element atomically", PTX: "cp.reduce.async.bulk.global.shared::cta", Section: "9.7.9.25.4.2"},
	{Name: "bulk_reduce_send", Sig: "dst:@shared_cluster src:@shared bytes:u32 mbar:@shared_cluster.u64", Arch: SM90, Attrs: []AttrSpec{RedOp}, Effects: later,
		Touches: []Touch{{"dst", Reads | Writes}, {"src", Reads}, {"mbar", Reads | Writes}},
		Doc:     "combines bytes into the shared memory of another block, whose barrier counts them", PTX: "cp.reduce.async.bulk.shared::cluster.shared::cta", Section: "9.7.9.25.4.2"},
	{Name: "bulk_prefetch", Sig: "src:@global bytes:u32 policy:u64?", Arch: SM90, Attrs: []AttrSpec{Policy}, Effects: Effects{Order: true, Async: true},
		Doc: "asks for bytes to be brought to L2", PTX: "cp.async.bulk.prefetch.L2", Section: "9.7.9.25.4.3"},
	{Name: "bulk_commit", On: OnKernel, Method: "BulkCommit", Arch: SM90, Effects: Effects{Async: true, Order: true},
		Doc: "closes the group of this thread's bulk stores and reductions since the last one", PTX: "cp.async.bulk.commit_group", Section: "9.7.9.25.5.1"},
	{Name: "bulk_wait", On: OnKernel, Method: "BulkWait", Arch: SM90, Attrs: []AttrSpec{Groups}, Effects: ordering,
		Doc: "waits until at most that many of this thread's newest bulk groups are in flight", PTX: "cp.async.bulk.wait_group", Section: "9.7.9.25.5.2"},
	{Name: "bulk_wait_read", On: OnKernel, Method: "BulkWaitRead", Arch: SM90, Attrs: []AttrSpec{Groups}, Effects: ordering,
		Doc: "waits until at most that many of this thread's newest bulk groups still read shared memory", PTX: "cp.async.bulk.wait_group.read", Section: "9.7.9.25.5.2"},
}
