package kernels

import (
	"math"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/irtest"
	"github.com/oxideinfer/oxide/internal/fastdiv"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// numbers is how a format's bits stand for numbers.
var numbers = map[lib.Format]numfmt.Format{lib.BF16: numfmt.BF16, lib.F16: numfmt.F16, lib.E4M3: numfmt.E4M3, lib.F32: numfmt.F32}

// operand is a matrix with a row stride. What lies between the rows is NaN.
type operand struct {
	format             lib.Format
	rows, cols, stride int
	data               []byte
	at                 func(r, c int) float64
}

func newOperand(f lib.Format, rows, cols, seed int) *operand {
	per := 16 / f.Bytes()
	o := &operand{format: f, rows: rows, cols: cols, stride: (cols+per-1)/per*per + per, at: func(r, c int) float64 { return float64((r*31+c*7+seed)%7 - 3) }}
	for r := range rows {
		for c := range o.stride {
			bits := numbers[f].NaN()
			if c < cols {
				bits = numbers[f].Encode(o.at(r, c), numfmt.RN)
			}
			for i := range f.Bytes() {
				o.data = append(o.data, byte(bits>>(8*i)))
			}
		}
	}
	return o
}

func (o *operand) tensor() irtest.Tensor {
	return irtest.Tensor{Slice: o.data, Dims: []int{o.cols, o.rows}, Strides: []int{o.stride * o.format.Bytes()}}
}

// byTurns is the tensor of gates and values whose rows alternate.
func (o *operand) byTurns() irtest.Tensor {
	row := o.stride * o.format.Bytes()
	return irtest.Tensor{Slice: o.data, Dims: []int{o.cols, 8, 2, o.rows / 16}, Strides: []int{2 * row, row, 16 * row}}
}

func (o *operand) got(r, c int) float64 {
	var bits uint32
	for i := range o.format.Bytes() {
		bits |= uint32(o.data[(r*o.stride+c)*o.format.Bytes()+i]) << (8 * i)
	}
	return numbers[o.format].Decode(bits)
}

func ceil(a, b int) int { return (a + b - 1) / b }

// rasterArgs are the parameters of a tile.Raster.
func rasterArgs(rows, cols int) []any {
	const height = 2
	var args []any
	for _, by := range []int{height, height * cols, max(1, rows%height)} {
		d := fastdiv.New(uint32(by))
		args = append(args, d.D, d.Mul, d.Shift1|d.Shift2<<8)
	}
	return append(args, uint32(rows*cols), uint32(rows/height))
}

// tiledCase is a product with everything that an epilogue has.
type tiledCase struct {
	m, n, k int
	plain   bool // alpha and beta only
}

// tiledInstance finds the instance of a variant.
func tiledInstance(t *testing.T, v Tiled) ir.Instance {
	one := TiledMatmul
	one.Variants = []Tiled{v}
	return one.Instances()[0]
}

func (c tiledCase) run(t *testing.T, v Tiled, opts ...any) {
	t.Helper()
	c.check(t, v, tiledInstance(t, v), nil, irtest.Grid{uint32(2 * v.Cluster)}, opts)
}

// split runs the variant that divides K.
func (c tiledCase) split(t *testing.T, v Split, opts ...any) {
	t.Helper()
	one := SplitMatmul
	one.Variants = []Split{v}
	c.check(t, v.tiled(), one.Instances()[0], &v, irtest.Grid{uint32(v.Parts * ceil(c.m, v.M) * ceil(c.n, v.N))}, opts)
}

func (c tiledCase) check(t *testing.T, v Tiled, inst ir.Instance, split *Split, grid irtest.Grid, opts []any) {
	t.Helper()
	a, b := newOperand(v.In, c.m, c.k, 1), newOperand(v.In, c.n, c.k, 5)
	bArg := b.tensor()
	side, columns := v.In, c.n
	if side == lib.E4M3 {
		side = lib.BF16
	}
	switch {
	case v.Finish == SwiGLU:
		bArg, columns = b.byTurns(), c.n/2
	case v.ByK:
		b = newOperand(v.In, c.k, c.n, 5)
		bArg = b.tensor()
	}
	d, addend := newOperand(v.Out, c.m, columns, 0), newOperand(side, c.m, c.n, 3)
	bias := newOperand(side, 1, c.n, 2)
	rowFactor, colFactor := make([]float32, c.m), make([]float32, c.n)
	for i := range rowFactor {
		rowFactor[i] = float32(1 + i%3)
	}
	for i := range colFactor {
		colFactor[i] = float32(1 + i%2)
	}
	args := []any{grid, a.tensor(), bArg}
	if split != nil {
		args = append(args, d.data, uint64(d.stride))
	} else {
		args = append(args, d.tensor())
	}
	args = append(args, rasterArgs(ceil(c.m, v.M*v.clusterRows()), ceil(c.n, v.N*v.clusterColumns()))...)
	args = append(args, uint32(ceil(c.k, v.K())), uint32(c.m), uint32(c.n))
	beta := float32(0.5)
	if c.plain {
		beta = 0
		args = append(args, nil, nil, nil, nil)
	} else {
		args = append(args, addend.data, bias.data, rowFactor, colFactor)
	}
	args = append(args, uint64(addend.stride), float32(0.25), beta, float32(0), float32(0))
	irtest.Run(t, inst, append(args, opts...)...)
	sum := func(r, n int) float64 {
		x := 0.0
		for j := range c.k {
			if v.ByK {
				x += a.at(r, j) * b.at(j, n)
			} else {
				x += a.at(r, j) * b.at(n, j)
			}
		}
		x *= 0.25
		if !c.plain {
			x = x*float64(rowFactor[r])*float64(colFactor[n]) + bias.at(0, n)
			if v.Finish != SwiGLU {
				x += 0.5 * addend.at(r, n)
			}
		}
		return x
	}
	silu := func(x float64) float64 { return x / (1 + math.Exp(-x)) }
	for i := range c.m * columns {
		r, n := i/columns, i%columns
		want := 0.0
		switch v.Finish {
		case SwiGLU:
			want = silu(sum(r, 2*n)) * sum(r, 2*n+1)
		case FinishSiLU:
			want = silu(sum(r, n))
		case FinishGELU:
			want = sum(r, n) / 2 * math.Erfc(-sum(r, n)/math.Sqrt2)
		case FinishGELUTanh:
			x := sum(r, n)
			want = x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		default:
			want = numbers[v.Out].Decode(numbers[v.Out].Encode(sum(r, n), numfmt.RN))
			if got := d.got(r, n); got != want {
				t.Fatalf("%s %+v: d[%d,%d] = %v, want %v", v.VariantName(), c, r, n, got, want)
			}
			continue
		}
		if all := numbers[v.Out].Decode(numbers[v.Out].Encode(want, numfmt.RN)); math.IsInf(all, 0) {
			if got := d.got(r, n); got != all {
				t.Fatalf("%s %+v: d[%d,%d] = %v, want %v", v.VariantName(), c, r, n, got, all)
			}
			continue
		}
		// A function's error is below one unit of the output's last place, plus what float32 loses far left.
		if got := d.got(r, n); math.Abs(got-want) > 1.01*numbers[v.Out].Ulp(want)+1e-6 {
			t.Fatalf("%s %+v: d[%d,%d] = %v, want %v", v.VariantName(), c, r, n, got, want)
		}
	}
}

// oneSchedule is enough where another case of the variant runs under all.
var oneSchedule = irtest.Schedules(irtest.Schedule{Seed: 11})

// TestTiled multiplies small integers, ragged in every dimension, with every variant that ships: sums are exact.
func TestTiled(t *testing.T) {
	for _, v := range tiledVariants() {
		t.Run(v.VariantName(), func(t *testing.T) {
			tiledCase{m: v.M*v.Cluster + 9, n: v.N + 16, k: 3*v.K() + 16}.run(t, v, oneSchedule)
			tiledCase{m: 7, n: 16, k: 16, plain: true}.run(t, v, oneSchedule)
		})
	}
}

// TestSplit is TestTiled for products whose K a cluster divides, also into empty parts.
func TestSplit(t *testing.T) {
	for _, v := range splitVariants() {
		t.Run(v.VariantName(), func(t *testing.T) {
			tiledCase{m: v.M + 9, n: v.N + 16, k: 9*v.K() + 16}.split(t, v, oneSchedule)
			tiledCase{m: 7, n: 16, k: 16, plain: true}.split(t, v, oneSchedule)
		})
	}
}
