package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/barelaunch"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// oursMode is the column of our own calls beside those of barelaunch.
const oursMode = "plan, scope, submit and completion"

// hostTimes are the samples of the host's cost of a call, in microseconds, one a round for each way to make it.
type hostTimes struct {
	Device  string                   `json:"device"`
	Kernel  string                   `json:"kernel"`
	Calls   int                      `json:"calls"` // in a sample
	Samples map[string][]float64     `json:"samples_us"`
	Ours    map[string]timing.Paired `json:"ours_against"`
}

// benchHost compares the host's cost of an eager call through plan, scope and completion with the bare launch of the same kernel from
// C. Each round times every way once, in random order, in one process, on one stream and thread.
func (l *lab) benchHost(args []string) (err error) {
	f := l.flags("bench host", "[flags]")
	where := f.String("device", "auto", device.Help)
	out := f.String("json", "", "write every sample to this `file`")
	rounds := f.Int("rounds", 401, "number of `rounds`")
	calls := f.Int("calls", 100, "`calls` in a sample")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	if *rounds < 1 || *calls < 1 {
		return errors.New("want at least one round and one call")
	}
	d, err := openTimed(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	b, err := newHostBench(d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	t, err := b.run(*rounds, *calls)
	if err != nil {
		return err
	}
	fmt.Fprintf(l.out, "host cost of an eager call of %s on %s, %d rounds of %d calls, medians\n", t.Kernel, d, *rounds, *calls)
	for _, m := range barelaunch.Modes {
		p := t.Ours[m.String()]
		fmt.Fprintf(l.out, "%-48s %6.3f µs   ours %6.3f µs   ours - bare %+.3f µs, 95 %% in [%+.3f, %+.3f]\n", m, p.Base, p.Other, p.Difference, p.Low, p.High)
	}
	return writeSamples(*out, t)
}

// hostBench is RMSNorm of one row of 4096, through the library and bare.
type hostBench struct {
	stream *oxrt.Stream
	plan   *normalization.RMSNormPlan
	call   normalization.RMSNormOperands
	bare   barelaunch.Call
	event  *oxrt.Event
	bufs   []*oxrt.Buffer
}

func newHostBench(d *device.Device) (*hostBench, error) {
	const hidden = 4096
	b := &hostBench{stream: d.Stream}
	fail := func(err error) (*hostBench, error) { return nil, errors.Join(err, b.close()) }
	var err error
	if b.plan, err = normalization.PlanRMSNorm(d.Dev, normalization.RMSNormSpec{MaxRows: 1, Hidden: hidden, Input: oxrt.BF16, Epsilon: 1e-6}); err != nil {
		return fail(err)
	}
	if b.event, err = d.Dev.NewEvent(false); err != nil {
		return fail(err)
	}
	var regions [3]oxrt.Region
	for i := range regions {
		buf, err := d.Dev.Alloc(2 * hidden)
		if err != nil {
			return fail(err)
		}
		b.bufs, regions[i] = append(b.bufs, buf), buf.All(oxrt.BF16)
	}
	b.call = normalization.RMSNormOperands{Rows: 1, X: regions[0], Weight: regions[1], Y: regions[2]}
	kernel, err := d.Dev.Load(b.plan.Artifacts()[0])
	if err != nil {
		return fail(err)
	}
	var params oxrt.Params
	a := gen.OxideSm90RMSNormRowArgs{X: regions[0].Ptr(), Weight: regions[1].Ptr(), Y: regions[2].Ptr(), XStride: hidden, YStride: hidden, Hidden: hidden,
		InvHidden: 1.0 / hidden, Eps: 1e-6, OutScale: 1, Early: 1}
	a.Pack(&params)
	b.bare = barelaunch.Call{Context: d.Dev.Context(), Stream: d.Stream.Handle(), Event: b.event.Handle(), Kernel: kernel, Grid: oxrt.Dim3{X: 1},
		Params: append([]byte(nil), params.Bytes()...)}
	return b, nil
}

func (b *hostBench) close() error {
	var all []error
	if b.event != nil {
		all = append(all, b.event.Close())
	}
	for _, buf := range b.bufs {
		all = append(all, buf.Close())
	}
	return errors.Join(all...)
}

// ours makes n calls and returns their host time and the last completion's outcome.
func (b *hostBench) ours(n int) (time.Duration, error) {
	var last oxrt.Completion
	start := time.Now()
	for range n {
		scope, err := b.stream.Begin()
		if err != nil {
			return 0, err
		}
		if err := b.plan.Enqueue(scope, b.call); err != nil {
			scope.Drop()
			return 0, err
		}
		if last, err = scope.Submit(); err != nil {
			return 0, err
		}
	}
	took := time.Since(start)
	return took, last.Wait(context.Background())
}

func (b *hostBench) run(rounds, calls int) (*hostTimes, error) {
	t := &hostTimes{Device: b.stream.Device().Name(), Kernel: b.plan.Artifacts()[0].Name(), Calls: calls, Samples: map[string][]float64{},
		Ours: map[string]timing.Paired{}}
	ways := map[string]func() (time.Duration, error){oursMode: func() (time.Duration, error) { return b.ours(calls) }}
	names := []string{oursMode}
	for _, m := range barelaunch.Modes {
		names = append(names, m.String())
		ways[m.String()] = func() (time.Duration, error) { return barelaunch.Run(b.bare, m, calls) }
	}
	random := rand.New(rand.NewPCG(5, 6))
	const warm = 5
	for round := range warm + rounds {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			took, err := ways[name]()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if err := b.stream.Synchronize(context.Background()); err != nil {
				return nil, err
			}
			if round >= warm {
				t.Samples[name] = append(t.Samples[name], took.Seconds()*1e6/float64(calls))
			}
		}
	}
	for _, m := range barelaunch.Modes {
		t.Ours[m.String()] = timing.Pair(t.Samples[m.String()], t.Samples[oursMode])
	}
	return t, nil
}
