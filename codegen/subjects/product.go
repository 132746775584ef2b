package subjects

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// A product computes D[M,N] = A[M,K]·B[N,K]ᵀ in tiles of 64 × n. Each stage of its ring holds 128 bytes of every row of a
// tile of A and of B, swizzled as the tensor map and the descriptors say.
type product struct {
	k      *ir.Kernel
	ring   ring
	a, b   ir.Shared[ir.U8]
	mapA   ir.TensorMap
	mapB   ir.TensorMap
	d      ir.Global[ir.F32]
	n      int // columns of a tile
	aRows  int
	blocks int // stages' worth of K
	elem   int // bytes of an element of a factor
}

const rowBytes = 128

var swizzled = ir.TileLayout{StrideBytes: 8 * rowBytes, Swizzle: ir.Swizzle128B}

func newProduct(k *ir.Kernel, stages, aRows, n, blocks, elem int) *product {
	return &product{k: k, n: n, aRows: aRows, blocks: blocks, elem: elem,
		mapA: ir.TensorMapParam(k, "a", ir.Constant), mapB: ir.TensorMapParam(k, "b", ir.Constant),
		d:    ir.GlobalParam[ir.F32](k, "d", ir.Writes, ir.Aligned(16)),
		a:    ir.SharedArray[ir.U8](k, "tile_a", stages*aRows*rowBytes, 1024),
		b:    ir.SharedArray[ir.U8](k, "tile_b", stages*n*rowBytes, 1024),
		ring: newRing(k, stages)}
}

// fetch fills one stage with the part of K that starts at block: rows from row on of A, and all of B.
func (p *product) fetch(at cursor, row, block ir.U32) {
	c := p.k.ConstU32
	at.waitEmpty()
	full := p.ring.full.At(at.stage.Get())
	full.ArriveExpect(c(uint32((p.aRows + p.n) * rowBytes)))
	from := signed(block.Mul(c(uint32(rowBytes / p.elem))))
	ir.TensorLoad(p.a.At(at.stage.Get().Mul(c(uint32(p.aRows*rowBytes)))), p.mapA, full, []ir.S32{from, signed(row)}, ir.BoxBytes(p.aRows*rowBytes))
	ir.TensorLoad(p.b.At(at.stage.Get().Mul(c(uint32(p.n*rowBytes)))), p.mapB, full, []ir.S32{from, p.k.ConstS32(0)}, ir.BoxBytes(p.n*rowBytes))
	at.advance()
}

// multiply adds one stage to the accumulator. It leaves the group in flight. rows is the offset of the warpgroup's rows.
func (p *product) multiply(acc ir.Fragment[ir.F32], at cursor, rows int, block ir.U32, t ir.MatrixType) {
	k, c := p.k, p.k.ConstU32
	a := ir.Describe(p.a.AtConst(rows*rowBytes), swizzled).Add(at.stage.Get().Mul(c(uint32(p.aRows * rowBytes))))
	b := ir.Describe(p.b, swizzled).Add(at.stage.Get().Mul(c(uint32(p.n * rowBytes))))
	k.WGMMAFence()
	for step := range rowBytes / 32 {
		var opts []ir.WGMMAOption
		if step == 0 {
			opts = append(opts, ir.AddWhere(block.NotEqual(c(0)))) // the first product of a tile drops what was there
		}
		ir.WGMMA(acc, a.AddConst(32*step), b.AddConst(32*step), t, t, opts...)
	}
	k.WGMMACommit()
}

// store writes the accumulator. Register i of lane l in warp w of the warpgroup holds row 16w + l/4 + 8·(i/2 mod 2) and
// column 8·(i/4) + 2·(l mod 4) + i mod 2 (PTX ISA 9.7.15.5.1.1).
func (p *product) store(acc ir.Fragment[ir.F32], row ir.U32) {
	k, c := p.k, p.k.ConstU32
	lane, warp := k.LaneID(), k.TIDX().ShiftRight(c(5)).And(c(3))
	first := row.Add(warp.ShiftLeft(c(4))).Add(lane.ShiftRight(c(2)))
	d := p.d.At(first.Mul(c(uint32(p.n))).Add(lane.And(c(3)).ShiftLeft(c(1))))
	for i := 0; i < acc.Len(); i += 4 {
		v := acc.Get(i, 4)
		d.AtConst(2 * i).StoreVec(v[:2])
		d.AtConst(2*i + 8*p.n).StoreVec(v[2:])
	}
}

// consume multiplies all of K, stage by stage. The wait covers what the products of the whole warp read, so one lane may
// release the stage at once.
func (p *product) consume(acc ir.Fragment[ir.F32], at cursor, rows int, t ir.MatrixType) {
	k, c := p.k, p.k.ConstU32
	for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
		at.waitFull()
		p.multiply(acc, at, rows, block, t)
		k.WGMMAWait(0)
		k.If(k.Elect(), func() { p.ring.empty.At(at.stage.Get()).Arrive() })
		at.advance()
	}
}

// overlap is consume with the products of one stage in flight while the next is waited for: a stage is released when the
// products after it have been started.
func (p *product) overlap(acc ir.Fragment[ir.F32], at cursor, t ir.MatrixType) {
	k, c := p.k, p.k.ConstU32
	before := ir.NewVar(c(0))
	for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
		at.waitFull()
		p.multiply(acc, at, 0, block, t)
		k.WGMMAWait(1)
		k.If(block.NotEqual(c(0)), func() {
			k.If(k.Elect(), func() { p.ring.empty.At(before.Get()).Arrive() })
		})
		before.Set(at.stage.Get())
		at.advance()
	}
	k.WGMMAWait(0)
}

// subject is the case of a product: factors, their maps and the result from the definition.
func (p *product) subject(k *ir.Kernel, about string, kind op.Kind, rows, grid int) *Subject {
	kLen := p.blocks * rowBytes / p.elem
	mapType := emulate.MapBF16
	if kind == op.E4M3 {
		mapType = emulate.MapU8
	}
	a, b := small(1, 3), small(8, 4)
	return &Subject{Name: k.Name, About: about,
		Buffers: []Buffer{in("a", kind, []int{rows, kLen}, a), in("b", kind, []int{p.n, kLen}, b), out("d", op.F32, []int{rows, p.n}, func(i int) float64 {
			sum := 0.0
			for j := range kLen {
				sum += a(i/p.n*kLen+j) * b(i%p.n*kLen+j)
			}
			return sum
		})},
		Maps: []Map{matrixMap("a", "a", mapType, p.elem, rows, kLen, p.aRows, rowBytes/p.elem, emulate.Swizzle128B),
			matrixMap("b", "b", mapType, p.elem, p.n, kLen, p.n, rowBytes/p.elem, emulate.Swizzle128B)},
		Launches: []Launch{{k, [3]int{grid, 1, 1}, []Arg{tensor("a"), tensor("b"), buffer("d")}}}}
}

// warpSpecialised has a warp that copies and a warpgroup that multiplies with one group in flight.
func warpSpecialised() (*Subject, error) {
	var p *product
	k, err := build("warp_specialised", ir.Contract{Block: [3]int{160}}, func(k *ir.Kernel) {
		p = newProduct(k, 2, 64, 64, 8, 2)
		acc, c := ir.NewFragment[ir.F32](k, "acc", 32), k.ConstU32
		row := k.CTAIDX().Mul(c(64))
		p.ring.init(4)
		k.Barrier()
		k.If(k.InWarpgroups(0, 1), func() {
			p.overlap(acc, p.ring.consumer(), ir.MatrixBF16)
			p.store(acc, row)
		}).Else(func() {
			k.If(k.Elect(), func() {
				at := p.ring.producer()
				for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
					p.fetch(at, row, block)
				}
			})
		})
	})
	if err != nil {
		return nil, err
	}
	return p.subject(k, "bf16 product: one warp copies boxes, one warpgroup multiplies", op.BF16, 128, 2), nil
}

// pingPong has two warpgroups that take tiles in turn: while one stores, the other multiplies. Named barriers 1 and 2 give
// the turn.
func pingPong() (*Subject, error) {
	const tiles = 8 // so many that every step of the ring wraps and goes on
	var p *product
	k, err := build("ping_pong", ir.Contract{Block: [3]int{288}}, func(k *ir.Kernel) {
		p = newProduct(k, 3, 64, 32, 4, 2)
		acc, c := ir.NewFragment[ir.F32](k, "acc", 16), k.ConstU32
		p.ring.init(4)
		k.Barrier()
		k.If(k.InWarps(8, 1), func() {
			k.If(k.Elect(), func() {
				at := p.ring.producer()
				for tile := range k.Loop(c(0), c(tiles), c(1), ir.NoUnroll) {
					for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
						p.fetch(at, tile.Mul(c(64)), block)
					}
				}
			})
		})
		for me := range 2 {
			k.If(k.InWarpgroups(me, 1), func() { p.takeTurns(acc, me, tiles) })
		}
	})
	if err != nil {
		return nil, err
	}
	return p.subject(k, "bf16 product: two warpgroups multiply and store in turn", op.BF16, tiles*64, 1), nil
}

// takeTurns multiplies tiles me, me+2, … The stages of the tiles in between are the other warpgroup's.
func (p *product) takeTurns(acc ir.Fragment[ir.F32], me, tiles int) {
	k, c := p.k, p.k.ConstU32
	const turn, both = 1, 256
	at := p.ring.consumer()
	skip := func() {
		for range p.blocks {
			at.advance()
		}
	}
	if me == 1 {
		at = p.ring.consumerAt(p.blocks)
		k.BarrierArrive(turn, both) // the first turn is the other's
	}
	for tile := range k.Loop(c(uint32(me)), c(uint32(tiles)), c(2), ir.NoUnroll) {
		k.BarrierNamed(turn+me, both)
		p.consume(acc, at, 0, ir.MatrixBF16)
		last := tile.Equal(c(uint32(tiles - 1)))
		k.If(last.Not(), func() { k.BarrierArrive(turn+1-me, both) })
		skip()
		p.store(acc, tile.Mul(c(64)))
	}
}

// registerFactor multiplies with A in registers, loaded from global memory as the fragment lies (PTX ISA 9.7.15.5.1.2), and
// with B as threads wrote it to shared memory: swizzled by hand and fenced for the async proxy.
func registerFactor() (*Subject, error) {
	const n, kLen = 32, 64
	k, err := build("register_factor", ir.Contract{Block: [3]int{128}}, func(k *ir.Kernel) {
		a := ir.GlobalParam[ir.BF16x2](k, "a", ir.Constant, ir.Aligned(16))
		b := ir.GlobalParam[ir.U32](k, "b", ir.Constant, ir.Aligned(16))
		d := ir.GlobalParam[ir.F32](k, "d", ir.Writes, ir.Aligned(16))
		tile := ir.SharedArray[ir.U32](k, "tile", n*rowBytes/4, 1024)
		acc, frag := ir.NewFragment[ir.F32](k, "acc", n/2), ir.NewFragment[ir.BF16x2](k, "frag", kLen/4)
		c, t := k.ConstU32, k.TIDX()
		for part := range n * rowBytes / 16 / 128 { // 16-byte chunks of rows
			chunk := t.Add(c(uint32(128 * part)))
			row, col := chunk.ShiftRight(c(3)), chunk.And(c(7))
			to := row.ShiftLeft(c(3)).Add(col.Xor(row.And(c(7))))
			tile.At(to.ShiftLeft(c(2))).StoreVec(b.At(chunk.ShiftLeft(c(2))).LoadVec(4))
		}
		k.FenceProxyAsync(ir.ProxyShared)
		k.Barrier()
		lane, warp := k.LaneID(), t.ShiftRight(c(5))
		first := warp.ShiftLeft(c(4)).Add(lane.ShiftRight(c(2)))
		from := a.At(first.Mul(c(kLen / 2)).Add(lane.And(c(3))))
		for step := range kLen / 16 {
			for q := range 4 { // two elements each: rows +8 for odd q, columns +8 for the upper two
				v := from.AtConst(8*step + 4*(q/2) + q%2*8*kLen/2).Load()
				frag.Set(4*step+q, ir.Vec[ir.BF16x2]{v})
			}
		}
		desc := ir.Describe(tile, swizzled)
		k.WGMMAFence()
		for step := range kLen / 16 {
			var opts []ir.WGMMAOption
			if step == 0 {
				opts = append(opts, ir.ZeroD)
			}
			ir.WGMMARegisters(acc, frag, 4*step, desc.AddConst(32*step), ir.MatrixBF16, ir.MatrixBF16, opts...)
		}
		k.WGMMACommit()
		k.WGMMAWait(0)
		p := product{k: k, d: d, n: n}
		p.store(acc, c(0))
	})
	if err != nil {
		return nil, err
	}
	x, y := small(2, 3), small(7, 4)
	return &Subject{Name: k.Name, About: "wgmma with A in registers and B written by threads",
		Buffers: []Buffer{in("a", op.BF16, []int{64, kLen}, x), in("b", op.BF16, []int{n, kLen}, y), out("d", op.F32, []int{64, n}, func(i int) float64 {
			sum := 0.0
			for j := range kLen {
				sum += x(i/n*kLen+j) * y(i%n*kLen+j)
			}
			return sum
		})},
		Launches: []Launch{{k, [3]int{1, 1, 1}, []Arg{buffer("a"), buffer("b"), buffer("d")}}}}, nil
}

// fp8Product multiplies e4m3 factors; values are small enough that the accumulator's 13 mantissa bits hold every sum.
func fp8Product() (*Subject, error) {
	var p *product
	k, err := build("fp8_product", ir.Contract{Block: [3]int{160}}, func(k *ir.Kernel) {
		p = newProduct(k, 2, 64, 48, 8, 1)
		acc, c := ir.NewFragment[ir.F32](k, "acc", 24), k.ConstU32
		row := k.CTAIDX().Mul(c(64))
		p.ring.init(4)
		k.Barrier()
		k.If(k.InWarps(4, 1), func() {
			k.If(k.Elect(), func() {
				at := p.ring.producer()
				for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
					p.fetch(at, row, block)
				}
			})
		}).Else(func() {
			p.consume(acc, p.ring.consumer(), 0, ir.MatrixE4M3)
			p.store(acc, row)
		})
	})
	if err != nil {
		return nil, err
	}
	return p.subject(k, "e4m3 product: boxes of bytes, 32 elements a step", op.E4M3, 64, 1), nil
}

// registerRoles gives the registers of the warpgroup that copies to the two that multiply, each 64 × 128 tiles of one box.
func registerRoles() (*Subject, error) {
	const n = 128
	var p *product
	k, err := build("register_roles", ir.Contract{Block: [3]int{384}}, func(k *ir.Kernel) {
		p = newProduct(k, 1, 128, n, 3, 2)
		acc, c := ir.NewFragment[ir.F32](k, "acc", n/2), k.ConstU32
		p.ring.init(8)
		k.Barrier()
		k.If(k.InWarpgroups(0, 1), func() {
			k.DecreaseRegisters(40)
			oneOf(k, 0, func() {
				at := p.ring.producer()
				for block := range k.Loop(c(0), c(uint32(p.blocks)), c(1), ir.NoUnroll) {
					p.fetch(at, c(0), block)
				}
			})
		}).Else(func() {
			k.IncreaseRegisters(232)
			for me := range 2 {
				k.If(k.InWarpgroups(1+me, 1), func() {
					p.consume(acc, p.ring.consumer(), 64*me, ir.MatrixBF16)
					p.store(acc, c(uint32(64*me)))
				})
			}
		})
	})
	if err != nil {
		return nil, err
	}
	return p.subject(k, "setmaxnreg moves registers from the copying warpgroup to two that multiply", op.BF16, 128, 1), nil
}
