package kernels

import "github.com/oxideinfer/oxide/ir/lib"

// tiledVariants are those that ship.
func tiledVariants() []Tiled {
	return []Tiled{
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 256, Groups: 2, Cluster: 2, Stages: 4},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 256, Groups: 2, Cluster: 1, Stages: 4},
		{In: lib.BF16, Out: lib.BF16, M: 256, N: 128, Groups: 2, Cluster: 2, Stages: 4},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 192, Groups: 2, Cluster: 2, Stages: 4},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 128, Groups: 2, Cluster: 2, Stages: 6},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 128, Order: PingPong, Groups: 2, Cluster: 2, Stages: 6},
		{In: lib.BF16, Out: lib.BF16, M: 64, N: 256, Order: PingPong, Groups: 2, Cluster: 2, Stages: 4},
		{In: lib.BF16, Out: lib.BF16, M: 64, N: 128, Groups: 1, Cluster: 2, Stages: 8},
		{In: lib.BF16, Out: lib.BF16, M: 64, N: 128, Groups: 1, Cluster: 1, Stages: 8},
		{In: lib.BF16, Out: lib.BF16, M: 64, N: 256, Groups: 1, Cluster: 2, Stages: 5},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 64, Groups: 2, Cluster: 1, Stages: 8},
		{In: lib.BF16, Out: lib.BF16, M: 128, N: 256, Groups: 2, Cluster: 2, Stages: 4, Finish: SwiGLU},
	}
}

// splitVariants are those that ship.
func splitVariants() []Split {
	var all []Split
	for _, parts := range []int{2, 4, 8} {
		all = append(all, Split{In: lib.BF16, Out: lib.BF16, M: 64, N: 128, Parts: parts, Stages: 7}, Split{In: lib.BF16, Out: lib.BF16, M: 128, N: 128, Parts: parts, Stages: 4})
	}
	all = append(all, Split{In: lib.BF16, Out: lib.BF16, M: 128, N: 64, Parts: 2, Stages: 7})
	return all
}
