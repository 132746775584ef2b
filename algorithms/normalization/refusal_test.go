package normalization_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

func TestSpecsThatAreRefused(t *testing.T) {
	good := normalization.RMSNormSpec{Hidden: 64, Input: oxrt.BF16}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field  string
		break_ func(*normalization.RMSNormSpec)
	}{
		{"hidden", func(s *normalization.RMSNormSpec) { s.Hidden = 0 }},
		{"hidden", func(s *normalization.RMSNormSpec) { s.Hidden = 65537 }},
		{"max_rows", func(s *normalization.RMSNormSpec) { s.MaxRows = -1 }},
		{"input", func(s *normalization.RMSNormSpec) { s.Input = 0 }},
		{"input", func(s *normalization.RMSNormSpec) { s.Input = oxrt.E4M3 }},
		{"weight", func(s *normalization.RMSNormSpec) { s.Weight = oxrt.F16 }},
		{"output", func(s *normalization.RMSNormSpec) { s.Output = oxrt.F32 }},
		{"output", func(s *normalization.RMSNormSpec) { s.Output = oxrt.E5M2 }},
		{"x_stride", func(s *normalization.RMSNormSpec) { s.XStride = 63 }},
		{"y_stride", func(s *normalization.RMSNormSpec) { s.YStride = -64 }},
		{"align", func(s *normalization.RMSNormSpec) { s.Align = 12 }},
		{"align", func(s *normalization.RMSNormSpec) { s.Align = 1 }},
		{"epsilon", func(s *normalization.RMSNormSpec) { s.Epsilon = -1e-6 }},
		{"epsilon", func(s *normalization.RMSNormSpec) { s.Epsilon = nan() }},
		{"weight_offset", func(s *normalization.RMSNormSpec) { s.WeightOffset = 0.5 }},
		{"rounding", func(s *normalization.RMSNormSpec) { s.Rounding = 2 }},
		{"output_scale", func(s *normalization.RMSNormSpec) { s.OutputScale = 2 }},
		{"output_scale", func(s *normalization.RMSNormSpec) { s.Output, s.OutputScale = oxrt.E4M3, -1 }},
	} {
		s := good
		c.break_(&s)
		demandRefusal(t, s.Validate(), "normalization.rms_norm", c.field)
	}
	head := normalization.HeadRMSNormSpec{QHeads: 4, KHeads: 2, HeadDim: 96, Input: oxrt.BF16}
	demandRefusal(t, head.Validate(), "normalization.head_rms_norm", "head_dim")
	head.HeadDim, head.QTokenStride = 128, 4*128-8
	demandRefusal(t, head.Validate(), "normalization.head_rms_norm", "q_token_stride")
	head.QTokenStride = 4*128 + 4
	demandRefusal(t, head.Validate(), "normalization.head_rms_norm", "q_token_stride")
}

func nan() float32 {
	zero := float32(0)
	return zero / zero
}

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

// rig is an RMSNorm plan with good operands.
type rig struct {
	stream *oxrt.Stream
	plan   *normalization.RMSNormPlan
	good   normalization.RMSNormOperands
}

func newRig(t *testing.T) *rig {
	dev, stream := trialtest.Device(t)
	plan, err := normalization.PlanRMSNorm(dev, normalization.RMSNormSpec{MaxRows: 4, Hidden: 64, Input: oxrt.BF16, Epsilon: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	region := func(name string, elems int64) oxrt.Region {
		b, err := dev.AllocNamed(name, 2*elems+64)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
		return b.All(oxrt.BF16)
	}
	return &rig{stream, plan, normalization.RMSNormOperands{Rows: 3, X: region("x", 256), Weight: region("weight", 64), Y: region("y", 256)}}
}

func TestOperandsThatAreRefused(t *testing.T) {
	r := newRig(t)
	part := func(x oxrt.Region, first, elems int64) oxrt.Region {
		p, err := x.Slice(first, elems)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	as := func(x oxrt.Region, d oxrt.DType) oxrt.Region {
		p, err := x.As(d)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name, field string
		break_      func(*normalization.RMSNormOperands)
	}{
		{"too many rows", "rows", func(o *normalization.RMSNormOperands) { o.Rows = 5 }},
		{"negative rows", "rows", func(o *normalization.RMSNormOperands) { o.Rows = -1 }},
		{"missing x", "x", func(o *normalization.RMSNormOperands) { o.X = oxrt.Region{} }},
		{"missing weight", "weight", func(o *normalization.RMSNormOperands) { o.Weight = oxrt.Region{} }},
		{"missing y", "y", func(o *normalization.RMSNormOperands) { o.Y = oxrt.Region{} }},
		{"type of x", "x", func(o *normalization.RMSNormOperands) { o.X = as(o.X, oxrt.F16) }},
		{"type of weight", "weight", func(o *normalization.RMSNormOperands) { o.Weight = as(o.Weight, oxrt.F32) }},
		{"short x", "x", func(o *normalization.RMSNormOperands) { o.X = part(o.X, 0, 3*64-1) }},
		{"short weight", "weight", func(o *normalization.RMSNormOperands) { o.Weight = part(o.Weight, 0, 63) }},
		{"misaligned y", "y", func(o *normalization.RMSNormOperands) { o.Y = part(o.Y, 4, 192) }},
		{"y over part of x", "y", func(o *normalization.RMSNormOperands) { o.Y = part(o.X, 64, 192) }},
		{"y over weight", "y", func(o *normalization.RMSNormOperands) { o.Rows, o.Y = 1, o.Weight }},
		{"read-only y", "y", func(o *normalization.RMSNormOperands) { o.Y = o.Y.ReadOnly() }},
	} {
		o := r.good
		c.break_(&o)
		scope, err := r.stream.Begin()
		if err != nil {
			t.Fatal(err)
		}
		err = r.plan.Enqueue(scope, o)
		scope.Drop()
		t.Run(c.name, func(t *testing.T) { demandRefusal(t, err, "normalization.rms_norm", c.field) })
	}
	scope, err := r.stream.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.plan.Enqueue(scope, r.good); err != nil {
		t.Fatalf("after all refusals a good call: %v", err)
	}
	scope.Drop()
}

func TestAlgorithmsThatAreRefused(t *testing.T) {
	dev, _ := trialtest.Device(t)
	spec := normalization.RMSNormSpec{Hidden: 65, Input: oxrt.BF16}
	_, err := normalization.PlanRMSNorm(dev, spec, normalization.WithAlgorithm("OxideSm90RMSNormRow"))
	demandRefusal(t, err, "normalization.rms_norm", "hidden")
	_, err = normalization.PlanRMSNorm(dev, spec, normalization.WithAlgorithm("Fastest"))
	demandRefusal(t, err, "normalization.rms_norm", "algorithm")
	a, err := normalization.PlanRMSNorm(dev, spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Align, spec.XStride, spec.OutputScale = 16, 0, 1 // what the zeros meant
	b, err := normalization.PlanRMSNorm(dev, spec, normalization.WithAlgorithm("OxideSm90RMSNormStreamElement"))
	if err != nil {
		t.Fatal(err)
	}
	if a.Fingerprint() != b.Fingerprint() || a.String() != b.String() {
		t.Errorf("equal decisions differ:\n%v\n%v", a, b)
	}
	apart, err := normalization.PlanRMSNorm(dev, spec, normalization.WithoutOverlap())
	if err != nil || apart.Fingerprint() == a.Fingerprint() {
		t.Errorf("a plan without overlap has the fingerprint of one with it (%v)", err)
	}
}
