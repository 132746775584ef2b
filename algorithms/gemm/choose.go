package gemm

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
)

// choose returns the algorithm of a plan and writes down why: the one that the caller named (-1: invoke decides whether that can
// be), else the one that was measured fastest at this n and k, else the one that the analytic model finds fastest for calls of max_m
// rows. Equal estimates go to the one that is listed first. Nothing depends on the device: equal Specs get equal plans everywhere, also where there is no GPU.
func choose(op *catalog.Operator, all []strategy, candidates []invoke.Candidate, f *form, named string) int {
	if named != "" {
		for i := range candidates {
			candidates[i].Reason = "named by the caller"
		}
		return -1
	}
	best, reason := measured(tuned, op, func(i int) error { return candidates[i].Refusal }, f.maxM, f.n, f.k)
	modelled, estimates, refusals := model(all, candidates, f)
	if best < 0 {
		best, reason = modelled, "model at max_m: "+strings.Join(estimates, ", ")
	}
	if best >= 0 {
		candidates[best].Reason = strings.Join(append([]string{reason}, refusals...), ", ")
	}
	return best
}

// model estimates every algorithm that can run the Spec: the first fastest (-1: none), all estimates, and why the others cannot.
func model(all []strategy, candidates []invoke.Candidate, f *form) (best int, estimates, refusals []string) {
	best, least := -1, 0.0
	for i, s := range all {
		if err := candidates[i].Refusal; err != nil {
			refusals = append(refusals, fmt.Sprintf("%s cannot (%v)", s.algorithm.Name, err))
			continue
		}
		cost := s.cost(f, f.maxM, multiprocessors)
		estimates = append(estimates, fmt.Sprintf("%s %.3g µs", s.algorithm.Name, cost))
		if best < 0 || cost < least {
			best, least = i, cost
		}
	}
	return best, estimates, refusals
}
