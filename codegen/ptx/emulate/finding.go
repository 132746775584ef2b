package emulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Class names what a finding is about. The names are stable: tools match on them.
type Class string

// The classes that this stage reports.
const (
	OOBGlobal    Class = "mem.oob.global" // outside every allocation, null, or after Free
	OOBShared    Class = "mem.oob.shared"
	OOBLocal     Class = "mem.oob.local"
	OOBParam     Class = "mem.oob.param"
	Misaligned   Class = "mem.misaligned"
	ReadOnly     Class = "mem.readonly"     // a store to constant memory or to kernel parameters
	InitRegister Class = "init.register"    // a register that no instruction wrote
	InitShared   Class = "init.shared"      // shared memory that nobody wrote
	InitLocal    Class = "init.local"       // local memory that nobody wrote
	InitGlobal   Class = "init.global"      // global memory that neither the host nor a kernel wrote
	Deadlock     Class = "deadlock"         // nobody can run
	Hang         Class = "hang"             // the watchdog stopped the launch
	SyncMask     Class = "sync.mask"        // a member mask that the executing threads do not fit
	SyncDiverged Class = "sync.divergent"   // an aligned instruction reached by a part of the warp
	SyncBarrier  Class = "sync.barrier"     // a barrier's number, count or use
	SyncCluster  Class = "sync.cluster"     // a cluster barrier out of turn: no arrival before a wait, two before one
	AsyncCopy    Class = "async.cp"         // cp.async: memory touched in flight, or a copy that nobody waited for
	AsyncBulk    Class = "async.bulk"       // bulk copies, st.async and red.async: likewise
	MbarInit     Class = "mbarrier.init"    // an mbarrier used without init, initialised twice, or touched as plain memory
	MbarTx       Class = "mbarrier.tx"      // bytes expected and bytes that came do not fit
	MbarCount    Class = "mbarrier.count"   // arrivals and the count do not fit, or a parity that cannot be right
	ClusterRank  Class = "cluster.rank"     // a CTA that the cluster does not have
	ClusterExit  Class = "cluster.exit"     // shared memory of a CTA that has ended
	ClusterStart Class = "cluster.start"    // shared memory of a CTA that may not have started
	LaunchMap    Class = "launch.tensormap" // a tensor map that no encoder made, or that does not fit its use
	BulkCoord    Class = "bulk.coord"       // coordinates that the copy engine does not take
	WgmmaFence   Class = "wgmma.fence"      // a register of a wgmma accessed before it without wgmma.fence
	WgmmaWait    Class = "wgmma.wait"       // a register of a wgmma touched, or the warp ended, before the wait for its group
	WgmmaReuse   Class = "wgmma.reuse"      // registers or shared memory of a wgmma in flight given to something else
	SetMaxNReg   Class = "sync.setmaxnreg"  // register counts of warpgroups
	RaceShared   Class = "race.shared"      // accesses to shared memory that nothing orders, at least one a write
	RaceGlobal   Class = "race.global"      // likewise in global memory
	RaceCluster  Class = "race.cluster"     // likewise, between blocks of a cluster in the shared memory of one
	RaceAsync    Class = "race.async"       // likewise, with an asynchronous operation on one side
	Proxy        Class = "proxy"            // a write that reaches the async proxy without a proxy fence
	Trap         Class = "trap"             // the trap instruction
	BadOperand   Class = "verify"           // a value that the manual leaves undefined: a branch index past its table
)

// Severity says what a finding means for the result.
type Severity string

// The severities. Only an error makes a run fail.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Thread names one thread of a launch.
type Thread struct {
	CTA    [3]uint32 `json:"cta"`
	Thread [3]uint32 `json:"thread"`
}

// Finding is one thing that the checkers saw.
type Finding struct {
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	Kernel   string   `json:"kernel"`
	Line     int      `json:"line"`               // of the PTX text; 0 where no single line is meant
	Position string   `json:"position,omitempty"` // source position of the line, where the program knows it
	Message  string   `json:"message"`
	Threads  []Thread `json:"threads,omitempty"`  // the first few threads concerned
	Accesses []Access `json:"accesses,omitempty"` // where accesses conflict: both of them
	Section  string   `json:"section,omitempty"`  // of the PTX manual: the rule that is broken
	Count    int      `json:"count"`              // how often the same line gave the same class
}

// Access is one of the accesses that a finding is about.
type Access struct {
	Kind     string   `json:"kind"`  // "read", "write", "atomic", "async read", "async write"
	Space    string   `json:"space"` // "global", "shared", "local"
	Addr     uint64   `json:"addr"`  // in the space; the rank in the cluster is the high byte of a shared address
	Bytes    uint64   `json:"bytes"`
	Object   string   `json:"object,omitempty"` // the allocation or variable, and the offset in it
	Line     int      `json:"line"`
	Position string   `json:"position,omitempty"`
	Threads  []Thread `json:"threads,omitempty"`
}

// String is one line for people.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: kernel %s", f.Severity, f.Class, f.Kernel)
	if f.Line > 0 {
		fmt.Fprintf(&b, ", PTX line %d", f.Line)
	}
	if f.Position != "" {
		fmt.Fprintf(&b, " (%s)", f.Position)
	}
	fmt.Fprintf(&b, ": %s", f.Message)
	if len(f.Threads) > 0 {
		t := f.Threads[0]
		fmt.Fprintf(&b, " [block %d,%d,%d thread %d,%d,%d]", t.CTA[0], t.CTA[1], t.CTA[2], t.Thread[0], t.Thread[1], t.Thread[2])
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", f.Count)
	}
	return b.String()
}

// reporter collects the findings of one worker. Equal (class, line) pairs are counted, not repeated.
type reporter struct {
	list  []*Finding
	order []int // position in the launch order of the CTA that reported first
	limit int
	flood bool // one finding came up so often that going on tells nothing
}

const floodLimit = 1 << 14

const threadsPerFinding = 4

// add records a finding of one CTA; ctaIndex orders findings of different workers.
func (r *reporter) add(ctaIndex int, f Finding) {
	for i, old := range r.list {
		if old.Class != f.Class || old.Line != f.Line {
			continue
		}
		old.Count++
		if ctaIndex < r.order[i] {
			r.order[i] = ctaIndex
		}
		if room := threadsPerFinding - len(old.Threads); room > 0 {
			old.Threads = append(old.Threads, f.Threads[:min(room, len(f.Threads))]...)
		}
		return
	}
	if len(r.list) >= r.limit {
		return
	}
	f.Count = 1
	f.Threads = f.Threads[:min(threadsPerFinding, len(f.Threads))]
	r.list = append(r.list, &f)
	r.order = append(r.order, ctaIndex)
}

// repeat counts a finding that is known well enough already: no message has to be made for it.
func (r *reporter) repeat(class Class, line int) bool {
	for _, f := range r.list {
		if f.Class == class && f.Line == line && len(f.Threads) >= threadsPerFinding {
			f.Count++
			r.flood = r.flood || f.Count >= floodLimit
			return true
		}
	}
	return false
}

// full reports whether the launch should stop.
func (r *reporter) full() bool { return len(r.list) >= r.limit || r.flood }

// merge returns the findings of all workers in the order of their CTAs.
func merge(rs []*reporter) []Finding {
	type entry struct {
		f *Finding
		o int
	}
	var all []entry
	for _, r := range rs {
		for i, f := range r.list {
			all = append(all, entry{f, r.order[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.o, b.o) })
	total := &reporter{limit: len(all)}
	for _, e := range all {
		n := e.f.Count
		total.add(e.o, *e.f)
		for _, f := range total.list {
			if f.Class == e.f.Class && f.Line == e.f.Line {
				f.Count += n - 1
			}
		}
	}
	out := make([]Finding, len(total.list))
	for i, f := range total.list {
		out[i] = *f
	}
	return out
}
