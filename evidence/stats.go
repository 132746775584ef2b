package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

const (
	// MaxDrift is the largest difference between a contender's medians in two orders at which a ranking means anything.
	MaxDrift = 0.05
	// resamples of the bootstrap: enough that the ends of a 95 % interval have 50 values beyond them.
	resamples = 2000
	// digits kept of every figure that is computed from samples.
	digits = 5
)

// Median returns the middle value, or the mean of the middle two, and 0 of nothing.
func Median(x []float64) float64 {
	return middle(slices.Sorted(slices.Values(x)))
}

func middle(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// Quantile returns the value below which the fraction q of x lies, by linear interpolation.
func Quantile(x []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[j]-sorted[i])) // the conversion keeps machines from fusing the two
}

// interval bounds a function of the medians of independent groups of samples with 95 % confidence: the percentile bootstrap
// (Efron, Bootstrap Methods, 1979), each group drawn again from itself. The generator's seed is fixed, so that equal samples
// give equal bounds on every machine.
func interval(of func(medians []float64) float64, groups ...[]float64) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 2))
	sorted, drawn := make([][]float64, len(groups)), make([][]int, len(groups))
	for i, g := range groups {
		sorted[i], drawn[i] = slices.Sorted(slices.Values(g)), make([]int, len(g))
	}
	values, medians := make([]float64, resamples), make([]float64, len(groups))
	for n := range values {
		for i, x := range sorted {
			clear(drawn[i])
			for range x {
				drawn[i][r.IntN(len(x))]++
			}
			medians[i] = middleDrawn(x, drawn[i])
		}
		values[n] = of(medians)
	}
	return Quantile(values, 0.025), Quantile(values, 0.975)
}

// middleDrawn is the median of a sample that holds sorted[i] as often as times[i] says, len(sorted) values in all.
func middleDrawn(sorted []float64, times []int) float64 {
	n := len(sorted)
	lower, seen := 0.0, 0
	for i, k := range times {
		if before := seen; k > 0 {
			seen += k
			if before <= (n-1)/2 && seen > (n-1)/2 {
				lower = sorted[i]
			}
			if seen > n/2 {
				return (lower + sorted[i]) / 2
			}
		}
	}
	return lower
}

// round keeps a few digits, so that a figure is the same text wherever it is computed.
func round(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// rounds unpacks the samples of a contender, one slice an order.
func (c *Contender) rounds() ([][]float64, error) {
	var all [][]float64
	for _, r := range c.Rounds {
		x, err := r.Samples.Unpack()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if len(x) == 0 {
			return nil, fmt.Errorf("%s: a round without samples", c.Name)
		}
		all = append(all, x)
	}
	return all, nil
}

// Samples returns all samples of a contender in microseconds, in the order in which they were taken.
func (c *Contender) Samples() ([]float64, error) {
	all, err := c.rounds()
	return slices.Concat(all...), err
}

// summary computes what the samples say.
func (c *Contender) summary(limit *Limit) (Summary, error) {
	rounds, err := c.rounds()
	if err != nil || len(rounds) == 0 {
		return Summary{}, err
	}
	all := slices.Concat(rounds...)
	s := Summary{MedianUs: round(Median(all)), Drift: round(drift(rounds))}
	low, high := interval(func(m []float64) float64 { return m[0] }, all)
	s.LowUs, s.HighUs = round(low), round(high)
	if limit != nil && s.MedianUs > 0 {
		s.Fraction = round(limit.Us / s.MedianUs)
	}
	return s, nil
}

func drift(rounds [][]float64) float64 {
	low, high := math.Inf(1), 0.0
	for _, r := range rounds {
		m := Median(r)
		low, high = min(low, m), max(high, m)
	}
	if low <= 0 {
		return 0
	}
	return high/low - 1
}

// Summarise fills in the summaries, the ranking or the reason why there is none.
func (t *Timing) Summarise() error {
	t.Ranking, t.Refused = nil, ""
	for i := range t.Contenders {
		s, err := t.Contenders[i].summary(t.Limit)
		if err != nil {
			return err
		}
		t.Contenders[i].Summary = s
	}
	return t.rank()
}

// rank orders the contenders. Two are told apart where the 95 % interval of the ratio of their medians leaves out 1.
func (t *Timing) rank() error {
	var timed []*Contender
	for i := range t.Contenders {
		c := &t.Contenders[i]
		if len(c.Rounds) == 0 {
			continue
		}
		if c.Drift > MaxDrift {
			t.Refused = fmt.Sprintf("%s differs by %.1f %% between the orders, more than %.0f %%", c.Name, 100*c.Drift, 100*MaxDrift)
			return nil
		}
		if len(c.Rounds) < 2 {
			t.Refused = c.Name + " ran in one order only"
		}
		timed = append(timed, c)
	}
	if len(timed) < 2 {
		t.Refused = "nothing to compare with"
	}
	if t.Refused != "" {
		return nil
	}
	slices.SortStableFunc(timed, func(a, b *Contender) int {
		switch {
		case a.MedianUs < b.MedianUs:
			return -1
		case a.MedianUs > b.MedianUs:
			return 1
		}
		return 0
	})
	group := []string{timed[0].Name}
	first := timed[0] // of its group: a chain of near neighbours is no tie
	for _, c := range timed[1:] {
		low, _, err := Ratio(c, first)
		if err != nil {
			return err
		}
		if low > 1 {
			t.Ranking = append(t.Ranking, group)
			group, first = nil, c
		}
		group = append(group, c.Name)
	}
	t.Ranking = append(t.Ranking, group)
	return nil
}

// Ratio bounds the ratio of the medians of two contenders with 95 % confidence.
func Ratio(a, b *Contender) (low, high float64, err error) {
	x, err := a.Samples()
	if err != nil {
		return 0, 0, err
	}
	y, err := b.Samples()
	if err != nil || len(x) == 0 || len(y) == 0 {
		return 0, 0, err
	}
	low, high = interval(func(m []float64) float64 { return m[0] / m[1] }, x, y)
	return round(low), round(high), nil
}
