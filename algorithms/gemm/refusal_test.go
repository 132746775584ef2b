package gemm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

func demandRefusal(t *testing.T, err error, operator, field string) {
	t.Helper()
	var refused *oxrt.ContractError
	if !errors.Is(err, oxrt.ErrContract) || !errors.As(err, &refused) {
		t.Errorf("%s: got %v, want a contract error about %s", operator, err, field)
		return
	}
	if !strings.Contains(err.Error(), operator+": "+field+":") {
		t.Errorf("%s: the error does not name %s: %v", operator, field, err)
	}
}

func TestSpecsThatAreRefused(t *testing.T) {
	good := gemm.MatmulSpec{N: 64, K: 64, Input: oxrt.BF16}
	dev, _ := trialtest.Device(t)
	if _, err := gemm.PlanMatmul(dev, good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field  string
		break_ func(*gemm.MatmulSpec)
	}{
		{"max_m", func(s *gemm.MatmulSpec) { s.MaxM = -1 }},
		{"n", func(s *gemm.MatmulSpec) { s.N = -8 }},
		{"n", func(s *gemm.MatmulSpec) { s.N = gemm.MaxSize + 1 }},
		{"k", func(s *gemm.MatmulSpec) { s.K = gemm.MaxSize + 1 }},
		{"input", func(s *gemm.MatmulSpec) { s.Input = 0 }},
		{"input", func(s *gemm.MatmulSpec) { s.Input = oxrt.F32 }},
		{"input", func(s *gemm.MatmulSpec) { s.Input = oxrt.E4M3 }},
		{"output", func(s *gemm.MatmulSpec) { s.Output = oxrt.E5M2 }},
		{"addend", func(s *gemm.MatmulSpec) { s.Accumulate, s.Addend = true, oxrt.E4M3 }},
		{"bias_type", func(s *gemm.MatmulSpec) { s.Bias, s.BiasType = true, oxrt.I32 }},
		{"a_stride", func(s *gemm.MatmulSpec) { s.AStride = 63 }},
		{"b_stride", func(s *gemm.MatmulSpec) { s.BStride = 63 }},
		{"b_stride", func(s *gemm.MatmulSpec) { s.BByK, s.N, s.BStride = true, 128, 64 }},
		{"c_stride", func(s *gemm.MatmulSpec) { s.CStride = 64 }},
		{"c_stride", func(s *gemm.MatmulSpec) { s.Accumulate, s.CStride = true, 63 }},
		{"d_stride", func(s *gemm.MatmulSpec) { s.DStride = 8 }},
		{"align", func(s *gemm.MatmulSpec) { s.Align = 12 }},
		{"align", func(s *gemm.MatmulSpec) { s.Align, s.Output = 2, oxrt.F32 }},
		{"alpha", func(s *gemm.MatmulSpec) { s.Alpha = 0x1p101 }},
		{"alpha", func(s *gemm.MatmulSpec) { s.Alpha = float32(math.NaN()) }},
		{"alpha", func(s *gemm.MatmulSpec) { s.Alpha = float32(math.Inf(-1)) }},
		{"beta", func(s *gemm.MatmulSpec) { s.Beta = 2 }},
		{"beta", func(s *gemm.MatmulSpec) { s.Accumulate, s.Beta = true, float32(math.NaN()) }},
		{"epsilon", func(s *gemm.MatmulSpec) { s.RowFactor, s.FromSquares, s.Epsilon = true, true, float32(math.NaN()) }},
		{"epsilon", func(s *gemm.MatmulSpec) { s.RowFactor, s.FromSquares, s.Epsilon = true, true, -1 }},
		{"output_scale", func(s *gemm.MatmulSpec) { s.Output, s.OutputScale = oxrt.E4M3, float32(math.NaN()) }},
		{"from_squares", func(s *gemm.MatmulSpec) { s.FromSquares = true }},
		{"from_squares", func(s *gemm.MatmulSpec) { s.RowFactor, s.FromSquares, s.K = true, true, 0 }},
		{"epsilon", func(s *gemm.MatmulSpec) { s.Epsilon = 1e-5 }},
		{"sum_squares", func(s *gemm.MatmulSpec) { s.SumSquares, s.Output = true, oxrt.E4M3 }},
		{"activation", func(s *gemm.MatmulSpec) { s.Activation = 9 }},
		{"output_scale", func(s *gemm.MatmulSpec) { s.OutputScale = 2 }},
	} {
		s := good
		c.break_(&s)
		_, err := gemm.PlanMatmul(dev, s)
		demandRefusal(t, err, "gemm.matmul", c.field)
	}
	_, err := gemm.PlanGatedMatmul(dev, gemm.GatedSpec{N: 64, K: 64, Input: oxrt.BF16, Gate: 7})
	demandRefusal(t, err, "gemm.gated_matmul", "gate")
	_, err = gemm.PlanScaledMatmul(dev, gemm.ScaledSpec{N: 64, K: 64, Input: oxrt.BF16})
	demandRefusal(t, err, "gemm.scaled_matmul", "input")
	_, err = gemm.PlanBlockScaledGatedMatmul(dev, gemm.ScaledGatedSpec{N: 64, K: 64, AStride: 8})
	demandRefusal(t, err, "gemm.block_scaled_gated_matmul", "a_stride")
}

// TestAlgorithmsSayWhyNot: a named algorithm is taken or refused, never replaced.
func TestAlgorithmsSayWhyNot(t *testing.T) {
	dev, _ := trialtest.Device(t)
	const tiled = "OxideSm90MatmulTiled128x256C2"
	for _, c := range []struct {
		field  string
		break_ func(*gemm.MatmulSpec)
	}{
		{"", func(*gemm.MatmulSpec) {}},
		{"a_stride", func(s *gemm.MatmulSpec) { s.K = 63 }},
		{"n", func(s *gemm.MatmulSpec) { s.N = 60 }},
		{"n", func(s *gemm.MatmulSpec) { s.N = 0 }},
		{"k", func(s *gemm.MatmulSpec) { s.K = 0 }},
		{"d_stride", func(s *gemm.MatmulSpec) { s.DStride = 68 }},
		{"align", func(s *gemm.MatmulSpec) { s.Align = 8 }},
		{"output", func(s *gemm.MatmulSpec) { s.Output = oxrt.E4M3 }},
		{"addend", func(s *gemm.MatmulSpec) { s.Accumulate, s.Addend = true, oxrt.F32 }},
		{"bias_type", func(s *gemm.MatmulSpec) { s.Bias, s.BiasType = true, oxrt.F32 }},
	} {
		s := gemm.MatmulSpec{N: 64, K: 64, Input: oxrt.BF16}
		c.break_(&s)
		p, err := gemm.PlanMatmul(dev, s, gemm.WithAlgorithm(tiled))
		switch {
		case c.field != "":
			demandRefusal(t, err, "gemm.matmul", c.field)
		case err != nil || p.Algorithm() != tiled:
			t.Errorf("%+v: %v, %v", s, p, err)
		}
	}
	if _, err := gemm.PlanMatmul(dev, gemm.MatmulSpec{N: 64, K: 64, Input: oxrt.BF16, BatchInvariant: true},
		gemm.WithAlgorithm("OxideSm90MatmulSplit128x64S2")); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("a divided k, batch-invariant: %v", err)
	}
	p, err := gemm.PlanMatmul(dev, gemm.MatmulSpec{N: 64, K: 64, Input: oxrt.BF16})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Describe().Reason; !strings.Contains(r, tiled) || !strings.Contains(r, "OxideSm90MatmulGeneral") {
		t.Errorf("the plan does not say what it chose among: %q", r)
	}
}

// rig has a plan and the operands of one call, with outputs of a known pattern.
type rig struct {
	*testing.T
	dev    *oxrt.Device
	stream *oxrt.Stream
	plan   *gemm.Plan
	good   gemm.Operands
}

const mark = 0xa5

func (r *rig) region(d oxrt.DType, elems int, fill byte) oxrt.Region {
	r.Helper()
	b, err := r.dev.Alloc(int64(elems * d.Size()))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		if err := b.Close(); err != nil {
			r.Error(err)
		}
	})
	if err := r.stream.Upload(b.All(oxrt.U8), slices.Repeat([]byte{fill}, elems*d.Size())); err != nil {
		r.Fatal(err)
	}
	return b.All(d)
}

// result are the bytes of d.
func (r *rig) result() []byte {
	r.Helper()
	got := make([]byte, r.good.D.Bytes())
	if err := r.stream.Download(got, r.good.D.Owner().All(oxrt.U8)); err != nil {
		r.Fatal(err)
	}
	return got
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t}
	r.dev, r.stream = trialtest.Device(t)
	p, err := gemm.PlanMatmul(r.dev, gemm.MatmulSpec{MaxM: 8, N: 64, K: 64, Input: oxrt.BF16, Accumulate: true, Bias: true, SumSquares: true})
	if err != nil {
		t.Fatal(err)
	}
	r.plan = p
	r.good = gemm.Operands{M: 3, A: r.region(oxrt.BF16, 3*64, 0), B: r.region(oxrt.BF16, 64*64, 0), C: r.region(oxrt.BF16, 3*64, 0), Bias: r.region(oxrt.BF16, 64, 0),
		D: r.region(oxrt.BF16, 4*64, mark), RowSquares: r.region(oxrt.F32, 3, mark)}
	return r
}

// TestCallsThatAreRefused leave every byte of the outputs as it was, and the stream usable.
func TestCallsThatAreRefused(t *testing.T) {
	r := newRig(t)
	part := func(of oxrt.Region, first, elems int64) oxrt.Region {
		p, err := of.Slice(first, elems)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, break_ := range map[string]func(*gemm.Operands){
		"m":                     func(o *gemm.Operands) { o.M = 9 },
		"m below 0":             func(o *gemm.Operands) { o.M = -1 },
		"a too short":           func(o *gemm.Operands) { o.A = part(o.A, 0, 3*64-1) },
		"b too short":           func(o *gemm.Operands) { o.B = part(o.B, 0, 64*64-1) },
		"no b":                  func(o *gemm.Operands) { o.B = oxrt.Region{} },
		"no bias":               func(o *gemm.Operands) { o.Bias = oxrt.Region{} },
		"d too short":           func(o *gemm.Operands) { o.D = part(o.D, 0, 3*64-1) },
		"d of another type":     func(o *gemm.Operands) { o.D = r.region(oxrt.F16, 3*64, 0) },
		"d misaligned":          func(o *gemm.Operands) { o.D = part(o.D, 1, 3*64) },
		"d over a":              func(o *gemm.Operands) { o.D = o.A },
		"d over b":              func(o *gemm.Operands) { o.D = part(o.B, 64, 3*64) },
		"d over a part of c":    func(o *gemm.Operands) { o.C, o.D = part(o.D, 0, 3*64), part(o.D, 8, 3*64) },
		"row squares over bias": func(o *gemm.Operands) { o.RowSquares = r.region(oxrt.F32, 2, 0) },
		"a scale":               func(o *gemm.Operands) { o.AScale = r.region(oxrt.F32, 1, 0) },
	} {
		o := r.good
		break_(&o)
		scope, err := r.stream.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.plan.Enqueue(scope, o); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := scope.Submit(); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: submitted, %v", name, err)
		}
		scope.Drop()
		got := r.result()
		if slices.ContainsFunc(got, func(b byte) bool { return b != mark }) {
			t.Errorf("%s: d was written", name)
		}
	}
	scope, err := r.stream.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.plan.Enqueue(scope, r.good); err != nil {
		t.Fatal(err)
	}
	done, err := scope.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := r.result()
	for i, b := range got {
		if want := map[bool]byte{true: 0, false: mark}[i < 3*64*2]; b != want {
			t.Fatalf("byte %d of d is %#x, want %#x", i, b, want)
		}
	}
}

// TestEnqueueAllocatesNothing, with tensor maps and without, nor does a prepared call.
func TestEnqueueAllocatesNothing(t *testing.T) {
	r := newRig(t)
	general, err := gemm.PlanMatmul(r.dev, gemm.MatmulSpec{MaxM: 8, N: 64, K: 64, Input: oxrt.BF16, Accumulate: true, Bias: true, SumSquares: true},
		gemm.WithAlgorithm("OxideSm90MatmulGeneral"))
	if err != nil {
		t.Fatal(err)
	}
	if r.plan.Algorithm() == general.Algorithm() {
		t.Fatal("both plans have the general algorithm")
	}
	for _, p := range []*gemm.Plan{r.plan, general} {
		call := func() {
			scope, err := r.stream.Begin()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Enqueue(scope, r.good); err != nil {
				t.Fatal(err)
			}
			scope.Drop()
		}
		for range 200 { // until the pool of scopes is full
			call()
		}
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: Enqueue allocates %v times", p.Algorithm(), n)
		}
	}
}
