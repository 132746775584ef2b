package normalization

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
)

func hiddenField() catalog.Field {
	return catalog.Field{Name: "hidden", Go: "Hidden", Kind: catalog.Int, Min: 1, Max: MaxHidden, Doc: "Elements of a row."}
}

func weightField() catalog.Field {
	return catalog.Field{Name: "weight", Go: "Weight", Kind: catalog.Type, Default: "=input", Choices: []string{"f32", "f16", "bf16"},
		Doc: "Element type of the weight (and bias): the input's or f32."}
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
		Choices: []string{"after_weight", "before_weight"},
		Doc:     "Whether the normalised value is rounded to the input's type before the weight multiplies it."}
}

func rowOperand(name, goName string, access catalog.Access, dtype, stride, doc string, alias ...string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: access, DType: dtype, Shape: []string{"rows", "hidden"},
		Strides: []string{stride, "1"}, MayAlias: alias, Doc: doc}
}

func vectorOperand(name, goName, when, doc string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: catalog.In, DType: "weight", Shape: []string{"hidden"},
		Strides: []string{"1"}, When: when, Constant: true, Doc: doc}
}

// packed is the sentence about rows that 16-byte accesses can read.
const packed = "hidden and all strides are multiples of 8, align is a multiple of 16"

// fitting is the sentence about rows that the register-resident kernels hold.
const fitting = "hidden fits the registers of a block"
