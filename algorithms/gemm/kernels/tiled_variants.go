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
