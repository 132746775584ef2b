package emulate

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// discipline follows the rules that wgmma sets for registers (manual 9.7.15.7.1): between an ordinary access to a
// register and a wgmma that uses it there is a wgmma.fence, unless the access is that of a wgmma of the same shape;
// and nobody touches an accumulator or a fragment of A before the wait for the group. One entry a register.
type discipline struct {
	epoch   uint32   // wgmma.fence executed
	touched []uint32 // 1 + epoch of the last ordinary access
	line    []int32  // of that access
	used    []int32  // 1 + number of the last wgmma that uses the register
	user    []*wgmmaOp
	userAt  []int32 // its line
}

func (d *discipline) reset(n int) {
	*d = discipline{touched: make([]uint32, n), line: make([]int32, n), used: make([]int32, n), user: make([]*wgmmaOp, n), userAt: make([]int32, n)}
}

// use checks the registers of a wgmma that the warp executes, and notes that they are in flight.
func (m *warpMatrices) use(w *warp, op *matrixOp) {
	if w.run.wgmmacheck {
		m.check(w, op)
	}
	for _, s := range op.d {
		m.inFlight(s, op)
	}
	for _, s := range op.a.id {
		if s >= 0 {
			m.inFlight(s, op)
		}
	}
	if op.arrived == 0 {
		if len(op.a.src) == 0 {
			op.checkDescriptor(w, op.descA, "A")
		}
		op.checkDescriptor(w, op.descB, "B")
	}
}

func (m *warpMatrices) inFlight(s int32, op *matrixOp) {
	m.used[s], m.user[s], m.userAt[s] = int32(op.number)+1, op.wgmmaOp, op.in.line
}

func (m *warpMatrices) check(w *warp, op *matrixOp) {
	if m.epoch == 0 {
		w.breaks(WgmmaFence, op.in, fullMask, -1, 0, "no wgmma.fence comes before the first wgmma.mma_async of the warp")
		m.epoch = 1
		return
	}
	for i, s := range op.d {
		if !m.fenced(w, op, s, "an accumulator") || !m.sameRole(w, op, s, i) {
			return
		}
	}
	for _, s := range op.a.id {
		if s >= 0 && (!m.fenced(w, op, s, "a fragment of A") || !m.notAccumulator(w, op, s)) {
			return
		}
	}
}

// fenced demands a wgmma.fence since the last ordinary access to a register.
func (m *warpMatrices) fenced(w *warp, op *matrixOp, s int32, role string) bool {
	if m.touched[s] != m.epoch+1 {
		return true
	}
	if !w.known(WgmmaFence, op.in) {
		w.breaks(WgmmaFence, op.in, fullMask, s, m.line[s], fmt.Sprintf("register %s is %s here and was accessed at line %d; no wgmma.fence lies between", w.k.names[s], role, m.line[s]))
	}
	return false
}

// sameRole demands that an accumulator of an operation in flight is used again only as the same accumulator.
func (m *warpMatrices) sameRole(w *warp, op *matrixOp, s int32, i int) bool {
	u := m.user[s]
	if int(m.used[s]) <= m.retired || u == nil {
		return true
	}
	if i < len(u.d) && u.d[i] == s && u.n == op.n && u.sum == op.sum {
		return true
	}
	if !w.known(WgmmaReuse, op.in) {
		w.breaks(WgmmaReuse, op.in, fullMask, s, m.userAt[s], fmt.Sprintf("register %s is an accumulator here and belongs, as something else, to the wgmma of line %d, which is in flight", w.k.names[s], m.userAt[s]))
	}
	return false
}

// notAccumulator demands that a fragment of A is no accumulator in flight.
func (m *warpMatrices) notAccumulator(w *warp, op *matrixOp, s int32) bool {
	u := m.user[s]
	if int(m.used[s]) <= m.retired || u == nil {
		return true
	}
	for _, d := range u.d {
		if d == s {
			if !w.known(WgmmaReuse, op.in) {
				w.breaks(WgmmaReuse, op.in, fullMask, s, m.userAt[s], fmt.Sprintf("register %s is a fragment of A here and an accumulator of the wgmma of line %d, which is in flight", w.k.names[s], m.userAt[s]))
			}
			return false
		}
	}
	return true
}

// wgmmaSections are the parts of the manual with the rules.
var wgmmaSections = map[Class]string{WgmmaFence: "9.7.15.7.1", WgmmaWait: "9.7.15.7.3", WgmmaReuse: "9.7.15.7.3"}

// breaks reports a broken rule about register s (-1: none), which the instruction at line other uses too.
func (w *warp) breaks(class Class, in *inst, lanes uint32, s, other int32, message string) {
	f := Finding{Class: class, Line: int(in.line), Threads: w.threadsOf(lanes), Section: wgmmaSections[class], Message: message}
	if s >= 0 {
		name := w.k.names[s]
		f.Accesses = []Access{{Kind: "access", Space: "register", Object: name, Line: int(in.line), Threads: f.Threads}, {Kind: "access", Space: "register", Object: name, Line: int(other), Threads: f.Threads}}
	}
	w.run.report(w.cta, f)
}

// touch notes an ordinary access to registers that wgmma instructions of the kernel use.
func (w *warp) touch(in *inst, slots []int32, lanes uint32) {
	m := w.matrices()
	for _, s := range slots {
		m.touched[s], m.line[s] = m.epoch+1, in.line
		if int(m.used[s]) <= m.retired {
			continue
		}
		if !w.known(WgmmaWait, in) {
			w.breaks(WgmmaWait, in, lanes, s, m.userAt[s], fmt.Sprintf("register %s is touched while the wgmma of line %d, which uses it, is in flight: %s", w.k.names[s], m.userAt[s], m.why(int(m.used[s]))))
		}
		return
	}
}

// why says what is missing for an operation, numbered from 1, to be done.
func (m *warpMatrices) why(number int) string {
	if len(m.groups) == 0 || number > m.groups[len(m.groups)-1] {
		return "no wgmma.commit_group closed its group"
	}
	for i, end := range m.groups {
		if number <= end {
			return fmt.Sprintf("no wgmma.wait_group %d or lower follows", len(m.groups)-1-i)
		}
	}
	return "no wgmma.wait_group follows"
}

// leave reports operations that are in flight when the warp ends.
func (m *warpMatrices) leave(w *warp, in *inst) {
	if m.issued > m.retired && w.run.wgmmacheck {
		w.breaks(WgmmaWait, in, fullMask, -1, 0, fmt.Sprintf("the warp ends with %d wgmma in flight: no wgmma.wait_group waits for them", m.issued-m.retired))
	}
}

// watchMatrices makes every ordinary instruction that names a register of a wgmma report its accesses.
func (d *decoder) watchMatrices() {
	if !d.k.warpgroups {
		return
	}
	watched := map[int32]bool{}
	for i := range d.code {
		if t := d.code[i].text; t != nil && t.Form.Opcode() == "wgmma" {
			for _, s := range d.vectorSlots(t) {
				watched[s] = true
			}
		}
	}
	for i := range d.code {
		in := &d.code[i]
		if in.text == nil || in.text.Form.Opcode() == "wgmma" {
			continue
		}
		var slots []int32
		for _, o := range in.text.Operands {
			slots = d.slotsOf(slots, o, watched)
		}
		if len(slots) > 0 {
			in.watch(slots)
		}
	}
}

// vectorSlots are the registers in the vectors of an instruction.
func (d *decoder) vectorSlots(t *ptx.Instr) (out []int32) {
	for _, o := range t.Operands {
		if v, ok := o.(ptx.Vec); ok {
			out = d.slotsOf(out, v, nil)
		}
	}
	return out
}

// slotsOf appends the value registers of an operand; only, if not nil, restricts them.
func (d *decoder) slotsOf(out []int32, o ptx.Operand, only map[int32]bool) []int32 {
	switch o := o.(type) {
	case *ptx.Reg:
		if s, ok := d.slots[o]; ok && o.Type() != isa.Pred && (only == nil || only[s]) {
			out = append(out, s)
		}
	case ptx.Vec:
		for _, e := range o {
			out = d.slotsOf(out, e, only)
		}
	case ptx.Addr:
		if o.Base != nil {
			out = d.slotsOf(out, o.Base, only)
		}
	}
	return out
}

// watch wraps the instruction.
func (in *inst) watch(slots []int32) {
	if exec := in.exec; exec != nil {
		in.exec = func(w *warp, in *inst, m uint32) {
			if w.run.wgmmacheck {
				w.touch(in, slots, m)
			}
			exec(w, in, m)
		}
	}
	if ctl := in.ctl; ctl != nil {
		in.ctl = func(w *warp, in *inst, m uint32) bool {
			if w.run.wgmmacheck && m != 0 {
				w.touch(in, slots, m)
			}
			return ctl(w, in, m)
		}
	}
}
