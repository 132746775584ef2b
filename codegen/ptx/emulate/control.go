package emulate

import (
	"fmt"
	"math/bits"
	"slices"
)

// branch jumps with the lanes in m; the others go on.
func branch(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	if m == f.mask {
		f.pc = in.target
		return in.spin && w.spinBack(f)
	}
	if in.uni {
		w.find(SyncDiverged, in, f.mask&^m, fmt.Sprintf("%s: lanes %s jump and lanes %s do not; .uni promises that all do the same", in.name(), laneList(m), laneList(f.mask&^m)))
	}
	rest := frag{pc: f.pc + 1, mask: f.mask &^ m, stack: slices.Clone(f.stack), spins: f.spins}
	f.mask = m
	f.pc = in.target
	w.frags = append(w.frags, rest)
	if in.spin {
		w.spinBack(&w.frags[w.cur])
	}
	return true
}

// spinBack counts a back edge of a loop that may wait for another thread. It returns true when the fragment gives
// its turn to another one.
func (w *warp) spinBack(f *frag) bool {
	if w.seen != w.run.progress {
		w.seen, w.spinsSince = w.run.progress, 0
	}
	w.spinsSince++
	if w.spinsSince%spinPatience == 0 {
		w.run.checkLivelock()
	}
	if len(w.frags) == 1 {
		// The quantum is for work; a spinning warp hands over early.
		f.spins++
		if f.spins >= spinLimit {
			f.state = spinYield
			return true
		}
		return false
	}
	if f.spins++; f.spins < spinLimit {
		return false
	}
	f.state = spinYield
	return true
}

// branchTable is brx.idx: every lane jumps to the target that its index names.
type branchTable struct {
	index   src
	use     int32
	targets []int32
}

func (b *branchTable) jump(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	base := *f
	v := w.val(b.index)
	w.needDefined(b.use, in, m, "is a branch index")
	parts := map[int32]uint32{}
	if rest := base.mask &^ m; rest != 0 {
		parts[base.pc+1] |= rest
	}
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t)
		i := uint32(v[l])
		if int(i) >= len(b.targets) {
			w.find(BadOperand, in, 1<<l, fmt.Sprintf("branch index %d, the table has %d targets", i, len(b.targets)))
			w.run.stopped = true
			return true
		}
		parts[b.targets[i]] |= 1 << l
	}
	pcs := make([]int32, 0, len(parts))
	for pc := range parts {
		pcs = append(pcs, pc)
	}
	slices.Sort(pcs)
	for i, pc := range pcs {
		if i == 0 {
			f.pc, f.mask = pc, parts[pc]
			continue
		}
		w.frags = append(w.frags, frag{pc: pc, mask: parts[pc], stack: slices.Clone(base.stack)})
	}
	return true
}

// call enters a function with the lanes in m.
func call(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	if rest := f.mask &^ m; rest != 0 {
		w.frags = append(w.frags, frag{pc: f.pc + 1, mask: rest, stack: slices.Clone(f.stack)})
		f = &w.frags[w.cur]
	}
	f.mask = m
	f.stack = append(f.stack, f.pc+1)
	f.pc = in.target
	return true
}

// ret returns from a function, or ends the lanes of a kernel.
func ret(w *warp, in *inst, m uint32) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	if len(f.stack) == 0 {
		w.exit(in, m)
		return true
	}
	if rest := f.mask &^ m; rest != 0 {
		w.frags = append(w.frags, frag{pc: f.pc + 1, mask: rest, stack: slices.Clone(f.stack)})
		f = &w.frags[w.cur]
	}
	f.mask = m
	f.pc = f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	return true
}

func exitThreads(w *warp, in *inst, m uint32) bool {
	if m == 0 {
		w.frags[w.cur].pc++
		return false
	}
	w.exit(in, m)
	return true
}

func trap(w *warp, in *inst, m uint32) bool {
	if m == 0 {
		w.frags[w.cur].pc++
		return false
	}
	w.find(Trap, in, m, "the kernel executed "+in.name())
	w.run.stopped = true
	return true
}

// rendezvous runs a warp-synchronous instruction: the fragment waits until the lanes of its member mask that have
// not exited are at the same place, and takes them along.
func rendezvous(mask src, use int32, exec execFn) func(w *warp, in *inst, m uint32) bool {
	return func(w *warp, in *inst, m uint32) bool {
		f := &w.frags[w.cur]
		if m == 0 {
			f.pc++
			return false
		}
		member := uint32(w.val(mask)[bits.TrailingZeros32(m)])
		if member&w.live == f.mask&w.live && m == f.mask {
			exec(w, in, m)
			f.pc++
			return false
		}
		return w.gather(in, m, member, use, exec)
	}
}

// gather is the slow path of rendezvous: lanes are missing, guarded off, or of several masks.
func (w *warp) gather(in *inst, m, member uint32, use int32, exec execFn) bool {
	f := &w.frags[w.cur]
	w.needDefined(use, in, m, "is a member mask")
	if bad := m &^ member; bad != 0 {
		w.find(SyncMask, in, bad, fmt.Sprintf("%s: lanes %s execute it, its member mask %#x names lanes %s", in.name(), laneList(m), member, laneList(member)))
		w.run.stopped = true
		return true
	}
	if rest := f.mask &^ m; rest != 0 { // guarded off: they go on
		w.frags = append(w.frags, frag{pc: f.pc + 1, mask: rest, stack: slices.Clone(f.stack)})
		f = &w.frags[w.cur]
		f.mask = m
	}
	need := member & w.live
	have := f.mask
	for i := range w.frags {
		if g := &w.frags[i]; i != w.cur && w.sameWait(g, f) {
			have |= g.mask
		}
	}
	if need&^have != 0 {
		f.state, f.need = atSync, need
		return true
	}
	pc, stack := f.pc, f.stack
	f.mask |= have
	kept := w.frags[:0]
	for i := range w.frags {
		g := w.frags[i]
		if i != w.cur && w.sameWait(&g, &frag{pc: pc, stack: stack}) {
			continue
		}
		kept = append(kept, g)
	}
	w.frags = kept
	for i := range w.frags {
		if g := &w.frags[i]; g.pc == pc && g.state == ready && g.mask == have {
			exec(w, in, have)
			g.pc++
			break
		}
	}
	return true
}

func (w *warp) sameWait(g, f *frag) bool {
	return g.state == atSync && g.pc == f.pc && slices.Equal(g.stack, f.stack)
}

// needDefined reports lanes whose register has no value where one decides what happens. id < 0 is a constant.
func (w *warp) needDefined(id int32, in *inst, m uint32, what string) {
	if id < 0 || !w.run.initcheck {
		return
	}
	if bad := m &^ w.def[id]; bad != 0 {
		w.undefined(id, bad, in, what)
	}
}
