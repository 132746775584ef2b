package lib_test

import (
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

func build(t *testing.T, threads int, body func(k *ir.Kernel)) *ir.Kernel {
	t.Helper()
	k, err := ir.BuildFunc("test", ir.Contract{Block: [3]int{threads}}, body)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func count(k *ir.Kernel, name string) (n int) {
	k.Body.Walk(func(o *ir.Op) bool {
		if o.Info.Name == name {
			n++
		}
		return true
	})
	return n
}

func TestReduceShape(t *testing.T) {
	for _, c := range []struct{ threads, group, shuffles, barriers int }{
		{32, 0, 10, 0}, {128, 0, 10, 1}, {256, 2, 10, 1}, {256, 1, 10, 0}, {1024, 0, 10, 1}, {160, 0, 10, 1},
	} {
		k := build(t, c.threads, func(k *ir.Kernel) {
			x := ir.GlobalParam[ir.F32](k, "x").At(k.TIDX()).Load()
			e := lib.NewExchange(k, "sums", c.group)
			s := e.Sum(x, x.Mul(x))
			ir.GlobalParam[ir.F32](k, "y").At(k.TIDX()).Store(s[0].Add(s[1]))
		})
		if n := count(k, "shfl_bfly"); n != c.shuffles {
			t.Errorf("%+v: %d shuffles", c, n)
		}
		if n := count(k, "barrier"); n != c.barriers {
			t.Errorf("%+v: %d barriers", c, n)
		}
	}
}

func TestReduceInLoopHasTwoBarriers(t *testing.T) {
	k := build(t, 128, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x")
		e := lib.NewExchange(k, "sums", 0)
		for i := range k.Loop(k.ConstU32(0), ir.Param[ir.U32](k, "n"), k.ConstU32(1)) {
			x.At(i).Store(e.Sum(x.At(k.TIDX()).Load())[0])
		}
	})
	if n := count(k, "barrier"); n != 2 {
		t.Errorf("%d barriers in a loop, want 2:\n%v", n, k)
	}
}

func TestCursorWalksWithoutMultiplying(t *testing.T) {
	k := build(t, 32, func(k *ir.Kernel) {
		x, n, rows := ir.GlobalParam[ir.BF16](k, "x"), ir.Param[ir.U32](k, "n"), ir.Param[ir.U32](k, "rows")
		c := lib.NewCursor(x, k.CTAIDX(), k.NCTAIDX(), n)
		for range k.Loop(k.CTAIDX(), rows, k.NCTAIDX()) {
			v := c.Get().At(k.TIDX()).Load()
			c.Get().At(k.TIDX()).Store(v.Neg())
			c.Advance()
		}
	})
	loop := k.Body.Ops[0]
	for _, o := range k.Body.Ops {
		if o.Info.Name == "loop" {
			loop = o
		}
	}
	loop.Regions[0].Walk(func(o *ir.Op) bool {
		if o.Info.Name == "mul_wide" || o.Info.Name == "mul" {
			t.Errorf("multiplication in the loop: %s", o.Text())
		}
		return true
	})
	if len(loop.Results) != 1 {
		t.Errorf("the cursor is not carried:\n%v", k)
	}
}

func TestPackedWidths(t *testing.T) {
	check := func(name string, n, wantLoads int, body func(k *ir.Kernel, n int)) {
		k := build(t, 32, func(k *ir.Kernel) { body(k, n) })
		if got := count(k, "load"); got != wantLoads {
			t.Errorf("%s × %d: %d loads", name, n, got)
		}
		if got := count(k, "store"); got != 1 {
			t.Errorf("%s × %d: %d stores", name, n, got)
		}
	}
	for n := 1; n <= 16; n *= 2 {
		check("e4m3", n, 1, roundTrip[ir.E4M3])
		check("e5m2", n, 1, roundTrip[ir.E5M2])
		if n <= 8 {
			check("bf16", n, 1, roundTrip[ir.BF16])
			check("f16", n, 1, roundTrip[ir.F16])
		}
		if n <= 4 {
			check("f32", n, 1, roundTrip[ir.F32])
		}
	}
}

func roundTrip[T lib.Float](k *ir.Kernel, n int) {
	p := ir.GlobalParam[T](k, "p", ir.Aligned(16))
	v := lib.PackedLoad(p, n)
	if len(v) != n {
		panic("wrong number of values")
	}
	lib.PackedStore(p, lib.Round[T](v))
}
