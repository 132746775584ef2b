package normalization

import (
	"errors"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// AddRMSNormSpec is the contract of sum = x + residual and y = RMSNorm(sum), row by row: the step between two layers of a
// decoder. What is normalised is the stored sum, rounded to Input. Strides are in elements.
type AddRMSNormSpec struct {
	MaxRows, Hidden         int // zero rows: 65536
	Input                   oxrt.DType
	Weight, Output          oxrt.DType // zero: Input
	XStride, ResidualStride int        // zero: Hidden
	SumStride, YStride      int        // zero: Hidden
	Align                   int        // bytes; zero: 16
	Epsilon                 float32
	WeightOffset            float32 // 0 or 1
	Rounding                Rounding
	OutputScale             float32 // of an e4m3 output; zero: 1
}

// AddRMSNormOperands are the tensors of one call of Rows rows. Sum may be Residual and Y may be X.
type AddRMSNormOperands struct {
	Rows                        int
	X, Residual, Weight, Sum, Y oxrt.Region
}

// AddRMSNormPlan runs one AddRMSNormSpec on one device.
type AddRMSNormPlan struct {
	invoke.Plan
	args gen.OxideSm90AddRMSNormRowArgs // of every call, whatever the algorithm
}

// All algorithms of the operator take the same arguments.
var (
	_ = gen.OxideSm90AddRMSNormStreamPacketArgs(gen.OxideSm90AddRMSNormRowArgs{})
	_ = gen.OxideSm90AddRMSNormStreamElementArgs(gen.OxideSm90AddRMSNormRowArgs{})
)

func addRMSNormOperator() *catalog.Operator {
	return &catalog.Operator{
		Name: "normalization.add_rms_norm",
		Doc: "sum = x + residual, rounded to f32 and then to the input's type; y = sum · rsqrt(mean(sum²) + epsilon) · " +
			"(weight + weight_offset), row by row, in f32.",
		Source: "Zhang and Sennrich, Root Mean Square Layer Normalization, 2019; the fusion as in vLLM's fused_add_rms_norm",
		Fields: []catalog.Field{rows.MaxRows(), hiddenField(), rows.Input(), weightField(), rows.Output(),
			rows.Stride("x_stride", "XStride", "x"), rows.Stride("residual_stride", "ResidualStride", "residual"),
			rows.Stride("sum_stride", "SumStride", "sum"), rows.Stride("y_stride", "YStride", "y"), rows.Align(),
			epsilonField(), offsetField(), roundingField(), rows.Scale()},
		Dims: rows.Dims(),
		Operands: []catalog.Operand{
			rowOperand("x", "X", catalog.In, "input", "x_stride", "Output of the layer before."),
			rowOperand("residual", "Residual", catalog.In, "input", "residual_stride", "Residual stream."),
			vectorOperand("weight", "Weight", "", "Factor of each column."),
			rowOperand("sum", "Sum", catalog.Out, "input", "sum_stride", "New residual stream.", "residual"),
			rowOperand("y", "Y", catalog.Out, "output", "y_stride", "Normalised result.", "x"),
		},
		Algorithms: []catalog.Algorithm{
			rows.Oxide("OxideSm90AddRMSNormRow", "The row in registers, one block a row.", packed, fitting),
			rows.Oxide("OxideSm90AddRMSNormStreamPacket", "Two passes over the row, 8 elements at a time.", packed),
			rows.Oxide("OxideSm90AddRMSNormStreamElement", "Two passes over the row, one element at a time."),
		},
		Flops:   []string{"5*rows*hidden"},
		Results: append(rmsResults(), "What is said of a row holds for the row of sum: infinities of both signs at one place make a NaN."),
	}
}

// Validate refuses a Spec that no algorithm could run.
func (s AddRMSNormSpec) Validate() error {
	op := addRMSNormOperator()
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	return errors.Join(formats(op, s.Input, s.Weight, s.Output), rows.CheckScale(op, s.Output, s.OutputScale), offset(op, s.WeightOffset),
		rows.CheckStride(op, "x_stride", s.XStride, s.Hidden), rows.CheckStride(op, "residual_stride", s.ResidualStride, s.Hidden),
		rows.CheckStride(op, "sum_stride", s.SumStride, s.Hidden), rows.CheckStride(op, "y_stride", s.YStride, s.Hidden), rows.CheckAlign(op, s.Align, s.Input))
}

func (s *AddRMSNormSpec) candidates(op *catalog.Operator) []invoke.Candidate {
	types, before := typesName(s.Input, s.Weight, s.Output), suffix(s.Rounding, s.Input)
	unpacked := rows.NotPacked(op, s.Align, rows.Named{Field: "hidden", Value: s.Hidden}, rows.Named{Field: "x_stride", Value: s.XStride}, rows.Named{Field: "residual_stride", Value: s.ResidualStride},
		rows.Named{Field: "sum_stride", Value: s.SumStride}, rows.Named{Field: "y_stride", Value: s.YStride})
	variants := gen.OxideSm90AddRMSNormRowVariants()
	row := soloVariant(variants, rowVariant(variants, types, before, s.Hidden, s.MaxRows), types, before, s.Hidden, s.MaxRows)
	return []invoke.Candidate{
		{Artifact: gen.OxideSm90AddRMSNormRow(row, rows.Target), Refusal: errors.Join(unpacked, tooLong(op, row, s.Hidden))},
		{Artifact: gen.OxideSm90AddRMSNormStreamPacket(types+before, rows.Target), Refusal: unpacked},
		{Artifact: gen.OxideSm90AddRMSNormStreamElement(types+before, rows.Target)},
	}
}

// PlanAddRMSNorm validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanAddRMSNorm(dev *oxrt.Device, s AddRMSNormSpec, options ...Option) (*AddRMSNormPlan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	op := addRMSNormOperator()
	op.Complete(&s)
	plan, err := invoke.New(dev, op, &s, s.Align, s.candidates(op), options)
	if err != nil {
		return nil, err
	}
	prefetch := plan.Prefetch()
	if ahead := aheadBlocks(&plan); ahead > 0 {
		prefetch = ahead
	}
	return &AddRMSNormPlan{plan, gen.OxideSm90AddRMSNormRowArgs{
		XStride: dense(s.XStride, s.Hidden), ResidualStride: dense(s.ResidualStride, s.Hidden),
		SumStride: dense(s.SumStride, s.Hidden), YStride: dense(s.YStride, s.Hidden),
		Hidden: uint32(s.Hidden), InvHidden: 1 / float32(s.Hidden), Eps: s.Epsilon,
		WeightOffset: s.WeightOffset, OutScale: 1 / s.OutputScale, PrefetchBlocks: prefetch,
	}}, nil
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *AddRMSNormPlan) Enqueue(scope *oxrt.Scope, o AddRMSNormOperands) error {
	regions := [...]oxrt.Region{o.X, o.Residual, o.Weight, o.Sum, o.Y}
	if err := p.Contract().Bind(scope, o.Rows, regions[:]); err != nil || o.Rows == 0 {
		return err
	}
	args := p.args
	args.X, args.Residual, args.Weight, args.Sum, args.Y = o.X.Ptr(), o.Residual.Ptr(), o.Weight.Ptr(), o.Sum.Ptr(), o.Y.Ptr()
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, oxrt.Dim3{X: uint32(o.Rows)}, &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *AddRMSNormPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	r := c.Regions
	return p.Enqueue(scope, AddRMSNormOperands{Rows: c.Dims[0], X: r[0], Residual: r[1], Weight: r[2], Sum: r[3], Y: r[4]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *AddRMSNormPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
