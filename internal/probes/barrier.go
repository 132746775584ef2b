package probes

import (
	"fmt"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/ir"
)

// scripts is the number of random histories of an mbarrier, and their length.
const (
	scripts     = 120
	scriptSteps = 24
)

// barriers are random legal histories of an mbarrier by one thread: what waits see between arrivals and bytes.
func barriers(c *collector) {
	for i := range scripts {
		name := fmt.Sprintf("mbarrier_%d", i)
		k := &Kernel{Name: name, Contract: ir.Contract{Block: [3]int{32}}, Body: func(k *ir.Kernel) {
			to := ir.GlobalParam[ir.U32](k, "out", ir.Writes)
			bar := ir.MBarriers(k, "bar", 1)
			k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
				h := newHistory(k, bar, random(name))
				for i := range scriptSteps {
					h.step()
					to.AtConst(i).Store(h.see())
				}
				h.finish()
			})
		}}
		c.add(k, name, func() (int, []Arg) { return 1, []Arg{out(4 * scriptSteps)} })
	}
}

// history follows the state of a barrier (PTX ISA 9.7.13.15.5), so that every step is legal.
type history struct {
	k                 *ir.Kernel
	bar               ir.MBarrier
	r                 *rand.Rand
	expected, pending uint32 // arrivals of a phase, and those that are missing
	bytes             uint32 // that are missing
	state             ir.U64
	age               int // phases since the state was taken
}

func newHistory(k *ir.Kernel, bar ir.MBarrier, r *rand.Rand) *history {
	n := 2 + r.Uint32N(6)
	bar.Init(k.ConstU32(n))
	h := &history{k: k, bar: bar, r: r, expected: n, pending: n}
	h.state = bar.ArriveState(ir.NoComplete)
	h.arrived(1)
	return h
}

func (h *history) arrived(n uint32) {
	h.pending -= n
	h.check()
}

func (h *history) check() {
	if h.pending == 0 && h.bytes == 0 {
		h.pending = h.expected
		h.age++
	}
}

// step does one thing.
func (h *history) step() {
	c := h.k.ConstU32
	switch choice := h.r.IntN(8); {
	case h.pending == 0 || choice == 0 && h.bytes > 0: // only bytes are missing
		n := min(h.bytes, 1+h.r.Uint32N(h.bytes))
		h.bar.CompleteBytes(c(n))
		h.bytes -= n
		h.check()
	case choice == 1:
		n := 1 + h.r.Uint32N(4096)
		h.bar.ExpectBytes(c(n))
		h.bytes += n
	case choice == 2:
		n := 1 + h.r.Uint32N(4096)
		h.bar.ArriveExpect(c(n))
		h.bytes += n
		h.arrived(1)
	case choice == 3 && h.expected > 1:
		h.bar.Arrive(ir.Drop)
		h.expected--
		h.arrived(1)
	case choice < 6:
		n := 1 + h.r.Uint32N(h.pending)
		h.state, h.age = h.bar.ArriveState(ir.ArriveCount(c(n))), 0
		h.arrived(n)
	default:
		h.bar.Arrive()
		h.arrived(1)
	}
}

// finish ends the phase that has begun.
func (h *history) finish() {
	c := h.k.ConstU32
	if h.bytes > 0 {
		h.bar.CompleteBytes(c(h.bytes))
		h.bytes = 0
		h.check()
	}
	if h.pending < h.expected {
		h.bar.Arrive(ir.ArriveCount(c(h.pending)))
	}
}

// see packs what can be seen: waits for both parities and for the last state, and the arrivals that were missing in it.
func (h *history) see() ir.U32 {
	c := h.k.ConstU32
	bit := func(p ir.Pred, n uint32) ir.U32 { return ir.Select(p, c(n), c(0)) }
	seen := bit(h.bar.TestWait(c(0)), 1).Or(bit(h.bar.TestWait(c(1)), 2))
	if h.age < 2 { // a state tells of the current phase or the one before
		seen = seen.Or(bit(h.bar.TestWaitState(h.state), 4))
	}
	return seen.Or(ir.PendingArrivals(h.state).ShiftLeft(c(8)))
}
