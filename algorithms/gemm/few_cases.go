package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// fewShapes reach the kernels for few rows: every width, divisions of k, and so many tiles that two blocks share a multiprocessor.
func fewShapes() []func(*shape) {
	var all []func(*shape)
	for _, input := range []oxrt.DType{oxrt.BF16, oxrt.F16} {
		for _, m := range []int{7, 12, 20, 40} {
			all = append(all, func(s *shape) { s.input, s.output, s.m, s.n, s.k, s.fill = input, input, m, 70, 1048, catalog.Integers })
		}
		all = append(all, func(s *shape) { s.input, s.output, s.m, s.n, s.k, s.slow = input, input, 33, 8520, 72, true })
	}
	return all
}
