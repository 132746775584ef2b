package catalog

// Work returns the bytes that a call must move by its definition, every operand read or written once, and its arithmetic
// operations.
func (op *Operator) Work(spec any, dims ...int) (bytes, flops int64, err error) {
	tensors, err := op.Tensors(spec, dims...)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range tensors {
		if t.Present {
			bytes += int64(t.Elements()) * int64(t.DType.Size())
		}
	}
	v := op.Values(spec)
	for _, product := range op.Flops {
		flops += int64(op.eval(product, v, dims))
	}
	return bytes, flops, nil
}
