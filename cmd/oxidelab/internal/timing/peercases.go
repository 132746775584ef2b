package timing

import (
	"fmt"
	"slices"
)

// PeerCase is one size at which peers have an operator too.
type PeerCase struct {
	Case
	Rows, Width int
	Depth       int // of products of matrices: k
}

// PeerCases are the sizes at which operators are compared with peers, the most telling ones first: a run may be cut short.
func PeerCases() []PeerCase {
	var all []PeerCase
	add := func(operator, format string, rows, width int) {
		// The Python adapter plans for at least 256 rows, and for a power of two from there on.
		all = append(all, PeerCase{Case{operator, fmt.Sprintf("%d×%d", rows, width), fmt.Sprintf(format, max(rows, 256), width), []int{rows}, false}, rows, width, 0})
	}
	for _, widths := range [][2]int{{4096, 14336}, {8192, 8960}, {1536, 0}} {
		for _, rows := range []int{1, 16, 128, 2048, 8192} {
			norm := `{"max_rows": %d, "hidden": %d, "input": "bf16"}`
			add("normalization.rms_norm", norm, rows, widths[0])
			add("normalization.add_rms_norm", norm, rows, widths[0])
			if widths[1] > 0 {
				add("activation.swiglu", `{"max_rows": %d, "size": %d, "input": "bf16", "packed": true}`, rows, widths[1])
			}
		}
	}
	for i := range all {
		all[i].InPlace = all[i].Operator == "normalization.add_rms_norm"
	}
	return slices.Concat(all, products())
}
