package timing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// Regions name what is timed.
const (
	GraphRegion = "replay of a graph of calls between two events, per call"
	EagerRegion = "host time of a call through plan, scope and submission, without waiting for the device"
)

// OnHost tells whether a region is the host's time and not the device's.
func OnHost(region string) bool { return strings.HasPrefix(region, "host time ") }

// Comparison is what Compare measures: every algorithm that takes the Spec, the plan's own choice first, and a copy of as many
// bytes by the driver as a yardstick.
type Comparison struct {
	Algorithm string // the plan's choice
	Artifacts []*oxrt.Artifact
	Timings   []evidence.Timing
}

// Compare times a job by the protocol: warm-up, operands rotated past L2, both orders, graph and eager apart, all samples kept.
// version is that of the program, driver that of the GPU's driver.
func Compare(stream *oxrt.Stream, j Job, version, driver string) (c Comparison, err error) {
	plans, err := plansOf(stream, j)
	if err != nil {
		return c, err
	}
	c.Algorithm = plans[0].Algorithm()
	for _, p := range plans {
		c.Artifacts = append(c.Artifacts, p.Artifacts()...)
	}
	s, err := newSets(stream, j.Binding.Operator, j.Spec, j.Dims, j.InPlace)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	base := evidence.Timing{Bytes: s.bytes, Flops: s.flops, Sets: len(s.calls), ColdBytes: s.bytes * int64(len(s.calls)),
		Limit: LimitOn(stream.Device().Name(), s.bytes, s.flops, TensorType(j.Binding.Operator, j.Spec))}
	for _, measure := range []func([]catalog.Plan, evidence.Timing, string, string) (evidence.Timing, error){s.graphs, s.hosts} {
		t, err := measure(plans, base, version, driver)
		if err == nil {
			err = t.Summarise()
		}
		if err != nil {
			return c, err
		}
		c.Timings = append(c.Timings, t)
		if t.Contenders[0].MedianUs > eagerUs {
			break // the host's time of such a call is the device's
		}
	}
	return c, nil
}

// plansOf makes the plan that the family recommends and then those of the other algorithms.
func plansOf(stream *oxrt.Stream, j Job) ([]catalog.Plan, error) {
	first, err := j.Binding.Plan(stream.Device(), j.Spec, j.Algorithm)
	if err != nil {
		return nil, err
	}
	plans := []catalog.Plan{first}
	if j.Binding.Operator.Dims[0].Tuned {
		return plans, nil // the others were measured when the family was tuned
	}
	for i, refusal := range j.Binding.Supports(j.Spec) {
		name := j.Binding.Operator.Algorithms[i].Name
		if refusal != nil || name == first.Algorithm() {
			continue
		}
		p, err := j.Binding.Plan(stream.Device(), j.Spec, name)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func ours(p catalog.Plan, version string) evidence.Contender {
	return evidence.Contender{Name: p.Algorithm(), Provider: "Oxide", Algorithm: p.Algorithm(), Version: version, Ours: true}
}

// graphs times replays. All graphs exist before the first sample, so that no capture lies between two contenders.
func (s *sets) graphs(plans []catalog.Plan, t evidence.Timing, version, driver string) (_ evidence.Timing, err error) {
	t.Region, t.Calls = GraphRegion, s.callsInGraph(graphSeconds)
	var all []*sampler
	defer func() { err = errors.Join(err, closeAll(all)) }()
	for _, p := range plans {
		g, err := s.record(t.Calls, func(i int) error { _, err := s.enqueue(p, i); return err })
		if err != nil {
			return t, fmt.Errorf("%s: %w", p.Algorithm(), err)
		}
		all = append(all, s.replayer(ours(p, version), g, t.Calls))
	}
	yardstick, err := s.copier(t.Calls, driver)
	if err != nil {
		return t, fmt.Errorf("the copy: %w", err)
	}
	all = append(all, yardstick)
	t.Contenders, err = compete(all)
	return t, err
}

func (s *sets) replayer(c evidence.Contender, g *oxrt.Graph, calls int) *sampler {
	return &sampler{contender: c, warm: warmReplays, samples: replays, rest: rest, close: g.Close, sample: func() (float64, error) {
		d, err := replay(s.stream, g)
		return d.Seconds() * 1e6 / float64(calls), err
	}}
}

// copier is a graph of driver copies that read half of a call's bytes and write the other half, going round as many sets.
func (s *sets) copier(calls int, driver string) (*sampler, error) {
	half := max(s.bytes/2/alignment*alignment, alignment)
	buf, err := s.stream.Device().AllocNamed("copied", 2*half*int64(len(s.calls)))
	if err != nil {
		return nil, err
	}
	if err := s.randomise(buf, oxrt.BF16); err != nil {
		return nil, errors.Join(err, buf.Close())
	}
	all := buf.All(oxrt.U8)
	g, err := s.record(calls, func(i int) error {
		at := 2 * half * int64(i%len(s.calls))
		src, errSrc := all.Slice(at, half)
		dst, errDst := all.Slice(at+half, half)
		if err := errors.Join(errSrc, errDst); err != nil {
			return err
		}
		_, err := s.submitCopy(dst, src)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, buf.Close())
	}
	c := evidence.Contender{Name: "copy of as many bytes", Provider: "CUDA driver", Algorithm: "cuMemcpyDtoDAsync", Version: driver}
	out := s.replayer(c, g, calls)
	out.close = func() error { return errors.Join(g.Close(), buf.Close()) }
	return out, nil
}

// hosts times rounds of eager calls of the plan's choice. There is nothing to compare with: a peer's host time is measured
// where the peer runs.
func (s *sets) hosts(plans []catalog.Plan, t evidence.Timing, version, _ string) (evidence.Timing, error) {
	t.Region, t.Calls, t.Limit = EagerRegion, eagerCalls, nil
	one := &sampler{contender: ours(plans[0], version), warm: 1, samples: eagerRounds, sample: func() (float64, error) {
		return s.eagerRound(plans[0])
	}}
	var err error
	t.Contenders, err = compete([]*sampler{one})
	return t, err
}

// callsInGraph fills so many seconds, as far as can be told beforehand, and goes round every set.
func (s *sets) callsInGraph(seconds float64) int {
	one := 1e-6 + max(float64(s.bytes)/memoryRate, float64(s.flops)/tensorRate)
	return (int(seconds/one)/len(s.calls) + 1) * len(s.calls)
}

// record captures calls of enqueue in a graph.
func (s *sets) record(calls int, enqueue func(i int) error) (*oxrt.Graph, error) {
	if err := s.stream.BeginCapture(); err != nil {
		return nil, err
	}
	for i := range calls {
		if err := enqueue(i); err != nil {
			_, endErr := s.stream.EndCapture()
			return nil, errors.Join(err, endErr)
		}
	}
	return s.stream.EndCapture()
}

// eagerRound returns the host microseconds of a call, over eagerCalls calls.
func (s *sets) eagerRound(plan catalog.Plan) (float64, error) {
	start := time.Now()
	var last oxrt.Completion
	for i := range eagerCalls {
		var err error
		if last, err = s.enqueue(plan, i); err != nil {
			return 0, err
		}
	}
	us := time.Since(start).Seconds() * 1e6 / eagerCalls
	return us, last.Wait(context.Background())
}
