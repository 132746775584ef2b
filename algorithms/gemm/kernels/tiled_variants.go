package kernels

import "github.com/oxideinfer/oxide/ir/lib"

// tiledVariants are those that ship: for each format the tiles that were fastest somewhere (NOTES.md), and one or two with
// every epilogue.
func tiledVariants() []Tiled {
	var all []Tiled
	for _, f := range []lib.Format{lib.BF16, lib.F16} {
		of := func(m, n, cluster, stages int) Tiled {
			return Tiled{In: f, Out: f, M: m, N: n, Groups: 2, Cluster: cluster, Stages: stages}
		}
		turns := func(v Tiled) Tiled { v.Order = PingPong; return v }
		shareA := func(v Tiled) Tiled { v.Share = ShareA; return v }
		ending := func(v Tiled, end Finish) Tiled { v.Finish = end; return v }
		wide, square := of(128, 256, 2, 4), of(128, 128, 1, 6)
		all = append(all, wide, turns(of(128, 128, 2, 6)), square, of(128, 64, 1, 8), ending(square, SwiGLU))
		byK := of(128, 256, 1, 4)
		byK.ByK = true
		all = append(all, byK)
		if f == lib.BF16 {
			all = append(all, of(128, 256, 1, 4), shareA(of(256, 128, 2, 4)), turns(of(128, 192, 2, 5)), of(128, 224, 1, 4), of(128, 144, 1, 6), of(128, 80, 1, 8), ending(wide, SwiGLU))
			for _, end := range []Finish{FinishSiLU, FinishGELU, FinishGELUTanh} {
				all = append(all, ending(square, end))
			}
		}
	}
	return all
}

// splitVariants are those that ship.
func splitVariants() []Split {
	return []Split{{In: lib.BF16, Out: lib.BF16, M: 128, N: 64, Parts: 2, Stages: 7}, {In: lib.F16, Out: lib.F16, M: 128, N: 64, Parts: 2, Stages: 7}}
}
