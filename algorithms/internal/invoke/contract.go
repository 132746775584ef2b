package invoke

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxOperands is the room for one call's regions on the stack.
const MaxOperands = 8

// Contract is what every call of a plan must satisfy. It is made once, from the operator's description and a Spec, for
// operators with one call size that is the first dimension of the operands that have it.
type Contract struct {
	op        *catalog.Operator
	size      string // name of the call size
	max       int
	align     int64
	operands  []operand
	signature *oxrt.Signature // of the operands that are present
}

// operand is one tensor of the contract: it spans (size-1)·step + inner elements.
type operand struct {
	name        string
	access      oxrt.Access
	dtype       oxrt.DType
	step, inner int64
	sized       bool
	absent      bool
	constant    bool
	inPlace     string
}

// NewContract makes the contract of a Spec. align is the number of bytes that every address is a multiple of.
func NewContract(op *catalog.Operator, spec any, align int) (Contract, error) {
	limit, _ := op.Values(spec).Int(op.Dims[0].Max)
	tensors, err := op.Tensors(spec, limit)
	if err != nil {
		return Contract{}, err
	}
	c := Contract{op: op, size: op.Dims[0].Name, max: limit, align: int64(align)}
	for _, t := range tensors {
		o := operand{name: t.Operand.Name, access: oxrt.Read, dtype: t.DType, absent: !t.Present, constant: t.Operand.Constant}
		if t.Operand.Access == catalog.Out {
			o.access = oxrt.Write
		}
		o.inPlace = inPlace(t, tensors)
		if t.Operand.Shape[0] == c.size {
			o.sized, o.step = true, int64(t.Strides[0])
			t.Shape[0] = 1
		}
		o.inner = int64(t.Span())
		c.operands = append(c.operands, o)
	}
	var present []oxrt.Operand
	for _, o := range c.operands {
		if !o.absent {
			present = append(present, oxrt.Operand{Name: o.name, Access: o.access, InPlace: o.inPlace, Constant: o.constant})
		}
	}
	c.signature = oxrt.NewSignature(op.Name, present...)
	return c, nil
}

// inPlace names the input that an output may be: a tensor with other elements or strides may not, even where both happen to
// span the same bytes.
func inPlace(out catalog.Tensor, all []catalog.Tensor) string {
	for _, in := range all {
		if slices.Contains(out.Operand.MayAlias, in.Operand.Name) && in.Present && in.DType == out.DType &&
			slices.Equal(in.Strides, out.Strides) {
			return in.Operand.Name
		}
	}
	return ""
}

// Bind checks a call against the contract and binds its regions to the scope. Every finding is reported at once;
// nothing is submitted after one.
func (c *Contract) Bind(scope *oxrt.Scope, size int, regions []oxrt.Region) error {
	var room [MaxOperands]oxrt.Region
	if parts, ok := c.parts(room[:0], size, regions); ok {
		return scope.BindTo(c.signature, parts)
	}
	operands, err := c.Operands(nil, size, regions)
	return scope.Refuse(errors.Join(err, oxrt.CheckAliases(c.op.Name, operands...)))
}

// parts appends the range of each present region that a right call touches. It says no where Operands finds something.
func (c *Contract) parts(to []oxrt.Region, size int, regions []oxrt.Region) ([]oxrt.Region, bool) {
	if size < 0 || size > c.max || len(regions) != len(c.operands) {
		return nil, false
	}
	for i := range c.operands {
		o, r := &c.operands[i], &regions[i]
		if o.absent {
			if !r.IsZero() {
				return nil, false
			}
			continue
		}
		span := o.span(size)
		if r.DType() != o.dtype || r.Len() < span || (span > 0 && !r.AlignedTo(c.align)) {
			return nil, false
		}
		to = append(to, r.First(span))
	}
	return to, true
}

// span is the number of elements from the first to the last that a call touches.
func (o *operand) span(size int) int64 {
	switch {
	case !o.sized:
		return o.inner
	case size == 0 || o.inner == 0:
		return 0
	}
	return o.inner + int64(size-1)*o.step
}

// Operands checks a call against the contract and appends what it binds, one operand for each region that is present and right, also
// beside an error.
func (c *Contract) Operands(to []oxrt.Operand, size int, regions []oxrt.Region) ([]oxrt.Operand, error) {
	if size < 0 || size > c.max {
		return nil, c.op.Refuse(c.size, fmt.Sprintf("0 to %d, what the plan was made for", c.max), strconv.Itoa(size))
	}
	if len(regions) != len(c.operands) {
		return nil, c.op.Refuse("operands", strconv.Itoa(len(c.operands)), strconv.Itoa(len(regions)))
	}
	var findings []error
	for i := range c.operands {
		o := &c.operands[i]
		if o.absent {
			if !regions[i].IsZero() {
				findings = append(findings, c.op.Refuse(o.name, "none, as the spec excludes it", "a region"))
			}
			continue
		}
		part, err := c.part(o, size, regions[i])
		if err != nil {
			findings = append(findings, err)
			continue
		}
		to = append(to, oxrt.Operand{Name: o.name, Region: part, Access: o.access, InPlace: o.inPlace, Constant: o.constant})
	}
	return to, errors.Join(findings...)
}

// part is the range of a region that the call touches.
func (c *Contract) part(o *operand, size int, r oxrt.Region) (oxrt.Region, error) {
	span := o.span(size)
	switch {
	case r.IsZero():
		return r, c.op.Refuse(o.name, "a region", "none")
	case r.DType() != o.dtype:
		return r, c.op.Refuse(o.name, "elements of "+o.dtype.String(), r.DType().String())
	case r.Len() < span:
		return r, c.op.Refuse(o.name, fmt.Sprintf("at least %d elements", span), fmt.Sprint(r.Len()))
	case span > 0 && !r.AlignedTo(c.align):
		return r, c.op.Refuse(o.name, fmt.Sprintf("an address that is a multiple of %d bytes, as the spec says", c.align),
			fmt.Sprintf("%#x", uint64(r.Ptr())))
	}
	return r.Slice(0, span)
}
