package emulate

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// Registers of a CTA, for setmaxnreg (manual 9.7.19.5): a CTA starts with so many a thread, warpgroups give some back
// to the CTA's pool and others take them. Registers themselves are virtual here; only the accounts are kept.
const (
	registersPerSM  = 64 << 10
	maxEntryRegs    = 256
	warpsPerGroup   = 4
	registerGranule = 8
)

// entryRegisters is the number of registers a thread starts with: that of .maxnreg, or what the assembler takes when
// the block size is known; 0 if neither is.
func (k *Kernel) entryRegisters() int {
	d := k.fn.Directives
	if d.MaxNReg > 0 {
		return d.MaxNReg
	}
	threads := int(volume(dims(d.MaxNTID)))
	if d.ReqNTID[0] > 0 {
		threads = int(volume(dims(d.ReqNTID)))
	}
	if threads == 0 {
		return 0
	}
	warps := (threads + warpSize - 1) / warpSize * max(1, d.MinNCTAPerSM)
	return min(maxEntryRegs, registersPerSM/(warps*warpSize)/registerGranule*registerGranule)
}

// regChange is one setmaxnreg that a warp executed.
type regChange struct {
	count int
	line  int32
}

func decodeSetMaxNReg(b *build) {
	b.ignore("sync", "aligned", "u32")
	inc := b.oneOf("inc", "dec") == "inc"
	n, ok := b.need("imm-reg-count").(ptx.Int)
	if !ok {
		b.fail("the register count is no constant")
		return
	}
	b.inst.visible = true
	b.inst.ctl = func(w *warp, in *inst, m uint32) bool { return w.setMaxNReg(in, m, int(n.Value), inc) }
}

// setMaxNReg changes the registers of a warp; an increase waits until the pool has them.
func (w *warp) setMaxNReg(in *inst, m uint32, n int, inc bool) bool {
	f := &w.frags[w.cur]
	if m == 0 {
		f.pc++
		return false
	}
	c := w.cta
	if m != w.live || w.live != fullMask {
		w.regProblem(in, fmt.Sprintf("lanes %s execute it; it takes the whole warpgroup together", laneList(m)))
	}
	if w.k.entryRegisters() == 0 {
		w.regProblem(in, "the kernel says neither .maxnreg nor its block size (.maxntid, .reqntid), so the assembler ignores setmaxnreg")
	}
	switch {
	case inc && n < w.registers:
		w.regProblem(in, fmt.Sprintf("an increase to %d registers of a warp that has %d", n, w.registers))
	case !inc && n > w.registers:
		w.regProblem(in, fmt.Sprintf("a decrease to %d registers of a warp that has %d", n, w.registers))
	}
	if need := (n - w.registers) * warpSize; need > c.registers {
		w.part(m)
		f = &w.frags[w.cur]
		f.state = atRegisters
		return true
	}
	c.registers -= (n - w.registers) * warpSize
	w.registers = n
	w.regChanges = append(w.regChanges, regChange{n, in.line})
	w.checkGroup(in)
	w.run.progress++
	for _, x := range c.warps {
		for i := range x.frags {
			if x.frags[i].state == atRegisters {
				x.frags[i].state = ready
			}
		}
	}
	w.frags[w.cur].pc++
	return false
}

// group returns the warps of the warp's warpgroup that exist.
func (w *warp) group() []*warp {
	first := w.index / warpsPerGroup * warpsPerGroup
	return w.cta.warps[first:min(first+warpsPerGroup, len(w.cta.warps))]
}

// checkGroup reports a change that differs from what other warps of the warpgroup did at the same point.
func (w *warp) checkGroup(in *inst) {
	g := w.group()
	if len(g) < warpsPerGroup {
		w.regProblem(in, fmt.Sprintf("warp %d belongs to a warpgroup of %d warps; four are needed", w.index, len(g)))
		return
	}
	at := len(w.regChanges) - 1
	for _, x := range g {
		if x != w && len(x.regChanges) > at && x.regChanges[at] != w.regChanges[at] {
			w.regProblem(in, fmt.Sprintf("warp %d changes to %d registers and warp %d of the same warpgroup to %d (line %d); all four execute the same setmaxnreg",
				w.index, w.registers, x.index, x.regChanges[at].count, x.regChanges[at].line))
			return
		}
	}
}

// finishRegisters reports warpgroups of which only a part executed a setmaxnreg.
func (c *cta) finishRegisters() {
	for _, w := range c.warps {
		for _, x := range w.group() {
			if n := len(x.regChanges); n < len(w.regChanges) {
				ch := w.regChanges[n]
				w.run.report(c, Finding{Class: SetMaxNReg, Line: int(ch.line), Threads: w.threadsOf(w.exists), Section: "9.7.19.5",
					Message: fmt.Sprintf("warp %d executes this setmaxnreg and warp %d of the same warpgroup never does", w.index, x.index)})
				return
			}
		}
	}
}

func (w *warp) regProblem(in *inst, msg string) {
	if !w.known(SetMaxNReg, in) {
		w.run.report(w.cta, Finding{Class: SetMaxNReg, Line: int(in.line), Threads: w.threadsOf(w.frags[w.cur].mask), Section: "9.7.19.5", Message: msg})
	}
}
