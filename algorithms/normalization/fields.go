package normalization

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// largest is the bound of strides and sizes: what keeps every byte offset of a row inside 63 bits.
const largest = 1 << 31

func typesOf(names ...string) []string { return names }

func maxRowsField() catalog.Field {
	return catalog.Field{Name: "max_rows", Go: "MaxRows", Kind: catalog.Int, Default: "65536", Min: 1, Max: largest - 1,
		Doc: "Most rows of a call."}
}

func hiddenField() catalog.Field {
	return catalog.Field{Name: "hidden", Go: "Hidden", Kind: catalog.Int, Min: 1, Max: MaxHidden, Doc: "Elements of a row."}
}

func inputField() catalog.Field {
	return catalog.Field{Name: "input", Go: "Input", Kind: catalog.Type, Choices: typesOf("f32", "f16", "bf16"),
		Doc: "Element type of the activations."}
}

func weightField() catalog.Field {
	return catalog.Field{Name: "weight", Go: "Weight", Kind: catalog.Type, Default: "=input", Choices: typesOf("f32", "f16", "bf16"),
		Doc: "Element type of the weight (and bias): the input's or f32."}
}

func outputField() catalog.Field {
	return catalog.Field{Name: "output", Go: "Output", Kind: catalog.Type, Default: "=input", Choices: typesOf("f32", "f16", "bf16", "e4m3"),
		Doc: "Element type of the result: the input's or e4m3."}
}

func strideField(name, goName, of string) catalog.Field {
	return catalog.Field{Name: name, Go: goName, Kind: catalog.Int, Default: "0", Max: largest,
		Doc: "Elements from one " + of + " to the next; 0: densely packed."}
}

func alignField() catalog.Field {
	return catalog.Field{Name: "align", Go: "Align", Kind: catalog.Int, Default: "16", Min: 1, Max: 256,
		Doc: "Bytes that every tensor's address is a multiple of; a power of two."}
}

func epsilonField() catalog.Field {
	return catalog.Field{Name: "epsilon", Go: "Epsilon", Kind: catalog.Float, Default: "1e-06", Max: 1e30,
		Doc: "Added to the mean square or variance. 0 is allowed, and in Go a zero field means 0."}
}

func offsetField() catalog.Field {
	return catalog.Field{Name: "weight_offset", Go: "WeightOffset", Kind: catalog.Float, Default: "0", Max: 1,
		Doc: "Added to the weight: 0, or 1 for models that store weight - 1, as Gemma."}
}

func roundingField() catalog.Field {
	return catalog.Field{Name: "rounding", Go: "Rounding", Kind: catalog.Enum, Default: "after_weight",
		Choices: typesOf("after_weight", "before_weight"),
		Doc:     "Whether the normalised value is rounded to the input's type before the weight multiplies it."}
}

func scaleField() catalog.Field {
	return catalog.Field{Name: "output_scale", Go: "OutputScale", Kind: catalog.Float, Default: "1", Min: 0x1p-100, Max: 0x1p100,
		Doc: "What one unit of an e4m3 output stands for: the result is divided by it. 1 for other outputs."}
}

func rowsDim() []catalog.Dim {
	return []catalog.Dim{{Name: "rows", Max: "max_rows", Doc: "Rows of this call."}}
}

func rowOperand(name, goName string, access catalog.Access, dtype, stride, doc string, alias ...string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: access, DType: dtype, Shape: []string{"rows", "hidden"},
		Strides: []string{stride, "1"}, MayAlias: alias, Doc: doc}
}

func vectorOperand(name, goName, when, doc string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: catalog.In, DType: "weight", Shape: []string{"hidden"},
		Strides: []string{"1"}, When: when, Doc: doc}
}

func oxide(name, doc string, requires ...string) catalog.Algorithm {
	return catalog.Algorithm{Name: name, Doc: doc, Provider: "Oxide", Targets: []string{target}, Requires: requires}
}

// packed is the sentence about rows that 16-byte accesses can read.
const packed = "hidden and all strides are multiples of 8, align is a multiple of 16"

// fitting is the sentence about rows that the register-resident kernels hold.
const fitting = "hidden fits the registers of a block"
