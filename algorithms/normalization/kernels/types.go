package kernels

import "github.com/oxideinfer/oxide/ir/lib"

// Types are the formats of one kernel: of the activations, of the weight and of the output.
type Types struct{ In, Weight, Out lib.Format }

// VariantName joins the formats: BF16_WF32_E4M3.
func (t Types) VariantName() string {
	return string(t.In) + "_W" + string(t.Weight) + "_" + string(t.Out)
}

// typesTable lists every admitted combination: weights as the input or in f32, outputs as the input or in e4m3.
func typesTable() []Types {
	var all []Types
	for _, in := range []lib.Format{lib.BF16, lib.F16, lib.F32} {
		weights := []lib.Format{in}
		if in != lib.F32 {
			weights = append(weights, lib.F32)
		}
		for _, w := range weights {
			all = append(all, Types{in, w, in}, Types{in, w, lib.E4M3})
		}
	}
	return all
}

// rounded tells for which formats rounding before the weight differs from rounding after it.
func (t Types) rounded() bool { return t.In != lib.F32 }
