package timing

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

const (
	coldBytes = 260e6 // of operands that a measurement goes round
	maxSets   = 400
	alignment = 256
	Seed      = 1       // of the generator (PCG) behind the operands
	seedBytes = 1 << 20 // of random values made on the host; the device copies them on
)

// sets are the copies of a call's operands.
type sets struct {
	stream *oxrt.Stream
	bufs   []*oxrt.Buffer
	calls  []catalog.Call
	bytes  int64 // of one call: every present operand once
	flops  int64 // of one call
}

func newSets(stream *oxrt.Stream, op *catalog.Operator, spec any, dims []int, inPlace bool) (*sets, error) {
	tensors, err := op.Tensors(spec, dims...)
	if err != nil {
		return nil, err
	}
	s := &sets{stream: stream}
	if _, s.flops, err = op.Work(spec, dims...); err != nil {
		return nil, err
	}
	for _, t := range tensors {
		if t.Present {
			s.bytes += int64(t.Elements() * t.DType.Size())
		}
	}
	s.calls = make([]catalog.Call, min(maxSets, int(coldBytes/float64(max(s.bytes, 1)))+1))
	for i := range s.calls {
		s.calls[i] = catalog.Call{Dims: dims, Regions: make([]oxrt.Region, len(tensors))}
	}
	for i, t := range tensors {
		if !t.Present {
			continue
		}
		if j := aliased(tensors, i); inPlace && j >= 0 {
			for n := range s.calls {
				s.calls[n].Regions[i] = s.calls[n].Regions[j]
			}
			continue
		}
		if err := s.operand(i, t, len(t.Shape) == 1 && !growing(op, t)); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// growing tells whether an operand's shape names a size of the call.
func growing(op *catalog.Operator, t catalog.Tensor) bool {
	for _, d := range op.Dims {
		if slices.Contains(t.Operand.Shape, d.Name) {
			return true
		}
	}
	return false
}

// aliased is the index of the input that an output may lie over, or -1.
func aliased(tensors []catalog.Tensor, i int) int {
	for _, name := range tensors[i].Operand.MayAlias {
		for j, t := range tensors {
			if t.Present && t.Operand.Name == name {
				return j
			}
		}
	}
	return -1
}

// operand lays the copies of one operand out one after the other and fills them with random values. A vector that does not grow
// with the call, a norm's weight or a bias, has one copy for all, as in peers' harnesses; a matrix of weights is cold in a model.
func (s *sets) operand(i int, t catalog.Tensor, shared bool) error {
	step := (int64(t.Span()*t.DType.Size()) + alignment - 1) / alignment * alignment
	copies := int64(len(s.calls))
	if shared {
		copies = 1
	}
	buf, err := s.stream.Device().AllocNamed(t.Operand.Name, max(step, alignment)*copies)
	if err != nil {
		return err
	}
	s.bufs = append(s.bufs, buf)
	if err := s.randomise(buf, t.DType); err != nil {
		return err
	}
	for j := range s.calls {
		if s.calls[j].Regions[i], err = buf.Region(step*(int64(j)%copies), t.DType, int64(t.Span())); err != nil {
			return err
		}
	}
	return nil
}

// randomise uploads normally distributed values and doubles what is there until the buffer is full.
func (s *sets) randomise(buf *oxrt.Buffer, dtype oxrt.DType) error {
	all := buf.All(oxrt.U8)
	have := min(seedBytes, all.Len())
	first, err := all.Slice(0, have)
	if err != nil {
		return err
	}
	if err := s.stream.Upload(first, normal(dtype)[:have]); err != nil {
		return err
	}
	for have < all.Len() {
		n := min(have, all.Len()-have)
		if err := s.copyOn(all, have, n); err != nil {
			return err
		}
		have += n
	}
	return s.stream.Synchronize(context.Background())
}

func (s *sets) copyOn(all oxrt.Region, at, n int64) error {
	src, err := all.Slice(0, n)
	if err != nil {
		return err
	}
	dst, err := all.Slice(at, n)
	if err != nil {
		return err
	}
	done, err := s.submitCopy(dst, src)
	if err != nil {
		return err
	}
	return done.Wait(context.Background())
}

func (s *sets) submitCopy(dst, src oxrt.Region) (oxrt.Completion, error) {
	scope, err := s.stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	if err := scope.Copy(dst, src); err != nil {
		scope.Drop()
		return oxrt.Completion{}, err
	}
	return scope.Submit()
}

func normal(dtype oxrt.DType) []byte {
	r := rand.New(rand.NewPCG(Seed, 2))
	out := make([]byte, seedBytes)
	format, ok := catalog.FormatOf(dtype)
	if !ok {
		return out
	}
	for i := range seedBytes / dtype.Size() {
		catalog.WriteBits(dtype, out, i, format.Pattern(r.NormFloat64()))
	}
	return out
}

// enqueue submits call i, going round the sets.
func (s *sets) enqueue(plan catalog.Plan, i int) (oxrt.Completion, error) {
	scope, err := s.stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	if err := plan.EnqueueCall(scope, s.calls[i%len(s.calls)]); err != nil {
		scope.Drop()
		return oxrt.Completion{}, err
	}
	return scope.Submit()
}

func (s *sets) close() error {
	var all []error
	for _, b := range s.bufs {
		all = append(all, b.Close())
	}
	return errors.Join(all...)
}
