package probes

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

// element is a type of the IR that a generic kernel can be made of.
type element struct {
	name string
	size int
	// reduce, reduceSend, store and shared make the bodies for this type.
	reduce, reduceSend func(ir.Reduction) func(*ir.Kernel)
}

func elementOf[T ir.Elem](name string, size int) element {
	return element{name, size,
		func(what ir.Reduction) func(*ir.Kernel) { return func(k *ir.Kernel) { reduceGlobal[T](k, what, size) } },
		func(what ir.Reduction) func(*ir.Kernel) { return func(k *ir.Kernel) { reducePeer[T](k, what, size) } }}
}

var elements = map[string]element{
	"u32": elementOf[ir.U32]("u32", 4), "s32": elementOf[ir.S32]("s32", 4), "u64": elementOf[ir.U64]("u64", 8), "s64": elementOf[ir.S64]("s64", 8),
	"f16": elementOf[ir.F16]("f16", 2), "bf16": elementOf[ir.BF16]("bf16", 2), "f32": elementOf[ir.F32]("f32", 4), "f64": elementOf[ir.F64]("f64", 8),
}

// Types of reductions in global memory and in another block's shared memory (PTX ISA 9.7.9.25.4.2).
var (
	globalReductions = []struct {
		what  ir.Reduction
		types []string
	}{
		{ir.RedAdd, []string{"u32", "s32", "u64", "f16", "bf16", "f32", "f64"}}, {ir.RedMin, []string{"u32", "s32", "u64", "s64", "f16", "bf16"}},
		{ir.RedMax, []string{"u32", "s32", "u64", "s64", "f16", "bf16"}}, {ir.RedInc, []string{"u32"}}, {ir.RedDec, []string{"u32"}},
		{ir.RedAnd, []string{"u32", "u64"}}, {ir.RedOr, []string{"u32", "u64"}}, {ir.RedXor, []string{"u32", "u64"}},
	}
	peerReductions = []struct {
		what  ir.Reduction
		types []string
	}{
		{ir.RedAdd, []string{"u32", "s32", "u64"}}, {ir.RedMin, []string{"u32", "s32"}}, {ir.RedMax, []string{"u32", "s32"}},
		{ir.RedInc, []string{"u32"}}, {ir.RedDec, []string{"u32"}}, {ir.RedAnd, []string{"u32"}}, {ir.RedOr, []string{"u32"}}, {ir.RedXor, []string{"u32"}},
	}
)

// numbers are values of a type: any bits, and often special ones.
func numbers(name, typ string, n int) []byte {
	r := random(name)
	b := randomBytes(r, n)
	special := map[string][]uint64{
		"f16":  {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff},
		"bf16": {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff},
		"f32":  {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001},
		"f64":  {0, 1 << 63, 1, 0xfffffffffffff, 1 << 52, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001},
		"u32":  {0, 1, 0x7fffffff, 0x80000000, 0xffffffff}, "s32": {0, 1, 0x7fffffff, 0x80000000, 0xffffffff},
		"u64": {0, 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}, "s64": {0, 1, 1<<63 - 1, 1 << 63, 1<<64 - 1},
	}[typ]
	size := elements[typ].size
	for i := 0; i+size <= n; i += size {
		if r.IntN(3) > 0 {
			continue
		}
		v := special[r.IntN(len(special))]
		for j := range size {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return b
}

const reduceBytes = 1024

// bulkReductions are bulk reductions into global memory of every operation and type.
func bulkReductions(c *collector) {
	for _, r := range globalReductions {
		for _, t := range r.types {
			k := &Kernel{Name: fmt.Sprintf("bulk_reduce_%s_%s", r.what, t), Contract: ir.Contract{Block: [3]int{64}}, Body: elements[t].reduce(r.what)}
			for i := range 4 {
				name := fmt.Sprintf("%s_%d", k.Name, i)
				c.add(k, name, func() (int, []Arg) {
					return 1, []Arg{{Data: numbers(name+"_old", t, reduceBytes), Out: true}, {Data: numbers(name, t, reduceBytes)}}
				})
			}
		}
	}
}

func reduceGlobal[T ir.Elem](k *ir.Kernel, what ir.Reduction, size int) {
	to := ir.GlobalParam[T](k, "out", ir.Writes, ir.Aligned(16))
	in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
	tile := ir.SharedArray[ir.U32](k, "tile", reduceBytes/4, 128)
	fill(k, tile, in, reduceBytes/4, 64)
	k.FenceProxyAsync(ir.ProxyShared)
	k.Barrier()
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		ir.BulkReduce(what, to, ir.CastShared[T](tile), k.ConstU32(reduceBytes))
		k.BulkCommit()
		k.BulkWait(0)
	})
}

// sends are bulk copies and reductions into the next block of a cluster.
func sends(c *collector) {
	add := func(name, typ string, blocks int, body func(*ir.Kernel)) {
		k := &Kernel{Name: name, Contract: ir.Contract{Block: [3]int{64}, Cluster: [3]int{blocks, 1, 1}}, Body: body}
		for i := range 4 {
			name := fmt.Sprintf("%s_%d", name, i)
			c.add(k, name, func() (int, []Arg) {
				return 2 * blocks, []Arg{out(2 * blocks * (reduceBytes + 4)), {Data: numbers(name, typ, 2*reduceBytes)}}
			})
		}
	}
	for _, r := range peerReductions {
		for i, t := range r.types {
			add(fmt.Sprintf("bulk_reduce_send_%s_%s", r.what, t), t, 2+2*(i%2), elements[t].reduceSend(r.what))
		}
	}
	for _, blocks := range []int{2, 4, 8} {
		add(fmt.Sprintf("bulk_send_%d", blocks), "u32", blocks, elements["u32"].reduceSend(""))
	}
}

// reducePeer fills a tile with old values and another with new ones, xor the rank, and sends the latter to the next block.
func reducePeer[T ir.Elem](k *ir.Kernel, what ir.Reduction, size int) {
	to := ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(4))
	in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
	const n = reduceBytes / 4
	old, tile, bar := ir.SharedArray[ir.U32](k, "old", n, 128), ir.SharedArray[ir.U32](k, "tile", n, 128), ir.MBarriers(k, "bar", 1)
	c, rank := k.ConstU32, k.ClusterCTARank()
	fill(k, old, in, n, 64)
	for i := range k.Loop(k.TIDX(), c(n), c(64), ir.NoUnroll) {
		tile.At(i).Store(in.AtConst(n).At(i).Load().Xor(rank))
	}
	k.FenceProxyAsync(ir.ProxyShared)
	initialise(k, bar)
	next := rank.Add(c(1)).And(k.ClusterNCTARank().Sub(c(1)))
	k.If(k.TIDX().Equal(c(0)), func() {
		bar.ArriveExpect(c(reduceBytes))
		far, from, full := ir.CastCluster[T](old.InBlock(next)), ir.CastShared[T](tile), bar.InBlock(next)
		if what == "" {
			ir.BulkSend(far, from, c(reduceBytes), full)
		} else {
			ir.BulkReduceSend(what, far, from, c(reduceBytes), full)
		}
	})
	mine := to.At(k.CTAIDX().Mul(c(n + 1)))
	mine.AtConst(n).Store(await(k, bar, ir.ScopeCluster))
	dump(k, old, mine, n, 64)
	k.ClusterBarrier()
}
