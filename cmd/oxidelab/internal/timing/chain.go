package timing

import (
	"context"
	"errors"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// ChainPairs is how many times a chain does add + RMSNorm and SwiGLU.
const ChainPairs = 32

// ChainResult compares a chain of dependent operators without overlap of launches (base) and with it (other): device time of one pair in
// microseconds.
type ChainResult struct {
	Rows    int                  `json:"rows"`
	Hidden  int                  `json:"hidden"`
	Graph   Paired               `json:"graph"`
	Eager   Paired               `json:"eager"`
	Samples map[string][]float64 `json:"samples_us"`
}

// chain is a decoder's elementwise half: sum = x + residual, n = RMSNorm(sum), x = SwiGLU(n, residual). Every operator reads what the
// one before has written, and the values stay bounded however often it runs.
type chain struct {
	norm  *normalization.AddRMSNormPlan
	gated *activation.GatedPlan
	add   normalization.AddRMSNormOperands
	glu   activation.GatedOperands
	bufs  []*oxrt.Buffer
}

func newChain(stream *oxrt.Stream, rows, hidden int, apart bool) (*chain, error) {
	c, dev := &chain{}, stream.Device()
	var norm []normalization.Option
	var glu []activation.Option
	if apart {
		norm, glu = append(norm, normalization.WithoutOverlap()), append(glu, activation.WithoutOverlap())
	}
	var err error
	if c.norm, err = normalization.PlanAddRMSNorm(dev, normalization.AddRMSNormSpec{MaxRows: rows, Hidden: hidden, Input: oxrt.BF16, Epsilon: 1e-6}, norm...); err != nil {
		return nil, err
	}
	if c.gated, err = activation.PlanSwiGLU(dev, activation.SwiGLUSpec{MaxRows: rows, Size: hidden, Input: oxrt.BF16}, glu...); err != nil {
		return nil, err
	}
	var r [5]oxrt.Region
	for i, elems := range []int{rows * hidden, rows * hidden, rows * hidden, rows * hidden, hidden} {
		buf, err := dev.Alloc(int64(2 * elems))
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		c.bufs, r[i] = append(c.bufs, buf), buf.All(oxrt.BF16)
	}
	x, residual, sum, n, weight := r[0], r[1], r[2], r[3], r[4]
	c.add = normalization.AddRMSNormOperands{Rows: rows, X: x, Residual: residual, Weight: weight, Sum: sum, Y: n}
	c.glu = activation.GatedOperands{Rows: rows, Gate: n, Up: residual, Y: x}
	if err := c.fill(stream); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// fill gives every tensor normal values.
func (c *chain) fill(stream *oxrt.Stream) error {
	values := normal(oxrt.BF16)
	for _, b := range c.bufs {
		all := b.All(oxrt.U8)
		for at := int64(0); at < all.Len(); at += seedBytes {
			n := min(seedBytes, all.Len()-at)
			part, err := all.Slice(at, n)
			if err != nil {
				return err
			}
			if err := stream.Upload(part, values[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *chain) close() error {
	var all []error
	for _, b := range c.bufs {
		all = append(all, b.Close())
	}
	return errors.Join(all...)
}

// submit runs the chain as one scope.
func (c *chain) submit(stream *oxrt.Stream) (oxrt.Completion, error) {
	scope, err := stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	for range ChainPairs {
		if err := errors.Join(c.norm.Enqueue(scope, c.add), c.gated.Enqueue(scope, c.glu)); err != nil {
			scope.Drop()
			return oxrt.Completion{}, err
		}
	}
	return scope.Submit()
}

func (c *chain) graph(stream *oxrt.Stream) (*oxrt.Graph, error) {
	if err := stream.BeginCapture(); err != nil {
		return nil, err
	}
	_, err := c.submit(stream)
	g, endErr := stream.EndCapture()
	return g, errors.Join(err, endErr)
}

// Chain measures both chains in turn, round by round.
func Chain(stream *oxrt.Stream, rows, hidden, rounds int) (r ChainResult, err error) {
	r = ChainResult{Rows: rows, Hidden: hidden, Samples: map[string][]float64{}}
	names := [2]string{"apart", "overlapping"}
	var runs [2]*chainRun
	for i := range runs {
		c, err := newChainRun(stream, rows, hidden, i == 0)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		runs[i] = c
	}
	const warm = 3
	for round := range warm + rounds {
		for turn := range runs {
			i := (round + turn) % 2 // both orders
			graph, eager, err := runs[i].sample()
			if err != nil {
				return r, err
			}
			if round >= warm {
				r.Samples[names[i]+" graph"] = append(r.Samples[names[i]+" graph"], graph)
				r.Samples[names[i]+" eager"] = append(r.Samples[names[i]+" eager"], eager)
			}
		}
	}
	r.Graph = Pair(r.Samples["apart graph"], r.Samples["overlapping graph"])
	r.Eager = Pair(r.Samples["apart eager"], r.Samples["overlapping eager"])
	return r, nil
}

// chainRun is a chain with its graph and the events around it.
type chainRun struct {
	*chain
	stream *oxrt.Stream
	graph  *oxrt.Graph
	marks  [2]*oxrt.Event
}

func newChainRun(stream *oxrt.Stream, rows, hidden int, apart bool) (*chainRun, error) {
	c, err := newChain(stream, rows, hidden, apart)
	if err != nil {
		return nil, err
	}
	run := &chainRun{chain: c, stream: stream}
	if run.graph, err = c.graph(stream); err != nil {
		return nil, errors.Join(err, c.close())
	}
	for i := range run.marks {
		if run.marks[i], err = stream.Device().NewEvent(true); err != nil {
			return nil, errors.Join(err, run.close())
		}
	}
	return run, nil
}

func (c *chainRun) close() error {
	all := []error{c.graph.Close()}
	for _, m := range c.marks {
		if m != nil {
			all = append(all, m.Close())
		}
	}
	return errors.Join(append(all, c.chain.close())...)
}

// sample times one replay and one scope, in microseconds a pair.
func (c *chainRun) sample() (graph, eager float64, err error) {
	if graph, err = c.time(func() (oxrt.Completion, error) { return c.graph.Launch(c.stream) }); err != nil {
		return 0, 0, err
	}
	eager, err = c.time(func() (oxrt.Completion, error) { return c.submit(c.stream) })
	return graph, eager, err
}

func (c *chainRun) time(run func() (oxrt.Completion, error)) (float64, error) {
	if err := c.marks[0].Record(c.stream); err != nil {
		return 0, err
	}
	done, err := run()
	if err != nil {
		return 0, err
	}
	if err := c.marks[1].Record(c.stream); err != nil {
		return 0, err
	}
	if err := errors.Join(done.Wait(context.Background()), c.stream.Synchronize(context.Background())); err != nil {
		return 0, err
	}
	d, err := c.marks[1].Since(c.marks[0])
	return d.Seconds() * 1e6 / ChainPairs, err
}
