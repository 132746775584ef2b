package probes

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

const remoteThreads = 64

// remoteStores are st.async of every type and width, and red.async of every operation, into the next block.
func remoteStores(c *collector) {
	add := func(name, typ string, size, blocks int, body func(*ir.Kernel)) {
		k := &Kernel{Name: name, Contract: ir.Contract{Block: [3]int{remoteThreads}, Cluster: [3]int{blocks, 1, 1}}, Body: body}
		for i := range 4 {
			name := fmt.Sprintf("%s_%d", name, i)
			c.add(k, name, func() (int, []Arg) {
				bytes := remoteThreads * size
				return blocks, []Arg{out(blocks * (bytes + 4)), {Data: numbers(name, typ, 2*bytes)}}
			})
		}
	}
	for i, n := range []int{1, 2, 4} {
		add(fmt.Sprintf("st_async_u32_v%d", n), "u32", 4*n, 2<<(i%3), func(k *ir.Kernel) { sendWords[ir.U32](k, n, 4, "") })
		add(fmt.Sprintf("st_async_f32_v%d", n), "f32", 4*n, 2<<((i+1)%3), func(k *ir.Kernel) { sendWords[ir.F32](k, n, 4, "") })
		if n < 4 {
			add(fmt.Sprintf("st_async_u64_v%d", n), "u64", 8*n, 4, func(k *ir.Kernel) { sendWords[ir.U64](k, n, 8, "") })
			add(fmt.Sprintf("st_async_f64_v%d", n), "f64", 8*n, 2, func(k *ir.Kernel) { sendWords[ir.F64](k, n, 8, "") })
		}
	}
	for i, what := range []ir.Reduction{ir.RedAdd, ir.RedMin, ir.RedMax, ir.RedInc, ir.RedDec, ir.RedAnd, ir.RedOr, ir.RedXor} {
		blocks := 2 << (i % 3)
		add(fmt.Sprintf("red_async_%s_u32", what), "u32", 4, blocks, func(k *ir.Kernel) { sendWords[ir.U32](k, 1, 4, what) })
		if what != ir.RedInc && what != ir.RedDec {
			add(fmt.Sprintf("red_async_%s_s32", what), "s32", 4, blocks, func(k *ir.Kernel) { sendWords[ir.S32](k, 1, 4, what) })
		}
	}
	add("red_async_add_u64", "u64", 8, 2, func(k *ir.Kernel) { sendWords[ir.U64](k, 1, 8, ir.RedAdd) })
}

// sendWords has every thread send n elements into its place in the next block, whose barrier counts them all.
func sendWords[T ir.Elem](k *ir.Kernel, n, size int, what ir.Reduction) {
	to := ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(4))
	in := ir.GlobalParam[T](k, "in", ir.Constant, ir.Aligned(16))
	elems, c := remoteThreads*n, k.ConstU32
	tile, bar := ir.SharedArray[T](k, "tile", elems, 16), ir.MBarriers(k, "bar", 1)
	at := k.TIDX().Mul(c(uint32(n)))
	tile.At(at).StoreVec(in.At(at).LoadVec(n))
	initialise(k, bar)
	next := k.ClusterCTARank().Add(c(1)).And(k.ClusterNCTARank().Sub(c(1)))
	k.If(k.TIDX().Equal(c(0)), func() { bar.ArriveExpect(c(uint32(elems * size))) })
	v := in.AtConst(elems).At(at).LoadVec(n)
	if what == "" {
		tile.At(at).InBlock(next).StoreAsyncVec(v, bar.InBlock(next))
	} else {
		tile.At(at).InBlock(next).ReduceAsync(what, v[0], bar.InBlock(next))
	}
	count := elems * size / 4
	mine := to.At(k.CTAIDX().Mul(c(uint32(count + 1))))
	mine.AtConst(count).Store(await(k, bar, ir.ScopeCluster))
	dump(k, ir.CastShared[ir.U32](tile), mine, count, remoteThreads)
	k.ClusterBarrier()
}

// remoteAtomics are loads, stores and atomics on the next block's shared memory; the old value is kept too.
func remoteAtomics(c *collector) {
	type atomic struct {
		name string
		f    func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32
	}
	opts := []ir.AtomicOption{ir.Relaxed, ir.ScopeCluster}
	for i, a := range []atomic{
		{"add", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicAdd(x, opts...) }},
		{"min", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicMin(x, opts...) }},
		{"max", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicMax(x, opts...) }},
		{"and", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicAnd(x, opts...) }},
		{"or", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicOr(x, opts...) }},
		{"xor", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicXor(x, opts...) }},
		{"exch", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicExchange(x, opts...) }},
		{"inc", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicInc(x, opts...) }},
		{"dec", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicDec(x, opts...) }},
		{"cas", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.AtomicCAS(x, x.Not(), opts...) }},
		{"ld", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { return p.Load() }},
		{"st", func(p ir.SharedCluster[ir.U32], x ir.U32) ir.U32 { p.Store(x); return p.Rank() }},
	} {
		blocks := 2 << (i % 3)
		k := &Kernel{Name: "remote_" + a.name, Contract: ir.Contract{Block: [3]int{remoteThreads}, Cluster: [3]int{blocks, 1, 1}}, Body: func(k *ir.Kernel) {
			to := ir.GlobalParam[ir.U32](k, "out", ir.Writes)
			in := ir.GlobalParam[ir.U32](k, "in", ir.Constant)
			tile, c, t := ir.SharedArray[ir.U32](k, "tile", remoteThreads, 16), k.ConstU32, k.TIDX()
			tile.At(t).Store(in.At(t).Load())
			k.ClusterBarrier()
			next := k.ClusterCTARank().Add(c(1)).And(k.ClusterNCTARank().Sub(c(1)))
			old := a.f(tile.At(t).InBlock(next), in.AtConst(remoteThreads).At(t).Load())
			k.ClusterBarrier()
			mine := to.At(k.CTAIDX().Mul(c(2 * remoteThreads)).Add(t))
			mine.Store(old)
			mine.AtConst(remoteThreads).Store(tile.At(t).Load())
		}}
		for j := range 4 {
			name := fmt.Sprintf("%s_%d", k.Name, j)
			c.add(k, name, func() (int, []Arg) {
				v := numbers(name, "u32", 8*remoteThreads)
				for i := 0; a.name == "cas" && i < 4*remoteThreads; i += 8 { // every other one is equal
					copy(v[4*remoteThreads+i:][:4], v[i:])
				}
				return blocks, []Arg{out(8 * blocks * remoteThreads), {Data: v}}
			})
		}
	}
}
