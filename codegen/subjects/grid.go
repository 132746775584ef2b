package subjects

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// launchPair is a chain of two launches of which the second may start early: it loads its weights, which no launch writes,
// before it waits for the first one's result.
func launchPair() (*Subject, error) {
	const n, grid = 256, 3
	contract := ir.Contract{Block: [3]int{n}, ProgrammaticLaunch: true}
	first, err := build("pair_first", contract, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x", ir.Constant)
		mid := ir.GlobalParam[ir.F32](k, "mid", ir.Writes)
		i := k.CTAIDX().Mul(k.ConstU32(n)).Add(k.TIDX())
		v := x.At(i).Load()
		k.GridDependencyWait()
		k.GridDependencyLaunch()
		mid.At(i).Store(v.MulAdd(v, k.ConstF32(1)))
	})
	if err != nil {
		return nil, err
	}
	second, err := build("pair_second", contract, func(k *ir.Kernel) {
		w := ir.GlobalParam[ir.F32](k, "w", ir.Constant)
		mid := ir.GlobalParam[ir.F32](k, "mid")
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
		c, i := k.ConstU32, k.CTAIDX().Mul(k.ConstU32(n)).Add(k.TIDX())
		scale := w.At(k.TIDX()).Load(ir.NC)
		k.GridDependencyWait()
		back := c(grid*n - 1).Sub(i) // another block's result
		y.At(i).Store(mid.At(back).Load().Mul(scale))
		k.GridDependencyLaunch()
	})
	if err != nil {
		return nil, err
	}
	x, w := small(3, 6), small(5, 9)
	mid := func(i int) float64 { return x(i)*x(i) + 1 }
	args := func(names ...string) []Arg {
		var list []Arg
		for _, n := range names {
			list = append(list, buffer(n))
		}
		return list
	}
	return &Subject{Name: "launch_pair", About: "programmatic dependent launch: weights before griddepcontrol.wait, results after it",
		Buffers: []Buffer{in("x", op.F32, []int{grid * n}, x), in("w", op.F32, []int{n}, w), out("mid", op.F32, []int{grid * n}, mid),
			out("y", op.F32, []int{grid * n}, func(i int) float64 { return mid(grid*n-1-i) * w(i%n) })},
		Launches: []Launch{{first, [3]int{grid, 1, 1}, args("x", "mid")}, {second, [3]int{grid, 1, 1}, args("w", "mid", "y")}}}, nil
}

// atomicScheduler has blocks that take tiles from a counter until none is left: one thread takes, all read the number from
// shared memory between two barriers.
func atomicScheduler() (*Subject, error) {
	const n, tiles = 128, 11
	k, err := build("atomic_scheduler", ir.Contract{Block: [3]int{n}}, func(k *ir.Kernel) {
		x := ir.GlobalParam[ir.F32](k, "x", ir.Constant)
		y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
		next := ir.GlobalParam[ir.U32](k, "next", ir.Writes)
		taken := ir.SharedArray[ir.U32](k, "taken", 1, 0)
		c, t := k.ConstU32, k.TIDX()
		take := func() ir.U32 {
			k.If(t.Equal(c(0)), func() { taken.Store(next.AtomicAdd(c(1), ir.Relaxed, ir.ScopeGPU)) })
			k.Barrier()
			tile := k.Uniform(taken.Load())
			k.Barrier() // everybody has read it before it is taken again
			return tile
		}
		tile := ir.NewVar(take())
		for range k.While(func() ir.Pred { return k.BarrierAny(tile.Get().Less(c(tiles))) }) {
			at := tile.Get().Mul(c(n)).Add(t)
			y.At(at).Store(x.At(at).Load().Neg())
			tile.Set(take())
		}
	})
	if err != nil {
		return nil, err
	}
	const grid = 3
	value := small(2, 8)
	return &Subject{Name: k.Name, About: "a persistent grid that takes tiles from an atomic counter",
		Buffers: []Buffer{in("x", op.F32, []int{tiles, n}, value), out("y", op.F32, []int{tiles, n}, func(i int) float64 { return -value(i) }),
			inout("next", op.U32, []int{1}, func(int) float64 { return 0 }, func(int) float64 { return tiles + grid })},
		Launches: []Launch{{k, [3]int{grid, 1, 1}, []Arg{buffer("x"), buffer("y"), buffer("next")}}}}, nil
}
