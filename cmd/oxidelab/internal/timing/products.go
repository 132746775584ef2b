package timing

import "fmt"

// layers are the (n, k) of products in models of 1.5B to 8B: projections of attention, of the MLP and to the vocabulary.
var layers = [...][2]int{{4096, 4096}, {28672, 4096}, {17920, 1536}, {4096, 14336}, {8960, 1536}, {151936, 1536}}

// products are the sizes at which products of matrices are compared with peers: those of two-byte numbers from one row to a long
// prefill, and those of e4m3.
func products() []PeerCase {
	var all []PeerCase
	add := func(operator, input string, m, n, k int) {
		all = append(all, PeerCase{product(operator, input, m, n, k), m, n, k})
	}
	for _, nk := range [][2]int{{256, 1536}, {1536, 1536}, {1536, 8960}} {
		add("gemm.matmul", "bf16", 1, nk[0], nk[1])
	}
	for _, m := range []int{1, 16, 2048, 64, 256, 8192, 4, 128, 8, 32, 2, 512} {
		for _, nk := range layers {
			add("gemm.matmul", "bf16", m, nk[0], nk[1])
		}
	}
	add("gemm.matmul", "bf16", 4096, 4096, 4096)
	add("gemm.matmul", "bf16", 8192, 8192, 8192)
	for _, m := range []int{1, 16} { // only the kernels for few rows multiply e4m3 at speed
		for _, nk := range layers[:2] {
			add("gemm.scaled_matmul", "e4m3", m, nk[0], nk[1])
			add("gemm.row_scaled_matmul", "e4m3", m, nk[0], nk[1])
		}
	}
	return all
}

// product is one size of an operator of the family gemm.
func product(operator, input string, m, n, k int) Case {
	spec := fmt.Sprintf(`{"max_m": %d, "n": %d, "k": %d, "input": %q}`, powerOfTwo(m), n, k, input)
	return Case{operator, fmt.Sprintf("%d×%d×%d", m, n, k), spec, []int{m}, false}
}

// powerOfTwo is what the Python adapter plans for.
func powerOfTwo(m int) int {
	n := 1
	for n < m {
		n *= 2
	}
	return n
}
