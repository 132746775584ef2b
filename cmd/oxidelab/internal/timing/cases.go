package timing

import "fmt"

// Case is one size at which an operator is timed.
type Case struct {
	Operator, Label, Spec string
	Dims                  []int
	// InPlace lays outputs over the inputs that they may be, as engines call the operator.
	InPlace bool
}

// Cases are the sizes of the targets: hidden sizes of 1.5B to 70B models, from one row to a long prefill.
func Cases() []Case {
	var all []Case
	row := func(operator, sizeField string, rows, size int) {
		all = append(all, Case{operator, fmt.Sprintf("%d×%d", rows, size),
			fmt.Sprintf(`{"max_rows": %d, %q: %d, "input": "bf16"}`, rows, sizeField, size), []int{rows},
			operator == "normalization.add_rms_norm"})
	}
	for _, operator := range []string{"normalization.rms_norm", "normalization.add_rms_norm", "normalization.layer_norm"} {
		for _, hidden := range []int{1536, 4096, 8192} {
			for _, rows := range []int{1, 16, 128, 2048, 8192} {
				row(operator, "hidden", rows, hidden)
			}
		}
		row(operator, "hidden", 4096, 4096)
		row(operator, "hidden", 16384, 8192)
	}
	for _, size := range []int{8960, 14336} {
		for _, rows := range []int{1, 16, 128, 2048, 8192} {
			row("activation.swiglu", "size", rows, size)
		}
	}
	for _, operator := range []string{"activation.geglu", "activation.silu", "activation.gelu"} {
		for _, rows := range []int{1, 128, 8192} {
			row(operator, "size", rows, 14336)
		}
	}
	for _, tokens := range []int{1, 128, 8192} {
		all = append(all, Case{"normalization.head_rms_norm", fmt.Sprintf("%d×(32+8)×128", tokens),
			fmt.Sprintf(`{"max_tokens": %d, "q_heads": 32, "k_heads": 8, "head_dim": 128, "input": "bf16"}`, tokens), []int{tokens}, false})
	}
	for _, p := range products() {
		all = append(all, p.Case)
	}
	for _, m := range []int{1, 16, 64, 256, 2048, 8192} {
		for _, nk := range [][2]int{{8960, 1536}, {14336, 4096}} {
			all = append(all, product("gemm.gated_matmul", "bf16", m, nk[0], nk[1]))
		}
	}
	return all
}
