package timing

import (
	"math/rand/v2"
	"testing"
)

// TestPairedSeesThroughNoise: the interval holds the true difference about 19 times in 20 although the machine's own drift is a
// hundred times larger.
func TestPairedSeesThroughNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials, difference = 400, 0.5
	inside := 0
	for range trials {
		base, other := make([]float64, 101), make([]float64, 101)
		for i := range base {
			drift := 50 * r.Float64()
			base[i] = 3 + drift + 0.2*r.ExpFloat64()
			other[i] = 3 + difference + drift + 0.2*r.ExpFloat64()
		}
		p := Pair(base, other)
		if p.Low > p.Difference || p.Difference > p.High || p.Rounds != 101 {
			t.Fatalf("%+v", p)
		}
		if p.Low <= difference && difference <= p.High {
			inside++
		}
		if p.High-p.Low > 0.3 {
			t.Fatalf("the interval is as wide as the drift: %+v", p)
		}
	}
	if inside < trials*92/100 {
		t.Errorf("the interval holds the difference in %d of %d trials", inside, trials)
	}
}

func TestPairOfOneRound(t *testing.T) {
	if p := Pair([]float64{2}, []float64{5}); p.Difference != 3 || p.Low != 3 || p.High != 3 || p.Base != 2 || p.Other != 5 {
		t.Errorf("%+v", p)
	}
}
