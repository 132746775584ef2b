package probes

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
)

const tensorThreads = 64

// coordinates loads the start of this block's box.
func coordinates(k *ir.Kernel, from ir.Global[ir.S32], rank int) (out []ir.S32) {
	at := from.At(k.CTAIDX().Mul(k.ConstU32(5)))
	for i := range rank {
		out = append(out, at.AtConst(i).Load())
	}
	return out
}

// loadKernel loads one box a block into a tile of known bytes and keeps the tile, and whether the barrier saw all bytes.
func loadKernel(rank int) *Kernel {
	return &Kernel{Name: fmt.Sprintf("tensor_load_%dd", rank), Contract: ir.Contract{Block: [3]int{tensorThreads}}, Body: func(k *ir.Kernel) {
		m := ir.TensorMapParam(k, "map", ir.Constant)
		at := ir.GlobalParam[ir.S32](k, "at", ir.Constant)
		to := ir.GlobalParam[ir.U32](k, "out", ir.Writes)
		size := ir.Param[ir.U32](k, "size")   // bytes of the box
		reach := ir.Param[ir.U32](k, "reach") // and of shared memory that it lies in
		tile, bar := ir.SharedArray[ir.U32](k, "tile", tileBytes/4, 1024), ir.MBarriers(k, "bar", 1)
		c, t := k.ConstU32, k.TIDX()
		n := reach.ShiftRight(c(2)).Add(c(32)) // the box's words and some behind it
		for i := range k.Loop(t, n, c(tensorThreads), ir.NoUnroll) {
			tile.At(i).Store(i.Or(c(0xabcd0000)))
		}
		k.FenceProxyAsync(ir.ProxyShared)
		initialise(k, bar)
		k.If(t.Equal(c(0)), func() {
			bar.ArriveExpect(size)
			ir.TensorLoad(tile, m, bar, coordinates(k, at, rank))
		})
		done := await(k, bar)
		mine := to.At(k.CTAIDX().Mul(n.Add(c(1))))
		mine.Store(done)
		for i := range k.Loop(t, n, c(tensorThreads), ir.NoUnroll) {
			mine.AtConst(1).At(i).Store(tile.At(i).Load())
		}
	}}
}

// tensorLoads are all ranks × element types × swizzles × fills, with rows as long as the swizzle goes and shorter; each
// brings a box inside the tensor, over every side of it, over all, and beyond.
func tensorLoads(c *collector) {
	turn := 0
	for rank := 1; rank <= 5; rank++ {
		k := loadKernel(rank)
		for _, e := range mapElements {
			for i, swizzle := range swizzles {
				for _, nan := range []bool{false, true} {
					if nan && !strings.Contains(e.name, "f") {
						continue
					}
					for _, row := range rowsOf(swizzle, turn) {
						p := newPlan(e, rank, swizzle, row)
						p.m.FillNaN = nan
						c.load(k, fmt.Sprintf("%s_%s_%s_row%d%s", k.Name, e.name, swizzleNames[i], row, map[bool]string{true: "_nan"}[nan]), p)
					}
					turn++
				}
			}
		}
	}
}

func (c *collector) load(k *Kernel, name string, p *plan) {
	c.add(k, name, func() (int, []Arg) {
		list := append(append([]start{p.inside()}, p.low()...), p.high()...)
		m := p.m
		return len(list), []Arg{{Data: content(p, name), Map: &m}, starts(list...), out(len(list) * (p.reach + 132)), word(p.bytes), word(p.reach)}
	})
}

// content is a tensor of any bits; those of 32-bit floats, which some maps convert, are often special.
func content(p *plan, name string) []byte {
	if strings.HasPrefix(p.name, "f32") || strings.HasPrefix(p.name, "tf32") {
		return numbers(name, "f32", p.total)
	}
	return randomBytes(random(name), p.total)
}

// elementStrides copy every second or third element of the outer dimensions; the innermost is not skipped in (manual 5.5.4).
func elementStrides(c *collector) {
	for rank := 2; rank <= 4; rank++ {
		k := loadKernel(rank)
		for _, e := range []mapElement{mapElementOf("u8"), mapElementOf("bf16"), mapElementOf("u32"), mapElementOf("u64")} {
			for i, swizzle := range swizzles {
				p := newPlan(e, rank, swizzle, rowsOf(swizzle, 0)[0])
				p.bytes = int(p.m.Box[0]) * e.size // rows as long as the swizzle goes
				for d := 1; d < rank; d++ {
					step := uint32(1 + (d+i)%3)
					p.m.ElementStrides[d] = step
					p.bytes *= int((p.m.Box[d] + step - 1) / step)
				}
				p.reach = p.bytes
				c.load(k, fmt.Sprintf("%s_%s_%s_steps", k.Name, e.name, swizzleNames[i]), p)
			}
		}
	}
}

// storeKernel stores or reduces one box.
func storeKernel(rank int, what ir.Reduction) *Kernel {
	name := fmt.Sprintf("tensor_store_%dd", rank)
	if what != "" {
		name = fmt.Sprintf("tensor_reduce_%dd_%s", rank, what)
	}
	return &Kernel{Name: name, Contract: ir.Contract{Block: [3]int{tensorThreads}}, Body: func(k *ir.Kernel) {
		m := ir.TensorMapParam(k, "map", ir.Writes)
		at := ir.GlobalParam[ir.S32](k, "at", ir.Constant)
		in := ir.GlobalParam[ir.U32](k, "in", ir.Constant)
		reach := ir.Param[ir.U32](k, "reach")
		tile, c, t := ir.SharedArray[ir.U32](k, "tile", tileBytes/4, 1024), k.ConstU32, k.TIDX()
		for i := range k.Loop(t, reach.ShiftRight(c(2)), c(tensorThreads), ir.NoUnroll) {
			tile.At(i).Store(in.At(i).Load())
		}
		k.FenceProxyAsync(ir.ProxyShared)
		k.Barrier()
		k.If(t.Equal(c(0)), func() {
			where := coordinates(k, at, rank)
			if what == "" {
				ir.TensorStore(m, tile, where)
			} else {
				ir.TensorReduce(what, m, tile, where)
			}
			k.BulkCommit()
			k.BulkWait(0)
		})
	}}
}

// store adds a launch for each of some boxes: several blocks would meet in the tensor.
func (c *collector) store(k *Kernel, name string, p *plan, list []start, numbered bool) {
	for i, s := range list {
		name := fmt.Sprintf("%s_%d", name, i)
		c.add(k, name, func() (int, []Arg) {
			m := p.m
			tensor := Arg{Data: out(p.total).Data, Map: &m, Out: true}
			box := randomBytes(random(name), tileBytes)
			if p.size == 4 {
				box = numbers(name, "f32", tileBytes)
			}
			if numbered {
				tensor.Data, box = numbers(name+"_old", p.name, p.total), numbers(name, p.name, tileBytes)
			}
			return 1, []Arg{tensor, starts(s), {Data: box}, word(p.reach)}
		})
	}
}

// tensorStores are all ranks × sizes of elements × swizzles, inside the tensor and over every end.
func tensorStores(c *collector) {
	turn := 0
	for rank := 1; rank <= 5; rank++ {
		k := storeKernel(rank, "")
		for _, e := range []mapElement{mapElementOf("u8"), mapElementOf("bf16"), mapElementOf("f32"), mapElementOf("u64"), mapElementOf("tf32"), mapElementOf("tf32ftz")} {
			for i, swizzle := range swizzles {
				for _, row := range rowsOf(swizzle, turn) {
					p := newPlan(e, rank, swizzle, row)
					list := append([]start{p.inside()}, p.high()...)
					if row != rowsOf(swizzle, turn)[0] {
						list = list[:2]
					}
					c.store(k, fmt.Sprintf("%s_%s_%s_row%d", k.Name, e.name, swizzleNames[i], row), p, list, false)
				}
				turn++
			}
		}
	}
}

// tensorReductions are all operations × types, in ranks and swizzles that take turns.
func tensorReductions(c *collector) {
	turn := 0
	for _, r := range []struct {
		what  ir.Reduction
		types []string
	}{
		{ir.RedAdd, []string{"u32", "s32", "u64", "f16", "bf16", "f32"}}, {ir.RedMin, []string{"u32", "s32", "u64", "s64", "f16", "bf16"}},
		{ir.RedMax, []string{"u32", "s32", "u64", "s64", "f16", "bf16"}}, {ir.RedInc, []string{"u32"}}, {ir.RedDec, []string{"u32"}},
		{ir.RedAnd, []string{"u32", "u64"}}, {ir.RedOr, []string{"u32", "u64"}}, {ir.RedXor, []string{"u32", "u64"}},
	} {
		kernels := map[int]*Kernel{}
		for _, t := range r.types {
			for range 2 {
				rank, swizzle := 1+turn%5, turn/2%4
				if kernels[rank] == nil {
					kernels[rank] = storeKernel(rank, r.what)
				}
				p := newPlan(mapElementOf(t), rank, swizzles[swizzle], rowsOf(swizzles[swizzle], turn)[0])
				c.store(kernels[rank], fmt.Sprintf("tensor_reduce_%dd_%s_%s_%s", rank, r.what, t, swizzleNames[swizzle]), p, append([]start{p.inside()}, p.high()[rank]), true)
				turn++
			}
		}
	}
}

// signedBits are the bitwise reductions into tensors of signed elements. A device may trap on them: they are the last probes.
func signedBits(c *collector) {
	for _, what := range []ir.Reduction{ir.RedAnd, ir.RedOr, ir.RedXor} {
		k := storeKernel(1, what)
		for _, e := range []mapElement{mapElementOf("s32"), mapElementOf("s64")} {
			p := newPlan(e, 1, emulate.SwizzleNone, 64)
			c.store(k, fmt.Sprintf("tensor_reduce_signed_%s_%s", what, e.name), p, []start{p.inside()}, true)
		}
	}
}

// multicasts bring each block's box or bytes to the blocks of its mask; every barrier counts what its block is sent.
func multicasts(c *collector) {
	const n = 256 // words that a block sends
	for _, blocks := range []int{2, 4, 8} {
		contract := ir.Contract{Block: [3]int{tensorThreads}, Cluster: [3]int{blocks, 1, 1}}
		body := func(k *ir.Kernel, load func(dst ir.Shared[ir.U32], bar ir.MBarrier, rank ir.U32, to ir.Blocks)) {
			masks := ir.GlobalParam[ir.U32](k, "masks", ir.Constant)
			expect := ir.GlobalParam[ir.U32](k, "expect", ir.Constant)
			to := ir.GlobalParam[ir.U32](k, "out", ir.Writes)
			tile, bar := ir.SharedArray[ir.U32](k, "tile", 8*n, 128), ir.MBarriers(k, "bar", 1)
			c, rank := k.ConstU32, k.ClusterCTARank()
			for i := range k.Loop(k.TIDX(), c(uint32(blocks*n)), c(tensorThreads), ir.NoUnroll) {
				tile.At(i).Store(i)
			}
			k.FenceProxyAsync(ir.ProxyShared)
			initialise(k, bar)
			k.If(k.TIDX().Equal(c(0)), func() {
				bar.ArriveExpect(expect.At(rank).Load())
				load(tile.At(rank.Mul(c(n))), bar, rank, ir.Multicast(masks.At(rank).Load().ConvertToU16()))
			})
			mine := to.At(k.CTAIDX().Mul(c(uint32(blocks*n + 1))))
			mine.AtConst(blocks * n).Store(await(k, bar, ir.ScopeCluster))
			dump(k, tile, mine, blocks*n, tensorThreads)
			k.ClusterBarrier()
		}
		bulk := &Kernel{Name: fmt.Sprintf("bulk_multicast_%d", blocks), Contract: contract, Body: func(k *ir.Kernel) {
			in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
			body(k, func(dst ir.Shared[ir.U32], bar ir.MBarrier, rank ir.U32, to ir.Blocks) {
				ir.BulkLoad(dst, in.At(rank.Mul(k.ConstU32(n))), k.ConstU32(4*n), bar, to)
			})
		}}
		box := &Kernel{Name: fmt.Sprintf("tensor_multicast_%d", blocks), Contract: contract, Body: func(k *ir.Kernel) {
			m := ir.TensorMapParam(k, "map", ir.Constant)
			body(k, func(dst ir.Shared[ir.U32], bar ir.MBarrier, rank ir.U32, to ir.Blocks) {
				ir.TensorLoad(dst, m, bar, []ir.S32{k.ConstS32(16), rank.ShiftLeft(k.ConstU32(3)).AsS32()}, to)
			})
		}}
		for i := range 12 {
			for _, k := range []*Kernel{bulk, box} {
				c.multicast(k, fmt.Sprintf("%s_%d", k.Name, i), blocks, n)
			}
		}
	}
}

func (c *collector) multicast(k *Kernel, name string, blocks, n int) {
	c.add(k, name, func() (int, []Arg) {
		r := random(name)
		masks, expect := make([]uint32, blocks), make([]uint32, blocks)
		for i := range masks {
			masks[i] = 1 + r.Uint32N(1<<blocks-1)
			for j := range expect {
				expect[j] += masks[i] >> j & 1 * uint32(4*n)
			}
		}
		source := Arg{Data: randomBytes(r, 4*n*blocks)}
		if k.Name[0] == 't' { // rows of 32 words, of which the tensor has 40: boxes over the edge
			source = Arg{Data: randomBytes(r, 4*40*8*blocks), Map: &emulate.TensorMap{Type: emulate.MapU32, Rank: 2, Dims: [5]uint64{40, uint64(8 * blocks)},
				Strides: [4]uint64{160}, Box: [5]uint32{32, 8}, ElementStrides: [5]uint32{1, 1}, Swizzle: emulate.Swizzle128B}}
		}
		return blocks, []Arg{source, words(masks), words(expect), out(blocks * 4 * (blocks*n + 1))}
	})
}
