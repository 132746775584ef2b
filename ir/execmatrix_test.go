package ir_test

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
)

func matrixCases() map[string]shapedCase {
	return map[string]shapedCase{
		"warp products": {[]string{"mma", "ldmatrix", "stmatrix", "movmatrix"}, runWarpProduct},
		"warpgroup products": {[]string{"wgmma", "wgmma_rs", "wgmma_fence", "wgmma_commit", "wgmma_wait", "matrix_desc", "desc_add", "reg_read", "reg_write",
			"setmaxnreg", "in_warps"}, runWarpgroupProduct},
	}
}

// halves makes bf16 values of small integers.
func halves(n int, f func(i int) int) *buffer {
	b := &buffer{}
	for i := range n {
		b.data = binary.LittleEndian.AppendUint16(b.data, uint16(numfmt.BF16.Encode(float64(f(i)), numfmt.RN)))
	}
	return b
}

func pattern(seed int) func(i int) int { return func(i int) int { return (i*5+seed)%7 - 3 } }

// runWarpProduct multiplies A (16 × 16) by B (8 × 16, rows are columns of the product): A and Bᵀ come through ldmatrix, B is
// transposed again in registers, and the result goes through stmatrix as bf16.
func runWarpProduct(m *machine) {
	k := m.build("warp_product", block(32), func(k *ir.Kernel) {
		a := ir.GlobalParam[ir.BF16](k, "a", ir.Constant, ir.Aligned(16))
		b := ir.GlobalParam[ir.BF16](k, "b", ir.Constant, ir.Aligned(16))
		out := ir.GlobalParam[ir.BF16](k, "out", ir.Aligned(16))
		s := ir.SharedArray[ir.BF16](k, "s", 16*16+8*16, 16)
		c, t := k.ConstU32, k.TIDX()
		at := t.ShiftLeft(c(3))
		s.At(at).StoreVec(a.At(at).LoadVec(8))
		k.If(t.Less(c(16)), func() { s.AtConst(256).At(at).StoreVec(b.At(at).LoadVec(8)) })
		k.SyncWarp()
		// Matrices of a: rows 0-7 and 8-15 of the left half, then of the right half.
		row, half := t.And(c(15)), t.ShiftRight(c(4)).ShiftLeft(c(3))
		fa := ir.LoadMatrix[ir.BF16x2](s.At(row.ShiftLeft(c(4)).Add(half)), 4)
		// Matrices of b: rows are columns of the product; loaded transposed and turned back.
		left := t.And(c(7)).ShiftLeft(c(4)).Add(t.ShiftRight(c(3)).And(c(1)).ShiftLeft(c(3)))
		fb := ir.LoadMatrix[ir.BF16x2](s.AtConst(256).At(left), 2, ir.Transposed)
		for i := range fb {
			fb[i] = fb[i].TransposeMatrix()
		}
		zero := k.ConstF32(0)
		d := ir.MMA(ir.M16N8K16, ir.MatrixBF16, ir.MatrixBF16, fa, fb, ir.Vec[ir.F32]{zero, zero, zero, zero})
		k.SyncWarp()
		ir.StoreMatrix(s.At(row.ShiftLeft(c(3))), ir.Vec[ir.BF16x2]{d[0].ConvertToBF16x2(d[1]), d[2].ConvertToBF16x2(d[3])})
		k.SyncWarp()
		k.If(t.Less(c(16)), func() { out.At(at).StoreVec(s.At(at).LoadVec(8)) })
	})
	x, y := pattern(1), pattern(4)
	out := &buffer{data: make([]byte, 16*8*2)}
	m.run(k, one, halves(256, x), halves(128, y), out)
	want := halves(128, func(i int) int {
		sum := 0
		for j := range 16 {
			sum += x(i/8*16+j) * y(i%8*16+j)
		}
		return sum
	})
	m.equal("warp product", out.u32(), want.u32())
}

// runWarpgroupProduct multiplies A (64 × 64) by B (16 × 64): once with A in shared memory, and again, added, with A in
// registers. Tiles are stored without a swizzle: 8 rows of 16 bytes are a block, blocks of a row follow one another.
func runWarpgroupProduct(m *machine) {
	const n, kLen = 16, 64
	k := m.build("warpgroup_product", ir.Contract{Block: [3]int{256}}, func(k *ir.Kernel) {
		a := ir.GlobalParam[ir.BF16](k, "a", ir.Constant, ir.Aligned(16))
		b := ir.GlobalParam[ir.BF16](k, "b", ir.Constant, ir.Aligned(16))
		out := ir.GlobalParam[ir.F32](k, "out", ir.Aligned(8))
		sa, sb := ir.SharedArray[ir.BF16](k, "sa", 64*kLen, 128), ir.SharedArray[ir.BF16](k, "sb", n*kLen, 128)
		acc, frag := ir.NewFragment[ir.F32](k, "acc", n/2), ir.NewFragment[ir.BF16x2](k, "frag", 4)
		c, t := k.ConstU32, k.TIDX()
		chunk := func(i ir.U32, from ir.Global[ir.BF16], to ir.Shared[ir.BF16]) { // 16 bytes to their block
			row, col := i.ShiftRight(c(3)), i.And(c(7))
			place := row.ShiftRight(c(3)).Mul(c(8)).Add(col).Mul(c(8)).Add(row.And(c(7)))
			to.At(place.ShiftLeft(c(3))).StoreVec(from.At(i.ShiftLeft(c(3))).LoadVec(8))
		}
		chunk(t, a, sa)
		chunk(t.Add(c(256)), a, sa)
		k.If(t.Less(c(128)), func() { chunk(t, b, sb) })
		k.FenceProxyAsync(ir.ProxyShared)
		k.Barrier()
		k.If(k.InWarpgroups(1, 1), func() { k.DecreaseRegisters(64) }).Else(func() {
			k.IncreaseRegisters(256)
			acc.Fill(k.ConstF32(1))
			l := ir.TileLayout{LeadingBytes: 128, StrideBytes: 1024}
			da, db := ir.Describe(sa, l), ir.Describe(sb, l)
			k.WGMMAFence()
			for step := range kLen / 16 {
				ir.WGMMA(acc, da.AddConst(256*step), db.Add(c(uint32(256*step))), ir.MatrixBF16, ir.MatrixBF16)
			}
			k.WGMMACommit()
			k.WGMMAWait(0)
			lane := k.LaneID()
			first := t.ShiftRight(c(5)).ShiftLeft(c(4)).Add(lane.ShiftRight(c(2)))
			left := ir.Cast[ir.BF16x2](a).At(first.Mul(c(kLen / 2)).Add(lane.And(c(3))))
			for step := range kLen / 16 {
				var v ir.Vec[ir.BF16x2]
				for q := range 4 {
					v = append(v, left.AtConst(8*step+4*(q/2)+q%2*8*kLen/2).Load())
				}
				frag.Set(0, v)
				k.WGMMAFence()
				ir.WGMMARegisters(acc, frag, 0, db.AddConst(256*step), ir.MatrixBF16, ir.MatrixBF16)
				k.WGMMACommit()
				k.WGMMAWait(0)
			}
			to := out.At(first.Mul(c(n)).Add(lane.And(c(3)).ShiftLeft(c(1))))
			for i := 0; i < acc.Len(); i += 4 {
				v := acc.Get(i, 4)
				to.AtConst(2 * i).StoreVec(v[:2])
				to.AtConst(2*i + 8*n).StoreVec(v[2:])
			}
		})
	})
	x, y := pattern(2), pattern(3)
	out := &buffer{data: make([]byte, 64*n*4)}
	m.run(k, one, halves(64*kLen, x), halves(n*kLen, y), out)
	for i, got := range out.f32() {
		sum := 0
		for j := range kLen {
			sum += x(i/n*kLen+j) * y(i%n*kLen+j)
		}
		if got != float32(1+2*sum) {
			m.t.Fatalf("row %d column %d: got %v, want %d", i/n, i%n, got, 1+2*sum)
		}
	}
}
