package op

// An mbarrier counts arrivals and bytes; when both are complete its phase ends and the next begins (PTX ISA 9.7.13.15). A
// barrier of another block can be signalled, but neither waited for nor asked for its state.
const (
	anyBarrier = "mbar:@shared|shared_cluster.u64"
	ownBarrier = "mbar:@shared.u64"
)

var signals = []Touch{{"mbar", Reads | Writes}}

var mbarrier = []Info{
	{Name: "mbarrier_init", Sig: ownBarrier + " count:u32", Effects: ordering, Touches: signals,
		Doc: "makes a barrier whose phases each take count arrivals", PTX: "mbarrier.init", Section: "9.7.13.15.9"},
	{Name: "mbarrier_inval", Sig: ownBarrier, Effects: ordering, Touches: signals,
		Doc: "ends a barrier, so that its memory may be used for other things", PTX: "mbarrier.inval", Section: "9.7.13.15.10"},
	{Name: "mbarrier_arrive", Sig: anyBarrier + " count:u32? -> state:u64?", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent,
		Attrs: []AttrSpec{Counted, State, Drop, {Name: "no_complete", Kind: Flag}, Arrival, BarScope},
		Doc:   "arrives, once or count times; drop lowers the count of later phases; no_complete promises that the phase goes on",
		PTX:   "mbarrier.arrive", Section: "9.7.13.15.13, 9.7.13.15.14"},
	{Name: "mbarrier_arrive_tx", Sig: anyBarrier + " bytes:u32 -> state:u64?", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent, Arch: SM90,
		Attrs: []AttrSpec{State, Drop, Arrival, BarScope},
		Doc:   "adds bytes to what the phase waits for and arrives once", PTX: "mbarrier.arrive.expect_tx", Section: "9.7.13.15.13"},
	{Name: "mbarrier_expect_tx", Sig: anyBarrier + " bytes:u32", Effects: ordering, Touches: signals, Arch: SM90, Attrs: []AttrSpec{BarScope},
		Doc: "adds bytes to what the phase waits for", PTX: "mbarrier.expect_tx.relaxed", Section: "9.7.13.15.11"},
	{Name: "mbarrier_complete_tx", Sig: anyBarrier + " bytes:u32", Effects: ordering, Touches: signals, Arch: SM90, Attrs: []AttrSpec{BarScope},
		Doc: "counts bytes as arrived, without a copy", PTX: "mbarrier.complete_tx.relaxed", Section: "9.7.13.15.12"},
	{Name: "mbarrier_test_parity", Sig: ownBarrier + " phase:u32 -> pred", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent, Attrs: []AttrSpec{Waiting, BarScope},
		Doc: "tells whether the phase of that parity has ended", PTX: "mbarrier.test_wait.parity", Section: "9.7.13.15.16"},
	{Name: "mbarrier_test_state", Sig: ownBarrier + " state:u64 -> pred", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent, Attrs: []AttrSpec{Waiting, BarScope},
		Doc: "tells whether the phase in which a state was returned has ended", PTX: "mbarrier.test_wait", Section: "9.7.13.15.16"},
	{Name: "mbarrier_try_parity", Sig: ownBarrier + " phase:u32 -> pred", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent, Arch: SM90,
		Attrs: []AttrSpec{Waiting, BarScope, {Name: "hint_ns", Kind: Int}},
		Doc:   "is mbarrier_test_parity that may suspend the thread for a while", PTX: "mbarrier.try_wait.parity", Section: "9.7.13.15.16"},
	{Name: "mbarrier_try_state", Sig: ownBarrier + " state:u64 -> pred", Effects: ordering, Touches: signals, Uniform: Fixed, Level: Divergent, Arch: SM90,
		Attrs: []AttrSpec{Waiting, BarScope, {Name: "hint_ns", Kind: Int}},
		Doc:   "is mbarrier_test_state that may suspend the thread for a while", PTX: "mbarrier.try_wait", Section: "9.7.13.15.16"},
	{Name: "mbarrier_wait_parity", Sig: ownBarrier + " phase:u32", Effects: ordering, Touches: signals, Arch: SM90, Attrs: []AttrSpec{Waiting, BarScope, {Name: "hint_ns", Kind: Int}},
		Doc: "waits until the phase of that parity has ended", PTX: "mbarrier.try_wait.parity in a loop", Section: "9.7.13.15.16"},
	{Name: "mbarrier_wait_state", Sig: ownBarrier + " state:u64", Effects: ordering, Touches: signals, Arch: SM90, Attrs: []AttrSpec{Waiting, BarScope, {Name: "hint_ns", Kind: Int}},
		Doc: "waits until the phase in which a state was returned has ended", PTX: "mbarrier.try_wait in a loop", Section: "9.7.13.15.16"},
	{Name: "mbarrier_pending", Sig: "state:u64 -> u32",
		Doc: "returns the arrivals that were still missing in a state", PTX: "mbarrier.pending_count", Section: "9.7.13.15.17"},
}
