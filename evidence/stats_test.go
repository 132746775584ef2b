package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPackKeepsPicoseconds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var us []float64
	for range 1000 {
		us = append(us, math.Round(1e6*(33+r.NormFloat64()*0.1))/1e6)
	}
	us = append(us, 0, 1e12)
	s := pack(t, us...)
	got, err := s.Unpack()
	if err != nil || !slices.Equal(got, us) {
		t.Fatalf("%v", err)
	}
	if len(s.Packed) > 6*len(us) {
		t.Errorf("%d bytes for %d samples", len(s.Packed), len(us))
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Pack([]float64{bad}); err == nil {
			t.Errorf("%g was packed", bad)
		}
	}
	for name, s := range map[string]Samples{
		"too few": {len(us) + 1, s.Packed}, "too many": {len(us) - 1, s.Packed}, "negative": {-1, ""}, "no base64": {1, "%"}, "no deflate": {1, "/////w=="},
		"a huge count": {1 << 30, s.Packed},
	} {
		if _, err := s.Unpack(); err == nil {
			t.Errorf("%s: unpacked", name)
		}
	}
}

// around draws n samples of a normal distribution.
func around(seed uint64, n int, mean, sigma float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = mean + sigma*r.NormFloat64()
	}
	return x
}

// TestIntervalCovers demands that 95 % intervals hold the true median about as often as they promise.
func TestIntervalCovers(t *testing.T) {
	const trials = 200
	hits := 0
	for seed := range uint64(trials) {
		low, high := interval(func(m []float64) float64 { return m[0] }, around(seed, 50, 10, 1))
		if low <= 10 && 10 <= high {
			hits++
		}
	}
	if hits < trials*90/100 || hits == trials {
		t.Errorf("%d of %d intervals hold the median", hits, trials)
	}
}

// TestMiddleDrawn compares with the median of the sample written out.
func TestMiddleDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		sorted := make([]float64, 1+r.IntN(9))
		for i := range sorted {
			sorted[i] = float64(i * i)
		}
		times, whole := make([]int, len(sorted)), []float64{}
		for range sorted {
			i := r.IntN(len(sorted))
			times[i]++
			whole = append(whole, sorted[i])
		}
		if got, want := middleDrawn(sorted, times), Median(whole); got != want {
			t.Fatalf("%v drawn %v: %g, want %g", sorted, times, got, want)
		}
	}
}

func TestMedianAndQuantile(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		q    float64
		want float64
	}{
		{nil, 0.5, 0}, {[]float64{7}, 0.9, 7}, {[]float64{3, 1, 2}, 0.5, 2}, {[]float64{4, 1, 3, 2}, 0.5, 2.5}, {[]float64{1, 2}, 0.25, 1.25}, {[]float64{1, 2, 3}, 1, 3},
	} {
		if got := Quantile(c.x, c.q); got != c.want {
			t.Errorf("quantile %g of %v is %g, want %g", c.q, c.x, got, c.want)
		}
		if got := Median(c.x); c.q == 0.5 && got != c.want {
			t.Errorf("median of %v is %g, want %g", c.x, got, c.want)
		}
	}
}

func contender(t *testing.T, name string, rounds ...[]float64) Contender {
	t.Helper()
	c := Contender{Name: name, Provider: "P", Version: "1"}
	for i, r := range rounds {
		c.Rounds = append(c.Rounds, Round{Order: i, Samples: pack(t, r...)})
	}
	return c
}

func TestRanking(t *testing.T) {
	fast := func(seed uint64) []float64 { return around(seed, 25, 10, 0.1) }
	slow := func(seed uint64) []float64 { return around(seed, 25, 11, 0.1) }
	for _, c := range []struct {
		name       string
		contenders []Contender
		want       [][]string
		refused    string
	}{
		{"clear", []Contender{contender(t, "a", slow(1), slow(2)), contender(t, "b", fast(3), fast(4))}, [][]string{{"b"}, {"a"}}, ""},
		{"equal", []Contender{contender(t, "a", fast(1), fast(2)), contender(t, "b", fast(3), fast(4))}, [][]string{{"b", "a"}}, ""},
		{"drift", []Contender{contender(t, "a", fast(1), slow(2)), contender(t, "b", fast(3), fast(4))}, nil, "a differs by"},
		{"one order", []Contender{contender(t, "a", fast(1)), contender(t, "b", fast(3), fast(4))}, nil, "one order"},
		{"alone", []Contender{contender(t, "a", fast(1), fast(2)), {Name: "b", Error: "not there"}}, nil, "nothing to compare"},
	} {
		timing := Timing{Contenders: c.contenders, Limit: &Limit{Us: 5}}
		if err := timing.Summarise(); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(timing.Ranking, c.want, func(a, b []string) bool {
			return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
		}) || !strings.Contains(timing.Refused, c.refused) || (c.refused == "") != (timing.Refused == "") {
			t.Errorf("%s: ranking %v, refused %q", c.name, timing.Ranking, timing.Refused)
		}
		if a := timing.Contenders[0]; c.name == "equal" && (a.LowUs > a.MedianUs || a.HighUs < a.MedianUs || math.Abs(a.Fraction-0.5) > 0.01 || a.Drift > 0.02) {
			t.Errorf("summary %+v", a.Summary)
		}
	}
}
