package lower_test

import (
	"context"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// addressing uses every kind of pointer and every access.
func addressing(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Constant, ir.Aligned(16))
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes, ir.Aligned(16))
	c := ir.GlobalParam[ir.U32](k, "c", ir.Writes)
	n := ir.Param[ir.U32](k, "n")
	s := ir.SharedArray[ir.F32](k, "tile", 256, 16)
	d := ir.DynamicShared[ir.U32](k, 16)
	t := k.TIDX()
	policy := k.Policy(ir.EvictFirst)
	for _, v := range x.At(t.ShiftLeft(k.ConstU32(2))).LoadVec(4, ir.NC, ir.L1NoAllocate, policy) {
		s.At(t).AtConst(3).Store(v)
	}
	k.Barrier()
	v := s.At(t).Load()
	y.At(n.ConvertToS64()).AtConst(-2).Store(v, ir.CS)
	d.At(t).Store(t)
	x.AtConst(64).Prefetch(ir.PrefetchL2)
	old := c.AtomicAdd(t, ir.Relaxed, ir.ScopeBlock)
	c.AtConst(1).ReduceMax(old)
	k.Fence(ir.AcquireRelease, ir.ScopeGPU)
	g := s.AtConst(1).Generic()
	y.Store(g.Load())
}

// control nests every region op and carries values that swap.
func control(k *ir.Kernel) {
	y := ir.GlobalParam[ir.U32](k, "y", ir.Writes)
	n := ir.Param[ir.U32](k, "n")
	a, b := ir.NewVar(k.ConstU32(0)), ir.NewVar(k.ConstU32(1))
	for i := range k.Loop(k.ConstU32(0), n, k.ConstU32(1), ir.NoUnroll) {
		was := a.Get()
		a.Set(b.Get())
		b.Set(was.Add(b.Get())) // Fibonacci: both change at once
		k.If(i.Equal(k.ConstU32(3)), func() { b.Set(i) }).Else(func() { y.At(i).Store(i) })
	}
	m := ir.NewVar(n)
	for range k.While(func() ir.Pred { return m.Get().Greater(k.ConstU32(1)) }) {
		m.Set(m.Get().ShiftRight(k.ConstU32(1)))
	}
	y.Store(a.Get().Add(m.Get()))
	k.If(ir.Uniform(n.Less(k.ConstU32(7))), func() { k.Exit() })
	y.AtConst(1).Store(ir.Select(n.Equal(k.ConstU32(9)), a.Get(), b.Get()))
}

// TestHandWritten lowers the kernels of this file and of hopper_test.go, reads their text back and has ptxas take it. Each
// op that TestEveryOp leaves out is in one of them.
func TestHandWritten(t *testing.T) {
	built := map[string]bool{}
	for _, c := range append(hopperKernels(), []kernelCase{
		{"addressing", ir.Contract{Block: [3]int{64}, DynamicSharedBytes: 1024}, addressing},
		{"control", ir.Contract{Block: [3]int{64}}, control},
	}...) {
		k, err := ir.BuildFunc(c.name, c.contract, c.body)
		if err != nil {
			t.Errorf("%s:\n%v", c.name, err)
			continue
		}
		k.Body.Walk(func(o *ir.Op) bool {
			built[o.Info.Name] = true
			return true
		})
		again, err := ir.Parse(k.String())
		if err != nil {
			t.Errorf("%s: %v\n%v", c.name, err, k)
		} else if again.String() != k.String() {
			t.Errorf("%s: printing what was parsed gives another text:\n%v\n%v", c.name, k, again)
		}
		res, err := lower.Kernel(k)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		roundTrip(t, res.Module)
		text, _ := ptx.Print(res.Module)
		r, err := cubintest.Assembler(t).Assemble(context.Background(), text, "sm_90a")
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
			continue
		}
		if len(r.Cubin) == 0 {
			t.Errorf("%s: no cubin", c.name)
		}
		for _, d := range r.Log {
			if d.Code != "" {
				t.Errorf("%s: %v", c.name, d)
			}
		}
	}
	for _, info := range op.All() {
		if handWritten(info) && !built[info.Name] && info.Name != "load_if" && info.Name != "store_if" {
			t.Errorf("no kernel has the op %s", info.Name)
		}
	}
}

// A kernelCase is a kernel that is only assembled.
type kernelCase struct {
	name     string
	contract ir.Contract
	body     func(*ir.Kernel)
}

// TestTable proves that every op has a lowering, and none is for an op that does not exist.
func TestTable(t *testing.T) {
	for _, name := range lower.Missing(op.All()) {
		t.Errorf("op %q has no lowering", name)
	}
}
