package gemm

import (
	"fmt"
	"math"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/gemm"
	"github.com/oxideinfer/oxide/internal/fastdiv"
	"github.com/oxideinfer/oxide/runtime"
)

// tile is a tile of d by wgmma, and how blocks work on it.
type tile struct {
	m, n     int
	cluster  int  // blocks that share the tile of b
	parts    int  // of k, blocks of a cluster that add up their sums; 0: k is not divided
	pingPong bool // each warpgroup has a tile of its own
	gated    bool // n columns of the product give n/2 of d
}

// tiles are those with kernels, in the order in which equal estimates are taken.
var tiles = []tile{
	{m: 128, n: 256, cluster: 2}, {m: 256, n: 128, cluster: 2}, {m: 128, n: 256, cluster: 1}, {m: 128, n: 192, cluster: 2},
	{m: 128, n: 128, cluster: 2, pingPong: true}, {m: 128, n: 128, cluster: 2}, {m: 64, n: 256, cluster: 2, pingPong: true},
	{m: 64, n: 256, cluster: 2}, {m: 64, n: 128, cluster: 2}, {m: 64, n: 128, cluster: 1}, {m: 128, n: 64, cluster: 1},
	{m: 64, n: 128, parts: 2}, {m: 128, n: 128, parts: 2}, {m: 64, n: 128, parts: 4}, {m: 128, n: 128, parts: 4}, {m: 64, n: 128, parts: 8},
	{m: 128, n: 128, parts: 8}, {m: 128, n: 64, parts: 2},
	{m: 128, n: 256, cluster: 2, gated: true},
}

// multiprocessors are those of the devices that the estimates are for (H100 SXM, H200).
const multiprocessors = 132

// shape is 128x256_C2, as in the names of the kernels' variants.
func (t tile) shape() string {
	s := fmt.Sprintf("%dx%d_", t.m, t.n)
	if t.parts > 0 {
		return s + fmt.Sprintf("S%d", t.parts)
	}
	s += fmt.Sprintf("C%d", t.cluster)
	if t.pingPong {
		s += "_PP"
	}
	return s
}

// variant is the name of the kernels' variant.
func (t tile) variant(f *form) string {
	s := strings.ToUpper(fmt.Sprintf("%v_%v_", f.input, f.output)) + t.shape()
	if t.gated {
		s += "_SwiGLU"
	}
	return s
}

func (t tile) artifact(f *form) *oxrt.Artifact {
	if t.parts > 0 {
		return gen.OxideSm90MatmulSplit(t.variant(f), rows.Target)
	}
	return gen.OxideSm90MatmulTiled(t.variant(f), rows.Target)
}

// tiled is the strategy of one tile.
func tiled(t tile) strategy {
	name, how := "OxideSm90MatmulTiled", "blocks stay and take tile after tile"
	if t.parts > 0 {
		name, how = "OxideSm90MatmulSplit", fmt.Sprintf("the %d blocks of a cluster divide k, and their sums meet in a fixed order", t.parts)
	} else if t.pingPong {
		how += ", two at a time by turns"
	}
	if t.cluster > 1 {
		how += fmt.Sprintf("; %d blocks share b's", t.cluster)
	}
	if t.parts == 0 {
		how += ". Batch-invariant"
	}
	return strategy{
		algorithm: rows.Oxide(name+strings.ReplaceAll(t.shape(), "_", ""), fmt.Sprintf("Tiles of %d×%d by wgmma from a ring of bulk copies; %s.", t.m, t.n, how),
			"a, b and d have rows and addresses at multiples of 16 bytes, n is a multiple of 8, k is not 0"),
		serves:    func(k kind) bool { return k.gated == t.gated && k.scaling == unscaled },
		invariant: t.parts == 0,
		candidate: t.candidate,
		prepare:   t.prepare,
		cost:      t.cost,
	}
}

func (t tile) candidate(op *catalog.Operator, f *form) invoke.Candidate {
	refuse := func(field, want string, got any) invoke.Candidate {
		return invoke.Candidate{Refusal: op.Refuse(field, want+" for this algorithm", fmt.Sprint(got))}
	}
	c := invoke.Candidate{Artifact: t.artifact(f)}
	blocks := ceil(f.maxM, t.m) * ceil(f.columns(), t.n)
	packed := rows.NotPacked(op, f.align, rows.Named{Field: "n", Value: f.n}, rows.Named{Field: "a_stride", Value: f.a},
		rows.Named{Field: "b_stride", Value: f.b}, rows.Named{Field: "c_stride", Value: f.c}, rows.Named{Field: "d_stride", Value: f.d})
	switch {
	case c.Artifact == nil:
		return refuse("output", "the input's type bf16", f.output)
	case f.byK:
		return refuse("b_by_k", "false", true)
	case f.gated && f.activation != SiLU:
		return refuse("gate", "silu", "another")
	case !f.gated && f.activation != None:
		return refuse("activation", "none", "another")
	case f.accumulate && f.addend != f.input:
		return refuse("addend", "the input's type "+f.input.String(), f.addend)
	case f.bias && f.biasType != f.input:
		return refuse("bias_type", "the input's type "+f.input.String(), f.biasType)
	case f.n == 0:
		return refuse("n", "at least 8", 0)
	case f.k == 0:
		return refuse("k", "at least 1", 0)
	case packed != nil:
		c.Refusal = packed
	case blocks*max(t.parts, 1) > math.MaxInt32:
		return refuse("max_m", fmt.Sprintf("at most %d blocks", math.MaxInt32), blocks*max(t.parts, 1))
	case f.squares:
		c.Also = []*oxrt.Artifact{gen.OxideSm90MatmulRowSquares("Any", rows.Target)}
	}
	return c
}

// cost: a multiprocessor multiplies 2048 numbers of two bytes a clock and reads about 40 bytes of L2; a wave of tiles ends with its
// slowest block; and memory gives all once.
func (t tile) cost(f *form, m, sms int) float64 {
	const clock = 1.6e3 // MHz under load: clocks a microsecond
	size := f.input.Size()
	deep := ceil(f.k, 128/size)
	products := float64(t.m*t.n*128/size) / (2048 * 2 / float64(size))
	bytes := float64(t.m*128 + t.n*128/max(t.cluster, 1))
	step := max(products, bytes/40) * 1.1
	blocks := ceil(m, t.m*max(t.cluster, 1)) * max(t.cluster, 1) * ceil(f.columns(), t.n)
	fixed := 1500 + float64(t.m*t.n)/24
	if t.parts > 0 {
		blocks, deep, fixed = blocks*t.parts, ceil(deep, t.parts), fixed+1500
	}
	waves := ceil(blocks, max(sms, 1))
	memory := float64(size*(m*f.k+f.columns()*f.k)+f.output.Size()*m*f.n) / 4.4e6
	return 2 + max(float64(waves)*(float64(deep)*step+fixed)/clock, memory)
}

// raster are the arguments of the kernels' order of tiles: swaths of height rows, column after column.
type raster struct{ height, swath, last fastdiv.Divisor }

// rasterOf makes the tiles that run at one time about as high as wide.
func (t tile) rasterOf(rows, cols int) (raster, int) {
	high := t.m * max(t.cluster, 1)
	height := min(max(int(math.Sqrt(float64(multiprocessors*t.m*t.n)))/high, 1), rows)
	return raster{fastdiv.New(uint32(height)), fastdiv.New(uint32(height * cols)), fastdiv.New(uint32(max(1, rows%height)))}, rows / height
}

// box is what a tensor map of an artifact must say, nil if there is none of that name.
func box(a *oxrt.Artifact, name string) *oxrt.TensorBox {
	for i := range a.Launch.Params {
		if p := &a.Launch.Params[i]; p.Name == name {
			return p.Box
		}
	}
	return nil
}

// matrix is the view of rows at a stride in elements.
func matrix(at oxrt.DevicePtr, count, length, stride int, of oxrt.DType) oxrt.TensorView {
	return oxrt.TensorView{Base: at, Dims: [5]uint64{uint64(length), uint64(count)}, Strides: [4]uint64{uint64(stride * of.Size())}}
}

// byTurns is the view of rows that belong to the gate and to up by turns, in groups of eight of each.
func byTurns(at oxrt.DevicePtr, count, length, stride int, of oxrt.DType) oxrt.TensorView {
	row := uint64(stride * of.Size())
	return oxrt.TensorView{Base: at, Dims: [5]uint64{uint64(length), 8, 2, uint64(count / 16)}, Strides: [4]uint64{2 * row, row, 16 * row}}
}

func (t tile) prepare(p *Plan) launcher {
	f, a := &p.form, p.Artifacts()[0]
	args := gen.OxideSm90MatmulTiledArgs{Depth: uint32(ceil(f.k, 128/f.input.Size())), N: uint32(f.columns()), CStride: uint64(f.c), Alpha: f.alpha, Beta: f.beta, Epsilon: f.epsilon}
	if f.fromSquares {
		args.InvK = float32(1 / float64(f.k))
	}
	ofA, ofB, ofD := box(a, "a"), box(a, "b"), box(a, "d")
	cols, high := ceil(f.columns(), t.n), t.m*max(t.cluster, 1)
	return func(scope *oxrt.Scope, c call) error {
		args, count := args, ceil(c.m, high)
		args.M, args.Tiles = uint32(c.m), uint32(count*cols)
		args.C, args.Bias, args.RowFactor = c.c, c.bias, c.rowFactor
		r, whole := t.rasterOf(count, cols)
		args.Height, args.HeightMul, args.HeightShifts = r.height.D, r.height.Mul, r.height.Shifts()
		args.Swath, args.SwathMul, args.SwathShifts = r.swath.D, r.swath.Mul, r.swath.Shifts()
		args.Last, args.LastMul, args.LastShifts, args.Whole = r.last.D, r.last.Mul, r.last.Shifts(), uint32(whole)
		va, vb := matrix(c.a, c.m, f.k, f.a, f.input), matrix(c.b, f.columns(), f.k, f.b, f.input)
		if t.gated {
			vb = byTurns(c.b, f.columns(), f.k, f.b, f.input)
		}
		if err := scope.EncodeTensorMap(&args.A, ofA, &va); err != nil {
			return err
		}
		if err := scope.EncodeTensorMap(&args.B, ofB, &vb); err != nil {
			return err
		}
		var params oxrt.Params
		grid := min(count*cols*t.cluster, p.SMs()/max(t.cluster, 1)*t.cluster)
		if t.parts > 0 {
			grid = count * cols * t.parts
			split := splitArgs(&args)
			split.D, split.DStride = c.d, uint64(f.d)
			split.Pack(&params)
		} else {
			vd := matrix(c.d, c.m, f.n, f.d, f.output)
			if err := scope.EncodeTensorMap(&args.D, ofD, &vd); err != nil {
				return err
			}
			args.Pack(&params)
		}
		if err := p.Launch(scope, oxrt.Dim3{X: uint32(grid)}, &params); err != nil {
			return err
		}
		return p.sumSquares(scope, c, &params)
	}
}

// splitArgs are the arguments of the kernels that divide k: they store to d without a tensor map.
func splitArgs(a *gen.OxideSm90MatmulTiledArgs) gen.OxideSm90MatmulSplitArgs {
	return gen.OxideSm90MatmulSplitArgs{A: a.A, B: a.B, Height: a.Height, HeightMul: a.HeightMul, HeightShifts: a.HeightShifts, Swath: a.Swath,
		SwathMul: a.SwathMul, SwathShifts: a.SwathShifts, Last: a.Last, LastMul: a.LastMul, LastShifts: a.LastShifts, Tiles: a.Tiles, Whole: a.Whole,
		Depth: a.Depth, M: a.M, N: a.N, C: a.C, Bias: a.Bias, RowFactor: a.RowFactor, ColumnFactor: a.ColumnFactor, CStride: a.CStride,
		Alpha: a.Alpha, Beta: a.Beta, InvK: a.InvK, Epsilon: a.Epsilon}
}
