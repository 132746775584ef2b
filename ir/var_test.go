package ir_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

func text(t *testing.T, body func(k *ir.Kernel)) string {
	t.Helper()
	k, err := ir.BuildFunc("k", ir.Contract{Block: [3]int{32}}, body)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(k.String(), "\n") {
		l, _, _ = strings.Cut(l, "  ; ")
		lines = append(lines, l)
	}
	_, all, _ := strings.Cut(strings.Join(lines, "\n"), "{\n")
	return all
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestGetIsASnapshot(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		v := ir.NewVar(k.TIDX())
		before := v.Get()
		v.Set(k.LaneID())
		before.Add(v.Get())
	}), `	%0 = tid.x u32
	%1 = laneid u32
	%2 = add u32 %0, %1
	yield
}
`)
}

// A variable that a loop only reads is not carried, even when another loop inside sets a different one.
func TestOnlyWhatIsSetIsCarried(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		zero, one, n := k.ConstU32(0), k.ConstU32(1), k.TIDX()
		read, sum := ir.NewVar(k.LaneID()), ir.NewVar(zero)
		for range k.Loop(zero, n, one) {
			for j := range k.Loop(zero, n, one) {
				sum.Set(sum.Get().Add(read.Get()).Add(j))
			}
		}
		sum.Get().Add(read.Get())
	}), `	%0 = tid.x u32
	%1 = laneid u32
	%9 = loop u32 u32:0, %0, u32:1, u32:0 (%2: u32, %3: u32) {
		%8 = loop u32 u32:0, %0, u32:1, %3 (%4: u32, %5: u32) {
			%6 = add u32 %5, %1
			%7 = add u32 %6, %4
			yield %7
		}
		yield %8
	}
	%10 = add u32 %9, %1
	yield
}
`)
}

func TestSwapInLoop(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		zero, one := k.ConstU32(0), k.ConstU32(1)
		a, b := ir.NewVar(zero), ir.NewVar(one)
		for range k.Loop(zero, k.ConstU32(10), one) {
			x, y := a.Get(), b.Get()
			a.Set(y)
			b.Set(x.Add(y))
		}
		a.Get().Sub(b.Get())
	}), `	%4, %5 = loop u32*2 u32:0, u32:10, u32:1, u32:0, u32:1 (%0: u32, %1: u32, %2: u32) {
		%3 = add u32 %1, %2
		yield %2, %3
	}
	%6 = sub u32 %4, %5
	yield
}
`)
}

func TestBranchesJoin(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		x := k.TIDX()
		a, b, c := ir.NewVar(x), ir.NewVar(x), ir.DeclareVar[ir.U32](k)
		k.If(x.Equal(k.ConstU32(1)), func() {
			a.Set(a.Get().Not())
			c.Set(x)
		}).Else(func() {
			b.Set(a.Get().Add(b.Get())) // a's value from before the branch
			c.Set(a.Get())
		})
		a.Get().Add(b.Get()).Add(c.Get())
	}), `	%0 = tid.x u32
	%1 = eq pred %0, u32:1
	%4, %5, %6 = if u32*3 %1 () {
		%2 = not u32 %0
		yield %2, %0, %0
	} () {
		%3 = add u32 %0, %0
		yield %0, %0, %3
	}
	%7 = add u32 %4, %6
	%8 = add u32 %7, %5
	yield
}
`)
}

func TestBranchInLoopCarries(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		zero, one := k.ConstU32(0), k.ConstU32(1)
		best := ir.NewVar(zero)
		for i := range k.Loop(zero, k.TIDX(), one) {
			k.If(i.Greater(best.Get()), func() { best.Set(i) })
		}
		best.Get().Not()
	}), `	%0 = tid.x u32
	%5 = loop u32 u32:0, %0, u32:1, u32:0 (%1: u32, %2: u32) {
		%3 = gt pred %1, %2
		%4 = if u32 %3 () {
			yield %1
		} () {
			yield %2
		}
		yield %4
	}
	%6 = not u32 %5
	yield
}
`)
}

// The condition of a while may set variables; the body and what follows see the new values.
func TestWhileConditionSets(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		n := ir.NewVar(k.TIDX())
		for range k.While(func() ir.Pred {
			n.Set(n.Get().ShiftRight(k.ConstU32(1)))
			return n.Get().NotEqual(k.ConstU32(0))
		}) {
			n.Set(n.Get().Sub(k.ConstU32(1)))
		}
		n.Get().Not()
	}), `	%0 = tid.x u32
	%5 = while u32 %0 (%1: u32) {
		%2 = shr u32 %1, u32:1
		%3 = ne pred %2, u32:0
		yield %3, %2
	} () {
		%4 = sub u32 %2, u32:1
		yield %4
	}
	%6 = not u32 %5
	yield
}
`)
}

func TestPointersCanBeVariables(t *testing.T) {
	expect(t, text(t, func(k *ir.Kernel) {
		p := ir.NewVar(ir.GlobalParam[ir.F16](k, "x"))
		for range k.Loop(k.ConstU32(0), k.ConstU32(4), k.ConstU32(1)) {
			p.Get().AtConst(1).Store(p.Get().Load())
			p.Set(p.Get().AtConst(2))
		}
	}), `	%5 = loop global.f16 u32:0, u32:4, u32:1, %x (%0: u32, %1: global.f16) {
		%2 = addr_off global.f16 %1 {off=2}
		%3 = load f16 %1
		store %1, %3 {off=2}
		%4 = addr_off global.f16 %1 {off=4}
		yield %4
	}
	yield
}
`)
}
