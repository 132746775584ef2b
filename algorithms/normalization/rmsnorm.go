package normalization

import (
	"errors"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// RMSNormSpec is the contract of y = x · rsqrt(mean(x²) + Epsilon) · (weight + WeightOffset), row by row. Strides are in
// elements.
type RMSNormSpec struct {
	MaxRows, Hidden  int // zero rows: 65536
	Input            oxrt.DType
	Weight, Output   oxrt.DType // zero: Input
	XStride, YStride int        // zero: Hidden
	Align            int        // bytes; zero: 16
	Epsilon          float32
	WeightOffset     float32 // 0 or 1
	Rounding         Rounding
	OutputScale      float32 // of an e4m3 output; zero: 1
}

// RMSNormOperands are the tensors of one call of Rows rows.
type RMSNormOperands struct {
	Rows         int
	X, Weight, Y oxrt.Region // Y may be X
}

// RMSNormPlan runs one RMSNormSpec on one device.
type RMSNormPlan struct {
	invoke.Plan
	args  gen.OxideSm90RMSNormRowArgs // of every call, whatever the algorithm
	ahead uint32                      // see aheadBlocks
}

// All algorithms of the operator take the same arguments.
var (
	_ = gen.OxideSm90RMSNormStreamPacketArgs(gen.OxideSm90RMSNormRowArgs{})
	_ = gen.OxideSm90RMSNormStreamElementArgs(gen.OxideSm90RMSNormRowArgs{})
)

func rmsNormOperator() *catalog.Operator {
	return &catalog.Operator{
		Name:   "normalization.rms_norm",
		Doc:    "y = x · rsqrt(mean(x²) + epsilon) · (weight + weight_offset), row by row, in f32.",
		Source: "Zhang and Sennrich, Root Mean Square Layer Normalization, 2019",
		Fields: []catalog.Field{rows.MaxRows(), hiddenField(), rows.Input(), weightField(), rows.Output(),
			rows.Stride("x_stride", "XStride", "x"), rows.Stride("y_stride", "YStride", "y"), rows.Align(),
			epsilonField(), offsetField(), roundingField(), rows.Scale()},
		Dims: rows.Dims(),
		Operands: []catalog.Operand{
			rowOperand("x", "X", catalog.In, "input", "x_stride", "Activations."),
			vectorOperand("weight", "Weight", "", "Factor of each column."),
			rowOperand("y", "Y", catalog.Out, "output", "y_stride", "Result.", "x"),
		},
		Algorithms: []catalog.Algorithm{
			rows.Oxide("OxideSm90RMSNormRow", "The row in registers, one block a row.", packed, fitting),
			rows.Oxide("OxideSm90RMSNormStreamPacket", "Two passes over the row, 8 elements at a time.", packed),
			rows.Oxide("OxideSm90RMSNormStreamElement", "Two passes over the row, one element at a time."),
		},
		Flops:   []string{"4*rows*hidden"},
		Results: rmsResults(),
	}
}

// Validate refuses a Spec that no algorithm could run.
func (s RMSNormSpec) Validate() error {
	op := rmsNormOperator()
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	return errors.Join(formats(op, s.Input, s.Weight, s.Output), rows.CheckScale(op, s.Output, s.OutputScale), offset(op, s.WeightOffset),
		rows.CheckStride(op, "x_stride", s.XStride, s.Hidden), rows.CheckStride(op, "y_stride", s.YStride, s.Hidden), rows.CheckAlign(op, s.Align, s.Input))
}

func (s *RMSNormSpec) candidates(op *catalog.Operator) []invoke.Candidate {
	types, before := typesName(s.Input, s.Weight, s.Output), suffix(s.Rounding, s.Input)
	unpacked := rows.NotPacked(op, s.Align, rows.Named{Field: "hidden", Value: s.Hidden}, rows.Named{Field: "x_stride", Value: s.XStride}, rows.Named{Field: "y_stride", Value: s.YStride})
	row := rowVariant(gen.OxideSm90RMSNormRowVariants(), types, before, s.Hidden, s.MaxRows)
	return []invoke.Candidate{
		{Artifact: gen.OxideSm90RMSNormRow(row, rows.Target), Refusal: errors.Join(unpacked, tooLong(op, row, s.Hidden))},
		{Artifact: gen.OxideSm90RMSNormStreamPacket(types+before, rows.Target), Refusal: unpacked},
		{Artifact: gen.OxideSm90RMSNormStreamElement(types+before, rows.Target)},
	}
}

// PlanRMSNorm validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanRMSNorm(dev *oxrt.Device, s RMSNormSpec, options ...Option) (*RMSNormPlan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	op := rmsNormOperator()
	op.Complete(&s)
	plan, err := invoke.New(dev, op, &s, s.Align, s.candidates(op), options)
	if err != nil {
		return nil, err
	}
	return &RMSNormPlan{plan, gen.OxideSm90RMSNormRowArgs{
		XStride: dense(s.XStride, s.Hidden), YStride: dense(s.YStride, s.Hidden),
		Hidden: uint32(s.Hidden), InvHidden: 1 / float32(s.Hidden), Eps: s.Epsilon,
		WeightOffset: s.WeightOffset, OutScale: 1 / s.OutputScale,
	}, aheadBlocks(&plan)}, nil
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *RMSNormPlan) Enqueue(scope *oxrt.Scope, o RMSNormOperands) error {
	regions := [...]oxrt.Region{o.X, o.Weight, o.Y}
	if err := p.Contract().Bind(scope, o.Rows, regions[:]); err != nil || o.Rows == 0 {
		return err
	}
	args := p.args
	args.X, args.Weight, args.Y = o.X.Ptr(), o.Weight.Ptr(), o.Y.Ptr()
	args.PrefetchBlocks, args.Early = p.Overlap(o.Rows * int(p.args.Hidden))
	if p.ahead > 0 {
		args.PrefetchBlocks = p.ahead
	}
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, oxrt.Dim3{X: uint32(o.Rows)}, &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *RMSNormPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	return p.Enqueue(scope, RMSNormOperands{Rows: c.Dims[0], X: c.Regions[0], Weight: c.Regions[1], Y: c.Regions[2]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *RMSNormPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
