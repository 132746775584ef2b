package activation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/activation"
	"github.com/oxideinfer/oxide/runtime"
)

// form is what a Spec of any operator of the family says.
type form struct {
	function               function
	size                   int
	input, output          oxrt.DType
	gated, packed          bool
	gateUp, gate, up, x, y int // strides
	align                  int
	scale                  float32
}

// spec is a Spec of the family.
type spec interface{ form() form }

func (s SwiGLUSpec) form() form {
	return form{function: silu, size: s.Size, input: s.Input, output: s.Output, gated: true, packed: s.Packed,
		gateUp: s.GateUpStride, gate: s.GateStride, up: s.UpStride, y: s.YStride, align: s.Align, scale: s.OutputScale}
}

func (s GeGLUSpec) form() form {
	return form{function: gelu(s.Approximation), size: s.Size, input: s.Input, output: s.Output, gated: true, packed: s.Packed,
		gateUp: s.GateUpStride, gate: s.GateStride, up: s.UpStride, y: s.YStride, align: s.Align, scale: s.OutputScale}
}

func (s SiLUSpec) form() form {
	return form{function: silu, size: s.Size, input: s.Input, output: s.Output, x: s.XStride, y: s.YStride, align: s.Align,
		scale: s.OutputScale}
}

func (s GELUSpec) form() form {
	return form{function: gelu(s.Approximation), size: s.Size, input: s.Input, output: s.Output, x: s.XStride, y: s.YStride,
		align: s.Align, scale: s.OutputScale}
}

// validate refuses a Spec that no algorithm could run.
func validate[S spec](op *catalog.Operator, s S) error {
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	f := s.form()
	return errors.Join(rows.CheckOutput(op, f.input, f.output), rows.CheckScale(op, f.output, f.scale), f.checkStrides(op),
		rows.CheckAlign(op, f.align, f.input))
}

func (f form) checkStrides(op *catalog.Operator) error {
	all := []error{rows.CheckStride(op, "y_stride", f.y, f.size)}
	switch {
	case !f.gated:
		all = append(all, rows.CheckStride(op, "x_stride", f.x, f.size))
	case f.packed:
		all = append(all, rows.CheckStride(op, "gate_up_stride", f.gateUp, 2*f.size), unused(op, "gate_stride", f.gate, "unless packed is false"),
			unused(op, "up_stride", f.up, "unless packed is false"))
	default:
		all = append(all, rows.CheckStride(op, "gate_stride", f.gate, f.size), rows.CheckStride(op, "up_stride", f.up, f.size),
			unused(op, "gate_up_stride", f.gateUp, "unless packed is true"))
	}
	return errors.Join(all...)
}

// unused refuses a stride of a tensor that the Spec excludes.
func unused(op *catalog.Operator, name string, got int, unless string) error {
	if got != 0 {
		return op.Refuse(name, "0 "+unless, fmt.Sprint(got))
	}
	return nil
}

// variant is the name of the kernel variant.
func (f form) variant() string {
	return string(f.function) + strings.ToUpper(fmt.Sprintf("_%v_%v", f.input, f.output))
}

// candidates are the artifacts for a Spec: one that moves packets, one for all other rows.
func (f form) candidates(op *catalog.Operator) []invoke.Candidate {
	unpacked := rows.NotPacked(op, f.align, rows.Named{Field: "size", Value: f.size}, rows.Named{Field: "x_stride", Value: f.x},
		rows.Named{Field: "gate_up_stride", Value: f.gateUp}, rows.Named{Field: "gate_stride", Value: f.gate},
		rows.Named{Field: "up_stride", Value: f.up}, rows.Named{Field: "y_stride", Value: f.y})
	packet, element := gen.OxideSm90ActivationPacket, gen.OxideSm90ActivationElement
	if f.gated {
		packet, element = gen.OxideSm90GatedActivationPacket, gen.OxideSm90GatedActivationElement
	}
	return []invoke.Candidate{
		{Artifact: packet(f.variant(), rows.Target), Refusal: unpacked},
		{Artifact: element(f.variant(), rows.Target)},
	}
}

func candidates[S spec](s *S, op *catalog.Operator) []invoke.Candidate {
	return (*s).form().candidates(op)
}

// grid deals columns out over x and rows over y.
type grid struct{ blocks uint32 }

// maxY is the most blocks in y (CUDA programming guide, technical specifications); a block walks on to further rows.
const maxY = 65535

func (g grid) of(rows int) oxrt.Dim3 { return oxrt.Dim3{X: g.blocks, Y: uint32(min(rows, maxY))} }

// prepare validates a Spec, chooses an algorithm and loads its artifact on the device.
func prepare[S spec](dev *oxrt.Device, op *catalog.Operator, s S, options []Option) (invoke.Plan, form, grid, error) {
	if err := validate(op, s); err != nil {
		return invoke.Plan{}, form{}, grid{}, err
	}
	op.Complete(&s)
	f := s.form()
	p, err := invoke.New(dev, op, &s, f.align, f.candidates(op), options)
	if err != nil {
		return invoke.Plan{}, form{}, grid{}, err
	}
	columns := int(p.Artifacts()[0].Launch.Block.Count())
	if p.Algorithm() == op.Algorithms[0].Name {
		columns *= rows.Packet
	}
	return p, f, grid{uint32((f.size + columns - 1) / columns)}, nil
}
