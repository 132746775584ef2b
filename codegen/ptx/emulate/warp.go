package emulate

import (
	"math/bits"
	"slices"
)

const (
	warpSize  = 32
	fullMask  = ^uint32(0)
	maxPC     = int32(1<<31 - 1)
	spinLimit = 64 // back edges of a spinning loop before a sibling fragment gets its turn
)

// lanes is one register of a warp. A value narrower than 64 bits is kept zero-extended.
type lanes [warpSize]uint64

// src is a value operand: a register's slot, or ^index of a constant of the program.
type src int32

// fragState says why a fragment of a warp does not run.
type fragState uint8

const (
	ready       fragState = iota
	atSync                // waits for the other lanes of its member mask
	atBarrier             // waits at a CTA barrier
	atCluster             // waits at the cluster barrier
	atMbarrier            // waits for a phase of an mbarrier
	atMatrix              // waits for wgmma operations that its warpgroup has not started
	atRegisters           // waits for registers of the CTA's pool
	atGrid                // waits for the grid before
	spinYield             // gave its turn to a sibling while spinning
)

// frag is a group of lanes of a warp that run together.
type frag struct {
	pc      int32
	mask    uint32
	state   fragState
	bar     int16     // barrier, at atBarrier
	need    uint32    // lanes wanted, at atSync
	spins   uint16    // back edges of spinning loops taken
	timeout bool      // the next try_wait gives up
	mbar    *mbarrier // at atMbarrier
	stack   []int32   // return addresses, outermost first
}

// warp is 32 threads: registers as a structure of arrays, predicates as one bit a lane.
type warp struct {
	cta    *cta
	run    *worker
	k      *Kernel
	index  int // in the CTA
	exists uint32
	live   uint32 // lanes that have not exited
	frags  []frag
	cur    int // index in frags of the running fragment

	regs  []lanes
	preds []uint32
	// def holds one bit a lane for every register and, after them, every predicate: its value is defined.
	def    []uint32
	origin map[int32]origin // where an undefined register got its value from, if not "never written"
	view   *view            // what its lanes know, for the race checker
	local  []byte           // per lane: k.localBytes
	lInit  []byte

	barArrived [maxBarriers]uint32 // lanes that arrived while others of the warp have not
	// Lanes that arrived at the cluster barrier: in the phase in progress, and in the last one without having waited.
	clusterArrived, clusterPassed uint32
	copies, bulks                 groupQueue  // asynchronous operations that are counted by groups
	registers                     int         // a thread, for setmaxnreg
	polls                         *mbarrier   // the last wait found its phase open
	regChanges                    []regChange // setmaxnreg so far
	gridWaited                    uint32      // lanes behind griddepcontrol.wait
	spinsSince                    uint64      // back edges of spinning loops since seenProgress
	seen                          uint64
	matrix                        *warpMatrices // nil before the first wgmma instruction
	steps                         uint64
	threads                       uint64 // thread instructions
}

// origin says which unwritten memory an undefined value was loaded from.
type origin struct {
	class Class
	line  int
}

func (w *warp) val(s src) *lanes {
	if s >= 0 {
		return &w.regs[s]
	}
	return &w.k.prog.consts[^s]
}

// runnable reports whether a fragment can run.
func (w *warp) runnable() bool {
	for i := range w.frags {
		if s := w.frags[i].state; s == ready || s == spinYield {
			return true
		}
	}
	return false
}

// pick chooses the fragment to run: the deepest call, then the lowest pc, so that lanes meet again behind a
// branch; ready ones of the same place become one. stop is the pc where the chosen one meets a sibling.
func (w *warp) pick() (stop int32, ok bool) {
	if len(w.frags) == 1 {
		f := &w.frags[0]
		w.cur = 0
		if f.state == spinYield {
			f.state, f.spins = ready, 0
		}
		return maxPC, f.state == ready
	}
	best := w.lowest(ready)
	if best < 0 {
		for i := range w.frags {
			if f := &w.frags[i]; f.state == spinYield {
				f.state, f.spins = ready, 0
			}
		}
		if best = w.lowest(ready); best < 0 {
			return 0, false
		}
	}
	f := &w.frags[best]
	stop = maxPC
	for i := len(w.frags) - 1; i >= 0; i-- {
		g := &w.frags[i]
		if i == best || g.state != ready || len(g.stack) != len(f.stack) {
			continue
		}
		if g.pc == f.pc && slices.Equal(g.stack, f.stack) {
			f.mask |= g.mask
			w.frags = slices.Delete(w.frags, i, i+1)
			if i < best {
				best--
				f = &w.frags[best]
			}
			continue
		}
		if g.pc > f.pc && g.pc < stop {
			stop = g.pc
		}
	}
	w.cur = best
	return stop, true
}

func (w *warp) lowest(s fragState) int {
	best := -1
	for i := range w.frags {
		g := &w.frags[i]
		if g.state != s {
			continue
		}
		if best < 0 || len(g.stack) > len(w.frags[best].stack) ||
			len(g.stack) == len(w.frags[best].stack) && g.pc < w.frags[best].pc {
			best = i
		}
	}
	return best
}

// step runs the warp for at most quantum instructions and returns how many it ran.
func (w *warp) step(quantum int) (ran int) {
	for ran < quantum {
		stop, ok := w.pick()
		if !ok {
			break
		}
		if w.run.watch != nil {
			ran += w.watchFrag(stop, quantum-ran)
		} else {
			ran += w.runFrag(stop, quantum-ran)
		}
		if w.live == 0 || w.run.stopped {
			break
		}
	}
	w.steps += uint64(ran)
	return ran
}

// runFrag runs the current fragment until it meets a sibling, splits, waits, ends or used up its quantum.
func (w *warp) runFrag(stop int32, quantum int) (ran int) {
	code := w.k.code
	f := &w.frags[w.cur]
	pc, all := f.pc, f.mask
	width := uint64(bits.OnesCount32(all))
	for ran < quantum && pc < stop {
		in := &code[pc]
		m := all
		if in.guard != noGuard {
			m = w.guardMask(in, all)
		}
		ran++
		w.threads += width
		if in.ctl != nil {
			f.pc = pc
			if in.ctl(w, in, m) {
				return ran
			}
			pc = f.pc // a branch that all lanes took, or none: the fragment is still the current one
			continue
		}
		if m != 0 {
			in.exec(w, in, m)
			if in.outs != nil && w.run.initcheck {
				w.flow(in, m)
			}
		}
		pc++
	}
	f.pc = pc
	return ran
}

// guardMask returns the lanes whose guard holds. A guard without a value counts as a branch: it decides what
// happens, so it is reported where something that others can see depends on it.
func (w *warp) guardMask(in *inst, all uint32) uint32 {
	g := w.preds[in.guard]
	if in.guardNot {
		g = ^g
	}
	if w.run.initcheck {
		if bad := all &^ w.def[w.k.nregs+int(in.guard)]; bad != 0 {
			w.badGuard(in, bad)
		}
	}
	return all & g
}

func (w *warp) badGuard(in *inst, bad uint32) {
	if in.ctl != nil || in.visible {
		w.undefined(int32(w.k.nregs)+in.guard, bad, in, "decides whether this instruction runs")
		return
	}
	from := w.originOf(int32(w.k.nregs) + in.guard)
	for _, o := range in.writes {
		w.def[o] &^= bad
		w.setOrigin(o, from)
	}
}

// flow propagates definedness from the operands of an instruction to its results.
func (w *warp) flow(in *inst, m uint32) { w.flowOf(in.uses, in.outs, m) }

func (w *warp) flowOf(uses, outs []int32, m uint32) {
	d := m
	for _, u := range uses {
		d &= w.def[u]
	}
	if d == m {
		for _, o := range outs {
			w.def[o] |= m
		}
		return
	}
	var from origin
	for _, u := range uses {
		if m&^w.def[u] != 0 {
			from = w.originOf(u)
			break
		}
	}
	for _, o := range outs {
		w.def[o] = w.def[o]&^m | d
		w.setOrigin(o, from)
	}
}

func (w *warp) originOf(id int32) origin {
	if o, ok := w.origin[id]; ok {
		return o
	}
	return origin{class: InitRegister}
}

func (w *warp) setOrigin(id int32, o origin) {
	if w.origin == nil {
		w.origin = map[int32]origin{}
	}
	w.origin[id] = o
}

// setDef records the definedness of a result that an instruction worked out for itself.
func (w *warp) setDef(id int32, m, defined uint32, from origin) {
	if d := defined & m; d != m {
		w.def[id] = w.def[id]&^m | d
		w.setOrigin(id, from)
		return
	}
	w.def[id] |= m
}
