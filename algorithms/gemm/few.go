package gemm

import (
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// fewCandidate is the artifact of an algorithm for few rows, at most so many, or why it cannot run the Spec. whole asks for rows
// of k that are multiples of 16 bytes themselves, not only their strides.
func fewCandidate(op *catalog.Operator, f *form, most int, whole bool, artifact func() *oxrt.Artifact) invoke.Candidate {
	refuse := func(field, want string, got any) invoke.Candidate {
		return invoke.Candidate{Refusal: op.Refuse(field, want+" for this algorithm", fmt.Sprint(got))}
	}
	packet := 16 / f.input.Size()
	multiple := fmt.Sprintf("a multiple of %d", packet)
	switch {
	case f.maxM > most:
		return refuse("max_m", fmt.Sprintf("at most %d", most), f.maxM)
	case f.byK:
		return refuse("b_by_k", "false", true)
	case f.n == 0:
		return refuse("n", "at least 1", 0)
	case f.k == 0:
		return refuse("k", "at least 1", 0)
	case f.align%16 != 0:
		return refuse("align", "a multiple of 16", f.align)
	case whole && f.k%packet != 0:
		return refuse("k", multiple, f.k)
	case f.a%packet != 0:
		return refuse("a_stride", multiple, f.a)
	case f.b%packet != 0:
		return refuse("b_stride", multiple, f.b)
	}
	c := invoke.Candidate{Artifact: artifact()}
	if c.Artifact == nil {
		return refuse("max_m", "a number of rows that there is a kernel for", f.maxM)
	}
	if f.squares {
		c.Also = []*oxrt.Artifact{gen.OxideSm90MatmulRowSquares("Any", rows.Target)}
	}
	return c
}

// servesFew tells which operators the kernels for few rows serve: their scales belong to whole rows.
func servesFew(k kind) bool { return k.scaling != perBlock }

// fewArgs are the arguments that the kernels for few rows have in common, as far as the plan decides them.
func (f *form) fewArgs() gen.OxideSm90MatmulGemvArgs {
	args := gen.OxideSm90MatmulGemvArgs{
		Columns: uint32(f.columns()), DStride: uint64(f.d), CStride: uint64(f.c), DType: typeNumber(f.output), CType: typeNumber(f.addend),
		BiasType: typeNumber(f.biasType), Activation: uint32(f.activation), Alpha: f.alpha, Beta: f.beta, Epsilon: f.epsilon, OutScale: 1 / f.outputScale,
	}
	if f.gated {
		args.Gated = 1
	}
	if f.fromSquares {
		args.InvK = float32(1 / float64(f.k))
	}
	if f.scaling == perRow {
		args.AScaleStride, args.BScaleStride = 1, 1
	}
	return args
}

// fewCost estimates what the memory takes of a call whose weights are read once, from an H200.
func fewCost(f *form, m int) float64 {
	size := f.input.Size()
	return float64(size*f.k*(m+f.columns())+f.output.Size()*m*f.n) / 4.45e6
}
