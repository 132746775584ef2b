package gemm

import (
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// Sizes of the gemv kernels.
const (
	gemvMost   = 8   // rows of a
	gemvRows   = 16  // weight rows that a block multiplies at once
	gemvStep   = 512 // bytes of a row that its eight warps take at once
	gemvStages = 12  // at most
	gemvFew    = 12  // weight rows that two blocks of a multiprocessor must have each: below, one is faster
)

// gemvBlocks is how many blocks share the weight rows.
func gemvBlocks(columns, sms int) int {
	if columns < 2*sms*gemvFew {
		return min(ceil(columns, 2), sms)
	}
	return 2 * sms
}

// gemvSteps is how many of those a stage has at most.
func gemvSteps(f *form) int {
	if f.input == oxrt.E4M3 {
		return 2
	}
	return 6
}

// gemv is for a handful of rows.
func gemv() strategy {
	return strategy{
		algorithm: rows.Oxide("OxideSm90MatmulGemv", "Up to 8 rows of a: weight rows stream through a ring of bulk copies, of which each block has its own, and are multiplied by mma.sync. The ring fills before the launch ahead has ended. Batch-invariant.",
			"max_m at most 8; a and b have rows of k at multiples of 16 bytes, and addresses"),
		serves:    servesFew,
		invariant: true,
		candidate: func(op *catalog.Operator, f *form) invoke.Candidate {
			return fewCandidate(op, f, gemvMost, true, func() *oxrt.Artifact {
				return gen.OxideSm90MatmulGemv(strings.ToUpper(f.input.String()), rows.Target)
			})
		},
		prepare: prepareGemv,
		cost:    gemvCost,
	}
}

// gemvCost: blocks have pairs of weight rows, and the one with most decides; a multiprocessor with one block has half as much in
// flight; every row of a is loaded again for each pass.
func gemvCost(f *form, m, sms int) float64 {
	pairs, blocks := ceil(f.columns(), 2), gemvBlocks(f.columns(), max(sms, 1))
	memory := fewCost(f, m) * 1.01
	if blocks <= sms {
		memory *= 1.14
	}
	uneven := float64(ceil(pairs, blocks)*blocks) / float64(pairs)
	return 0.75 + max(0.5, memory*min(uneven, 1.1)) + 0.08*float64(m-1)
}

func prepareGemv(p *Plan) launcher {
	f, size := &p.form, p.form.input.Size()
	pairs, grid := ceil(f.columns(), 2), gemvBlocks(f.columns(), p.SMs())
	args := f.fewArgs()
	args.AStride, args.BStride, args.RowBytes = uint64(f.a*size), uint64(f.b*size), uint32(f.k*size)
	args.Each, args.Rest = uint32(pairs/grid), uint32(pairs%grid)
	s := gemvStageOf(2*ceil(pairs, grid), f.k*size, gemvSteps(f), int(p.Artifacts()[0].Launch.DynamicSharedBytes))
	args.PassRows, args.Chunk, args.Pitch, args.StageBytes, args.Stages = s.rows, s.chunk, s.pitch, s.bytes, s.stages
	return func(scope *oxrt.Scope, c call) error {
		args := args
		args.M, args.A, args.B, args.AScale, args.BScale = uint32(c.m), c.a, c.b, c.aScale, c.bScale
		args.C, args.Bias, args.RowFactor, args.D = c.c, c.bias, c.rowFactor, c.d
		var params oxrt.Params
		args.Pack(&params)
		if err := p.Launch(scope, oxrt.Dim3{X: uint32(grid)}, &params); err != nil {
			return err
		}
		return p.sumSquares(scope, c, &params)
	}
}

// gemvStage is one stage of the ring, in bytes: so many rows, of each a chunk, pitch apart.
type gemvStage struct{ rows, chunk, pitch, bytes, stages uint32 }

// gemvStageOf divides a block's rows into passes of about the same height, an even number of rows each. Eight lanes that read two
// rows meet every bank once where the pitch is half a bank row off.
func gemvStageOf(blockRows, rowBytes, steps, ring int) gemvStage {
	passes := ceil(blockRows, gemvRows)
	high := 2 * ceil(ceil(blockRows, passes), 2)
	chunk := min(steps*gemvStep, 64*ceil(rowBytes, 64))
	pitch := 128*ceil(chunk-64, 128) + 64
	bytes := 128 * ceil(high*pitch, 128)
	return gemvStage{uint32(high), uint32(chunk), uint32(pitch), uint32(bytes), uint32(min(gemvStages, ring/bytes))}
}
