package timing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// TestCompete demands both orders in turns, a warm-up, a sample that does not count before each that does, all samples, and that a
// contender which breaks is out.
func TestCompete(t *testing.T) {
	var ran strings.Builder
	make := func(name string, failAt int) *sampler {
		calls := 0
		return &sampler{contender: evidence.Contender{Name: name, Provider: "P", Version: "1"}, warm: 1, samples: 3, sample: func() (float64, error) {
			ran.WriteString(name)
			if calls++; calls == failAt {
				return 0, errors.New("it broke")
			}
			return float64(calls), nil
		}}
	}
	all, err := compete([]*sampler{make("a", 0), make("b", 6), make("c", 0)})
	if err != nil {
		t.Fatal(err)
	}
	if got := ran.String(); got != "aabbcc"+"ccbbaa"+"ccbbaa"+"aacc"+"aacc"+"ccaa"+"ccaa"+"aacc" {
		t.Errorf("they ran as %s", got)
	}
	if b := all[1]; b.Error != "it broke" || b.Rounds != nil {
		t.Errorf("b: %+v", b)
	}
	for i, positions := range map[int][2]int{0: {0, 2}, 2: {2, 0}} {
		c := all[i]
		if len(c.Rounds) != 2 || c.Rounds[0].Position != positions[0] || c.Rounds[1].Position != positions[1] || c.Rounds[1].Order != 1 {
			t.Fatalf("%s: %+v", c.Name, c.Rounds)
		}
		us, err := c.Samples()
		if want := []float64{8, 10, 16, 6, 12, 14}; err != nil || !slices.Equal(us, want) {
			t.Errorf("%s: samples %v, %v; want %v", c.Name, us, err, want)
		}
	}
}

// TestTrendIsNoDrift: a card that gets slower by a half over the run leaves the medians of the two orders within 2 %, where one order
// after the other would give 25 %.
func TestTrendIsNoDrift(t *testing.T) {
	now := 0.0
	make := func(us float64) *sampler {
		return &sampler{contender: evidence.Contender{Name: fmt.Sprint(us), Provider: "P", Version: "1"}, warm: 1, samples: 25, sample: func() (float64, error) {
			now++
			return us * (1 + 0.5*now/416), nil
		}}
	}
	all, err := compete([]*sampler{make(1), make(2), make(3), make(4)})
	if err != nil {
		t.Fatal(err)
	}
	timing := evidence.Timing{Contenders: all}
	if err := timing.Summarise(); err != nil {
		t.Fatal(err)
	}
	for _, c := range timing.Contenders {
		if c.Drift > 0.02 {
			t.Errorf("%s drifts by %.4f", c.Name, c.Drift)
		}
	}
}

func TestLimitOn(t *testing.T) {
	l := LimitOn("NVIDIA H200", 4_550_000, 1000, 0)
	if l == nil || l.By != "bytes" || l.Us != 1 {
		t.Errorf("%+v", l)
	}
	if l := LimitOn("NVIDIA H200", 1, 66_908_160, 0); l.By != "flops" || l.Us != 1 {
		t.Errorf("%+v", l)
	}
	if l := LimitOn("NVIDIA H200", 1, 800e6, oxrt.BF16); l.By != "flops" || l.Us != 1 {
		t.Errorf("%+v", l)
	}
	if l := LimitOn("a GPU that nobody has measured", 1, 1, 0); l != nil {
		t.Errorf("%+v", l)
	}
}

// TestCallsInGraph: what bounds a call, bytes or operations, decides how many fill a graph; they go round every set.
func TestCallsInGraph(t *testing.T) {
	for _, c := range []struct {
		sets         int
		bytes, flops int64
		want         int
	}{{1, 402e6, 1.1e12, 3}, {1, 402e6, 1e9, 45}, {400, 1, 0, 4000}, {3, 130e6, 0, 138}, {7, 402e6, 1.1e12, 7}} {
		s := &sets{calls: make([]catalog.Call, c.sets), bytes: c.bytes, flops: c.flops}
		if got := s.callsInGraph(graphSeconds); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestCases demands that every declared size is one that its operator takes; levels plan them.
func TestCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Operator+c.Label] {
			t.Errorf("%s %s is there twice", c.Operator, c.Label)
		}
		seen[c.Operator+c.Label] = true
	}
	for _, c := range PeerCases() {
		if !seen[c.Operator+c.Label] {
			t.Errorf("%s %s is compared with peers and not timed by itself", c.Operator, c.Label)
		}
		if c.InPlace != (c.Operator == "normalization.add_rms_norm") {
			t.Errorf("%s %s: in place %v", c.Operator, c.Label, c.InPlace)
		}
	}
}
