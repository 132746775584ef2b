package normalization

import (
	"errors"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// LayerNormSpec is the contract of y = (x - mean(x)) · rsqrt(var(x) + Epsilon) · weight + bias, row by row. The bias has
// the weight's type. Strides are in elements.
type LayerNormSpec struct {
	MaxRows, Hidden  int // zero rows: 65536
	Input            oxrt.DType
	Weight, Output   oxrt.DType // zero: Input
	Bias             bool       // whether there is one
	XStride, YStride int        // zero: Hidden
	Align            int        // bytes; zero: 16
	Epsilon          float32
	OutputScale      float32 // of an e4m3 output; zero: 1
}

// LayerNormOperands are the tensors of one call of Rows rows. Y may be X; Bias is the zero Region if the Spec has none.
type LayerNormOperands struct {
	Rows               int
	X, Weight, Bias, Y oxrt.Region
}

// LayerNormPlan runs one LayerNormSpec on one device.
type LayerNormPlan struct {
	invoke.Plan
	args gen.OxideSm90LayerNormRowArgs // of every call, whatever the algorithm
}

// All algorithms of the operator take the same arguments.
var (
	_ = gen.OxideSm90LayerNormStreamPacketArgs(gen.OxideSm90LayerNormRowArgs{})
	_ = gen.OxideSm90LayerNormStreamElementArgs(gen.OxideSm90LayerNormRowArgs{})
)

func layerNormOperator() *catalog.Operator {
	return &catalog.Operator{
		Name: "normalization.layer_norm",
		Doc: "y = (x - mean(x)) · rsqrt(var(x) + epsilon) · weight + bias, row by row, in f32; var is the mean of the squared " +
			"differences from the mean.",
		Source: "Ba, Kiros and Hinton, Layer Normalization, 2016",
		Fields: []catalog.Field{rows.MaxRows(), hiddenField(), rows.Input(), weightField(), rows.Output(),
			{Name: "bias", Go: "Bias", Kind: catalog.Bool, Default: "false", Doc: "Whether there is a bias."},
			rows.Stride("x_stride", "XStride", "x"), rows.Stride("y_stride", "YStride", "y"), rows.Align(),
			epsilonField(), rows.Scale()},
		Dims: rows.Dims(),
		Operands: []catalog.Operand{
			rowOperand("x", "X", catalog.In, "input", "x_stride", "Activations."),
			vectorOperand("weight", "Weight", "", "Factor of each column."),
			vectorOperand("bias", "Bias", "bias", "Term of each column."),
			rowOperand("y", "Y", catalog.Out, "output", "y_stride", "Result.", "x"),
		},
		Algorithms: []catalog.Algorithm{
			rows.Oxide("OxideSm90LayerNormRow", "The row in registers, one block a row.", packed, fitting),
			rows.Oxide("OxideSm90LayerNormStreamPacket", "Three passes over the row, 8 elements at a time.", packed),
			rows.Oxide("OxideSm90LayerNormStreamElement", "Three passes over the row, one element at a time."),
		},
		Flops:   []string{"7*rows*hidden"},
		Results: layerResults(),
	}
}

// Validate refuses a Spec that no algorithm could run.
func (s LayerNormSpec) Validate() error {
	op := layerNormOperator()
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	return errors.Join(formats(op, s.Input, s.Weight, s.Output), rows.CheckScale(op, s.Output, s.OutputScale),
		rows.CheckStride(op, "x_stride", s.XStride, s.Hidden), rows.CheckStride(op, "y_stride", s.YStride, s.Hidden), rows.CheckAlign(op, s.Align, s.Input))
}

func (s *LayerNormSpec) candidates(op *catalog.Operator) []invoke.Candidate {
	types := typesName(s.Input, s.Weight, s.Output)
	unpacked := rows.NotPacked(op, s.Align, rows.Named{Field: "hidden", Value: s.Hidden}, rows.Named{Field: "x_stride", Value: s.XStride}, rows.Named{Field: "y_stride", Value: s.YStride})
	row := rowVariant(gen.OxideSm90LayerNormRowVariants(), types, "", s.Hidden, s.MaxRows)
	return []invoke.Candidate{
		{Artifact: gen.OxideSm90LayerNormRow(row, rows.Target), Refusal: errors.Join(unpacked, tooLong(op, row, s.Hidden))},
		{Artifact: gen.OxideSm90LayerNormStreamPacket(types, rows.Target), Refusal: unpacked},
		{Artifact: gen.OxideSm90LayerNormStreamElement(types, rows.Target)},
	}
}

// PlanLayerNorm validates the Spec, chooses an algorithm and loads its artifact on the device.
func PlanLayerNorm(dev *oxrt.Device, s LayerNormSpec, options ...Option) (*LayerNormPlan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	op := layerNormOperator()
	op.Complete(&s)
	plan, err := invoke.New(dev, op, &s, s.Align, s.candidates(op), options)
	if err != nil {
		return nil, err
	}
	p := &LayerNormPlan{plan, gen.OxideSm90LayerNormRowArgs{
		XStride: dense(s.XStride, s.Hidden), YStride: dense(s.YStride, s.Hidden),
		Hidden: uint32(s.Hidden), InvHidden: 1 / float32(s.Hidden), Eps: s.Epsilon, OutScale: 1 / s.OutputScale,
	}}
	if s.Bias {
		p.args.HasBias = 1
	}
	return p, nil
}

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *LayerNormPlan) Enqueue(scope *oxrt.Scope, o LayerNormOperands) error {
	regions := [...]oxrt.Region{o.X, o.Weight, o.Bias, o.Y}
	if err := p.Contract().Bind(scope, o.Rows, regions[:]); err != nil || o.Rows == 0 {
		return err
	}
	args := p.args
	args.X, args.Weight, args.Bias, args.Y = o.X.Ptr(), o.Weight.Ptr(), o.Bias.Ptr(), o.Y.Ptr()
	args.PrefetchBlocks, args.Early = p.Overlap(o.Rows * int(p.args.Hidden))
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, oxrt.Dim3{X: uint32(o.Rows)}, &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *LayerNormPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	r := c.Regions
	return p.Enqueue(scope, LayerNormOperands{Rows: c.Dims[0], X: r[0], Weight: r[1], Bias: r[2], Y: r[3]})
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *LayerNormPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
