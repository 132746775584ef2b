package abi

import (
	"errors"
	"math"
	"reflect"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// spec reads the Spec of any operator: its header says which.
func (l *Library) spec(p unsafe.Pointer) (*operator, any, error) {
	if err := aligned(p, "spec", 8); err != nil {
		return nil, nil, err
	}
	h := (*Header)(p)
	op := l.specs[h.Version]
	if op == nil {
		return nil, nil, refuse(Struct, "spec: version %#x is that of no operator's spec in this library", h.Version)
	}
	if err := op.spec.check(p); err != nil {
		return nil, nil, err
	}
	s := op.New()
	var all []error
	for i, f := range op.Operator.Fields {
		all = append(all, setField(op.Operator, f, reflect.ValueOf(s).Elem().FieldByName(f.Go), unsafe.Add(p, op.spec.Members[i].Offset)))
	}
	if err := errors.Join(all...); err != nil {
		return nil, nil, err
	}
	if err := op.Validate(s); err != nil {
		return nil, nil, err
	}
	return op, s, nil
}

// setField stores one field; what a struct field can hold and the Go field cannot is an error. Ranges are the operator's to check.
func setField(op *catalog.Operator, f catalog.Field, to reflect.Value, p unsafe.Pointer) error {
	bad := func(v any) error { return refuse(Argument, "%s: %s: %v is out of range", op.Name, f.Name, v) }
	switch f.Kind {
	case catalog.Int:
		v := *(*int64)(p)
		if to.OverflowInt(v) {
			return bad(v)
		}
		to.SetInt(v)
	case catalog.Float:
		v := *(*float32)(p)
		if math.IsNaN(float64(v)) {
			return bad(v)
		}
		to.SetFloat(float64(v))
	case catalog.Bool:
		v := *(*int32)(p)
		if v != 0 && v != 1 {
			return bad(v)
		}
		to.SetBool(v == 1)
	case catalog.Type:
		v := *(*int32)(p)
		if v < 0 || v > 255 || v != 0 && !oxrt.DType(v).Valid() {
			return bad(v)
		}
		to.SetUint(uint64(v))
	case catalog.Enum:
		v := *(*int32)(p)
		if v < 0 || int(v) >= len(f.Choices) {
			return bad(v)
		}
		to.SetUint(uint64(v))
	}
	return nil
}
