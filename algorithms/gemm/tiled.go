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

// tile is a tile of the product by wgmma, and how blocks work on it.
type tile struct {
	m, n     int
	cluster  int  // blocks that share a tile of b, or of a
	sharesA  bool // the blocks of a cluster are neighbours in a row of tiles, not in a column
	parts    int  // of k, blocks of a cluster that add up their sums; 0: k is not divided
	pingPong bool // each warpgroup has a tile of its own
	// What a wave of blocks takes on an H200, in µs: for each 128 bytes of k, and apart from them (kernels/NOTES.md).
	step, fixed float64
}

// tiles are those with kernels, in the order in which equal estimates are taken.
var tiles = []tile{
	{m: 128, n: 256, cluster: 2, step: 0.665, fixed: 2.4}, {m: 128, n: 256, cluster: 1, step: 0.665, fixed: 2.8},
	{m: 256, n: 128, cluster: 2, sharesA: true, step: 0.675, fixed: 2.4}, {m: 128, n: 192, cluster: 2, pingPong: true, step: 0.52, fixed: 0.9},
	{m: 128, n: 128, cluster: 2, pingPong: true, step: 0.355, fixed: 0.4}, {m: 128, n: 128, cluster: 1, step: 0.35, fixed: 0.8},
	{m: 128, n: 224, cluster: 1, step: 0.585, fixed: 2.6}, {m: 128, n: 144, cluster: 1, step: 0.355, fixed: 3.2},
	{m: 128, n: 80, cluster: 1, step: 0.21, fixed: 2.4}, {m: 128, n: 64, cluster: 1, step: 0.215, fixed: 1},
	{m: 128, n: 64, cluster: 1, parts: 2, step: 0.28, fixed: 3.2},
}

// shape is 128x256_C2, as in the names of the kernels' variants.
func (t tile) shape() string {
	s := fmt.Sprintf("%dx%d_", t.m, t.n)
	if t.parts > 0 {
		return s + fmt.Sprintf("S%d", t.parts)
	}
	s += fmt.Sprintf("C%d", t.cluster)
	if t.sharesA {
		s += "A"
	}
	if t.pingPong {
		s += "_PP"
	}
	return s
}

// variant is the name of the kernels' variant.
func (t tile) variant(f *form) string {
	s := strings.ToUpper(fmt.Sprintf("%v_%v_", f.input, f.output)) + t.shape()
	switch {
	case f.gated:
		s += "_SwiGLU"
	case f.activation != None:
		s += [...]string{SiLU: "_SiLU", GELU: "_GELU", GELUTanh: "_GELUTanh"}[f.activation]
	}
	if f.byK {
		s += "_KN"
	}
	return s
}

// gated tells whether some kernel of the tile makes one column of two.
func (t tile) gated() bool {
	return t.artifact(&form{gated: true, input: oxrt.BF16, output: oxrt.BF16}) != nil
}

// rows and columns of tiles that a cluster works on at one time.
func (t tile) rows() int {
	if t.sharesA {
		return 1
	}
	return t.cluster
}

func (t tile) columns() int { return t.cluster / t.rows() }

// counts are the clusters' worth of rows and columns of tiles.
func (t tile) counts(m, n int) (rows, columns int) {
	return ceil(m, t.m*t.rows()), ceil(n, t.n*t.columns())
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
	switch {
	case t.sharesA:
		how += fmt.Sprintf("; %d blocks share a's", t.cluster)
	case t.cluster > 1:
		how += fmt.Sprintf("; %d blocks share b's", t.cluster)
	}
	if t.parts == 0 {
		how += ". Batch-invariant"
	}
	return strategy{
		algorithm: rows.Oxide(name+strings.ReplaceAll(t.shape(), "_", ""), fmt.Sprintf("Tiles of %d×%d by wgmma from a ring of bulk copies; %s.", t.m, t.n, how),
			"a, b and d have rows and addresses at multiples of 16 bytes, n is a multiple of 8, k is not 0"),
		serves:    func(k kind) bool { return k.scaling == unscaled && (!k.gated || t.gated()) },
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
	rowTiles, columnTiles := t.counts(f.maxM, f.columns())
	blocks := rowTiles * columnTiles * t.cluster * max(t.parts, 1)
	packed := rows.NotPacked(op, f.align, rows.Named{Field: "n", Value: f.n}, rows.Named{Field: "a_stride", Value: f.a},
		rows.Named{Field: "b_stride", Value: f.b}, rows.Named{Field: "c_stride", Value: f.c}, rows.Named{Field: "d_stride", Value: f.d})
	switch {
	case f.output != f.input:
		return refuse("output", "the input's type "+f.input.String(), f.output)
	case f.gated && f.activation != SiLU:
		return refuse("gate", "silu", "another")
	case c.Artifact == nil && f.byK:
		return refuse("b_by_k", "false", true)
	case c.Artifact == nil && f.activation != None:
		return refuse("activation", "none", "another")
	case c.Artifact == nil:
		return refuse("input", "another type", f.input)
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
	case blocks > math.MaxInt32:
		return refuse("max_m", fmt.Sprintf("at most %d blocks", math.MaxInt32), blocks)
	case f.squares:
		c.Also = []*oxrt.Artifact{gen.OxideSm90MatmulRowSquares("Any", rows.Target)}
	}
	return c
}

// cost: a wave of blocks takes a time for each step of k and one besides, and all of it no less than memory needs.
func (t tile) cost(f *form, m, sms int) float64 {
	rowTiles, columnTiles := t.counts(m, f.columns())
	size := f.input.Size()
	steps, clusters := ceil(f.k, 128/size), rowTiles*columnTiles
	if t.parts > 0 {
		steps = ceil(steps, t.parts)
	}
	waves := float64(ceil(clusters, max(sms/(t.cluster*max(t.parts, 1)), 1)))
	memory := float64(size*(m*f.k+f.columns()*f.k)+f.output.Size()*m*f.n) / 4e6 // 63 to 128 µs for 243 and 506 MB
	return 1.5 + max(waves*(float64(steps)*t.step+t.fixed), memory)
}

// raster are the arguments of the kernels' order of tiles: swaths of height rows, column after column.
type raster struct{ height, swath, last fastdiv.Divisor }

// rasterOf makes the tiles that so many blocks work on at one time about as high as wide.
func (t tile) rasterOf(rows, columns, blocks int) (raster, int) {
	high := t.m * t.rows()
	height := min(max(int(math.Sqrt(float64(blocks*t.m*t.n)))/high, 1), rows)
	return raster{fastdiv.New(uint32(height)), fastdiv.New(uint32(height * columns)), fastdiv.New(uint32(max(1, rows%height)))}, rows / height
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
	return func(scope *oxrt.Scope, c call) error {
		args := args
		rowTiles, columnTiles := t.counts(c.m, f.columns())
		args.M, args.Tiles = uint32(c.m), uint32(rowTiles*columnTiles)
		args.C, args.Bias, args.RowFactor = c.c, c.bias, c.rowFactor
		r, whole := t.rasterOf(rowTiles, columnTiles, p.SMs())
		args.Height, args.HeightMul, args.HeightShifts = r.height.D, r.height.Mul, r.height.Shifts()
		args.Swath, args.SwathMul, args.SwathShifts = r.swath.D, r.swath.Mul, r.swath.Shifts()
		args.Last, args.LastMul, args.LastShifts, args.Whole = r.last.D, r.last.Mul, r.last.Shifts(), uint32(whole)
		va, vb := matrix(c.a, c.m, f.k, f.a, f.input), matrix(c.b, f.columns(), f.k, f.b, f.input)
		switch {
		case f.gated:
			vb = byTurns(c.b, f.columns(), f.k, f.b, f.input)
		case f.byK:
			vb = matrix(c.b, f.k, f.n, f.b, f.input)
		}
		if err := scope.EncodeTensorMap(&args.A, ofA, &va); err != nil {
			return err
		}
		if err := scope.EncodeTensorMap(&args.B, ofB, &vb); err != nil {
			return err
		}
		var params oxrt.Params
		grid := min(rowTiles*columnTiles, p.SMs()/t.cluster) * t.cluster
		if t.parts > 0 {
			grid = rowTiles * columnTiles * t.parts
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
