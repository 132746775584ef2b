package probes

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

// copies are cp.async of every size, cached and not, with every number of bytes that are there: the rest becomes zero.
func copies(c *collector) {
	const threads = 64
	for _, size := range []int{4, 8, 16} {
		for _, cache := range []ir.CacheOp{ir.CA, ir.CG} {
			if cache == ir.CG && size != 16 {
				continue
			}
			k := &Kernel{Name: fmt.Sprintf("cp_async_%s_%d", cache, size), Contract: ir.Contract{Block: [3]int{threads}}, Body: func(k *ir.Kernel) {
				to := ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(16))
				in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
				there := ir.GlobalParam[ir.U32](k, "there", ir.Constant)
				tile := ir.SharedArray[ir.U32](k, "tile", threads*size/4, 16)
				at := k.TIDX().Mul(k.ConstU32(uint32(size / 4)))
				ir.CopyAsync(tile.At(at), in.At(at), size, cache, ir.SourceBytes(there.At(k.TIDX()).Load()))
				k.CopyAsyncWaitAll()
				k.Barrier()
				dump(k, tile, to, threads*size/4, threads)
			}}
			for i := range 5 {
				name := fmt.Sprintf("%s_%d", k.Name, i)
				c.add(k, name, func() (int, []Arg) {
					r := random(name)
					there := make([]uint32, threads)
					for j := range there {
						there[j] = uint32((j + i) % (size + 1))
					}
					return 1, []Arg{out(threads * size), {Data: randomBytes(r, threads*size)}, words(there)}
				})
			}
		}
	}
}

const bulkBytes = 2048

// patience bounds waits for bytes: where a device counts others than the emulator, the launch ends all the same, and says so.
const patience = 2000

// await waits for phase 0 of a barrier and returns 1, or 0 if it never ends.
func await(k *ir.Kernel, bar ir.MBarrier, opts ...ir.WaitOption) ir.U32 {
	c := k.ConstU32
	done, tries := ir.NewVar(c(0)), ir.NewVar(c(0))
	for range k.While(func() ir.Pred { return done.Get().Equal(c(0)).And(tries.Get().Less(c(patience))) }) {
		done.Set(ir.Select(bar.TryWait(c(0), opts...), c(1), c(0)))
		tries.Set(tries.Get().Add(c(1)))
	}
	return done.Get()
}

// bulkCopies are bulk loads and stores of many sizes; what lies behind them stays as it was.
func bulkCopies(c *collector) {
	const threads = 64
	load := &Kernel{Name: "bulk_load", Contract: ir.Contract{Block: [3]int{threads}}, Body: func(k *ir.Kernel) {
		to := ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(16))
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
		size := ir.Param[ir.U32](k, "size")
		at := ir.Param[ir.U32](k, "at")
		tile, bar := ir.SharedArray[ir.U32](k, "tile", bulkBytes/4, 128), ir.MBarriers(k, "bar", 1)
		fill(k, tile, in, bulkBytes/4, threads)
		k.FenceProxyAsync(ir.ProxyShared)
		initialise(k, bar)
		k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
			bar.ArriveExpect(size)
			ir.BulkLoad(tile.At(at), in.AtConst(bulkBytes/4), size, bar)
		})
		to.AtConst(bulkBytes / 4).Store(await(k, bar))
		dump(k, tile, to, bulkBytes/4, threads)
	}}
	store := &Kernel{Name: "bulk_store", Contract: ir.Contract{Block: [3]int{threads}}, Body: func(k *ir.Kernel) {
		to := ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(16))
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
		size := ir.Param[ir.U32](k, "size")
		at := ir.Param[ir.U32](k, "at")
		tile := ir.SharedArray[ir.U32](k, "tile", bulkBytes/4, 128)
		fill(k, tile, in, bulkBytes/4, threads)
		k.FenceProxyAsync(ir.ProxyShared)
		k.Barrier()
		k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
			ir.BulkStore(to.At(at), tile.At(at), size)
			k.BulkCommit()
			k.BulkWait(0)
		})
	}}
	for i, size := range []int{16, 32, 48, 112, 128, 256, 496, 1008, 1024, 1040, 2032, 2048} {
		for _, k := range []*Kernel{load, store} {
			name := fmt.Sprintf("%s_%d", k.Name, size)
			at := 4 * i % ((bulkBytes-size)/4 + 4)
			c.add(k, name, func() (int, []Arg) {
				bytes := bulkBytes
				if k == load {
					bytes += 4
				}
				return 1, []Arg{out(bytes), {Data: randomBytes(random(name), 2*bulkBytes)}, word(size), word(min(at, (bulkBytes-size)/4))}
			})
		}
	}
}

// initialise makes a barrier of one arrival and lets the block see it.
func initialise(k *ir.Kernel, bar ir.MBarrier) {
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() {
		bar.Init(k.ConstU32(1))
		k.FenceMBarrierInit()
	})
	if k.Contract.Cluster[0] > 0 {
		k.ClusterBarrier()
	} else {
		k.Barrier()
	}
}
