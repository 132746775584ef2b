package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/barelaunch"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/gather"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// Columns of our own calls, beside those of barelaunch.
const (
	oursMode      = "plan, scope, submit and completion"
	trustedMode   = "gather, trusted"
	checkedMode   = "gather, checked"
	trustedWaited = "gather, trusted, waited for"
	checkedWaited = "gather, checked, waited for"
)

// hostTimes are the samples of the host's cost of a call, in microseconds, one a round for each way to make it.
type hostTimes struct {
	Device  string                   `json:"device"`
	Kernel  string                   `json:"kernel"`
	Calls   int                      `json:"calls"` // in a sample
	Samples map[string][]float64     `json:"samples_us"`
	Ours    map[string]timing.Paired `json:"ours_against"`
	// Checked is a call whose data the device validates against the same call trusted: without waiting, and until it has settled.
	Checked       timing.Paired `json:"checked_against_trusted"`
	CheckedWaited timing.Paired `json:"checked_against_trusted_waited"`
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
	for _, c := range []struct {
		name string
		p    timing.Paired
	}{{"gather of 32 rows, trusted", t.Checked}, {"the same, each waited for", t.CheckedWaited}} {
		fmt.Fprintf(l.out, "%-48s %6.3f µs   checked %6.3f µs   checked - trusted %+.3f µs, 95 %% in [%+.3f, %+.3f]\n", c.name, c.p.Base, c.p.Other, c.p.Difference,
			c.p.Low, c.p.High)
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

	trusted, checked *gather.Plan
	table            gather.Operands
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
	if err := b.gathers(d); err != nil {
		return fail(err)
	}
	return b, nil
}

// gathers makes the plans of one operator that checks its ids and that trusts them, and ids that are right.
func (b *hostBench) gathers(d *device.Device) error {
	var err error
	if b.checked, err = gather.New(d.Dev, false); err != nil {
		return err
	}
	if b.trusted, err = gather.New(d.Dev, true); err != nil {
		return err
	}
	for _, to := range []struct {
		region *oxrt.Region
		dtype  oxrt.DType
	}{{&b.table.X, oxrt.F32}, {&b.table.IDs, oxrt.U32}, {&b.table.Y, oxrt.F32}} {
		buf, err := d.Dev.Alloc(4 * gather.MaxRows)
		if err != nil {
			return err
		}
		b.bufs, *to.region = append(b.bufs, buf), buf.All(to.dtype)
		if err := d.Stream.Upload(*to.region, make([]byte, 4*gather.MaxRows)); err != nil {
			return err
		}
	}
	return nil
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

// calls makes n calls, each in a scope of its own, and returns their host time and the last completion's outcome. waited has every call
// settle before the next.
func (b *hostBench) calls(n int, waited bool, enqueue func(*oxrt.Scope) error) (time.Duration, error) {
	var last oxrt.Completion
	start := time.Now()
	for range n {
		scope, err := b.stream.Begin()
		if err != nil {
			return 0, err
		}
		if err := enqueue(scope); err != nil {
			scope.Drop()
			return 0, err
		}
		if last, err = scope.Submit(); err != nil {
			return 0, err
		}
		if waited {
			if err := last.Wait(context.Background()); err != nil {
				return 0, err
			}
		}
	}
	took := time.Since(start)
	return took, last.Wait(context.Background())
}

// ways are all ways to make n calls that a round times.
func (b *hostBench) ways(n int) map[string]func() (time.Duration, error) {
	through := func(waited bool, enqueue func(*oxrt.Scope) error) func() (time.Duration, error) {
		return func() (time.Duration, error) { return b.calls(n, waited, enqueue) }
	}
	gathers := func(p *gather.Plan) func(*oxrt.Scope) error {
		return func(s *oxrt.Scope) error { return p.Enqueue(s, b.table) }
	}
	ways := map[string]func() (time.Duration, error){
		oursMode:      through(false, func(s *oxrt.Scope) error { return b.plan.Enqueue(s, b.call) }),
		trustedMode:   through(false, gathers(b.trusted)),
		checkedMode:   through(false, gathers(b.checked)),
		trustedWaited: through(true, gathers(b.trusted)),
		checkedWaited: through(true, gathers(b.checked)),
	}
	for _, m := range barelaunch.Modes {
		ways[m.String()] = func() (time.Duration, error) { return barelaunch.Run(b.bare, m, n) }
	}
	return ways
}

func (b *hostBench) run(rounds, calls int) (*hostTimes, error) {
	t := &hostTimes{Device: b.stream.Device().Name(), Kernel: b.plan.Artifacts()[0].Name(), Calls: calls, Samples: map[string][]float64{},
		Ours: map[string]timing.Paired{}}
	ways := b.ways(calls)
	names := slices.Sorted(maps.Keys(ways))
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
	t.Checked = timing.Pair(t.Samples[trustedMode], t.Samples[checkedMode])
	t.CheckedWaited = timing.Pair(t.Samples[trustedWaited], t.Samples[checkedWaited])
	return t, nil
}
