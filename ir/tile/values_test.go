package tile_test

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// product is a kernel whose second warpgroup has x·yᵀ of two tiles in an accumulator of 64 × n when finish runs.
type product struct {
	k     *ir.Kernel
	b     *tile.Block
	math  *tile.Role
	acc   *tile.Accumulator
	n     int
	extra []tile.Layout // tiles of finish
}

func (p *product) build(t *testing.T, declare func(), finish func()) *ir.Kernel {
	t.Helper()
	x := tile.Layout{Format: lib.BF16, Rows: 64, Cols: 64, Swizzle: ir.Swizzle128B}
	y := tile.Layout{Format: lib.BF16, Rows: p.n, Cols: 64, Swizzle: ir.Swizzle128B}
	return build(t, "product", 2, tile.Bytes(2, append([]tile.Layout{x, y}, p.extra...)...), func(k *ir.Kernel, b *tile.Block) {
		p.k, p.b = k, b
		gx, gy := b.Tensor("x", x, ir.Constant), b.Tensor("y", y, ir.Constant)
		tx, ty := b.Place("tx", x), b.Place("ty", y)
		copies := b.Role("copy", 1, 0)
		p.math = b.Role("math", 1, 0)
		declare()
		ring, zero := b.Ring("ring", copies, p.math, tx, ty), k.ConstU32(0)
		b.Ready()
		copies.Do(func() {
			copies.One(func() {
				fill := ring.Fill()
				s := fill.Acquire()
				s.Load(s.Tile(tx), gx, zero, zero)
				s.Load(s.Tile(ty), gy, zero, zero)
				fill.Advance()
			})
		})
		p.math.Do(func() {
			p.acc = b.Accumulator("acc", 64, p.n)
			s := ring.Use().Acquire()
			p.acc.Mul(s.Tile(tx), s.Tile(ty)).Wait()
			s.Release()
			finish()
		})
		b.Run()
	})
}

// run gives x and y, and what their product is.
func (p *product) run(t *testing.T, k *ir.Kernel, args ...any) func(r, c int) float64 {
	t.Helper()
	x, y := small(3), small(8)
	l := tile.Layout{Format: lib.BF16, Rows: 64, Cols: 64}
	irtest.Run(t, k, append([]any{memory(l, 64, 64, x), memory(l, p.n, 64, y)}, args...)...)
	return func(r, c int) float64 {
		sum := 0.0
		for j := range 64 {
			sum += x(r, j) * y(c, j)
		}
		return sum
	}
}

// TestValues: places, maps, rows and groups of an accumulator.
func TestValues(t *testing.T) {
	const n = 48
	p := &product{n: n}
	var d, sums, gated ir.Global[ir.F32]
	var neg ir.U32
	k := p.build(t, func() {
		d, sums, gated = ir.GlobalParam[ir.F32](p.k, "d", ir.Writes), ir.GlobalParam[ir.F32](p.k, "sums", ir.Writes), ir.GlobalParam[ir.F32](p.k, "gated", ir.Writes)
		neg = ir.Param[ir.U32](p.k, "negate")
	}, func() {
		k := p.k
		v := p.acc.Values(0, 16, 32)
		sum := v.Reduce(func(x, y ir.F32) ir.F32 { return x.Add(y) })
		v = v.WithRows(sum, func(x, row ir.F32) ir.F32 { return x.Add(row) })
		v = v.Zip(v, func(x, y ir.F32) ir.F32 { return x.Add(y) })
		v = v.If(neg.NotEqual(k.ConstU32(0)), func(v tile.Values) tile.Values { return v.Map(func(x ir.F32) ir.F32 { return x.Neg() }) })
		store(k, d, n, v)
		k.If(k.LaneID().And(k.ConstU32(3)).Equal(k.ConstU32(0)), func() {
			for half := range sum {
				sums.At(v.Row(2 * half)).Store(sum[half])
			}
		})
		store(k, gated, 8, p.acc.Values(0, 0, 16).Groups(func(x, y ir.F32) ir.F32 { return x.Sub(y) }))
	})
	gotD, gotSums, gotGated := make([]float32, 64*n), make([]float32, 64), make([]float32, 64*8)
	want := p.run(t, k, gotD, gotSums, gotGated, uint32(1))
	for r := range 64 {
		sum := 0.0
		for c := 16; c < n; c++ {
			sum += want(r, c)
		}
		if float64(gotSums[r]) != sum {
			t.Fatalf("sum of row %d: %v, want %v", r, gotSums[r], sum)
		}
		for c := 16; c < n; c++ {
			if got := float64(gotD[r*n+c]); got != -2*(want(r, c)+sum) {
				t.Fatalf("row %d column %d: %v, want %v", r, c, got, -2*(want(r, c)+sum))
			}
		}
		for c := range 8 {
			if got := float64(gotGated[r*8+c]); got != want(r, c)-want(r, 8+c) {
				t.Fatalf("column %d of the groups, row %d: %v", c, r, got)
			}
		}
	}
}

// TestFactor multiplies an accumulator, rounded and in registers, with a tile once more.
func TestFactor(t *testing.T) {
	for _, f := range []lib.Format{lib.BF16, lib.F16} {
		z := tile.Layout{Format: f, Rows: 32, Cols: 32, Swizzle: ir.Swizzle64B}
		p := &product{n: 32, extra: []tile.Layout{z}}
		var d ir.Global[ir.F32]
		var tz *tile.Shared
		k := p.build(t, func() {
			d, tz = ir.GlobalParam[ir.F32](p.k, "d", ir.Writes), p.b.Place("z", z)
		}, func() {
			k := p.k
			factor, again := p.b.Factor("p", f, 32), p.b.Accumulator("again", 64, 32)
			factor.Set(0, p.acc.Values(0, 0, 32).Map(func(x ir.F32) ir.F32 { return x.Min(k.ConstF32(3)).Max(k.ConstF32(-3)) }))
			for i := range k.Loop(k.TIDX().Sub(k.ConstU32(128)), k.ConstU32(32*32), k.ConstU32(128), ir.NoUnroll) {
				row, col := i.ShiftRight(k.ConstU32(5)), i.And(k.ConstU32(31))
				one := map[lib.Format]uint64{lib.BF16: 0x3f80, lib.F16: 0x3c00}[f]
				bit := ir.Select(row.LessEqual(col), k.ConstU32(uint32(one)), k.ConstU32(0))
				tile.Address[ir.U16](tz, row, col).Store(bit.ConvertToU16())
			}
			p.math.Publish()
			again.MulFactor(factor, tz).Wait()
			store(k, d, 32, again.Values(0, 0, 32))
		})
		got := make([]float32, 64*32)
		want := p.run(t, k, got)
		for i, x := range got { // z is upper triangular: the sum of the columns from i%32 on
			sum := 0.0
			for c := i % 32; c < 32; c++ {
				sum += max(-3, min(3, want(i/32, c)))
			}
			if float64(x) != sum {
				t.Fatalf("%s row %d column %d: %v, want %v", f, i/32, i%32, x, sum)
			}
		}
	}
}

// TestStaging stores an accumulator through a ring of tiles, of 16 and 32 bits, over the edge of the matrix.
func TestStaging(t *testing.T) {
	for _, f := range []lib.Format{lib.BF16, lib.F16, lib.F32} {
		for _, s := range swizzles[1:] {
			d := tile.Layout{Format: f, Rows: 64, Cols: map[ir.Swizzle]int{ir.Swizzle32B: 32, ir.Swizzle64B: 64, ir.Swizzle128B: 128}[s] / f.Bytes(), Swizzle: s, Stages: 2}
			if d.Cols < 16 {
				d.Cols *= 2
			}
			n := 4 * d.Cols
			p := &product{n: n, extra: []tile.Layout{d}}
			var gd *tile.Tensor
			var td *tile.Shared
			k := p.build(t, func() { gd, td = p.b.Tensor("d", d, ir.Writes), p.b.Place("td", d) }, func() {
				out := p.b.Staging(p.math, td, gd)
				for at := 0; at < n; at += d.Cols {
					out.Write(p.acc.Values(0, at, d.Cols), p.k.ConstU32(0), p.k.ConstU32(uint32(at)))
				}
				out.Finish()
			})
			rows, cols := 59, n-5
			got := memory(d, rows, cols, func(int, int) float64 { return 99 })
			want := p.run(t, k, got)
			for r := range rows {
				for c := range cols {
					if x, w := element(d, got, r, c), formats[f].Decode(formats[f].Encode(want(r, c), 0)); x != w {
						t.Fatalf("%s row %d column %d: %v, want %v", d, r, c, x, w)
					}
				}
			}
		}
	}
}

// TestTurns: three warpgroups append to a list in turn, each several times.
func TestTurns(t *testing.T) {
	const rounds = 4
	k := build(t, "turns", 3, tile.Bytes(3), func(k *ir.Kernel, b *tile.Block) {
		list := ir.GlobalParam[ir.U32](k, "list", ir.Writes)
		role, c := b.Role("all", 3, 0), k.ConstU32
		turns := b.Turns("turns", role)
		b.Ready()
		role.Do(func() {
			turns.Begin()
			for i := range k.Loop(c(0), c(rounds), c(1), ir.NoUnroll) {
				turns.Take()
				role.OneEach(func() {
					n := list.Load()
					list.At(n.Add(c(1))).Store(i.Mul(c(10)).Add(role.Warpgroup()))
					list.Store(n.Add(c(1)))
				})
				turns.Give()
			}
		})
		b.Run()
	})
	list := make([]uint32, 1+3*rounds)
	irtest.Run(t, k, list)
	for i, x := range list[1:] {
		if want := uint32(i/3*10 + i%3); x != want {
			t.Errorf("entry %d: %d, want %d", i, x, want)
		}
	}
}
