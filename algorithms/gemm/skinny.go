package gemm

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// Sizes of the skinny kernels.
const (
	skinnyMost = 64  // rows of a
	skinnyRows = 64  // weight rows in a box
	skinnyPart = 512 // bytes of a row that every block of a cluster must have: a stage
)

// Shared memory of a multiprocessor, and what the system takes of it for each block (compute capability 9.0), in bytes.
const multiprocessorShared, blockShared = 228 << 10, 1 << 10

// skinny is the strategy of one division of k.
func skinny(parts int) strategy {
	name, how := "OxideSm90MatmulSkinny", "blocks stay and take tile after tile. Batch-invariant"
	if parts > 1 {
		name += fmt.Sprintf("S%d", parts)
		how = fmt.Sprintf("the %d blocks of a cluster divide k, and their sums meet in a fixed order", parts)
	}
	return strategy{
		algorithm: rows.Oxide(name, "Up to 64 rows of a: the factors are exchanged, so that 64 rows of b are those of a product by wgmma; "+how+".",
			"max_m at most 64; a and b have rows and addresses at multiples of 16 bytes"),
		serves:    servesFew,
		invariant: parts == 1,
		candidate: func(op *catalog.Operator, f *form) invoke.Candidate {
			if least := parts * skinnyPart / f.input.Size(); parts > 1 && f.k < least {
				return invoke.Candidate{Refusal: op.Refuse("k", fmt.Sprintf("at least %d for this algorithm", least), fmt.Sprint(f.k))}
			}
			return fewCandidate(op, f, skinnyMost, false, func() *oxrt.Artifact { return skinnyArtifact(f, parts) })
		},
		prepare: func(p *Plan) launcher { return prepareSkinny(p, parts) },
		cost:    func(f *form, m, sms int) float64 { return skinnyCost(f, m, sms, parts) },
	}
}

// skinnyColumns are the widths of kernels, in rows of a.
var skinnyColumns = []int{8, 16, 32, 64}

// skinnyArtifact is the narrowest kernel, nil if there is none. Of 64 columns there is one of which a multiprocessor holds two
// blocks, for tiles that are between one and two times the multiprocessors of the devices that it was measured on.
func skinnyArtifact(f *form, parts int) *oxrt.Artifact {
	tiles := ceil(f.columns(), skinnyRows)
	for _, n := range skinnyColumns {
		if n < f.maxM {
			continue
		}
		name := strings.ToUpper(f.input.String()) + fmt.Sprintf("_N%d_S%d", n, parts)
		if n == skinnyMost && parts == 1 && multiprocessors < tiles && tiles <= 2*multiprocessors {
			if a := gen.OxideSm90MatmulSkinny(name+"_B2", rows.Target); a != nil {
				return a
			}
		}
		if a := gen.OxideSm90MatmulSkinny(name, rows.Target); a != nil {
			return a
		}
	}
	return nil
}

// skinnyCost: memory gives all once; a block gets about 63 KB a microsecond; L2 gives a again for every tile; clusters that wait
// for others to end begin with an empty ring.
func skinnyCost(f *form, m, sms, parts int) float64 {
	size, high := f.input.Size(), skinnyHeight(f, sms, parts)
	tiles := ceil(f.columns(), high)
	fixed, block := 1.0, float64(ceil(tiles, max(sms, 1))*high*f.k*size)
	if parts > 1 {
		waves := ceil(tiles, max(sms/parts, 1))
		fixed, block = 0.6+0.1*float64(parts)+1.5*float64(waves-1), float64(waves*high*ceil(f.k, parts)*size)
	}
	wide := 8 * ceil(m, 8)
	l2 := float64(tiles*(skinnyRows+wide)*f.k*size) / 7.7e6
	return fixed + max(0.8, fewCost(f, m), block/63e3, l2)
}

// skinnyHeight is how many weight rows a block takes as a tile. With tiles of 64 between one and two a multiprocessor most would
// wait for a few: 40 rows divide the work better, though boxes of 64 then overlap, which costs L2 too much from 16 rows of a on.
func skinnyHeight(f *form, sms, parts int) int {
	tiles := ceil(f.columns(), skinnyRows)
	if parts == 1 && f.maxM <= skinnyColumns[0] && sms < tiles && tiles <= 2*sms && ceil(ceil(f.columns(), 40), sms) == 2 {
		return 40
	}
	return skinnyRows
}

func prepareSkinny(p *Plan, parts int) launcher {
	f, a := &p.form, p.Artifacts()[0]
	common := f.fewArgs()
	high := skinnyHeight(f, p.SMs(), parts)
	tiles := ceil(f.columns(), high)
	grid := tiles * parts
	if parts == 1 {
		grid = min(tiles, p.SMs()*(multiprocessorShared/(int(a.Launch.DynamicSharedBytes)+blockShared)))
	}
	ofA, ofB := box(a, "a"), box(a, "b")
	args := gen.OxideSm90MatmulSkinnyArgs{Tiles: uint32(tiles), RowBytes: uint32(f.k * f.input.Size()), Height: uint32(high),
		Columns: common.Columns, AScaleStride: common.AScaleStride, BScaleStride: common.BScaleStride, DStride: common.DStride, CStride: common.CStride,
		DType: common.DType, CType: common.CType, BiasType: common.BiasType, Activation: common.Activation, Gated: common.Gated, Alpha: common.Alpha,
		Beta: common.Beta, InvK: common.InvK, Epsilon: common.Epsilon, OutScale: common.OutScale}
	return func(scope *oxrt.Scope, c call) error {
		args := args
		va, vb := matrix(c.a, c.m, f.k, f.a, f.input), matrix(c.b, f.columns(), f.k, f.b, f.input)
		if err := scope.EncodeTensorMap(&args.A, ofA, &va); err != nil {
			return err
		}
		if err := scope.EncodeTensorMap(&args.B, ofB, &vb); err != nil {
			return err
		}
		args.M, args.AScale, args.BScale = uint32(c.m), c.aScale, c.bScale
		args.C, args.Bias, args.RowFactor, args.D = c.c, c.bias, c.rowFactor, c.d
		var params oxrt.Params
		args.Pack(&params)
		if err := p.Launch(scope, oxrt.Dim3{X: uint32(grid)}, &params); err != nil {
			return err
		}
		return p.sumSquares(scope, c, &params)
	}
}
