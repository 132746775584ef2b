package tile_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

var swizzles = []ir.Swizzle{ir.NoSwizzle, ir.Swizzle32B, ir.Swizzle64B, ir.Swizzle128B}

var formats = map[lib.Format]numfmt.Format{lib.BF16: numfmt.BF16, lib.F16: numfmt.F16, lib.E4M3: numfmt.E4M3, lib.F32: numfmt.F32}

// small gives integers from -3 to 3 that repeat after a prime number of elements: every order of summation gives one sum.
func small(seed int) func(r, c int) float64 {
	return func(r, c int) float64 { return float64((r*29+c*5+seed)%23%7 - 3) }
}

// memory is a matrix whose contiguous dimension is the tile's: the bytes of an argument.
func memory(l tile.Layout, rows, cols int, at func(r, c int) float64) irtest.Tensor {
	lines, length := rows, cols
	if l.Major == tile.ColumnMajor {
		lines, length = cols, rows
	}
	size := l.Format.Bytes()
	stride := (length*size + 15) / 16 * 16
	data := make([]byte, lines*stride)
	for i := range lines {
		for j := range length {
			r, c := i, j
			if l.Major == tile.ColumnMajor {
				r, c = j, i
			}
			var word [4]byte
			binary.LittleEndian.PutUint32(word[:], formats[l.Format].Encode(at(r, c), numfmt.RN))
			copy(data[i*stride+j*size:], word[:size])
		}
	}
	return irtest.Tensor{Slice: data, Dims: []int{length, lines}, Strides: []int{stride}}
}

// element reads the matrix back.
func element(l tile.Layout, m irtest.Tensor, r, c int) float64 {
	if l.Major == tile.ColumnMajor {
		r, c = c, r
	}
	size := l.Format.Bytes()
	var word [4]byte
	copy(word[:], m.Slice.([]byte)[r*m.Strides[0]+c*size:][:size])
	return formats[l.Format].Decode(binary.LittleEndian.Uint32(word[:]))
}

// build builds a kernel of so many warpgroups.
func build(t *testing.T, name string, warpgroups, shared int, body func(k *ir.Kernel, b *tile.Block)) *ir.Kernel {
	t.Helper()
	k, err := ir.BuildFunc(name, ir.Contract{Block: [3]int{128 * warpgroups}, DynamicSharedBytes: shared}, func(k *ir.Kernel) {
		body(k, tile.In(k))
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// store writes 64 rows of an accumulator to a dense matrix.
func store(k *ir.Kernel, p ir.Global[ir.F32], cols int, v tile.Values) {
	for i := range v.Len() {
		p.At(v.Row(i).Mul(k.ConstU32(uint32(cols))).Add(v.Col(i))).Store(v.At(i))
	}
}

// TestFactors multiplies tiles of every swizzle, major and format, of one panel and of several, copied by the tensor map
// that is made from them.
func TestFactors(t *testing.T) {
	for _, f := range []lib.Format{lib.BF16, lib.F16, lib.E4M3} {
		for _, mx := range []tile.Major{tile.RowMajor, tile.ColumnMajor} {
			for _, my := range []tile.Major{tile.RowMajor, tile.ColumnMajor} {
				for _, sx := range swizzles {
					sy := swizzles[(len(sx)+len(mx))%4] // another one
					if f == lib.E4M3 && (mx != "" || my != "") {
						continue
					}
					x := tile.Layout{Format: f, Rows: 64, Cols: 128 / f.Bytes(), Major: mx, Swizzle: sx}
					y := tile.Layout{Format: f, Rows: 64, Cols: 128 / f.Bytes(), Major: my, Swizzle: sy}
					t.Run(fmt.Sprintf("%s·%s", x, y), func(t *testing.T) { factors(t, x, y) })
				}
			}
		}
	}
}

func factors(t *testing.T, x, y tile.Layout) {
	const loops = 2
	k := build(t, "factors", 2, tile.Bytes(2, x, y), func(k *ir.Kernel, b *tile.Block) {
		gx, gy := b.Tensor("x", x, ir.Constant), b.Tensor("y", y, ir.Constant)
		d := ir.GlobalParam[ir.F32](k, "d", ir.Writes)
		tx, ty := b.Place("tx", x), b.Place("ty", y)
		copies, math := b.Role("copy", 1, 0), b.Role("math", 1, 0)
		ring, c := b.Ring("ring", copies, math, tx, ty), k.ConstU32
		b.Ready()
		copies.Do(func() {
			copies.One(func() {
				fill := ring.Fill()
				for i := range k.Loop(c(0), c(loops), c(1), ir.NoUnroll) {
					s, at := fill.Acquire(), i.Mul(c(uint32(x.Cols)))
					s.Load(s.Tile(tx), gx, c(0), at)
					s.Load(s.Tile(ty), gy, c(0), at)
					fill.Advance()
				}
			})
		})
		math.Do(func() {
			acc, use := b.Accumulator("acc", 64, y.Rows), ring.Use()
			for i := range k.Loop(c(0), c(loops), c(1), ir.NoUnroll) {
				s := use.Acquire()
				acc.MulAddWhere(i.NotEqual(c(0)), s.Tile(tx), s.Tile(ty)).Wait()
				s.Release()
				use.Advance()
			}
			store(k, d, y.Rows, acc.Values(0, 0, y.Rows))
		})
		b.Run()
	})
	// Less than the tiles take: rows and columns outside come as zeros. A copy's corner stays a multiple of 16 bytes.
	rows, cols := 61, loops*x.Cols-3
	ax, ay, d := small(1), small(2), make([]float32, 64*y.Rows)
	irtest.Run(t, k, memory(x, rows, cols, ax), memory(y, y.Rows, cols, ay), d, irtest.Schedules(irtest.Schedule{Seed: 3}))
	for i, got := range d {
		want := 0.0
		for j := range cols {
			if i/y.Rows < rows {
				want += ax(i/y.Rows, j) * ay(i%y.Rows, j)
			}
		}
		if float64(got) != want {
			t.Fatalf("row %d column %d: %v, want %v", i/y.Rows, i%y.Rows, got, want)
		}
	}
}

// TestAddress writes elements where Address says and copies the tile to memory.
func TestAddress(t *testing.T) {
	for f := range formats {
		for _, m := range []tile.Major{tile.RowMajor, tile.ColumnMajor} {
			for _, s := range swizzles {
				side := max(64, 128/f.Bytes())
				l := tile.Layout{Format: f, Rows: side, Cols: side, Major: m, Swizzle: s}
				t.Run(l.String(), func(t *testing.T) { address(t, l) })
			}
		}
	}
}

func address(t *testing.T, l tile.Layout) {
	side := l.Rows
	shift := bits.TrailingZeros(uint(side))
	k := build(t, "address", 1, tile.Bytes(0, l), func(k *ir.Kernel, b *tile.Block) {
		from := ir.GlobalParam[ir.U8](k, "from", ir.Constant)
		to := b.Tensor("to", l, ir.Writes)
		s, role, c := b.Place("s", l), b.Role("all", 1, 0), k.ConstU32
		b.Ready()
		role.Do(func() {
			for i := range k.Loop(k.TIDX(), c(uint32(side*side)), c(128), ir.NoUnroll) {
				row, col := i.ShiftRight(c(uint32(shift))), i.And(c(uint32(side-1)))
				switch l.Format.Bytes() {
				case 1:
					tile.Address[ir.U8](s, row, col).Store(from.At(i).Load())
				case 2:
					tile.Address[ir.U16](s, row, col).Store(ir.Cast[ir.U16](from).At(i).Load())
				default:
					tile.Address[ir.U32](s, row, col).Store(ir.Cast[ir.U32](from).At(i).Load())
				}
			}
			role.Publish()
			role.One(func() {
				to.Store(s, c(0), c(0))
				k.BulkCommit()
				k.BulkWait(0)
			})
		})
		b.Run()
	})
	at := small(4)
	dense := l
	dense.Major = tile.RowMajor
	in, out := memory(dense, side, side, at), memory(l, side, side, func(int, int) float64 { return 0 })
	irtest.Run(t, k, in.Slice, out, irtest.Schedules(irtest.Schedule{Seed: 3}))
	for i := range side * side {
		if got := element(l, out, i/side, i%side); got != at(i/side, i%side) {
			t.Fatalf("row %d column %d: %v, want %v", i/side, i%side, got, at(i/side, i%side))
		}
	}
}
