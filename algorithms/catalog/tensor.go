package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/runtime"
)

// Tensor is what an operand's expressions come to for one Spec and one call.
type Tensor struct {
	Operand Operand
	DType   oxrt.DType
	Shape   []int
	Strides []int // in elements, one a dimension
	Present bool
}

// Elements is the number of logical elements.
func (t Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Span is the number of elements between the first and the last, both included: what a region must hold.
func (t Tensor) Span() int {
	if t.Elements() == 0 {
		return 0
	}
	last := 0
	for i, d := range t.Shape {
		last += (d - 1) * t.Strides[i]
	}
	return last + 1
}

// Offsets calls visit with the dense index and the strided offset of every element, in row-major order.
func (t Tensor) Offsets(visit func(dense, offset int)) {
	index := make([]int, len(t.Shape))
	offset := 0
	for dense := range t.Elements() {
		visit(dense, offset)
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			offset += t.Strides[d]
			if index[d] < t.Shape[d] {
				break
			}
			offset -= t.Strides[d] * index[d]
			index[d] = 0
		}
	}
}

// Tensors resolves every operand for one call. dims gives the call's sizes in the order of Operator.Dims.
func (op *Operator) Tensors(spec any, dims ...int) ([]Tensor, error) {
	v := op.Values(spec)
	if len(dims) != len(op.Dims) {
		return nil, fmt.Errorf("%s: %d call sizes given, want %d", op.Name, len(dims), len(op.Dims))
	}
	for i, d := range op.Dims {
		limit, _ := v.Int(d.Max)
		if dims[i] < 0 || dims[i] > limit {
			return nil, op.Refuse(d.Name, fmt.Sprintf("0 to %s = %d", d.Max, limit), strconv.Itoa(dims[i]))
		}
	}
	out := make([]Tensor, len(op.Operands))
	for i, o := range op.Operands {
		out[i] = op.resolve(o, v, dims)
	}
	return out, nil
}

func (op *Operator) resolve(o Operand, v Values, dims []int) Tensor {
	t := Tensor{Operand: o, DType: v.DType(o.DType), Present: true}
	if o.When != "" {
		name, negated := strings.CutPrefix(o.When, "!")
		n, _ := v.Int(name)
		t.Present = (n != 0) != negated
	}
	dense := 1
	t.Shape, t.Strides = make([]int, len(o.Shape)), make([]int, len(o.Shape))
	for d := len(o.Shape) - 1; d >= 0; d-- {
		t.Shape[d] = op.eval(o.Shape[d], v, dims)
		t.Strides[d] = op.eval(o.Strides[d], v, dims)
		if t.Strides[d] == 0 {
			t.Strides[d] = dense
		}
		dense = t.Strides[d] * max(t.Shape[d], 1)
	}
	return t
}

// eval computes a product of numbers, Spec fields, call sizes and quotients of them. An unknown name counts as zero; Verify finds those.
func (op *Operator) eval(expr string, v Values, dims []int) int {
	product := 1
	for factor := range strings.SplitSeq(expr, "*") {
		product *= op.factor(factor, v, dims)
	}
	return product
}

func (op *Operator) factor(name string, v Values, dims []int) int {
	if of, by, divided := strings.Cut(name, "/"); divided {
		n, _ := strconv.Atoi(by) // Verify demands a number
		return (op.factor(of, v, dims) + n - 1) / max(n, 1)
	}
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	if i := slices.IndexFunc(op.Dims, func(d Dim) bool { return d.Name == name }); i >= 0 {
		return dims[i]
	}
	n, _ := v.Int(name)
	return n
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Dense is the same tensor without gaps between its elements.
func (t Tensor) Dense() Tensor {
	t.Strides = make([]int, len(t.Shape))
	step := 1
	for d := len(t.Shape) - 1; d >= 0; d-- {
		t.Strides[d] = step
		step *= t.Shape[d]
	}
	return t
}
