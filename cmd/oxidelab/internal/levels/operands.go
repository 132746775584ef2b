package levels

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/runtime"
)

// untouched fills outputs before a call: NaN in every format.
const untouched = 0xff

// slack is what every buffer holds beyond its operand, so that a region can be moved.
const slack = 256

// operands is the memory of one call, each operand in a buffer of its own.
type operands struct {
	stream  *oxrt.Stream
	binding catalog.Binding
	setup   trial.Setup
	tensors []catalog.Tensor
	buffers []*oxrt.Buffer // nil where an operand is absent
	regions []oxrt.Region
}

// leastBytes of a call are enough that operands can lie over parts of each other.
const leastBytes = 2048

// ordinary finds a small declared case without overlaps or special values that has the operand of that number, or any
// operands where the number is negative.
func ordinary(b catalog.Binding, operand int) (catalog.Case, bool) {
	for _, c := range cases(b) {
		if !c.Quick || c.Fill != catalog.Normal || c.InPlace || c.Offset != 0 || c.Dims[0] < 2 {
			continue
		}
		tensors, err := b.Operator.Tensors(c.Spec, c.Dims...)
		if err != nil || operand >= 0 && !tensors[operand].Present {
			continue
		}
		if bytes, _, err := b.Operator.Work(c.Spec, c.Dims...); err == nil && bytes >= leastBytes {
			return c, true
		}
	}
	return catalog.Case{}, false
}

// place allocates and fills the operands of a case: inputs with its values, outputs with the mark of what nothing wrote.
func place(stream *oxrt.Stream, b catalog.Binding, c catalog.Case) (*operands, error) {
	inputs, err := trial.Inputs(b.Operator, c)
	if err != nil {
		return nil, err
	}
	o := &operands{stream: stream, binding: b, setup: trial.Setup{Spec: c.Spec, Dims: c.Dims, Inputs: inputs}}
	if o.tensors, err = b.Operator.Tensors(c.Spec, c.Dims...); err != nil {
		return nil, err
	}
	o.buffers, o.regions = make([]*oxrt.Buffer, len(o.tensors)), make([]oxrt.Region, len(o.tensors))
	for i, t := range o.tensors {
		if err := o.placeOne(i, t); err != nil {
			return nil, errors.Join(err, o.close())
		}
	}
	return o, nil
}

func (o *operands) placeOne(i int, t catalog.Tensor) (err error) {
	if !t.Present {
		return nil
	}
	element := t.DType.Size()
	size := t.Span() * element
	if o.buffers[i], err = o.stream.Device().AllocNamed(t.Operand.Name, int64(size+slack)); err != nil {
		return err
	}
	content := bytes.Repeat([]byte{untouched}, size+slack)
	if in := o.setup.Inputs[t.Operand.Name]; in != nil {
		t.Offsets(func(dense, offset int) { copy(content[offset*element:][:element], in[dense*element:]) })
	}
	if err := o.stream.Upload(o.buffers[i].All(oxrt.U8), content); err != nil {
		return err
	}
	o.regions[i], err = o.buffers[i].Region(0, t.DType, int64(t.Span()))
	return err
}

func (o *operands) call() catalog.Call {
	return catalog.Call{Dims: o.setup.Dims, Regions: append([]oxrt.Region(nil), o.regions...)}
}

// submit runs the call alone in a scope.
func (o *operands) submit(plan catalog.Plan) (oxrt.Completion, error) {
	scope, err := o.stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	if err := plan.EnqueueCall(scope, o.call()); err != nil {
		scope.Drop()
		return oxrt.Completion{}, err
	}
	return scope.Submit()
}

// outputs downloads the memory of every output, gaps included.
func (o *operands) outputs() (map[string][]byte, error) {
	out := map[string][]byte{}
	for i, t := range o.tensors {
		if !t.Present || t.Operand.Access != catalog.Out {
			continue
		}
		data := make([]byte, t.Span()*t.DType.Size())
		region, err := o.regions[i].As(oxrt.U8)
		if err != nil {
			return nil, err
		}
		if err := o.stream.Download(data, region); err != nil {
			return nil, err
		}
		out[t.Operand.Name] = data
	}
	return out, nil
}

// dense takes the elements of the outputs out of the memory that they lie in.
func (o *operands) dense(spans map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for _, t := range o.tensors {
		if span, ok := spans[t.Operand.Name]; ok {
			size := t.DType.Size()
			data := make([]byte, t.Elements()*size)
			t.Offsets(func(dense, offset int) { copy(data[dense*size:][:size], span[offset*size:]) })
			out[t.Operand.Name] = data
		}
	}
	return out
}

// demandRight compares the outputs with the reference.
func (o *operands) demandRight() error {
	out, err := o.outputs()
	if err != nil {
		return err
	}
	names, verdicts, err := trial.Check(o.binding, o.setup, o.dense(out))
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if !v.OK() {
			return errors.New(catalog.Summary(names, verdicts))
		}
	}
	return nil
}

// demandUntouched demands that nothing has written an output.
func (o *operands) demandUntouched() error {
	if err := o.stream.Synchronize(context.Background()); err != nil {
		return err
	}
	out, err := o.outputs()
	for name, data := range out {
		if !bytes.Equal(data, bytes.Repeat([]byte{untouched}, len(data))) {
			return fmt.Errorf("%s was written", name)
		}
	}
	return err
}

func (o *operands) close() error {
	var all []error
	for _, b := range o.buffers {
		if b != nil {
			all = append(all, b.Close())
		}
	}
	return errors.Join(all...)
}
