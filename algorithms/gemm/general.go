package gemm

import (
	"fmt"
	"math"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// The tile of a block of the general algorithm.
const generalM, generalN = 64, 64

// general runs everything.
func general() strategy {
	return strategy{
		algorithm: rows.Oxide("OxideSm90MatmulGeneral", "Elements one by one into shared tiles of 64×64×32, multiplied by mma.sync (e4m3 as f16): the slow algorithm for rows that bulk copies cannot read. Batch-invariant."),
		serves:    func(kind) bool { return true },
		invariant: true,
		candidate: generalCandidate,
		prepare:   prepareGeneral,
		cost:      generalCost,
	}
}

func generalCandidate(op *catalog.Operator, f *form) invoke.Candidate {
	variant := strings.ToUpper(f.input.String())
	if f.scaling == perBlock {
		variant += "_Block"
	}
	c := invoke.Candidate{Artifact: gen.OxideSm90MatmulGeneral(variant, rows.Target)}
	if tiles := ceil(f.maxM, generalM) * ceil(f.columns(), generalN); tiles > math.MaxInt32 {
		c.Refusal = op.Refuse("max_m", fmt.Sprintf("at most %d tiles of %d×%d in a grid", math.MaxInt32, generalM, generalN), fmt.Sprint(tiles))
	}
	if f.squares {
		c.Also = []*oxrt.Artifact{gen.OxideSm90MatmulRowSquares("Any", rows.Target)}
	}
	return c
}

// generalCost: a block multiplies its tile in about 9 ns a step of 16 in k, measured on an H200; two blocks share a multiprocessor.
func generalCost(f *form, m, sms int) float64 {
	blocks := ceil(m, generalM) * ceil(f.columns(), generalN)
	return 5 + float64(ceil(blocks, 2*sms))*float64(ceil(f.k, 32))*0.6
}

func ceil(n, by int) int { return (n + by - 1) / by }

// typeNumber is how kernels are told a format.
func typeNumber(d oxrt.DType) uint32 {
	switch d {
	case oxrt.F16:
		return 1
	case oxrt.BF16:
		return 2
	case oxrt.E4M3:
		return 3
	}
	return 0
}

func prepareGeneral(p *Plan) launcher {
	f := &p.form
	args := gen.OxideSm90MatmulGeneralArgs{
		AStride: uint64(f.a), BColumnStride: uint64(f.b), BRowStride: 1, Columns: uint32(f.columns()), K: uint32(f.k),
		DStride: uint64(f.d), CStride: uint64(f.c), DType: typeNumber(f.output), CType: typeNumber(f.addend), BiasType: typeNumber(f.biasType),
		Activation: uint32(f.activation), Alpha: f.alpha, Beta: f.beta, Epsilon: f.epsilon, OutScale: 1 / f.outputScale,
	}
	if f.byK {
		args.BColumnStride, args.BRowStride = 1, uint64(f.b)
	}
	if f.gated {
		args.Gated = 1
	}
	if f.fromSquares {
		args.InvK = float32(1 / float64(f.k))
	}
	switch f.scaling {
	case perRow:
		args.AScaleStride, args.BScaleStride = 1, 1
	case perBlock:
		args.AScaleStride = uint64(ceil(f.k, scaleBlock))
		args.BScaleStride = args.AScaleStride
	}
	return func(scope *oxrt.Scope, c call) error {
		args := args
		args.A, args.B, args.AScale, args.BScale = c.a, c.b, c.aScale, c.bScale
		args.C, args.Bias, args.RowFactor, args.D = c.c, c.bias, c.rowFactor, c.d
		tiles := ceil(c.m, generalM)
		args.M, args.TilesM = uint32(c.m), uint32(tiles)
		var params oxrt.Params
		if args.Columns > 0 {
			args.Pack(&params)
			if err := p.Launch(scope, oxrt.Dim3{X: uint32(tiles * ceil(f.columns(), generalN))}, &params); err != nil {
				return err
			}
		}
		return p.sumSquares(scope, c, &params)
	}
}

// sumSquares adds the launch that sums the squares of d's rows, for algorithms that do not do it themselves.
func (p *Plan) sumSquares(scope *oxrt.Scope, c call, params *oxrt.Params) error {
	if !p.form.squares {
		return nil
	}
	params.Reset()
	args := gen.OxideSm90MatmulRowSquaresArgs{D: c.d, RowSquares: c.rowSquares, DStride: uint64(p.form.d), Columns: uint32(p.form.n), DType: typeNumber(p.form.output)}
	args.Pack(params)
	return p.LaunchAlso(0, scope, oxrt.Dim3{X: uint32(c.m)}, params)
}
