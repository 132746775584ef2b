package activation

import (
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
)

func swigluOperator() *catalog.Operator {
	return &catalog.Operator{
		Name:   "activation.swiglu",
		Doc:    "y = gate · sigmoid(gate) · up, element by element, in f32.",
		Source: "Shazeer, GLU Variants Improve Transformer, 2020",
		Fields: gatedFields(), Dims: rows.Dims(), Operands: gatedOperands(), Algorithms: gatedAlgorithms(),
		Flops:   []string{"4*rows*size"},
		Results: slices.Concat(siluResults("gate"), gatedResults(), results()),
	}
}

func gegluOperator() *catalog.Operator {
	return &catalog.Operator{
		Name:   "activation.geglu",
		Doc:    "y = gelu(gate) · up, element by element, in f32.",
		Source: "Shazeer, GLU Variants Improve Transformer, 2020",
		Fields: append(gatedFields(), approximationField()), Dims: rows.Dims(), Operands: gatedOperands(), Algorithms: gatedAlgorithms(),
		Flops:   []string{"6*rows*size"},
		Results: slices.Concat(geluResults("gate"), gatedResults(), results()),
	}
}

func siluOperator() *catalog.Operator {
	return &catalog.Operator{
		Name:   "activation.silu",
		Doc:    "y = x · sigmoid(x), element by element, in f32.",
		Source: "Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units for Neural Network Function Approximation in Reinforcement Learning, 2017",
		Fields: plainFields(), Dims: rows.Dims(), Operands: plainOperands(), Algorithms: plainAlgorithms(),
		Flops:   []string{"3*rows*size"},
		Results: slices.Concat(siluResults("x"), results()),
	}
}

func geluOperator() *catalog.Operator {
	return &catalog.Operator{
		Name:   "activation.gelu",
		Doc:    "y = x · Φ(x) with the normal distribution's Φ or its approximation by tanh, element by element, in f32.",
		Source: "Hendrycks and Gimpel, Gaussian Error Linear Units, 2016",
		Fields: append(plainFields(), approximationField()), Dims: rows.Dims(), Operands: plainOperands(), Algorithms: plainAlgorithms(),
		Flops:   []string{"5*rows*size"},
		Results: slices.Concat(geluResults("x"), results()),
	}
}

func sizeField() catalog.Field {
	return catalog.Field{Name: "size", Go: "Size", Kind: catalog.Int, Min: 1, Max: MaxSize, Doc: "Elements of a row of the result."}
}

func approximationField() catalog.Field {
	return catalog.Field{Name: "approximation", Go: "Approximation", Kind: catalog.Enum, Default: "exact", Choices: []string{"exact", "tanh"},
		Doc: "GELU by the normal distribution or by tanh(sqrt(2/π)·(x + 0.044715·x³))."}
}

func gatedFields() []catalog.Field {
	return []catalog.Field{rows.MaxRows(), sizeField(), rows.Input(), rows.Output(),
		{Name: "packed", Go: "Packed", Kind: catalog.Bool, Default: "false", Doc: "Gate and up are the halves of the rows of one tensor, the gate first."},
		rows.Stride("gate_up_stride", "GateUpStride", "gate_up"), rows.Stride("gate_stride", "GateStride", "gate"),
		rows.Stride("up_stride", "UpStride", "up"), rows.Stride("y_stride", "YStride", "y"), rows.Align(), rows.Scale()}
}

func plainFields() []catalog.Field {
	return []catalog.Field{rows.MaxRows(), sizeField(), rows.Input(), rows.Output(), rows.Stride("x_stride", "XStride", "x"),
		rows.Stride("y_stride", "YStride", "y"), rows.Align(), rows.Scale()}
}

func gatedOperands() []catalog.Operand {
	both := rows.Operand("gate_up", "GateUp", catalog.In, "input", "2*size", "gate_up_stride", "Gate and up side by side, the gate first.")
	gate := rows.Operand("gate", "Gate", catalog.In, "input", "size", "gate_stride", "What the function is applied to.")
	up := rows.Operand("up", "Up", catalog.In, "input", "size", "up_stride", "Factor of each element.")
	y := rows.Operand("y", "Y", catalog.Out, "output", "size", "y_stride", "Result.")
	both.When, gate.When, up.When = "packed", "!packed", "!packed"
	y.MayAlias = []string{"gate"}
	return []catalog.Operand{both, gate, up, y}
}

func plainOperands() []catalog.Operand {
	x := rows.Operand("x", "X", catalog.In, "input", "size", "x_stride", "Activations.")
	y := rows.Operand("y", "Y", catalog.Out, "output", "size", "y_stride", "Result.")
	y.MayAlias = []string{"x"}
	return []catalog.Operand{x, y}
}

// inPackets is the condition on rows that 16-byte accesses can read.
const inPackets = "size and all strides are multiples of 8, align is a multiple of 16"

func gatedAlgorithms() []catalog.Algorithm {
	return []catalog.Algorithm{
		rows.Oxide("OxideSm90GatedActivationPacket", "8 elements a thread and row.", inPackets),
		rows.Oxide("OxideSm90GatedActivationElement", "One element a thread and row."),
	}
}

func plainAlgorithms() []catalog.Algorithm {
	return []catalog.Algorithm{
		rows.Oxide("OxideSm90ActivationPacket", "8 elements a thread and row.", inPackets),
		rows.Oxide("OxideSm90ActivationElement", "One element a thread and row."),
	}
}
