package emulate

import (
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// finish resolves predicate numbers to ids, and marks loops that wait and kernels whose CTAs are independent.
func finish(k *Kernel) {
	k.private = true
	for i := range k.code {
		in := &k.code[i]
		for _, list := range [][]int32{in.uses, in.outs, in.writes} {
			for j, id := range list {
				if id < 0 {
					list[j] = int32(k.nregs) + ^id
				}
			}
		}
		if in.text == nil {
			continue
		}
		if asynchronous(in.text) {
			k.asynchronous = true
		}
		if shares(in.text) {
			k.private = false
		}
		if in.text.Form.Opcode() == "bra" && in.target <= int32(i) {
			for j := in.target; j <= int32(i); j++ {
				if t := k.code[j].text; t != nil && waits(t) {
					in.spin = true
				}
			}
		}
	}
}

// asynchronous reports whether an instruction starts something that works behind the warp, or uses an mbarrier.
func asynchronous(in *ptx.Instr) bool {
	switch in.Form.Opcode() {
	case "cp", "mbarrier", "wgmma":
		return true
	case "st", "red":
		return in.Form.Has("async")
	case "fence":
		return in.Form.Has("proxy")
	}
	return false
}

// shares reports whether an instruction may let CTAs of different clusters see each other: an atomic, or an ordered or
// volatile access, that is not known to stay in the cluster's shared memory.
func shares(in *ptx.Instr) bool {
	f := in.Form
	switch f.Opcode() {
	case "atom", "red":
		return !inShared(f)
	case "ld", "st":
		return (f.Has("volatile") || f.Has("acquire") || f.Has("release") || f.Has("relaxed")) && !inShared(f)
	case "multimem":
		return true
	case "cp":
		return f.Has("reduce") && f.Has("global")
	case "mov":
		for _, o := range in.Operands {
			if s, ok := o.(ptx.SReg); ok && (s == ptx.Clock || s == ptx.Clock64 || s == ptx.ClockHi || s == ptx.GlobalTimer || s == ptx.GlobalTimerLo || s == ptx.GlobalTimerHi || s == ptx.SMID) {
				return true
			}
		}
	}
	return false
}

func inShared(f *isa.Form) bool {
	return f.Has("shared") || f.Has("shared::cta") || f.Has("shared::cluster")
}

// waits reports whether a loop around the instruction may wait for another thread.
func waits(in *ptx.Instr) bool {
	f := in.Form
	switch f.Opcode() {
	case "atom", "nanosleep":
		return true
	case "ld":
		return f.Has("volatile") || f.Has("acquire") || f.Has("relaxed") || f.Has("cv") || f.Has("cg")
	case "mbarrier":
		return f.Has("test_wait") || f.Has("try_wait")
	}
	return false
}
