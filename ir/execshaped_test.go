package ir_test

import (
	"maps"
	"math/bits"
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// A shaped case runs a kernel that uses ops which registers alone do not show: memory, control, threads together.
type shapedCase struct {
	covers []string
	run    func(m *machine)
}

// TestEveryOpRuns fails for an op that neither a scalar case nor a shaped one covers.
func TestEveryOpRuns(t *testing.T) {
	m := newMachine(t)
	covered := map[string]bool{}
	for name := range scalarCases() {
		covered[name] = true
	}
	cases := shapedCases()
	maps.Copy(cases, asyncCases())
	maps.Copy(cases, matrixCases())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m.t, m.ran, m.raw = t, map[string]bool{}, true
			c.run(m)
			m.raw = false
			c.run(m)
			for _, op := range c.covers {
				if !m.ran[op] {
					t.Errorf("no kernel of the case has the op %s", op)
				}
				covered[op] = true
			}
		})
	}
	for _, i := range op.All() {
		if !covered[i.Name] {
			t.Errorf("no emulator case for op %s", i.Name)
		}
	}
}

var (
	one   = [3]uint32{1, 1, 1}
	block = func(n int) ir.Contract { return ir.Contract{Block: [3]int{n}} }
)

func shapedCases() map[string]shapedCase {
	return map[string]shapedCase{
		"control":    {[]string{"yield", "loop", "while", "if", "exit"}, runControl},
		"addresses":  {[]string{"addr", "addr_off", "ptr_cast", "to_generic", "from_generic", "ptr_bits", "bits_ptr"}, runAddresses},
		"accesses":   {[]string{"load", "load_if", "store", "store_if", "prefetch", "create_policy", "fence"}, runAccesses},
		"atomics":    {[]string{"atom", "cas", "red"}, runAtomics},
		"shuffles":   {[]string{"shfl_bfly", "shfl_up", "shfl_down", "shfl_idx", "uniform"}, runShuffles},
		"votes":      {[]string{"vote_all", "vote_any", "vote_uni", "ballot", "match_any", "match_all", "elect", "activemask", "sync_warp"}, runVotes},
		"reductions": {[]string{"redux_add", "redux_min", "redux_max", "redux_and", "redux_or", "redux_xor"}, runRedux},
		"barriers":   {[]string{"barrier", "barrier_named", "barrier_arrive", "barrier_popc", "barrier_and", "barrier_or"}, runBarriers},
		"registers": {[]string{"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z",
			"laneid", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge", "dynamic_smem_size"}, runRegisters},
		"time":      {[]string{"clock", "clock64", "globaltimer", "smid", "nanosleep", "trap"}, runTime},
		"dependent": {[]string{"griddep_wait", "griddep_launch"}, runDependent},
	}
}

// collatz counts steps with a while inside a loop; threads over 20 leave first.
func runControl(m *machine) {
	k := m.build("control", block(32), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		c := k.ConstU32
		k.If(k.TIDX().Greater(c(20)), func() { k.Exit() })
		total := ir.NewVar(c(0))
		for i := range k.Loop(c(1), k.TIDX(), c(2)) {
			n := ir.NewVar(i)
			for range k.While(func() ir.Pred { return n.Get().Greater(c(1)) }) {
				odd := n.Get().And(c(1)).NotEqual(c(0))
				k.If(odd, func() { n.Set(n.Get().MulAdd(c(3), c(1))) }).Else(func() { n.Set(n.Get().ShiftRight(c(1))) })
				total.Set(total.Get().Add(c(1)))
			}
		}
		out.At(k.TIDX()).Store(total.Get())
	})
	out := sequence(32, func(int) uint32 { return 99 })
	m.run(k, one, out)
	m.equal("steps", out.u32(), sequence(32, func(t int) uint32 {
		if t > 20 {
			return 99
		}
		steps := uint32(0)
		for i := 1; i < t; i += 2 {
			for n := i; n > 1; steps++ {
				if n%2 != 0 {
					n = 3*n + 1
				} else {
					n /= 2
				}
			}
		}
		return steps
	}).u32())
}

func runAddresses(m *machine) {
	k := m.build("addresses", block(32), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out", ir.Aligned(8))
		tile := ir.SharedArray[ir.U32](k, "tile", 64, 8)
		t := k.TIDX()
		k.If(t.Equal(k.ConstU32(0)), func() {
			minus := t.AsS32().Sub(k.ConstS32(1))
			tile.AtConst(8).At(minus).Store(k.ConstU32(7))       // a negative index
			tile.AtConst(9).AtByteConst(-4).Store(k.ConstU32(8)) // offsets add up
			ir.SharedAt[ir.U32](tile.Address().Add(k.ConstU32(36))).Store(k.ConstU32(9))
			ir.ToShared(tile.AtConst(10).Generic()).Store(k.ConstU32(10))
			ir.CastShared[ir.U16](tile).AtConst(22).StoreVec(ir.Vec[ir.U16]{k.ConstU16(11), k.ConstU16(0)})
			ir.ToGlobal(out.AtConst(5).Generic()).Store(k.ConstU32(50))
			ir.GlobalAt[ir.U32](out.Address().Add(k.ConstU64(24))).Store(k.ConstU32(60))
			for i := range 5 {
				out.AtConst(i).Store(tile.AtConst(7 + i).Generic().Load())
			}
			big := k.ConstU32(0xffffffff) // 32-bit indexes extend: -1 as u32 would be 4 G elements away
			out.AtByte(big.ConvertToU64().Sub(k.ConstU64(0xffffffff - 28))).Store(k.ConstU32(70))
		})
	})
	out := u32s(0, 0, 0, 0, 0, 0, 0, 0)
	m.run(k, one, out)
	m.equal("addresses", out.u32(), []uint32{7, 8, 9, 10, 11, 50, 60, 70})
}

func runAccesses(m *machine) {
	k := m.build("accesses", block(32), func(k *ir.Kernel) {
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
		out := ir.GlobalParam[ir.U32](k, "out", ir.Aligned(16))
		in.Prefetch(ir.PrefetchL2)
		at := k.TIDX().ShiftLeft(k.ConstU32(2))
		few := k.TIDX().Less(k.ConstU32(4)) // only these have memory
		none := k.ConstU32(5)
		v := in.At(at).LoadVecIf(few, ir.Vec[ir.U32]{none, none, none, none}, ir.NC, ir.L1NoAllocate, ir.L2Fetch128)
		w := ir.Vec[ir.U32]{v[3], v[2], v[1], in.LoadIf(few, none, k.Policy(ir.EvictFirst)).Add(v[0])}
		k.Fence(ir.AcquireRelease, ir.ScopeGPU)
		out.At(at).StoreVecIf(few, w, ir.L1NoAllocate)
		out.AtConst(16).StoreIf(k.TIDX().Equal(k.ConstU32(9)), w[0], ir.Release, ir.ScopeSystem)
		k.SyncWarp()
		k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
			h := ir.Cast[ir.U16](out).AtConst(32).LoadVec(2, ir.Volatile)
			out.AtConst(17).Store(h[0].ConvertToU32(), ir.CS)
		})
	})
	out := sequence(18, func(int) uint32 { return 0 })
	m.run(k, one, sequence(16, func(i int) uint32 { return uint32(100 + i) }), out)
	m.equal("accesses", out.u32(), []uint32{103, 102, 101, 200, 107, 106, 105, 204, 111, 110, 109, 208, 115, 114, 113, 212, 5, 5})
}

func runAtomics(m *machine) {
	k := m.build("atomics", block(64), func(k *ir.Kernel) {
		p := ir.GlobalParam[ir.U32](k, "p")
		f := ir.GlobalParam[ir.F32](k, "f", ir.Aligned(16))
		s := ir.SharedArray[ir.S32](k, "s", 1, 0)
		t := k.TIDX()
		k.If(t.Equal(k.ConstU32(0)), func() { s.Store(k.ConstS32(0)) })
		k.Barrier()
		s.ReduceMin(t.AsS32().Neg())
		p.ReduceAdd(t)
		p.AtConst(1).ReduceMax(t)
		p.AtConst(2).ReduceOr(k.ConstU32(1).ShiftLeft(t), ir.Relaxed, ir.ScopeBlock)
		p.AtConst(3).AtomicXor(k.ConstU32(3))
		p.AtConst(4).AtomicInc(k.ConstU32(9), ir.AcquireRelease)
		p.AtConst(5).AtomicAnd(t.Or(k.ConstU32(0xf0)))
		old := p.AtConst(6).AtomicCAS(k.ConstU32(7), t, ir.Acquire)
		k.If(old.Equal(k.ConstU32(7)), func() { p.AtConst(7).AtomicExchange(k.ConstU32(1)) })
		f.ReduceAdd(k.ConstF32(0.5))
		f.AtConst(4).ReduceAddVec(ir.Vec[ir.F32]{k.ConstF32(1), k.ConstF32(2), k.ConstF32(3), k.ConstF32(4)})
		k.Barrier()
		k.If(t.Equal(k.ConstU32(0)), func() { p.AtConst(8).Store(s.Load().AsU32()) })
	})
	p, f := u32s(0, 0, 0, 0, 0, 0xff, 7, 0, 0), f32s(0, 0, 0, 0, 0, 0, 0, 0)
	m.run(k, one, p, f)
	got := p.u32()
	if got[6] > 63 {
		m.t.Errorf("cas stored %d", got[6])
	}
	got[6] = 0
	m.equal("atomics", got, []uint32{2016, 63, 0xffffffff, 0, 4, 0xf0, 0, 1, 0xffffffff &^ 62})
	m.equal("float reductions", u32s(f.u32()...).u32(), f32s(32, 0, 0, 0, 64, 128, 192, 256).u32())
}

func runShuffles(m *machine) {
	k := m.build("shuffles", block(64), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		t := k.TIDX()
		wide := t.ConvertToU64().ShiftLeft(k.ConstU32(33)).ShflBfly(3)
		list := []ir.U32{t.ShflBfly(1), t.ShflUp(2), t.ShflDown(4, ir.Width(8)), t.ShflIdx(k.LaneID().And(k.ConstU32(3))),
			k.Uniform(t), wide.ShiftRight(k.ConstU32(33)).ConvertToU32(), ir.Uniform(t.Equal(k.ConstU32(32))).Ballot()}
		for i, v := range list {
			out.At(t).AtConst(i * 64).Store(v)
		}
	})
	out := &buffer{data: make([]byte, 7*64*4)}
	m.run(k, one, out)
	m.equal("shuffles", out.u32(), sequence(7*64, func(i int) uint32 {
		t := uint32(i % 64)
		lane := t % 32
		switch i / 64 {
		case 0:
			return t ^ 1
		case 1:
			if lane < 2 {
				return t
			}
			return t - 2
		case 2:
			if lane%8 >= 4 {
				return t
			}
			return t + 4
		case 3:
			return t - lane + lane&3
		case 4:
			return t - lane
		case 5:
			return t ^ 3
		}
		return map[bool]uint32{true: 0xffffffff}[t >= 32]
	}).u32())
}

func runVotes(m *machine) {
	k := m.build("votes", block(32), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		t := k.TIDX()
		bit := func(p ir.Pred) ir.U32 { return ir.Select(p, k.ConstU32(1), k.ConstU32(0)) }
		low := t.Less(k.ConstU32(20))
		lanes, all := t.MatchAll()
		same, yes := k.Uniform(t).MatchAll()
		k.SyncWarp()
		list := []ir.U32{bit(low.VoteAll()), bit(low.VoteAny()), bit(low.VoteUniform()), low.Ballot(), t.ShiftRight(k.ConstU32(4)).MatchAny(), lanes, bit(all), same, bit(yes),
			k.Elect().Ballot().OnesCount(), k.ActiveMask()}
		k.If(t.Equal(k.ConstU32(17)), func() {
			for i, v := range list {
				out.AtConst(i).Store(v)
			}
		})
	})
	out := &buffer{data: make([]byte, 11*4)}
	m.run(k, one, out)
	m.equal("votes", out.u32(), []uint32{0, 1, 0, 0xfffff, 0xffff0000, 0, 0, 0xffffffff, 1, 1, 0xffffffff})
}

func runRedux(m *machine) {
	k := m.build("redux", block(32), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		t := k.TIDX().Add(k.ConstU32(8))
		s := k.TIDX().AsS32().Sub(k.ConstS32(16))
		list := []ir.U32{t.ReduxAdd(), t.ReduxMin(), t.ReduxMax(), t.ReduxAnd(), t.ReduxOr(), t.ReduxXor(), s.ReduxMin().AsU32(), s.ReduxAdd().AsU32(), t.ReduxAdd(ir.Members(0xffffffff))}
		for i, v := range list {
			out.AtConst(i).Store(v)
		}
	})
	out := &buffer{data: make([]byte, 9*4)}
	m.run(k, one, out)
	m.equal("redux", out.u32(), []uint32{752, 8, 39, 0, 63, 0, 0xfffffff0, 0xfffffff0, 752})
}

func runBarriers(m *machine) {
	k := m.build("barriers", block(96), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		tile := ir.SharedArray[ir.U32](k, "tile", 96, 0)
		t := k.TIDX()
		last := k.ConstU32(95)
		tile.At(t).Store(t)
		k.Barrier()
		v := tile.At(last.Sub(t)).Load()
		count := k.BarrierCount(t.Less(k.ConstU32(50)))
		all, some := k.BarrierAll(t.Less(k.ConstU32(96))), k.BarrierAny(t.Equal(k.ConstU32(3)))
		tile.At(t).Store(v.Mul(k.ConstU32(2)))
		// The last warp only announces what it wrote; the others wait for it.
		warp := t.ShiftRight(k.ConstU32(5))
		k.If(warp.Equal(k.ConstU32(2)), func() { k.BarrierArrive(1, 96) }).Else(func() { k.BarrierNamed(1, 96) })
		k.If(warp.Equal(k.ConstU32(0)), func() { v = tile.AtConst(64).At(t).Load(); out.At(t).Store(v) })
		k.If(t.Equal(last), func() {
			out.AtConst(32).Store(count)
			out.AtConst(33).StoreIf(all.And(some), k.ConstU32(1))
		})
	})
	out := &buffer{data: make([]byte, 34*4)}
	m.run(k, one, out)
	m.equal("barriers", out.u32(), append(sequence(32, func(i int) uint32 { return uint32(2 * (31 - i)) }).u32(), 50, 1))
}

func runRegisters(m *machine) {
	contract := ir.Contract{Block: [3]int{8, 4, 2}, DynamicSharedBytes: 48}
	k := m.build("registers", contract, func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		ir.DynamicShared[ir.U32](k, 16)
		me := k.TIDX().Equal(k.ConstU32(5)).And(k.TIDY().Equal(k.ConstU32(3))).And(k.TIDZ().Equal(k.ConstU32(1))).And(k.CTAIDX().Equal(k.ConstU32(1)))
		list := []ir.U32{k.TIDX(), k.TIDY(), k.TIDZ(), k.NTIDX(), k.NTIDY(), k.NTIDZ(), k.CTAIDX(), k.CTAIDY(), k.CTAIDZ(), k.NCTAIDX(), k.NCTAIDY(), k.NCTAIDZ(),
			k.LaneID(), k.LaneMaskEqual(), k.LaneMaskLess(), k.LaneMaskLessEqual(), k.LaneMaskGreater(), k.LaneMaskGreaterEqual(), k.DynamicSharedBytes()}
		for i, v := range list {
			out.AtConst(i).StoreIf(me, v)
		}
	})
	out := &buffer{data: make([]byte, 19*4)}
	m.run(k, [3]uint32{2, 1, 1}, out)
	lane := uint32(29)
	less := uint32(1)<<lane - 1
	m.equal("registers", out.u32(), []uint32{5, 3, 1, 8, 4, 2, 1, 0, 0, 2, 1, 1, lane, 1 << lane, less, less | 1<<lane, ^(less | 1<<lane), ^less, 48})
}

func runTime(m *machine) {
	k := m.build("time", block(32), func(k *ir.Kernel) {
		out := ir.GlobalParam[ir.U32](k, "out")
		a, b, g := k.Clock(), k.Clock64(), k.GlobalTimer()
		k.Nanosleep(k.ConstU32(100))
		later := k.Clock64().GreaterEqual(b).And(k.GlobalTimer().GreaterEqual(g)).And(k.Clock().Sub(a).Less(k.ConstU32(1 << 30)))
		known := k.SMID().Less(k.ConstU32(4))
		k.If(later.And(known), func() { out.Store(k.ConstU32(1)) }).Else(func() { k.Trap() })
	})
	out := u32s(0)
	m.run(k, one, out)
	m.equal("time", out.u32(), []uint32{1})
}

func runDependent(m *machine) {
	contract := block(32)
	contract.ProgrammaticLaunch = true
	k := m.build("dependent", contract, func(k *ir.Kernel) {
		out, in := ir.GlobalParam[ir.U32](k, "out"), ir.GlobalParam[ir.U32](k, "in", ir.Constant)
		k.GridDependencyLaunch()
		v := in.At(k.TIDX()).Load(ir.NC)
		k.GridDependencyWait()
		out.At(k.TIDX()).Store(v.OnesCount())
	})
	out := &buffer{data: make([]byte, 32*4)}
	m.run(k, [3]uint32{3, 1, 1}, out, sequence(32, func(i int) uint32 { return uint32(i) }))
	m.equal("dependent", out.u32(), sequence(32, func(i int) uint32 { return uint32(bits.OnesCount(uint(i))) }).u32())
}
