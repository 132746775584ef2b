package timing

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

const (
	graphSeconds = 4e-3
	warmReplays  = 3
	replays      = 25
	rest         = 1.5 // seconds of rest for a second of a contender's work
	eagerCalls   = 500
	eagerRounds  = 7
	eagerUs      = 300     // of a call on the device, at most: the host of longer ones would only wait for the queue
	memoryRate   = 4.55e12 // bytes/s of one H200, to guess how many calls fill a graph
	tensorRate   = 8e14    // operations/s of its tensor cores, for the same
)

// Result is the record of one measurement.
type Result struct {
	Operator  string    `json:"operator"`
	Case      string    `json:"case"`
	Algorithm string    `json:"algorithm"`
	Variant   string    `json:"variant"`
	Device    string    `json:"device"`
	Bytes     int64     `json:"bytes"` // read and written by the definition, each once
	Sets      int       `json:"sets"`
	Calls     int       `json:"calls"` // in the graph
	GraphUs   []float64 `json:"graph_us"`
	MedianUs  float64   `json:"median_us"`
	Fraction  float64   `json:"fraction"` // of the physical limit, where it is known
	EagerUs   []float64 `json:"eager_us"` // host time of a call through the whole scope, one sample a round; none for long calls
	HostUs    float64   `json:"host_us"`  // the least of them: the host's cost where the device does not hold it up
	Error     string    `json:"error,omitempty"`
}

// Job is one measurement: a plan of one Spec at one size. InPlace lays outputs over the inputs that they may be.
type Job struct {
	Binding   catalog.Binding
	Spec      any
	Dims      []int
	Algorithm string
	InPlace   bool
}

// Measure times a job. A failure is in the result.
func Measure(stream *oxrt.Stream, j Job) Result {
	r := Result{Operator: j.Binding.Operator.Name, Device: stream.Device().Name()}
	if err := r.measure(stream, j); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (r *Result) measure(stream *oxrt.Stream, j Job) (err error) {
	plan, err := j.Binding.Plan(stream.Device(), j.Spec, j.Algorithm)
	if err != nil {
		return err
	}
	r.Algorithm = plan.Algorithm()
	for _, a := range plan.Artifacts() {
		r.Variant = a.Variant
	}
	s, err := newSets(stream, j.Binding.Operator, j.Spec, j.Dims, j.InPlace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	r.Bytes, r.Sets = s.bytes, len(s.calls)
	if err := r.graph(s, plan); err != nil {
		return err
	}
	if l := LimitOn(r.Device, s.bytes, s.flops, TensorType(j.Binding.Operator, j.Spec)); l != nil {
		r.Fraction = l.Us / r.MedianUs
	}
	if r.MedianUs > eagerUs {
		return nil
	}
	return r.eager(s, plan)
}

// graph captures calls that go round the sets and replays them.
func (r *Result) graph(s *sets, plan catalog.Plan) (err error) {
	r.Calls = s.callsInGraph(graphSeconds)
	g, err := s.record(r.Calls, func(i int) error { _, err := s.enqueue(plan, i); return err })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for i := range warmReplays + replays {
		d, err := replay(s.stream, g)
		if err != nil {
			return err
		}
		if i >= warmReplays {
			r.GraphUs = append(r.GraphUs, d.Seconds()*1e6/float64(r.Calls))
		}
	}
	r.MedianUs = evidence.Median(r.GraphUs)
	return nil
}

func replay(stream *oxrt.Stream, g *oxrt.Graph) (d time.Duration, err error) {
	var marks [2]*oxrt.Event
	for i := range marks {
		if marks[i], err = stream.Device().NewEvent(true); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, marks[i].Close()) }()
	}
	if err := marks[0].Record(stream); err != nil {
		return 0, err
	}
	done, err := g.Launch(stream)
	if err != nil {
		return 0, err
	}
	if err := marks[1].Record(stream); err != nil {
		return 0, err
	}
	if err := errors.Join(done.Wait(context.Background()), stream.Synchronize(context.Background())); err != nil {
		return 0, err
	}
	return marks[1].Since(marks[0])
}

// eager times rounds of calls on the host, without waiting for the device in between.
func (r *Result) eager(s *sets, plan catalog.Plan) error {
	for range eagerRounds {
		us, err := s.eagerRound(plan)
		if err != nil {
			return err
		}
		r.EagerUs = append(r.EagerUs, us)
	}
	r.HostUs = slices.Min(r.EagerUs)
	return nil
}
