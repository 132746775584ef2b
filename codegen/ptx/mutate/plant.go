package mutate

import (
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func (f *finder) barrier(in *ptx.Instr) {
	switch {
	case in.Form.Has("cluster"):
		f.clusterBarrier(in)
	case in.Form.Has("warp"):
		f.removal(WarpBarrierRemoved, in)
		f.alter(MaskLane, in, 0, "mask", dropLane, "and.b32", 0x7fffffff)
	case in.Form.Has("red"):
	default:
		f.removal(BarrierRemoved, in)
		if i := arg(in, "b"); i >= 0 {
			f.alter(BarrierCount, in, i, "count", func(n int64) int64 { return n + 32 }, "add.u32", 32)
		}
	}
}

func dropLane(m int64) int64 { return m & 0x7fffffff &^ 1 }

// clusterBarrier removes the arrival with its wait where they stand together, and single halves elsewhere.
func (f *finder) clusterBarrier(in *ptx.Instr) {
	b := f.block
	if in.Form.Has("arrive") {
		i := index(b, in)
		if i+1 < len(b.Stmts) {
			if w, ok := b.Stmts[i+1].(*ptx.Instr); ok && w.Form.Has("wait") && w.Form.Has("cluster") {
				f.add(ClusterRemoved, in, "removed with its wait", func() { remove(b, in); remove(b, w) })
				return
			}
		}
	}
	f.removal(ClusterRemoved, in)
}

func (f *finder) fence(in *ptx.Instr) {
	switch {
	case in.Form.Has("async"), in.Form.Has("mbarrier_init"):
		f.removal(ProxyFenceRemoved, in)
	case in.Form.Has("proxy"):
	default:
		f.removal(FenceRemoved, in)
		for _, s := range []string{"gpu", "gl", "sys"} {
			if g := reform(in.Form, s, "cta"); g != nil {
				f.add(FenceRemoved, in, "scope becomes cta", func() { in.Form = g })
			}
		}
	}
}

func (f *finder) copies(in *ptx.Instr) {
	switch {
	case in.Form.Has("wait_group"):
		f.removal(WaitRemoved, in)
		f.weaken(in)
	case in.Form.Has("wait_all"):
		f.removal(WaitRemoved, in)
	case in.Form.Has("multicast::cluster"):
		f.alter(MulticastMask, in, arg(in, "ctaMask"), "mask", func(m int64) int64 { return m ^ 2 }, "xor.b16", 2)
	}
}

func (f *finder) weaken(in *ptx.Instr) {
	if n, ok := in.Operands[0].(ptx.Int); ok {
		f.add(WaitWeakened, in, fmt.Sprintf("%d becomes %d", n.Value, n.Value+1), func() { in.Operands[0] = ptx.I(n.Value + 1) })
	}
}

func (f *finder) wgmma(in *ptx.Instr) {
	switch {
	case in.Form.Has("wait_group"):
		f.removal(WaitRemoved, in)
		f.weaken(in)
	case in.Form.Has("fence"):
		f.removal(FenceRemoved, in)
	}
}

func (f *finder) mbarrier(in *ptx.Instr) {
	switch {
	case in.Form.Has("init"):
		i := arg(in, "count")
		f.alter(ArriveCount, in, i, "count", func(n int64) int64 { return n + 1 }, "add.u32", 1)
		if n, ok := in.Operands[i].(ptx.Int); !ok || n.Value > 1 {
			f.alter(ArriveCount, in, i, "count", func(n int64) int64 { return n - 1 }, "add.u32", -1)
		}
	case in.Form.Has("expect_tx"):
		i := arg(in, "txCount")
		f.alter(TxBytes, in, i, "bytes", func(n int64) int64 { return n + 16 }, "add.u32", 16)
		f.alter(TxBytes, in, i, "bytes", func(n int64) int64 { return n - 16 }, "add.u32", -16)
	case in.Form.Has("test_wait"), in.Form.Has("try_wait"):
		f.wait(in)
	case in.Form.Has("arrive"):
		f.release(in)
	}
}

// wait makes a wait succeed at once, and flips its parity.
func (f *finder) wait(in *ptx.Instr) {
	b := f.block
	f.add(WaitRemoved, in, "always true", func() {
		b.Stmts[index(b, in)] = &ptx.Instr{Pos: in.Pos, Guard: in.Guard, Form: must("setp.eq.u32"), Operands: []ptx.Operand{in.Operands[0], nil, ptx.I(0), ptx.I(0)}}
	})
	f.alter(ParityFlipped, in, arg(in, "phaseParity"), "parity", func(n int64) int64 { return n ^ 1 }, "xor.b32", 1)
}

// release moves an arrival in front of the wait that precedes it, where its operands are known there.
func (f *finder) release(in *ptx.Instr) {
	b, i := f.block, index(f.block, in)
	at := -1
	for j := i - 1; j >= 0; j-- {
		if w, ok := b.Stmts[j].(*ptx.Instr); ok && w.Form.Opcode() == "mbarrier" && (w.Form.Has("try_wait") || w.Form.Has("test_wait")) {
			at = j
			break
		}
	}
	for at > 0 { // the loop around the wait begins at its label
		if _, ok := b.Stmts[at-1].(*ptx.Label); !ok {
			break
		}
		at--
	}
	if at < 0 {
		return
	}
	for _, s := range b.Stmts[at:i] {
		if o, ok := s.(*ptx.Instr); ok && len(o.Operands) > 0 && defines(o, in) {
			return
		}
	}
	place := b.Stmts[at]
	f.add(ReleaseEarly, in, "moved before the wait", func() {
		remove(b, in)
		before(b, place, in)
	})
}

// defines reports whether o writes a register that in reads.
func defines(o, in *ptx.Instr) bool {
	var used []*ptx.Reg
	var collect func(ptx.Operand)
	collect = func(x ptx.Operand) {
		switch x := x.(type) {
		case *ptx.Reg:
			used = append(used, x)
		case ptx.Addr:
			collect(x.Base)
		case ptx.Vec:
			for _, e := range x {
				collect(e)
			}
		}
	}
	for _, x := range in.Operands {
		collect(x)
	}
	if in.Guard.Reg != nil {
		used = append(used, in.Guard.Reg)
	}
	for _, x := range o.Operands[:min(2, len(o.Operands))] {
		switch x := x.(type) {
		case *ptx.Reg:
			if slices.Contains(used, x) {
				return true
			}
		case ptx.Vec:
			for _, e := range x {
				if r, ok := e.(*ptx.Reg); ok && slices.Contains(used, r) {
					return true
				}
			}
		}
	}
	return false
}

// ordered drops the release or acquire of an access.
func (f *finder) ordered(in *ptx.Instr) {
	for _, s := range []string{"acquire", "release", "acq_rel"} {
		if g := reform(in.Form, s, "relaxed"); g != nil {
			f.add(SemWeakened, in, s+" becomes relaxed", func() { in.Form = g })
		}
	}
}

// member drops two lanes of a member mask.
func (f *finder) member(in *ptx.Instr) {
	f.alter(MaskLane, in, len(in.Form.Operands())-1, "mask", dropLane, "and.b32", 0x7ffffffe)
}

// compare makes a bound one too large or too small, and a number of stages one too large.
func (f *finder) compare(in *ptx.Instr) {
	t := in.Form.Type("type")
	if c := t.Class(); c != isa.ClassSigned && c != isa.ClassUnsigned && c != isa.ClassBits {
		return
	}
	last := len(in.Operands) - 1
	n, isConst := in.Operands[last].(ptx.Int)
	if f.pipelined && isConst && n.Value >= 2 && n.Value <= 8 && f.wraps(in) {
		f.add(StageCount, in, fmt.Sprintf("%d becomes %d", n.Value, n.Value+1), func() { in.Operands[last] = ptx.I(n.Value + 1) }).Reach = f.equal(in, t)
	}
	for from, to := range map[string]string{"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "lo": "ls", "hs": "hi"} {
		g := reform(in.Form, from, to)
		if g == nil {
			continue
		}
		f.add(BoundsOffByOne, in, from+" becomes "+to, func() { in.Form = g }).Reach = f.equal(in, t)
	}
}

// equal returns a change that traps where the operands of a comparison are equal.
func (f *finder) equal(in *ptx.Instr, t isa.Type) func() {
	b, fn, last := f.block, f.fn, len(in.Operands)-1
	return func() {
		p := fn.NewReg(isa.Pred)
		before(b, in, &ptx.Instr{Pos: in.Pos, Guard: in.Guard, Form: must("setp.eq." + t.String()), Operands: []ptx.Operand{p, nil, in.Operands[last-1], in.Operands[last]}},
			(&ptx.Instr{Pos: in.Pos, Form: must("trap")}).If(p))
	}
}

// wraps reports whether a comparison wraps a stage index: its predicate selects a zero right behind it.
func (f *finder) wraps(in *ptx.Instr) bool {
	p, ok := in.Operands[0].(*ptx.Reg)
	if !ok || !in.Form.Has("eq") && !in.Form.Has("ne") {
		return false
	}
	if !f.counted(in) {
		return false
	}
	for i := index(f.block, in) + 1; i < min(len(f.block.Stmts), index(f.block, in)+8); i++ {
		s, ok := f.block.Stmts[i].(*ptx.Instr)
		if ok && s.Form.Opcode() == "selp" && len(s.Operands) == 4 && s.Operands[3] == ptx.Operand(p) && (s.Operands[1] == ptx.Operand(ptx.I(0)) || s.Operands[2] == ptx.Operand(ptx.I(0))) {
			return true
		}
	}
	return false
}

// counted reports whether the compared register was just increased by one.
func (f *finder) counted(in *ptx.Instr) bool {
	n := in.Operands[len(in.Operands)-2]
	at := index(f.block, in)
	for _, s := range f.block.Stmts[max(0, at-4):at] {
		a, ok := s.(*ptx.Instr)
		if ok && a.Form.Opcode() == "add" && a.Operands[0] == n && a.Operands[2] == ptx.Operand(ptx.I(1)) {
			return true
		}
	}
	return false
}

// bits changes a bit of a swizzle, or of the strides of a matrix descriptor.
func (f *finder) bits(in *ptx.Instr) {
	if len(in.Operands) < 2 {
		return
	}
	last := len(in.Operands) - 1
	c, isConst := in.Operands[last].(ptx.Int)
	d, isReg := in.Operands[0].(*ptx.Reg)
	if !isReg {
		return
	}
	switch {
	case f.address[d] && in.Form.Opcode() == "xor" && isConst:
		f.add(SwizzleBit, in, fmt.Sprintf("%d becomes %d", c.Value, c.Value^16), func() { in.Operands[last] = ptx.I(c.Value ^ 16) })
	case f.address[d] && in.Form.Opcode() == "xor":
		b := f.block
		f.add(SwizzleBit, in, "left out", func() {
			b.Stmts[index(b, in)] = &ptx.Instr{Pos: in.Pos, Guard: in.Guard, Form: must("mov.b32"), Operands: []ptx.Operand{d, in.Operands[last-1]}}
		})
	case f.matrix && isConst && d.Type().Bits() == 64 && uint64(c.Value)>>32&0x3fff != 0:
		f.add(DescriptorStride, in, "the stride grows by 16 bytes", func() { in.Operands[last] = ptx.Int{Value: c.Value + 1<<32, Unsigned: c.Unsigned} })
	}
}
