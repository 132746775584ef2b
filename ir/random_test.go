package ir_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// TestRandomPrograms makes kernels of integer arithmetic, variables and nested control flow, and compares what the
// emulated device computes from their PTX, with and without passes, with a direct evaluation of the IR.
func TestRandomPrograms(t *testing.T) {
	programs := 25
	if testing.Short() {
		programs = 10
	}
	m, cases := newMachine(t), scalarCases()
	for seed := range programs {
		body := func(k *ir.Kernel) { newProgram(k, uint64(seed)).kernel() }
		in := sequence(randomThreads, func(i int) uint32 { return uint32(i*i*2654435761 + seed) })
		words := in.u32()
		var results [2][]uint32
		var want []uint32
		for i, raw := range []bool{true, false} {
			k := m.build("random", ir.Contract{Block: [3]int{randomThreads}}, body)
			if raw {
				for tid := range randomThreads {
					want = append(want, evaluate(k, cases, words, uint32(tid)))
				}
			}
			m.raw = raw
			out := &buffer{data: make([]byte, 4*randomThreads)}
			m.run(k, one, in, out)
			results[i] = out.u32()
		}
		for i, got := range results {
			if fmt.Sprint(got) != fmt.Sprint(want) {
				k := m.build("random", ir.Contract{Block: [3]int{randomThreads}}, body)
				t.Fatalf("seed %d, passes %v:\ngot  %v\nwant %v\n%v", seed, i == 1, got, want, k)
			}
		}
	}
}

const randomThreads = 64

type program struct {
	k     *ir.Kernel
	r     *rand.Rand
	vars  []ir.Var[ir.U32]
	depth int
	ops   int
}

func newProgram(k *ir.Kernel, seed uint64) *program {
	return &program{k: k, r: rand.New(rand.NewPCG(seed, 99))}
}

func (p *program) kernel() {
	in, out := ir.GlobalParam[ir.U32](p.k, "in", ir.Constant), ir.GlobalParam[ir.U32](p.k, "out")
	tid := p.k.TIDX()
	for i := range 4 {
		p.vars = append(p.vars, ir.NewVar(in.At(tid.Add(p.k.ConstU32(uint32(i))).Rem(p.k.ConstU32(randomThreads))).Load()))
	}
	p.block(8)
	sum := tid
	for _, v := range p.vars {
		sum = sum.Mul(p.k.ConstU32(31)).Add(v.Get())
	}
	out.At(tid).Store(sum)
}

func (p *program) block(n int) {
	p.depth++
	for range n {
		switch c := p.r.IntN(10); {
		case c < 6 || p.depth > 4:
			p.pick().Set(p.expr(3))
		case c < 8:
			b := p.k.If(p.condition(), func() { p.block(3) })
			if p.r.IntN(2) == 0 {
				b.Else(func() { p.block(2) })
			}
		case c == 8:
			trips := p.expr(1).And(p.k.ConstU32(3))
			for i := range p.k.Loop(p.k.ConstU32(0), trips, p.k.ConstU32(1)) {
				p.pick().Set(p.pick().Get().Xor(i))
				p.block(2)
			}
		default:
			left := ir.NewVar(p.expr(1).And(p.k.ConstU32(3)))
			for range p.k.While(func() ir.Pred {
				p.pick().Set(p.expr(1))
				return left.Get().NotEqual(p.k.ConstU32(0))
			}) {
				left.Set(left.Get().Sub(p.k.ConstU32(1)))
				p.block(2)
			}
		}
	}
	p.depth--
}

func (p *program) pick() ir.Var[ir.U32] { return p.vars[p.r.IntN(len(p.vars))] }

func (p *program) condition() ir.Pred {
	x, y := p.expr(1), p.expr(1)
	switch p.r.IntN(4) {
	case 0:
		return x.Less(y)
	case 1:
		return x.And(p.k.ConstU32(1)).Equal(y.And(p.k.ConstU32(1)))
	case 2:
		return x.AsS32().Greater(y.AsS32())
	}
	return x.Less(y).Not().Xor(y.GreaterEqual(p.k.ConstU32(1 << 30)))
}

func (p *program) expr(depth int) ir.U32 {
	if depth == 0 {
		switch p.r.IntN(4) {
		case 0:
			return p.k.ConstU32([]uint32{0, 1, 2, 5, 255, 1 << 31, 1<<32 - 1}[p.r.IntN(7)])
		case 1:
			return p.k.TIDX()
		}
		return p.pick().Get()
	}
	x, y := p.expr(depth-1), p.expr(depth-1)
	n := p.k.ConstU32(uint32(p.r.IntN(33)))
	switch p.r.IntN(13) {
	case 0:
		return x.Sub(y)
	case 1:
		return x.Mul(y)
	case 2:
		return x.MulAdd(y, n)
	case 3:
		return x.And(y)
	case 4:
		return x.Or(y)
	case 5:
		return x.Xor(y.Not())
	case 6:
		return x.ShiftLeft(n)
	case 7:
		return x.AsS32().ShiftRight(n).AsU32()
	case 8:
		return x.Min(y)
	case 9:
		return ir.Select(x.LessEqual(y), y, n)
	case 10:
		return x.MulWide(y).ShiftRight(n).ConvertToU32()
	case 11:
		return x.AsS32().Max(y.AsS32()).AsU32()
	}
	return x.Add(y)
}

// evaluate runs a kernel of newProgram for one thread and gives what it stores.
func evaluate(k *ir.Kernel, cases map[string]scalarCase, in []uint32, tid uint32) uint32 {
	e := evaluator{vals: map[*ir.Value]uint64{}, in: in, tid: tid, cases: cases}
	e.region(k.Body)
	return e.stored
}

type evaluator struct {
	vals   map[*ir.Value]uint64
	in     []uint32
	tid    uint32
	stored uint32
	cases  map[string]scalarCase
}

func (e *evaluator) get(v *ir.Value) uint64 {
	if v.IsConst() {
		return v.Bits()
	}
	return e.vals[v]
}

func (e *evaluator) all(list []*ir.Value) []uint64 {
	out := make([]uint64, len(list))
	for i, v := range list {
		out[i] = e.get(v)
	}
	return out
}

func (e *evaluator) set(list []*ir.Value, vals []uint64) {
	for i, v := range list {
		e.vals[v] = vals[i]
	}
}

// region gives the values that the region yields.
func (e *evaluator) region(r *ir.Region) []uint64 {
	for _, o := range r.Ops {
		a := e.all(o.Args)
		switch o.Info.Name {
		case "yield":
			return a
		case "if":
			e.set(o.Results, e.region(o.Regions[map[bool]int{true: 0, false: 1}[a[0] != 0]]))
		case "loop":
			carried := a[3:]
			for i := a[0]; i < a[1]; i += a[2] {
				e.set(o.Regions[0].Args, append([]uint64{i}, carried...))
				carried = e.region(o.Regions[0])
			}
			e.set(o.Results, carried)
		case "while":
			carried := a
			for {
				e.set(o.Regions[0].Args, carried)
				out := e.region(o.Regions[0])
				if out[0] == 0 {
					e.set(o.Results, out[1:])
					break
				}
				carried = e.region(o.Regions[1])
			}
		default:
			e.set(o.Results, e.compute(o, a))
		}
	}
	return nil
}

func (e *evaluator) compute(o *ir.Op, a []uint64) []uint64 {
	switch o.Info.Name {
	case "tid.x":
		return []uint64{uint64(e.tid)}
	case "addr":
		return []uint64{a[1]}
	case "load":
		return []uint64{uint64(e.in[a[0]])}
	case "store":
		e.stored = uint32(a[1])
		return nil
	}
	kind, from := op.Invalid, op.Invalid
	if len(o.Args) > 0 {
		from = o.Args[0].Type().Kind
		kind = from
	}
	switch {
	case o.Info.Pairs != nil:
		kind = o.Result().Type().Kind
	case o.Info.Name == "select":
		kind = o.Result().Type().Kind
	}
	return e.cases[o.Info.Name].ref(kind, from, a)
}
