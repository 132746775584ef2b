package gemm

import (
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// multiprocessors are those of the devices that estimates are for (H100 SXM, H200).
const multiprocessors = 132

// strategy is one algorithm as the family sees it.
type strategy struct {
	algorithm catalog.Algorithm
	// serves tells which operators list the algorithm.
	serves func(kind) bool
	// invariant: a row's bits do not depend on m.
	invariant bool
	// candidate is what the algorithm has to offer for a Spec, or why it cannot run it.
	candidate func(*catalog.Operator, *form) invoke.Candidate
	// prepare makes all of a call that the plan decides.
	prepare func(*Plan) launcher
	// cost estimates the microseconds of a call of m rows on a device with so many multiprocessors.
	cost func(f *form, m, sms int) float64
}

// launcher adds a call of at least one row to a scope whose operands are bound.
type launcher func(*oxrt.Scope, call) error

// call is one invocation with its addresses; what is absent is 0.
type call struct {
	m                                 int
	a, b, aScale, bScale              oxrt.DevicePtr
	c, bias, rowFactor, d, rowSquares oxrt.DevicePtr
}

// strategies are all algorithms, the most general last.
func strategies() []strategy {
	all := []strategy{gemv(), skinny(1), skinny(2), skinny(4)}
	for _, t := range tiles {
		all = append(all, tiled(t))
	}
	return append(all, general())
}

// strategiesOf are the algorithms of one operator.
func strategiesOf(k kind) []strategy {
	return slices.DeleteFunc(strategies(), func(s strategy) bool { return !s.serves(k) })
}

// candidates asks every algorithm of an operator.
func candidates(op *catalog.Operator, k kind, f *form) []invoke.Candidate {
	var all []invoke.Candidate
	for _, s := range strategiesOf(k) {
		c := s.candidate(op, f)
		if f.invariant && !s.invariant && c.Refusal == nil {
			c.Refusal = op.Refuse("batch_invariant", "false for this algorithm", "true")
		}
		all = append(all, c)
	}
	return all
}
