package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/runtime"
)

// Values reads a Spec by field names. It is made by [Operator.Values] and never changes the Spec.
type Values struct {
	op   *Operator
	spec reflect.Value
}

// Values wraps a Spec struct (or a pointer to one) of this operator.
func (op *Operator) Values(spec any) Values {
	return Values{op, reflect.Indirect(reflect.ValueOf(spec))}
}

func (op *Operator) field(name string) (Field, bool) {
	i := slices.IndexFunc(op.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return op.Fields[i], true
}

// Int returns an Int field, 1 or 0 for a Bool field, and the index of an Enum's choice.
func (v Values) Int(name string) (int, bool) {
	f, ok := v.op.field(name)
	if !ok {
		return 0, false
	}
	switch x := v.spec.FieldByName(f.Go); {
	case x.CanInt():
		return int(x.Int()), true
	case x.CanUint():
		return int(x.Uint()), true
	case x.Kind() == reflect.Bool && x.Bool():
		return 1, true
	case x.Kind() == reflect.Bool:
		return 0, true
	}
	return 0, false
}

// DType returns a Type field.
func (v Values) DType(name string) oxrt.DType {
	n, _ := v.Int(name)
	return oxrt.DType(n)
}

// Text returns the canonical text of a field: what JSON files, defaults and fingerprints use.
func (v Values) Text(f Field) string {
	x := v.spec.FieldByName(f.Go)
	switch f.Kind {
	case Int:
		return strconv.FormatInt(x.Int(), 10)
	case Float:
		return strconv.FormatFloat(x.Float(), 'g', -1, x.Type().Bits())
	case Bool:
		return strconv.FormatBool(x.Bool())
	case Type:
		return oxrt.DType(x.Uint()).String()
	case Enum:
		if i := x.Uint(); i < uint64(len(f.Choices)) {
			return f.Choices[i]
		}
		return strconv.FormatUint(x.Uint(), 10)
	}
	return ""
}

// set parses the text of a field into the Spec.
func (v Values) set(f Field, text string) error {
	x := v.spec.FieldByName(f.Go)
	refuse := func() error { return v.op.Refuse(f.Name, f.want(), text) }
	switch f.Kind {
	case Int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || x.OverflowInt(n) {
			return refuse()
		}
		x.SetInt(n)
	case Float:
		n, err := strconv.ParseFloat(text, x.Type().Bits())
		if err != nil {
			return refuse()
		}
		x.SetFloat(n)
	case Bool:
		if text != "true" && text != "false" {
			return refuse()
		}
		x.SetBool(text == "true")
	case Type:
		d, ok := oxrt.ParseDType(text)
		if !ok {
			return refuse()
		}
		x.SetUint(uint64(d))
	case Enum:
		i := slices.Index(f.Choices, text)
		if i < 0 {
			return refuse()
		}
		x.SetUint(uint64(i))
	}
	return nil
}

// want says in words what a field accepts.
func (f Field) want() string {
	switch f.Kind {
	case Int:
		return fmt.Sprintf("an integer from %.0f to %.0f", f.Min, f.Max)
	case Float:
		if f.NonZero {
			return fmt.Sprintf("a number from %g to %g other than 0", f.Min, f.Max)
		}
		return fmt.Sprintf("a number from %g to %g", f.Min, f.Max)
	case Bool:
		return "true or false"
	}
	return "one of " + strings.Join(f.Choices, ", ")
}

// Check refuses every field that is outside its declared range. Families call it first, then check what involves more
// than one field.
func (op *Operator) Check(spec any) error {
	v := op.Values(spec)
	var all []error
	for _, f := range op.Fields {
		if !f.accepts(v) {
			all = append(all, op.Refuse(f.Name, f.want(), v.Text(f)))
		}
	}
	return errors.Join(all...)
}

func (f Field) accepts(v Values) bool {
	x := v.spec.FieldByName(f.Go)
	switch f.Kind {
	case Int:
		return float64(x.Int()) >= f.Min && float64(x.Int()) <= f.Max
	case Float:
		n := x.Float()
		return !math.IsNaN(n) && n >= f.Min && n <= f.Max && (n != 0 || !f.NonZero)
	case Type, Enum:
		return slices.Contains(f.Choices, v.Text(f))
	}
	return true
}

// Fingerprint identifies an operator and a Spec: equal Specs have equal fingerprints on every machine.
func (op *Operator) Fingerprint(spec any) string {
	v := op.Values(spec)
	var b strings.Builder
	b.WriteString(op.Name)
	for _, f := range op.Fields {
		fmt.Fprintf(&b, "\n%s=%s", f.Name, v.Text(f))
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}
