package probes

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/golden"
	"github.com/oxideinfer/oxide/ir"
)

// product is a form of wgmma.
type product struct {
	golden.Wgmma
	scale scale
	kinds []golden.Kind
}

// scale is how an instruction says whether D's content counts.
type scale uint8

const (
	always scale = iota
	never
	onTrue  // by a predicate that holds
	onFalse // and one that does not
)

// columns are the N that an instruction takes (PTX ISA 9.7.15.2).
func columns(t string) (out []int) {
	for n := 8; n <= 256; n += 8 {
		if t != "s32" || n <= 32 && n != 0 || n%16 == 0 {
			out = append(out, n)
		}
	}
	return out
}

// warpgroupProducts are all types × places of A × swizzles × major dimensions × N. Signs, saturation, the treatment of D and
// the start inside a swizzled row take turns, so that each meets every layout.
func warpgroupProducts(c *collector) {
	turn := 0
	for _, t := range golden.WgmmaTypes() {
		for _, registers := range []bool{false, true} {
			for _, swizzle := range []int{0, 32, 64, 128} {
				for _, major := range majors(t[1], registers) {
					for _, n := range columns(t[0]) {
						p := &product{Wgmma: golden.Wgmma{N: n, D: t[0], A: t[1], B: t[2], Registers: registers, Swizzle: swizzle, MNMajorA: major[0], MNMajorB: major[1]}}
						p.vary(turn)
						c.product(p)
						turn++
					}
					turn++ // the number of Ns is a multiple of the number of variations
				}
			}
		}
	}
}

// majors are the major dimensions that both factors may have: only elements of two bytes have a choice, in shared memory.
func majors(t string, registers bool) [][2]bool {
	switch {
	case t != "f16" && t != "bf16":
		return [][2]bool{{}}
	case registers:
		return [][2]bool{{}, {false, true}}
	}
	return [][2]bool{{}, {false, true}, {true, false}, {true, true}}
}

// vary gives a form its modifiers and inputs.
func (p *product) vary(turn int) {
	all := golden.Kinds(p.A)
	blocks := 3
	if p.N > 96 {
		blocks = 1
	}
	for i := range blocks {
		p.kinds = append(p.kinds, all[(turn*blocks+i)%len(all)])
	}
	p.scale = []scale{always, never, onTrue, onFalse}[turn%4]
	if p.D == "s32" {
		p.Saturate = turn/4%2 == 1
	} else {
		p.NegateA, p.NegateB = turn/4%2 == 1, turn/8%2 == 1
	}
	if steps := p.Swizzle / 32; steps > 1 && !p.MNMajorA && !p.MNMajorB {
		p.Slice = turn / 3 % steps
	}
	if turn%5 == 0 && p.Swizzle > 32 { // the tile starts inside its pattern and says so
		p.Line = 1 + turn/5%(p.Swizzle/16-1)
		p.BaseOffset = p.Line
	}
}

func (c *collector) product(p *product) {
	name := p.String() + []string{"", "_zero", "_true", "_false"}[p.scale]
	k := &Kernel{Name: name, Contract: ir.Contract{Block: [3]int{128}}}
	switch p.D {
	case "f32":
		k.Body = func(k *ir.Kernel) { multiply[ir.F32](k, p) }
	case "f16":
		k.Body = func(k *ir.Kernel) { multiply[ir.F16x2](k, p) }
	default:
		k.Body = func(k *ir.Kernel) { multiply[ir.S32](k, p) }
	}
	seed := random(name).Uint64()
	c.add(k, name, func() (int, []Arg) {
		var args []Arg
		for _, b := range p.Case(seed, p.kinds...).Buffers {
			args = append(args, Arg{Data: b.Data, Out: b.Out})
		}
		return len(p.kinds), append(args, word(1))
	})
}

// multiply brings an image of the tiles to shared memory and multiplies them once.
func multiply[D ir.Elem](k *ir.Kernel, p *product) {
	d := ir.GlobalParam[D](k, "d", ir.Writes, ir.Aligned(16))
	image := ir.GlobalParam[ir.U32](k, "image", ir.Constant, ir.Aligned(16))
	addend := ir.GlobalParam[D](k, "addend", ir.Constant, ir.Aligned(16))
	var left ir.Global[ir.U32]
	if p.Registers {
		left = ir.GlobalParam[ir.U32](k, "left", ir.Constant, ir.Aligned(16))
	}
	one := ir.Param[ir.U32](k, "one")
	n, size := p.Accumulators(), p.SharedBytes()
	tile, acc := ir.SharedArray[ir.U32](k, "tile", size/4, 1024), ir.NewFragment[D](k, "acc", n)
	c, t, b := k.ConstU32, k.TIDX(), k.CTAIDX()
	from := image.At(b.Mul(c(uint32(size / 4))))
	for i := range k.Loop(t.ShiftLeft(c(2)), c(uint32(size/4)), c(512), ir.NoUnroll) {
		tile.At(i).StoreVec(from.At(i).LoadVec(4))
	}
	k.FenceProxyAsync(ir.ProxyShared)
	k.Barrier()
	row := b.Mul(c(128)).Add(t)
	for i := 0; i < n; i += 2 {
		acc.Set(i, addend.At(row.Mul(c(uint32(n)))).AtConst(i).LoadVec(2))
	}
	var a ir.Fragment[ir.U32]
	if p.Registers {
		a = ir.NewFragment[ir.U32](k, "a", 4)
		a.Set(0, left.At(row.ShiftLeft(c(2))).LoadVec(4))
	}
	k.WGMMAFence()
	p.instruction(k, tile, one, func(da, db ir.MatrixDesc, opts []ir.WGMMAOption) {
		if p.Registers {
			ir.WGMMARegisters(acc, a, 0, db, ir.MatrixType(p.A), ir.MatrixType(p.B), opts...)
		} else {
			ir.WGMMA(acc, da, db, ir.MatrixType(p.A), ir.MatrixType(p.B), opts...)
		}
	})
	k.WGMMACommit()
	k.WGMMAWait(0)
	for i := 0; i < n; i += 2 {
		d.At(row.Mul(c(uint32(n)))).AtConst(i).StoreVec(acc.Get(i, 2))
	}
}

// instruction makes the descriptors and options of the form.
func (p *product) instruction(k *ir.Kernel, tile ir.Shared[ir.U32], one ir.U32, emit func(a, b ir.MatrixDesc, opts []ir.WGMMAOption)) {
	describe := func(t golden.Tile) ir.MatrixDesc {
		swizzle := map[int]ir.Swizzle{0: ir.NoSwizzle, 32: ir.Swizzle32B, 64: ir.Swizzle64B, 128: ir.Swizzle128B}[p.Swizzle]
		return ir.Describe(tile.AtConst(t.Start/4), ir.TileLayout{LeadingBytes: t.LeadingBytes, StrideBytes: t.StrideBytes, BaseOffset: t.BaseOffset, Swizzle: swizzle})
	}
	var opts []ir.WGMMAOption
	add := func(on bool, o ir.WGMMAOption) {
		if on {
			opts = append(opts, o)
		}
	}
	add(p.NegateA, ir.NegateA)
	add(p.NegateB, ir.NegateB)
	add(p.MNMajorA, ir.TransposeA)
	add(p.MNMajorB, ir.TransposeB)
	add(p.Saturate, ir.SatFinite)
	add(p.scale == never, ir.ZeroD)
	a, b := p.Tiles()
	var da ir.MatrixDesc
	if !p.Registers {
		da = describe(a)
	}
	db := describe(b)
	if p.scale == onTrue || p.scale == onFalse {
		want := uint32(1)
		if p.scale == onFalse {
			want = 2
		}
		equal := one.Equal(k.ConstU32(want))
		add(true, ir.AddWhere(equal))
	}
	emit(da, db, opts)
}
