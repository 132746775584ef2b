package probes

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/golden"
	"github.com/oxideinfer/oxide/ir"
)

// warpProducts are the forms of mma.sync that the IR has, each with every kind of numbers.
func warpProducts(c *collector) {
	for _, m := range golden.MmaShapes() {
		if m.Saturate || m.M == 8 { // the IR has neither
			continue
		}
		k := &Kernel{Name: m.String(), Contract: ir.Contract{Block: [3]int{32}}}
		switch m.D {
		case "f32":
			k.Body = func(k *ir.Kernel) { multiplyWarp[ir.F32, ir.F16x2](k, m) }
		case "f16":
			k.Body = func(k *ir.Kernel) { multiplyWarp[ir.F16x2, ir.F16x2](k, m) }
		default:
			k.Body = func(k *ir.Kernel) { multiplyWarp[ir.S32, ir.U32](k, m) }
		}
		for i, kind := range golden.Kinds(m.A) {
			name := fmt.Sprintf("%s_%d", m, i)
			c.add(k, name, func() (int, []Arg) {
				const blocks = 8
				kinds := make([]golden.Kind, blocks)
				for j := range kinds {
					kinds[j] = kind
				}
				var args []Arg
				for _, b := range m.Case(random(name).Uint64(), kinds...).Buffers {
					args = append(args, Arg{Data: b.Data, Out: b.Out})
				}
				return blocks, args
			})
		}
	}
}

func multiplyWarp[D, A ir.Elem](k *ir.Kernel, m *golden.Mma) {
	d := ir.GlobalParam[D](k, "d", ir.Writes, ir.Aligned(16))
	a := ir.GlobalParam[A](k, "a", ir.Constant, ir.Aligned(16))
	b := ir.GlobalParam[A](k, "b", ir.Constant, ir.Aligned(16))
	c := ir.GlobalParam[D](k, "c", ir.Constant, ir.Aligned(16))
	na, nb, nd := m.Registers()
	lane := k.CTAIDX().ShiftLeft(k.ConstU32(5)).Add(k.TIDX())
	row := func(n int) ir.U32 { return lane.Mul(k.ConstU32(uint32(n))) }
	shape := ir.MMAShape(fmt.Sprintf("m%dn%dk%d", m.M, m.N, m.K))
	got := ir.MMA(shape, ir.MatrixType(m.A), ir.MatrixType(m.B), a.At(row(na)).LoadVec(na), b.At(row(nb)).LoadVec(nb), c.At(row(nd)).LoadVec(nd))
	d.At(row(nd)).StoreVec(got)
}

// matrices are ldmatrix and stmatrix of 1, 2 and 4 matrices, straight and transposed, with rows anywhere, and movmatrix.
func matrices(c *collector) {
	const bytes = 4096
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []bool{false, true} {
			var opts []ir.MatrixOption
			suffix := ""
			if trans {
				opts, suffix = append(opts, ir.Transposed), "_trans"
			}
			load := &Kernel{Name: fmt.Sprintf("ldmatrix_x%d%s", n, suffix), Contract: ir.Contract{Block: [3]int{32}}, Body: func(k *ir.Kernel) {
				to, rows, tile := matrixTile(k, bytes)
				v := ir.LoadMatrix[ir.U32](tile.At(rows), n, opts...)
				to.At(k.TIDX().Mul(k.ConstU32(uint32(n)))).StoreVec(v)
			}}
			store := &Kernel{Name: fmt.Sprintf("stmatrix_x%d%s", n, suffix), Contract: ir.Contract{Block: [3]int{32}}, Body: func(k *ir.Kernel) {
				to, rows, tile := matrixTile(k, bytes)
				v := tile.At(k.TIDX().Mul(k.ConstU32(uint32(n)))).LoadVec(n)
				k.SyncWarp()
				ir.StoreMatrix(tile.At(rows), v, opts...)
				k.SyncWarp()
				dump(k, tile, to, bytes/4, 32)
			}}
			for i := range 8 {
				for _, p := range []struct {
					k    *Kernel
					size int
				}{{load, 4 * 32 * n}, {store, bytes}} {
					name := fmt.Sprintf("%s_%d", p.k.Name, i)
					c.add(p.k, name, func() (int, []Arg) {
						r := random(name)
						var rows []uint32 // distinct rows of 16 bytes, as words
						for _, row := range r.Perm(bytes / 16)[:32] {
							rows = append(rows, uint32(4*row))
						}
						return 1, []Arg{out(p.size), {Data: randomBytes(r, bytes)}, words(rows)}
					})
				}
			}
		}
	}
}

// matrixTile loads a tile, and each lane's row in it.
func matrixTile(k *ir.Kernel, bytes int) (to ir.Global[ir.U32], row ir.U32, tile ir.Shared[ir.U32]) {
	to = ir.GlobalParam[ir.U32](k, "out", ir.Writes, ir.Aligned(16))
	in := ir.GlobalParam[ir.U32](k, "in", ir.Constant, ir.Aligned(16))
	rows := ir.GlobalParam[ir.U32](k, "rows", ir.Constant, ir.Aligned(16))
	tile = ir.SharedArray[ir.U32](k, "tile", bytes/4, 128)
	fill(k, tile, in, bytes/4, 32)
	k.SyncWarp()
	return to, rows.At(k.TIDX()).Load(), tile
}

// fill copies n words to shared memory by all threads of the block, dump to global memory.
func fill(k *ir.Kernel, to ir.Shared[ir.U32], from ir.Global[ir.U32], n, threads int) {
	for i := range k.Loop(k.TIDX(), k.ConstU32(uint32(n)), k.ConstU32(uint32(threads)), ir.NoUnroll) {
		to.At(i).Store(from.At(i).Load())
	}
}

func dump(k *ir.Kernel, from ir.Shared[ir.U32], to ir.Global[ir.U32], n, threads int) {
	for i := range k.Loop(k.TIDX(), k.ConstU32(uint32(n)), k.ConstU32(uint32(threads)), ir.NoUnroll) {
		to.At(i).Store(from.At(i).Load())
	}
}
