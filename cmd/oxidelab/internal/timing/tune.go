package timing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

const (
	tuneSeconds = 1e-3 // of calls in a graph, at least
	tuneReplays = 7
	hopeless    = 1.5 // times the best: one replay is enough
)

// Candidate is one algorithm at one size.
type Candidate struct {
	Algorithm string    `json:"algorithm"`
	MedianUs  float64   `json:"median_us"`
	Us        []float64 `json:"us"` // one sample a replay
}

// Tuned is what every algorithm takes at one size, the fastest first.
type Tuned struct {
	Operator   string      `json:"operator"`
	Case       string      `json:"case"`
	Spec       string      `json:"spec"`
	Dims       []int       `json:"dims"`
	Sets       int         `json:"sets"`
	Calls      int         `json:"calls"`
	Candidates []Candidate `json:"candidates"`
}

// Tune times every algorithm that takes the Spec of a job in replays of a graph. Algorithms far behind the best get one sample.
func Tune(stream *oxrt.Stream, j Job) (t Tuned, err error) {
	t = Tuned{Operator: j.Binding.Operator.Name, Spec: string(j.Binding.Operator.EncodeSpec(j.Spec)), Dims: j.Dims}
	s, err := newSets(stream, j.Binding.Operator, j.Spec, j.Dims, j.InPlace)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	t.Sets = len(s.calls)
	t.Calls = s.callsInGraph(tuneSeconds)
	best := 0.0
	for i, refusal := range j.Binding.Supports(j.Spec) {
		if refusal != nil {
			continue
		}
		name := j.Binding.Operator.Algorithms[i].Name
		plan, err := j.Binding.Plan(stream.Device(), j.Spec, name)
		if err != nil {
			return t, err
		}
		us, err := s.tune(plan, t.Calls, best)
		if err != nil {
			return t, fmt.Errorf("%s: %w", name, err)
		}
		c := Candidate{Algorithm: name, Us: us, MedianUs: evidence.Median(us)}
		if best == 0 || c.MedianUs < best {
			best = c.MedianUs
		}
		t.Candidates = append(t.Candidates, c)
	}
	slices.SortStableFunc(t.Candidates, func(a, b Candidate) int { return cmp.Compare(a.MedianUs, b.MedianUs) })
	return t, nil
}

// tune takes one untimed sample and then as many as a plan near the best deserves.
func (s *sets) tune(plan catalog.Plan, calls int, best float64) (us []float64, err error) {
	g, err := s.record(calls, func(i int) error { _, err := s.enqueue(plan, i); return err })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for i := range 1 + tuneReplays {
		d, err := replay(s.stream, g)
		if err != nil {
			return nil, err
		}
		one := d.Seconds() * 1e6 / float64(calls)
		if i > 0 {
			us = append(us, one)
		}
		if i > 0 && best > 0 && one > hopeless*best {
			break
		}
	}
	return us, nil
}
