package emulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// reportDeadlock explains why nobody can run: it reports each block that waits, and stops the launch.
func (w *worker) reportDeadlock() {
	for _, c := range w.resident {
		if w.stopped {
			break
		}
		if f, ok := c.explain(); ok {
			w.report(c, f)
		}
		for _, b := range sortedBarriers(c.mbars) {
			// Only bytes are missing, and nothing is on its way: the counts of bytes do not fit.
			if c.waitsFor(b) && b.pending == 0 && b.tx != 0 {
				w.report(c, Finding{Class: MbarTx, Line: cmp.Or(b.expectLine, b.line), Section: "9.7.13.15.2", Message: b.lacks()})
			}
		}
	}
	w.stopped = true
}

// explain says who waits for whom in a block.
func (c *cta) explain() (Finding, bool) {
	f := Finding{Class: Deadlock}
	var parts []string
	for _, wp := range c.warps {
		for i := range wp.frags {
			g := &wp.frags[i]
			in := &wp.k.code[g.pc]
			// Lanes that wait for lanes of their own warp are the reason; who waits for that warp follows from it.
			if f.Line == 0 || g.state == atSync && f.Class != SyncMask {
				f.Line, f.Threads = int(in.line), nil
			}
			if f.Class != SyncMask || g.state == atSync {
				f.Threads = append(f.Threads, wp.threadsOf(g.mask)...)
			}
			switch g.state {
			case atSync:
				f.Class = SyncMask
				parts = append(parts, fmt.Sprintf("warp %d: lanes %s wait at line %d (%s) for lanes %s, which are not there%s",
					wp.index, laneList(g.mask), in.line, in.name(), laneList(g.need&^g.mask), wp.whereabouts(g.need&^g.mask)))
			case atBarrier:
				parts = append(parts, fmt.Sprintf("warp %d%s waits at barrier %d, line %d", wp.index, partOf(g.mask, wp.exists), g.bar, in.line))
			case atMbarrier:
				parts = append(parts, fmt.Sprintf("warp %d%s waits at %s, phase %d, line %d%s", wp.index, partOf(g.mask, wp.exists), g.mbar.name(), g.mbar.phase, in.line, wp.k.source(in.line)))
			case atRegisters:
				if f.Class == Deadlock {
					f.Class, f.Section = SetMaxNReg, "9.7.19.5"
				}
				parts = append(parts, fmt.Sprintf("warp %d waits at setmaxnreg, line %d%s: it has %d registers a thread, and the block's pool has %d", wp.index, in.line, wp.k.source(in.line), wp.registers, c.registers))
			case atMatrix:
				parts = append(parts, fmt.Sprintf("warp %d waits at line %d (%s) for wgmma instructions that warps of its warpgroup have not executed", wp.index, in.line, in.name()))
			case atCluster:
				parts = append(parts, fmt.Sprintf("warp %d%s waits at the cluster barrier, line %d", wp.index, partOf(g.mask, wp.exists), in.line))
			}
		}
	}
	if len(parts) == 0 {
		return f, false
	}
	parts = append(compact(parts), c.missing()...)
	f.Message = strings.Join(parts, "; ")
	return f, true
}

func partOf(m, exists uint32) string {
	if m == exists {
		return ""
	}
	return " lanes " + laneList(m)
}

// whereabouts says where some lanes of the warp are.
func (w *warp) whereabouts(m uint32) string {
	for i := range w.frags {
		if g := &w.frags[i]; g.mask&m != 0 {
			return fmt.Sprintf(": lanes %s are at line %d", laneList(g.mask&m), w.k.code[g.pc].line)
		}
	}
	return ""
}

// missing lists, for each barrier with arrivals, what it lacks.
func (c *cta) missing() []string {
	var out []string
	for id := range c.barriers {
		b := &c.barriers[id]
		if b.arrived == 0 {
			continue
		}
		var absent []string
		for i, wp := range c.warps {
			if b.arrived>>i&1 == 0 {
				state := "has exited"
				if wp.live != 0 {
					state = "has not arrived"
				}
				absent = append(absent, fmt.Sprintf("warp %d %s", i, state))
			}
		}
		n := 0
		for i := range c.warps {
			n += int(b.arrived >> i & 1)
		}
		out = append(out, fmt.Sprintf("barrier %d has %d of %s; %s", id, n*warpSize, threadCount(b.count), strings.Join(absent, ", ")))
	}
	for _, b := range sortedBarriers(c.mbars) {
		if c.waitsFor(b) {
			out = append(out, b.lacks())
		}
	}
	return append(out, c.cluster.missing()...)
}

func (c *cta) waitsFor(b *mbarrier) bool {
	for _, w := range c.warps {
		for i := range w.frags {
			if w.frags[i].mbar == b {
				return true
			}
		}
	}
	return false
}

// source is the place in the source that a line was made from, for messages.
func (k *Kernel) source(line int32) string {
	if p := k.prog.Position; p != nil {
		if s := p(int(line)); s != "" {
			return " (" + s + ")"
		}
	}
	return ""
}

// missing lists who has not arrived at the cluster barrier while others wait there.
func (c *cluster) missing() []string {
	var absent []string
	waits := false
	for _, x := range c.ctas {
		for _, w := range x.warps {
			waits = waits || w.clusterArrived != 0
			if m := w.live &^ w.clusterArrived; m != 0 {
				absent = append(absent, fmt.Sprintf("warp %d of rank %d%s", w.index, x.rank, partOf(m, w.exists)))
			}
		}
	}
	if !waits || len(absent) == 0 {
		return nil
	}
	return []string{"the cluster barrier lacks " + strings.Join(compact(absent), ", ")}
}

// compact joins explanations that differ in the warp only, and cuts long lists.
func compact(parts []string) []string {
	groups := map[string][]string{}
	var order []string
	for _, p := range parts {
		head, tail, ok := strings.Cut(p, " waits at ")
		if !ok {
			order = append(order, p)
			continue
		}
		if groups[tail] == nil {
			order = append(order, " waits at "+tail)
		}
		groups[tail] = append(groups[tail], strings.TrimPrefix(head, "warp "))
	}
	for i, o := range order {
		tail, ok := strings.CutPrefix(o, " waits at ")
		if !ok {
			continue
		}
		g := groups[tail]
		if len(g) == 1 {
			order[i] = "warp " + g[0] + o
		} else {
			order[i] = "warps " + strings.Join(g, ", ") + " wait at " + tail
		}
	}
	if len(order) > 8 {
		order = append(order[:8], fmt.Sprintf("and %d more", len(order)-8))
	}
	return order
}

// checkLivelock is called when a warp has spun in vain for a while. If every warp does, operations in flight are
// completed; without any, a long time without a change is a livelock, and the launch stops.
func (w *worker) checkLivelock() {
	if w.allSpin(spinPatience) && (w.completeAwaited() || w.completeOldest()) {
		return
	}
	if !w.allSpin(spinWatch) || w.unstick() || w.overlapped() || w.before != nil {
		return
	}
	var lines []string
	var where *warp
	line := 0
	for _, c := range w.resident {
		for _, wp := range c.warps {
			if wp.live == 0 || !wp.runnable() {
				continue
			}
			i := wp.lowest(ready)
			if i < 0 {
				i = wp.lowest(spinYield)
			}
			at := wp.k.code[wp.frags[i].pc]
			s := fmt.Sprintf("line %d", at.line)
			if where == nil {
				where, line = wp, int(at.line)
			}
			if !slices.Contains(lines, s) && len(lines) < 8 {
				lines = append(lines, s)
			}
		}
	}
	if where == nil {
		return
	}
	lines = append(lines, w.polled()...)
	if n := (w.clusters - w.next) * int(volume(w.l.Cluster)); n > 0 {
		lines = append(lines, fmt.Sprintf("%d blocks have not started because the device is full", n))
	}
	w.report(where.cta, Finding{Class: Hang, Line: line, Threads: where.threadsOf(where.live),
		Message: "every running warp spins and nothing changes: " + strings.Join(lines, "; ")})
	w.stopped = true
}

// polled explains the mbarriers that spinning or suspended warps wait for.
func (w *worker) polled() []string {
	var out []string
	for _, c := range w.resident {
		for _, b := range sortedBarriers(c.mbars) {
			polls := func(wp *warp) bool { return wp.live != 0 && wp.polls == b }
			if len(out) < 4 && (c.waitsFor(b) || slices.ContainsFunc(c.warps, polls)) {
				out = append(out, b.lacks())
			}
		}
	}
	return out
}

// allSpin reports whether every warp that can run has taken n fruitless back edges.
func (w *worker) allSpin(n uint64) bool {
	for _, c := range w.resident {
		for _, wp := range c.warps {
			if wp.live != 0 && wp.runnable() && (wp.seen != w.progress || wp.spinsSince < n) {
				return false
			}
		}
	}
	return true
}

// reportHang stops a launch that used up its instructions.
func (w *worker) reportHang(why string) {
	for _, c := range w.resident {
		for _, wp := range c.warps {
			if len(wp.frags) > 0 {
				g := &wp.frags[0]
				w.report(c, Finding{Class: Hang, Line: int(wp.k.code[g.pc].line), Threads: wp.threadsOf(g.mask), Message: why})
				w.stopped = true
				return
			}
		}
	}
}
