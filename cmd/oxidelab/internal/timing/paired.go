package timing

import (
	"math"
	"slices"

	"github.com/oxideinfer/oxide/evidence"
)

// Paired compares two things that were measured in the same rounds, so that a machine that is slow for a while is slow for both. The
// interval is the distribution-free one of a median: between two order statistics (Conover, Practical Nonparametric Statistics, 3.2).
type Paired struct {
	Rounds     int     `json:"rounds"`
	Base       float64 `json:"base"`       // median
	Other      float64 `json:"other"`      // median
	Difference float64 `json:"difference"` // median of the differences of a round, other - base
	Low        float64 `json:"low"`        // of the difference, at 95 %
	High       float64 `json:"high"`
}

// Pair compares the samples of the same rounds; both have the same length, at least 1.
func Pair(base, other []float64) Paired {
	d := make([]float64, len(base))
	for i := range d {
		d[i] = other[i] - base[i]
	}
	slices.Sort(d)
	n := float64(len(d))
	half := 0.98 * math.Sqrt(n) // 1.96 standard deviations of a binomial(n, 1/2)
	low := max(0, int(math.Floor(n/2-half)))
	high := min(len(d)-1, int(math.Ceil(n/2+half)))
	return Paired{Rounds: len(d), Base: evidence.Median(base), Other: evidence.Median(other), Difference: d[len(d)/2], Low: d[low], High: d[high]}
}
