package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// finishing is what a case asks of the epilogue.
type finishing int

const (
	plain  finishing = iota // rounded
	biased                  // in f32, a bias
	full                    // in f32: SiLU of a row factor from squares, alpha, an addend, beta and a bias
	gated                   // in f32: SwiGLU of a row factor and a bias
)

// product is one small case of the kernels for few rows: integers, so that every order of the sums gives the same bits.
type product struct {
	m, n, k int
	finish  finishing
}

func (p product) a(i, j int) int { return (i*p.k+j)*7%23%7 - 3 }
func (p product) b(i, j int) int { return ((i*p.k+j)*5+3)%23%5 - 2 }

// matrix encodes a matrix; rows are padded to multiples of 16 bytes with what must not be read.
func (p product) matrix(f lib.Format, rows int, value func(i, j int) int) (data []uint8, stride int) {
	format, size := numbers[f], f.Bytes()
	stride = (p.k*size + 15) / 16 * 16
	data = make([]uint8, rows*stride)
	for i := range rows {
		for j := range stride / size {
			bits := uint32(0xff)
			if j < p.k {
				bits = uint32(format.Encode(float64(value(i, j)), numfmt.RN))
			} else if size == 2 {
				bits = 0x7fff
			}
			for b := range size {
				data[i*stride+j*size+b] = uint8(bits >> (8 * b))
			}
		}
	}
	return data, stride
}

// extras are the epilogue's operands, in f32.
type extras struct{ bias, addend, factor, aScale, bScale []float32 }

func (p product) extras(f lib.Format) extras {
	fill := func(n int, value func(i int) float32) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = value(i)
		}
		return x
	}
	e := extras{bias: fill(p.n, func(i int) float32 { return float32(i%9) / 2 })}
	if p.finish >= full {
		e.factor = fill(p.m, func(i int) float32 { return float32(i+1) / 8 })
	}
	if p.finish == full {
		e.addend = fill(p.m*p.n, func(i int) float32 { return float32(i%5) - 2 })
	}
	if f == lib.E4M3 {
		e.aScale = fill(p.m, func(i int) float32 { return float32(1 + i%2) })
		e.bScale = fill(p.n, func(i int) float32 { return 0.5 + float32(i%3)/2 })
	}
	return e
}

// Of the full case.
const alpha, beta, epsilon = 0.25, 0.5, 0.125

// tail are the arguments from m on.
func (p product) tail(f lib.Format, d any, e extras) []any {
	scale := func(x []float32) (any, uint64) {
		if x == nil {
			return nil, 0
		}
		return x, 1
	}
	a, aStride := scale(e.aScale)
	b, bStride := scale(e.bScale)
	given := func(x []float32) any {
		if x == nil {
			return nil
		}
		return x
	}
	dType, with, columns := uint32(TypeBF16), any(nil), p.n
	if f == lib.F16 {
		dType = TypeF16
	}
	if p.finish != plain {
		dType, with = TypeF32, e.bias
	}
	activation, gate, scales := uint32(ActivationNone), uint32(0), []any{float32(1), float32(1), float32(0), float32(0)}
	switch p.finish {
	case full:
		activation, scales = ActivationSiLU, []any{float32(alpha), float32(beta), float32(1) / float32(p.k), float32(epsilon)}
	case gated:
		activation, gate, columns = ActivationSiLU, 1, p.n/2
	}
	all := []any{uint32(p.m), uint32(p.n), a, b, aStride, bStride, d, given(e.addend), with, given(e.factor), uint64(columns), uint64(p.n), dType,
		uint32(TypeF32), uint32(TypeF32), activation, gate}
	return append(append(all, scales...), float32(1))
}

// want is the result by the definition: d[i, j], before it is rounded.
func (p product) want(e extras, i, j int) float64 {
	if p.finish == gated {
		g, u := p.before(e, i, 2*j), p.before(e, i, 2*j+1)
		return g / (1 + math.Exp(-g)) * u
	}
	x := p.before(e, i, j)
	if p.finish == full {
		x /= 1 + math.Exp(-x)
	}
	return x
}

// before is an element of the product ahead of its activation.
func (p product) before(e extras, i, j int) float64 {
	sum := 0
	for l := range p.k {
		sum += p.a(i, l) * p.b(j, l)
	}
	x := float64(sum)
	if e.aScale != nil {
		x *= float64(e.aScale[i]) * float64(e.bScale[j])
	}
	switch p.finish {
	case plain:
		return x
	case full:
		x = x*alpha/math.Sqrt(float64(e.factor[i])/float64(p.k)+epsilon) + beta*float64(e.addend[i*p.n+j])
	case gated:
		x *= float64(e.factor[i])
	}
	return x + float64(e.bias[j])
}

// check runs a kernel and compares with the definition: bits where sums are all there is, and the error of the approximate
// functions elsewhere.
func (p product) check(t *testing.T, in ir.Instance, f lib.Format, grid int, head []any) {
	t.Helper()
	columns := p.n
	if p.finish == gated {
		columns /= 2
	}
	halves, floats := make([]uint16, p.m*columns), make([]float32, p.m*columns)
	var d any = floats
	format := numbers[lib.BF16]
	if p.finish == plain {
		d = halves
	}
	if f == lib.F16 {
		format = numbers[lib.F16]
	}
	e := p.extras(f)
	irtest.Run(t, in, append(append([]any{irtest.Grid{uint32(grid)}}, head...), p.tail(f, d, e)...)...)
	for i := range p.m {
		for j := range columns {
			want, got, within := p.want(e, i, j), float64(floats[i*columns+j]), 0.0
			switch p.finish {
			case plain:
				want, got = format.Decode(format.Encode(want, numfmt.RN)), format.Decode(uint32(halves[i*columns+j]))
			case full, gated:
				within = 1e-5 * max(1, math.Abs(want))
			}
			if !(math.Abs(want-got) <= within) {
				t.Fatalf("%+v: d[%d,%d] = %v, want %v", p, i, j, got, want)
			}
		}
	}
}

func TestGemv(t *testing.T) {
	for _, in := range MatmulGemv.Instances() {
		f := lib.Format(in.Variant)
		t.Run(in.Variant, func(t *testing.T) {
			for _, p := range []product{{1, 41, 272, plain}, {3, 33, 144, biased}, {8, 18, 1040, plain}, {2, 37, 80, full}, {5, 26, 176, gated}} {
				a, aStride := p.matrix(f, p.m, p.a)
				b, bStride := p.matrix(f, p.n, p.b)
				const grid = 2
				pairs, chunk := (p.n+1)/2, 512
				rowBytes := p.k * f.Bytes()
				head := []any{a, b, uint64(aStride), uint64(bStride), uint32(rowBytes), uint32(pairs / grid), uint32(pairs % grid), uint32(12), uint32(chunk), uint32(chunk + GemvPad),
					uint32(12 * (chunk + GemvPad)), uint32(3)}
				p.check(t, in, f, grid, head)
			}
		})
	}
}

// skinnyHead are the arguments up to m.
func (p product) skinnyHead(v Skinny, height int, a, b func(i, j int) int) (head []any, grid int) {
	boxes := func(rows, boxRows int, value func(i, j int) int) irtest.Boxes {
		data, stride := p.matrix(v.In, rows, value)
		kind := map[lib.Format]emulate.MapType{lib.BF16: emulate.MapBF16, lib.F16: emulate.MapF16, lib.E4M3: emulate.MapU8}[v.In]
		return irtest.Boxes{Slice: data, Map: emulate.TensorMap{Type: kind, Rank: 2, Dims: [5]uint64{uint64(p.k), uint64(rows)}, Strides: [4]uint64{uint64(stride)},
			Box: [5]uint32{uint32(SkinnyLineBytes / v.In.Bytes()), uint32(boxRows)}, ElementStrides: [5]uint32{1, 1}, Swizzle: emulate.Swizzle128B}}
	}
	tiles := ceil(p.n, height)
	if grid = min(tiles, 2); v.Split > 1 {
		grid = tiles * v.Split
	}
	return []any{boxes(p.m, v.Columns, a), boxes(p.n, SkinnyRows, b), uint32(tiles), uint32(p.k * v.In.Bytes()), uint32(height)}, grid
}

func TestSkinny(t *testing.T) {
	instances := MatmulSkinny.Instances()
	for i, v := range MatmulSkinny.Variants {
		t.Run(v.VariantName(), func(t *testing.T) {
			p := product{max(1, v.Columns-3), 134, 64*v.Lines*v.Split + 77, finishing(i % 4)}
			head, grid := p.skinnyHead(v, SkinnyRows-30*(i%2), p.a, p.b)
			p.check(t, instances[i], v.In, grid, head)
		})
	}
}

// TestSkinnyRowsDoNotDependOnM compares the bits of sums that f32 rounds, from kernels of every width: blocks that take all of K in
// its order add alike.
func TestSkinnyRowsDoNotDependOnM(t *testing.T) {
	value := func(i, j int) int { return (i*131+j*j*17)%511 - 255 }
	var first []float32
	for i, v := range MatmulSkinny.Variants {
		if v.In != lib.BF16 || v.Split > 1 {
			continue
		}
		p := product{max(3, v.Columns/2+1), 66, 712, biased}
		d := make([]float32, p.m*p.n)
		head, grid := p.skinnyHead(v, SkinnyRows, value, value)
		irtest.Run(t, MatmulSkinny.Instances()[i], append(append([]any{irtest.Grid{uint32(grid)}}, head...), p.tail(v.In, d, p.extras(v.In))...)...)
		if d = d[:3*p.n]; first == nil {
			first = d
		}
		if !slices.Equal(d, first) {
			t.Errorf("%s: other bits than with 8 columns", v.VariantName())
		}
	}
}

func ExampleSkinny() {
	fmt.Println(Skinny{In: lib.BF16, Columns: 16, Split: 2}.VariantName())
	// Output: BF16_N16_S2
}
