package gemm

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
)

// choose returns the algorithm of a plan and writes down why: the one that the caller named (-1: invoke decides whether that can
// be), else the one that the analytic model finds fastest for calls of max_m rows. Equal estimates go to the one that is listed
// first, so that equal Specs get equal plans everywhere.
func choose(op *catalog.Operator, all []strategy, candidates []invoke.Candidate, f *form, sms int, named string) int {
	if named != "" {
		for i := range candidates {
			candidates[i].Reason = "named by the caller"
		}
		return -1
	}
	best, least := -1, 0.0
	var estimates, refusals []string
	for i, s := range all {
		if err := candidates[i].Refusal; err != nil {
			refusals = append(refusals, fmt.Sprintf("%s cannot (%v)", s.algorithm.Name, err))
			continue
		}
		cost := s.cost(f, f.maxM, sms)
		estimates = append(estimates, fmt.Sprintf("%s %.3g µs", s.algorithm.Name, cost))
		if best < 0 || cost < least {
			best, least = i, cost
		}
	}
	if best >= 0 {
		candidates[best].Reason = "model at max_m: " + strings.Join(append(estimates, refusals...), ", ")
	}
	return best
}
