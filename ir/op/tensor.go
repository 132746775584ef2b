package op

// Copies of boxes of a tensor, which a tensor map describes (PTX ISA 5.5, 9.7.9.27). Coordinates are element indexes of the
// box's first element, innermost dimension first; one to five of them. Elements outside of the tensor read as the map's
// fill and are not stored, but all bytes of the box are counted.
var tensor = []Info{
	{Name: "tensor_load", Sig: "dst:@shared|shared_cluster map:tensormap mbar:@shared|shared_cluster.u64 c:s32* multicast:u16? policy:u64?", Arch: SM90,
		Attrs: []AttrSpec{Spread, Policy, {Name: "box_bytes", Kind: Int}}, Effects: later, Touches: []Touch{{"dst", Writes}, {"map", Reads}, {"mbar", Reads | Writes}},
		Doc: "copies a box to shared memory, of every block in the mask multicast if there is one; box_bytes is its size, for the verifier", PTX: "cp.async.bulk.tensor.shared::cluster.global", Section: "9.7.9.27.1.2"},
	{Name: "tensor_store", Sig: "map:tensormap src:@shared c:s32* policy:u64?", Arch: SM90,
		Attrs: []AttrSpec{Policy}, Effects: later, Touches: []Touch{{"map", Writes}, {"src", Reads}},
		Doc: "copies a box from shared memory", PTX: "cp.async.bulk.tensor.global.shared::cta", Section: "9.7.9.27.1.2"},
	{Name: "tensor_reduce", Sig: "map:tensormap src:@shared c:s32* policy:u64?", Arch: SM90,
		Attrs: []AttrSpec{RedOp, Policy}, Effects: later, Touches: []Touch{{"map", Reads | Writes}, {"src", Reads}},
		Doc: "combines a box of shared memory into the tensor, each element atomically and in the map's type", PTX: "cp.reduce.async.bulk.tensor", Section: "9.7.9.27.1.3"},
	{Name: "tensor_prefetch", Sig: "map:tensormap c:s32* policy:u64?", Arch: SM90, Attrs: []AttrSpec{Policy}, Effects: Effects{Order: true, Async: true},
		Doc: "asks for a box to be brought to L2", PTX: "cp.async.bulk.prefetch.tensor.L2", Section: "9.7.9.27.1.4"},
	{Name: "tensormap_prefetch", Sig: "map:tensormap", Arch: SM90, Effects: ordering,
		Doc: "asks for a tensor map to be brought to the descriptor cache", PTX: "prefetch.tensormap", Section: "9.7.9.15"},
	{Name: "tensormap_at", Sig: "p:@generic|global -> tensormap", Arch: SM90,
		Doc: "returns the tensor map that is stored at an address", PTX: "cvta", Section: "5.5.8"},
}
