package timing

import (
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
	if err := fill(stream, c.bufs); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// fill gives every tensor normal values.
func fill(stream *oxrt.Stream, bufs []*oxrt.Buffer) error {
	values := normal(oxrt.BF16)
	for _, b := range bufs {
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

func (c *chain) close() error { return closeBuffers(c.bufs) }

func closeBuffers(bufs []*oxrt.Buffer) error {
	var all []error
	for _, b := range bufs {
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

// Chain measures both chains in turn, round by round.
func Chain(stream *oxrt.Stream, rows, hidden, rounds int) (ChainResult, error) {
	r := ChainResult{Rows: rows, Hidden: hidden}
	err := r.measure(stream, rounds, ChainPairs, func(apart bool) (work, error) { return newChain(stream, rows, hidden, apart) })
	return r, err
}
