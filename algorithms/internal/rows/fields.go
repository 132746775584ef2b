package rows

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
)

const (
	// Largest is the bound of strides and sizes: spans stay far inside 63 bits.
	Largest = 1 << 31
	// Target is the only target with artifacts so far.
	Target = "sm_90a"
	// Packet is how many elements a packet kernel moves together.
	Packet = 8
)

// MaxRows is the field that limits the rows of a call.
func MaxRows() catalog.Field {
	return catalog.Field{Name: "max_rows", Go: "MaxRows", Kind: catalog.Int, Default: "65536", Min: 1, Max: Largest - 1,
		Doc: "Most rows of a call."}
}

// Input is the element type of the activations.
func Input() catalog.Field {
	return catalog.Field{Name: "input", Go: "Input", Kind: catalog.Type, Choices: []string{"f32", "f16", "bf16"},
		Doc: "Element type of the activations."}
}

// Output is the element type of the result.
func Output() catalog.Field {
	return catalog.Field{Name: "output", Go: "Output", Kind: catalog.Type, Default: "=input",
		Choices: []string{"f32", "f16", "bf16", "e4m3"}, Doc: "Element type of the result: the input's or e4m3."}
}

// Stride is the stride of the rows of something.
func Stride(name, goName, of string) catalog.Field {
	return catalog.Field{Name: name, Go: goName, Kind: catalog.Int, Default: "0", Max: Largest,
		Doc: "Elements from one row of " + of + " to the next; 0: densely packed."}
}

// Align is what all addresses are a multiple of.
func Align() catalog.Field {
	return catalog.Field{Name: "align", Go: "Align", Kind: catalog.Int, Default: "16", Min: 1, Max: 256,
		Doc: "Bytes that every tensor's address is a multiple of; a power of two."}
}

// Scale is the static scale of an e4m3 output.
func Scale() catalog.Field {
	return catalog.Field{Name: "output_scale", Go: "OutputScale", Kind: catalog.Float, Default: "1", Min: 0x1p-100, Max: 0x1p100,
		Doc: "What one unit of an e4m3 output stands for: the result is divided by it. 1 for other outputs."}
}

// Dims are the sizes of a call: its rows.
func Dims() []catalog.Dim {
	return []catalog.Dim{{Name: "rows", Max: "max_rows", Doc: "Rows of this call."}}
}

// Operand is a tensor [rows, columns] with a row stride.
func Operand(name, goName string, access catalog.Access, dtype, columns, stride, doc string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: access, DType: dtype, Shape: []string{"rows", columns},
		Strides: []string{stride, "1"}, Doc: doc}
}

// Oxide is an algorithm of this library.
func Oxide(name, doc string, requires ...string) catalog.Algorithm {
	return catalog.Algorithm{Name: name, Doc: doc, Provider: "Oxide", Targets: []string{Target}, Requires: requires}
}
