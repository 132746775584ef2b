package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
)

// farthest bounds alpha and beta, and scales of outputs.
const farthest = 0x1p100

func sizeFields(columns string) []catalog.Field {
	return []catalog.Field{
		{Name: "max_m", Go: "MaxM", Kind: catalog.Int, Default: "65536", Min: 1, Max: rows.Largest - 1, Doc: "Most rows of a call."},
		{Name: "n", Go: "N", Kind: catalog.Int, Max: MaxSize, Doc: columns},
		{Name: "k", Go: "K", Kind: catalog.Int, Max: MaxSize, Doc: "Columns of a and length of the sums; 0: the products are 0."},
	}
}

func typeField(name, goName, missing, doc string, choices ...string) catalog.Field {
	return catalog.Field{Name: name, Go: goName, Kind: catalog.Type, Default: missing, Choices: choices, Doc: doc}
}

func boolField(name, goName, doc string) catalog.Field {
	return catalog.Field{Name: name, Go: goName, Kind: catalog.Bool, Default: "false", Doc: doc}
}

// typeFields are the types of a product; missing is the default of what is neither input nor scale.
func typeFields(scaled, gated bool) []catalog.Field {
	input, missing := typeField("input", "Input", "", "Element type of a and b.", "bf16", "f16"), "=input"
	if scaled {
		input, missing = typeField("input", "Input", "e4m3", "Element type of a and b.", "e4m3"), "bf16"
	}
	all := []catalog.Field{input, typeField("output", "Output", missing, "Element type of d.", "f32", "f16", "bf16", "e4m3")}
	if !gated {
		all = append(all, typeField("addend", "Addend", missing, "Element type of c.", "f32", "f16", "bf16"))
	}
	return append(all, typeField("bias_type", "BiasType", missing, "Element type of the bias.", "f32", "f16", "bf16"),
		typeField("scale_type", "ScaleType", "f32", "Element type of scales, row factors and sums of squares.", "f32"))
}

func strideFields(gated bool) []catalog.Field {
	all := []catalog.Field{rows.Stride("a_stride", "AStride", "a"), rows.Stride("b_stride", "BStride", "b")}
	if !gated {
		all = append(all, rows.Stride("c_stride", "CStride", "c"))
	}
	return append(all, rows.Stride("d_stride", "DStride", "d"), rows.Align())
}

func alphaField() catalog.Field {
	return catalog.Field{Name: "alpha", Go: "Alpha", Kind: catalog.Float, Default: "1", Min: -farthest, Max: farthest, NonZero: true,
		Doc: "Factor of the product; k = 0 makes the product 0."}
}

func addFields() []catalog.Field {
	return []catalog.Field{boolField("accumulate", "Accumulate", "Whether beta·c is added."),
		{Name: "beta", Go: "Beta", Kind: catalog.Float, Default: "1", Min: -farthest, Max: farthest, NonZero: true,
			Doc: "Factor of c; without c it is 1."}}
}

func biasField() catalog.Field { return boolField("bias", "Bias", "Whether there is a bias.") }

func factorFields() []catalog.Field {
	return []catalog.Field{boolField("row_factor", "RowFactor", "Whether each row's sums are multiplied by a factor."),
		boolField("from_squares", "FromSquares", "Whether the factors are made of sums of squares of k elements: 1/sqrt(row_factor/k + epsilon)."),
		{Name: "epsilon", Go: "Epsilon", Kind: catalog.Float, Default: "0", Max: 1e30, Doc: "Added to the mean square of from_squares."}}
}

func activationField() catalog.Field {
	return catalog.Field{Name: "activation", Go: "Activation", Kind: catalog.Enum, Default: "none",
		Choices: []string{"none", "silu", "gelu", "gelu_tanh"}, Doc: "Function that every element goes through."}
}

func gateField() catalog.Field {
	return catalog.Field{Name: "gate", Go: "Gate", Kind: catalog.Enum, Default: "silu", Choices: []string{"silu", "gelu", "gelu_tanh"},
		Doc: "Function of the gate: SwiGLU or a form of GeGLU."}
}

func lastFields() []catalog.Field {
	return []catalog.Field{rows.Scale(), boolField("batch_invariant", "BatchInvariant", "Take only algorithms that give a row the same bits whatever m is.")}
}
