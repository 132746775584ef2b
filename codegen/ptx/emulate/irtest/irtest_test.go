package irtest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/ir"
)

type tile struct{ Threads int }

// scale is y = factor * x; columns past n are left alone.
var scale = ir.Algorithm[tile]{
	Name: "TestScale", Doc: "y = factor * x", Variants: []tile{{64}},
	Contract: func(v tile) ir.Contract { return ir.Contract{Block: [3]int{v.Threads}} },
	Kernel: func(k *ir.Kernel, v tile) {
		x := ir.GlobalParam[ir.F32](k, "x")
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
		n := ir.Param[ir.U32](k, "n")
		factor := ir.Param[ir.F32](k, "factor")
		i := k.CTAIDX().Mul(k.ConstU32(uint32(v.Threads))).Add(k.TIDX())
		k.If(i.Less(n), func() { y.At(i).Store(x.At(i).Load().Mul(factor)) })
	},
}

// swap lets neighbours exchange values through shared memory; without the barrier they read what nobody wrote yet.
func swap(barrier bool) func(k *ir.Kernel) {
	return func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.U32](k, "x", ir.Writes)
		shared := ir.SharedArray[ir.U32](k, "shared", 64, 4)
		t := k.TIDX()
		shared.At(t).Store(x.At(t).Load())
		if barrier {
			k.Barrier()
		}
		x.At(t).Store(shared.At(t.Xor(k.ConstU32(32))).Load())
	}
}

func values(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i) - 3
	}
	return out
}

func TestRun(t *testing.T) {
	x, y := values(100), make([]float32, 100)
	irtest.Run(t, scale, irtest.Grid{2}, x, y, uint32(99), float32(0.5))
	for i := range x {
		want := x[i] / 2
		if i == 99 {
			want = 0
		}
		if y[i] != want {
			t.Fatalf("y[%d] = %v, want %v", i, y[i], want)
		}
	}
}

func TestRunTakesInstancesAndKernels(t *testing.T) {
	k, err := ir.Build(scale.Instances()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range []any{scale.Instances()[0], k} {
		y := make([]float32, 4)
		irtest.Run(t, kernel, values(4), y, uint32(4), float32(2))
		if fmt.Sprint(y) != "[-6 -4 -2 0]" {
			t.Errorf("%T: %v", kernel, y)
		}
	}
}

func TestFindingsNameTheGoLine(t *testing.T) {
	y := make([]float32, 4)
	found := irtest.Findings(t, scale, values(3), y, uint32(4), float32(2)) // one element past the end of x
	if len(found) != 1 || found[0].Class != emulate.OOBGlobal || !strings.Contains(found[0].Position, "irtest_test.go:") {
		t.Errorf("found %v", found)
	}
}

func TestMissingBarrier(t *testing.T) {
	contract := ir.Contract{Block: [3]int{64}}
	for _, barrier := range []bool{true, false} {
		k, err := ir.BuildFunc("swap", contract, swap(barrier))
		if err != nil {
			t.Fatal(err)
		}
		x := make([]uint32, 64)
		for i := range x {
			x[i] = uint32(i)
		}
		found := irtest.Findings(t, k, x)
		if (len(found) == 0) != barrier {
			t.Errorf("barrier %v: %v", barrier, found)
		}
	}
}

// refused runs f on a T of its own and returns what it fails with.
func refused(t *testing.T, f func(t testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.message
}

type recorder struct {
	testing.TB
	message string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.message = fmt.Sprint(args...)
	runtime.Goexit()
}

func TestMisuseIsExplained(t *testing.T) {
	two := scale
	two.Variants = []tile{{64}, {128}}
	x := values(4)
	for _, c := range []struct {
		kernel any
		args   []any
		says   string
	}{
		{scale, []any{x, x}, "4 parameters, the test gives 2"},
		{scale, []any{x, x, uint64(4), float32(2)}, `parameter "n"`},
		{scale, []any{x, x, 4, float32(2)}, `parameter "n"`},
		{two, []any{x, x, uint32(4), float32(2)}, "has 2 instances"},
		{"scale", nil, "a string is no kernel"},
		{scale, []any{nil, x, uint32(1), float32(2)}, "mem.oob.global"},
	} {
		got := refused(t, func(t testing.TB) { irtest.Run(t, c.kernel, c.args...) })
		if !strings.Contains(got, c.says) {
			t.Errorf("%v: %q, want %q", c.args, got, c.says)
		}
	}
}
