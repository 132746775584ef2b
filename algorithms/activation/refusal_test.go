package activation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
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

func TestGatedSpecsThatAreRefused(t *testing.T) {
	good := activation.GeGLUSpec{Size: 64, Input: oxrt.BF16}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field  string
		break_ func(*activation.GeGLUSpec)
	}{
		{"size", func(s *activation.GeGLUSpec) { s.Size = 0 }},
		{"size", func(s *activation.GeGLUSpec) { s.Size = 1<<30 + 1 }},
		{"max_rows", func(s *activation.GeGLUSpec) { s.MaxRows = -1 }},
		{"input", func(s *activation.GeGLUSpec) { s.Input = 0 }},
		{"input", func(s *activation.GeGLUSpec) { s.Input = oxrt.E4M3 }},
		{"output", func(s *activation.GeGLUSpec) { s.Output = oxrt.F32 }},
		{"output", func(s *activation.GeGLUSpec) { s.Output = oxrt.E5M2 }},
		{"gate_stride", func(s *activation.GeGLUSpec) { s.GateStride = 63 }},
		{"up_stride", func(s *activation.GeGLUSpec) { s.UpStride = 63 }},
		{"y_stride", func(s *activation.GeGLUSpec) { s.YStride = -64 }},
		{"gate_up_stride", func(s *activation.GeGLUSpec) { s.GateUpStride = 128 }},
		{"gate_up_stride", func(s *activation.GeGLUSpec) { s.Packed, s.GateUpStride = true, 127 }},
		{"gate_stride", func(s *activation.GeGLUSpec) { s.Packed, s.GateStride = true, 64 }},
		{"up_stride", func(s *activation.GeGLUSpec) { s.Packed, s.UpStride = true, 64 }},
		{"align", func(s *activation.GeGLUSpec) { s.Align = 12 }},
		{"align", func(s *activation.GeGLUSpec) { s.Align = 1 }},
		{"output_scale", func(s *activation.GeGLUSpec) { s.OutputScale = 2 }},
		{"output_scale", func(s *activation.GeGLUSpec) { s.Output, s.OutputScale = oxrt.E4M3, -1 }},
		{"approximation", func(s *activation.GeGLUSpec) { s.Approximation = 2 }},
	} {
		s := good
		c.break_(&s)
		demandRefusal(t, s.Validate(), "activation.geglu", c.field)
	}
	demandRefusal(t, activation.SwiGLUSpec{Size: 8, Input: oxrt.F16, UpStride: 7}.Validate(), "activation.swiglu", "up_stride")
}

func TestPlainSpecsThatAreRefused(t *testing.T) {
	demandRefusal(t, activation.SiLUSpec{Size: 8, Input: oxrt.F16, XStride: 7}.Validate(), "activation.silu", "x_stride")
	demandRefusal(t, activation.SiLUSpec{Size: 8, Input: oxrt.I32}.Validate(), "activation.silu", "input")
	demandRefusal(t, activation.GELUSpec{Size: 8, Input: oxrt.F16, YStride: 7}.Validate(), "activation.gelu", "y_stride")
	demandRefusal(t, activation.GELUSpec{Size: 8, Input: oxrt.F16, Approximation: 9}.Validate(), "activation.gelu", "approximation")
}

// rig plans operators on the emulated device and allocates their operands.
type rig struct {
	*testing.T
	dev    *oxrt.Device
	stream *oxrt.Stream
}

func newRig(t *testing.T) *rig {
	dev, stream := trialtest.Device(t)
	return &rig{t, dev, stream}
}

func (r *rig) region(name string, elems int64) oxrt.Region {
	b, err := r.dev.AllocNamed(name, 2*elems)
	r.must(err)
	r.Cleanup(func() { r.must(b.Close()) })
	return b.All(oxrt.BF16)
}

func (r *rig) must(err error) {
	if err != nil {
		r.Helper()
		r.Fatal(err)
	}
}

// region1 takes the result of a call that returns a region.
func (r *rig) region1(x oxrt.Region, err error) oxrt.Region {
	r.must(err)
	return x
}

// enqueue adds a call to a scope that is dropped.
func (r *rig) enqueue(call func(*oxrt.Scope) error) error {
	scope, err := r.stream.Begin()
	r.must(err)
	defer scope.Drop()
	return call(scope)
}

func TestGatedOperandsThatAreRefused(t *testing.T) {
	r := newRig(t)
	plan, err := activation.PlanSwiGLU(r.dev, activation.SwiGLUSpec{MaxRows: 4, Size: 64, Input: oxrt.BF16})
	r.must(err)
	packed, err := activation.PlanSwiGLU(r.dev, activation.SwiGLUSpec{MaxRows: 4, Size: 64, Input: oxrt.BF16, Packed: true})
	r.must(err)
	gate, up, y, both := r.region("gate", 256), r.region("up", 256), r.region("y", 256), r.region("gate_up", 512)
	type operands = activation.GatedOperands
	for _, c := range []struct {
		name, field string
		packed      bool
		break_      func(*operands)
	}{
		{"too many rows", "rows", false, func(o *operands) { o.Rows = 5 }},
		{"negative rows", "rows", true, func(o *operands) { o.Rows = -1 }},
		{"missing gate", "gate", false, func(o *operands) { o.Gate = oxrt.Region{} }},
		{"missing up", "up", false, func(o *operands) { o.Up = oxrt.Region{} }},
		{"missing y", "y", false, func(o *operands) { o.Y = oxrt.Region{} }},
		{"missing gate_up", "gate_up", true, func(o *operands) { o.GateUp = oxrt.Region{} }},
		{"gate_up of a separate call", "gate_up", false, func(o *operands) { o.GateUp = both }},
		{"gate of a packed call", "gate", true, func(o *operands) { o.Gate = gate }},
		{"up of a packed call", "up", true, func(o *operands) { o.Up = up }},
		{"type of gate", "gate", false, func(o *operands) { o.Gate = r.region1(o.Gate.As(oxrt.F16)) }},
		{"type of gate_up", "gate_up", true, func(o *operands) { o.GateUp = r.region1(o.GateUp.As(oxrt.F32)) }},
		{"type of y", "y", false, func(o *operands) { o.Y = r.region1(o.Y.As(oxrt.E4M3)) }},
		{"short up", "up", false, func(o *operands) { o.Up = r.region1(o.Up.Slice(0, 3*64-1)) }},
		{"short gate_up", "gate_up", true, func(o *operands) { o.GateUp = r.region1(o.GateUp.Slice(0, 3*128-1)) }},
		{"misaligned y", "y", false, func(o *operands) { o.Y = r.region1(o.Y.Slice(4, 192)) }},
		{"y over part of gate", "y", false, func(o *operands) { o.Y = r.region1(o.Gate.Slice(64, 192)) }},
		{"y over up", "y", false, func(o *operands) { o.Y = o.Up }},
		{"y over gate_up", "y", true, func(o *operands) { o.Y = r.region1(o.GateUp.Slice(0, 192)) }},
		{"read-only y", "y", false, func(o *operands) { o.Y = o.Y.ReadOnly() }},
	} {
		o, p := operands{Rows: 3, Gate: gate, Up: up, Y: y}, plan
		if c.packed {
			o, p = operands{Rows: 3, GateUp: both, Y: y}, packed
		}
		c.break_(&o)
		err := r.enqueue(func(s *oxrt.Scope) error { return p.Enqueue(s, o) })
		t.Run(c.name, func(t *testing.T) { demandRefusal(t, err, "activation.swiglu", c.field) })
	}
	for name, o := range map[string]operands{
		"in place": {Rows: 3, Gate: gate, Up: up, Y: gate}, "gate is up": {Rows: 3, Gate: gate, Up: gate, Y: y}, "no rows": {Gate: gate, Up: up, Y: y},
	} {
		if err := r.enqueue(func(s *oxrt.Scope) error { return plan.Enqueue(s, o) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInPlaceNeedsEqualStridesAndTypes: the spans below agree in bytes, the elements do not lie over each other.
func TestInPlaceNeedsEqualStridesAndTypes(t *testing.T) {
	r := newRig(t)
	x := r.region("x", 256)
	for _, s := range []activation.GELUSpec{
		{MaxRows: 2, Size: 64, Input: oxrt.BF16, Output: oxrt.E4M3, XStride: 64, YStride: 192},
		{MaxRows: 1, Size: 64, Input: oxrt.BF16, XStride: 64, YStride: 72},
	} {
		plan, err := activation.PlanGELU(r.dev, s)
		r.must(err)
		o := activation.PlainOperands{Rows: s.MaxRows, X: x, Y: x}
		if s.Output == oxrt.E4M3 {
			o.Y = r.region1(x.As(oxrt.E4M3))
		}
		demandRefusal(t, r.enqueue(func(c *oxrt.Scope) error { return plan.Enqueue(c, o) }), "activation.gelu", "y")
	}
}

func TestPlainOperandsThatAreRefused(t *testing.T) {
	r := newRig(t)
	plan, err := activation.PlanSiLU(r.dev, activation.SiLUSpec{MaxRows: 4, Size: 64, Input: oxrt.BF16})
	r.must(err)
	x, y := r.region("x", 256), r.region("y", 256)
	for field, o := range map[string]activation.PlainOperands{
		"x": {Rows: 3, Y: y}, "y": {Rows: 3, X: x}, "rows": {Rows: 5, X: x, Y: y},
	} {
		demandRefusal(t, r.enqueue(func(s *oxrt.Scope) error { return plan.Enqueue(s, o) }), "activation.silu", field)
	}
	if err := r.enqueue(func(s *oxrt.Scope) error { return plan.Enqueue(s, activation.PlainOperands{Rows: 4, X: x, Y: x}) }); err != nil {
		t.Error(err)
	}
}

func TestAlgorithmsThatAreRefused(t *testing.T) {
	r := newRig(t)
	spec := activation.SwiGLUSpec{Size: 65, Input: oxrt.BF16}
	const packet = "OxideSm90GatedActivationPacket"
	refused := func(field string, s activation.SwiGLUSpec, name string) {
		t.Helper()
		_, err := activation.PlanSwiGLU(r.dev, s, activation.WithAlgorithm(name))
		demandRefusal(t, err, "activation.swiglu", field)
	}
	refused("size", spec, packet)
	refused("up_stride", activation.SwiGLUSpec{Size: 64, Input: oxrt.BF16, UpStride: 65}, packet)
	refused("gate_up_stride", activation.SwiGLUSpec{Size: 64, Input: oxrt.BF16, Packed: true, GateUpStride: 129}, packet)
	refused("align", activation.SwiGLUSpec{Size: 64, Input: oxrt.BF16, Align: 8}, packet)
	refused("algorithm", spec, "Fastest")
	a, err := activation.PlanSwiGLU(r.dev, spec)
	r.must(err)
	spec.Align, spec.OutputScale, spec.Output = 16, 1, oxrt.BF16 // what the zeros meant
	b, err := activation.PlanSwiGLU(r.dev, spec, activation.WithAlgorithm("OxideSm90GatedActivationElement"))
	r.must(err)
	if a.Fingerprint() != b.Fingerprint() || a.String() != b.String() {
		t.Errorf("equal decisions differ:\n%v\n%v", a, b)
	}
	apart, err := activation.PlanSwiGLU(r.dev, spec, activation.WithoutOverlap())
	if err != nil || apart.Fingerprint() == a.Fingerprint() {
		t.Errorf("a plan without overlap has the fingerprint of one with it (%v)", err)
	}
}

func TestEnqueueAllocatesNothing(t *testing.T) {
	r := newRig(t)
	gated, err := activation.PlanSwiGLU(r.dev, activation.SwiGLUSpec{MaxRows: 4, Size: 64, Input: oxrt.BF16, Packed: true})
	r.must(err)
	plain, err := activation.PlanGELU(r.dev, activation.GELUSpec{MaxRows: 4, Size: 64, Input: oxrt.BF16})
	r.must(err)
	g := activation.GatedOperands{Rows: 4, GateUp: r.region("gate_up", 512), Y: r.region("y", 256)}
	p := activation.PlainOperands{Rows: 4, X: g.Y, Y: g.Y}
	call := func() {
		scope, err := r.stream.Begin()
		if err == nil {
			err = errors.Join(gated.Enqueue(scope, g), plain.Enqueue(scope, p))
		}
		if err != nil {
			t.Fatal(err)
		}
		scope.Drop()
	}
	for range 200 { // until the pool of scopes is full
		call()
	}
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("two calls allocate %v times", n)
	}
	r.must(r.stream.Synchronize(context.Background()))
}
