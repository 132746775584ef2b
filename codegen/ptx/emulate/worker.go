package emulate

import (
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	warpQuantum  = 2048    // warp instructions before the next warp of the CTA runs
	ctaRounds    = 16      // rounds over the warps of a CTA before the next CTA runs
	spinPatience = 1 << 8  // fruitless back edges of a warp before operations in flight may be what it waits for
	spinWatch    = 1 << 13 // fruitless back edges of a warp before the watchdog looks
)

// worker runs a share of the CTAs of a launch on one goroutine. With one worker the whole launch is one
// deterministic interleaving; several workers are used only where CTAs cannot see each other.
type worker struct {
	l          *launch
	rep        reporter
	initcheck  bool
	memcheck   bool
	asynccheck bool
	synccheck  bool
	muted      *Finding // the last one that nobody wants to hear of, unless it ends the launch
	mutedAt    int
	wgmmacheck bool
	stopped    bool
	next       int // cluster to start next
	stride     int
	resident   []*cta // the CTAs of a cluster are neighbours
	clusters   int    // of the launch that run
	spare      []*cta
	limit      int
	progress   uint64 // changes that another thread can see
	steps      uint64
	threads    uint64
	rng        *rand.Rand // nil: round robin
	last       *alloc     // allocation of the latest access
	budget     uint64
	async      AsyncMode
	patience   uint64   // progress when all suspended try_waits gave up the last time
	track      *tracker // nil while Racecheck is off
	watch      *watch   // nil where nobody observes the launch
	// Programmatic launch: CTAs that let dependents start, the grid that has to end before griddepcontrol.wait returns
	// and the one behind, and the records of accesses shared with the grids behind and before.
	triggered        int
	before, after    *worker
	follower, leader *gridPair
	matrix           matrixScratch
}

func newWorker(l *launch, index, count int) *worker {
	c := l.dev.cfg
	w := &worker{l: l, next: index, stride: count, limit: max(1, l.resident/count), budget: c.MaxSteps, async: c.Async,
		clusters: l.chosen(), watch: newWatch(l, index)}
	w.rep.limit = c.MaxFindings
	w.initcheck, w.memcheck, w.asynccheck = c.Off&Initcheck == 0, c.Off&Memcheck == 0, c.Off&Asynccheck == 0
	w.synccheck = c.Off&Synccheck == 0
	if c.Off&Racecheck == 0 {
		w.track = newTracker(w)
		w.track.shared = count > 1
	}
	w.wgmmacheck = c.Off&Wgmmacheck == 0
	if c.Seed != 0 {
		w.rng = rand.New(rand.NewPCG(c.Seed, uint64(index)))
	}
	return w
}

// loop runs all CTAs of the worker.
func (w *worker) loop() {
	for w.round() {
	}
}

// round runs each resident CTA for a while. It returns false at the end of the work.
func (w *worker) round() bool {
	if w.stopped {
		return false
	}
	w.admit()
	if len(w.resident) == 0 {
		return false
	}
	ran, progress := 0, w.progress
	for i := 0; i < len(w.resident) && !w.stopped; i++ {
		ran += w.runCTA(w.resident[w.choose(i, len(w.resident))])
	}
	for i := 0; ran == 0 && w.rng != nil && i < len(w.resident) && !w.stopped; i++ {
		ran = w.runCTA(w.resident[i]) // the random choice may have missed the only CTA that can run
	}
	w.retire()
	w.steps += uint64(ran)
	// What one CTA has in flight may, complete, wake another whose turn is over.
	idle := ran == 0 && w.progress == progress
	if idle && len(w.resident) > 0 && !w.stopped && !w.unstick() && w.before == nil && !w.overlapped() {
		w.reportDeadlock()
		return false
	}
	if w.steps > w.budget && !w.stopped {
		w.reportHang("the launch ran for more than MaxSteps warp instructions")
	}
	return !w.stopped
}

// choose returns i in round robin, or a random index.
func (w *worker) choose(i, n int) int {
	if w.rng == nil || n == 1 {
		return i
	}
	return w.rng.IntN(n)
}

// admit starts CTAs, whole clusters at a time, while they fit. An empty device takes at least one cluster.
func (w *worker) admit() {
	size := int(volume(w.l.Cluster))
	for w.next < w.clusters && (len(w.resident) == 0 || len(w.resident)+size <= w.limit) {
		cl := &cluster{}
		for rank := range size {
			cl.ctas = append(cl.ctas, w.start(cl, w.l.cluster(w.next)*size+rank, rank))
		}
		w.resident = append(w.resident, cl.ctas...)
		w.next += w.stride
	}
}

// retire removes clusters that have ended. A CTA's memory stays until the whole cluster has.
func (w *worker) retire() {
	w.resident = slices.DeleteFunc(w.resident, func(c *cta) bool {
		if !c.cluster.ended() {
			return false
		}
		for _, wp := range c.warps {
			w.threads += wp.threads
		}
		for len(c.flight) > 0 { // what the end of the grid waits for
			w.settle(c.flight[0])
		}
		w.spare = append(w.spare, c)
		return true
	})
}

// runCTA runs the warps of a CTA for a while and returns the number of warp instructions.
func (w *worker) runCTA(c *cta) (ran int) {
	w.advance(c)
	for round := 0; round < ctaRounds && c.liveWarps > 0; round++ {
		n := 0
		for i := range c.warps {
			wp := c.warps[w.choose(i, len(c.warps))]
			if wp.live == 0 || !wp.runnable() {
				continue
			}
			q := warpQuantum
			if w.rng != nil {
				q = 1 + w.rng.IntN(256)
			}
			n += wp.step(q)
			if w.stopped {
				return ran + n
			}
		}
		ran += n
		if n == 0 && w.rng == nil || w.steps+uint64(ran) > w.budget {
			break
		}
	}
	if ran == 0 && w.rng != nil { // a random choice may miss the only warp that can run
		for _, wp := range c.warps {
			if wp.live != 0 && wp.runnable() {
				return wp.step(warpQuantum)
			}
		}
	}
	return ran
}

// explainStop lets a launch end for a reason that is told, whatever checkers are off.
func (w *worker) explainStop() {
	if w.stopped && w.muted != nil && len(w.rep.list) == 0 {
		w.rep.add(w.mutedAt, *w.muted)
	}
}

func (w *worker) report(c *cta, f Finding) {
	f.Kernel = w.l.k.Name
	if p := w.l.k.prog.Position; p != nil && f.Line > 0 {
		f.Position = p(f.Line)
	}
	for i := range f.Accesses {
		if a := &f.Accesses[i]; w.l.k.prog.Position != nil && a.Line > 0 {
			a.Position = w.l.k.prog.Position(a.Line)
		}
	}
	if f.Severity == "" {
		f.Severity = Error
	}
	if !w.synccheck && strings.HasPrefix(string(f.Class), "sync.") {
		w.muted, w.mutedAt = &f, c.index
		return
	}
	w.rep.add(c.index, f)
	if w.rep.full() {
		w.stopped = true
	}
}
