package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Verify returns every contradiction inside a description, and between it and the Spec struct that spec points to.
func (op *Operator) Verify(spec any) []string {
	var all []string
	report := func(format string, args ...any) { all = append(all, op.Name+": "+fmt.Sprintf(format, args...)) }
	typ := reflect.TypeOf(spec).Elem()
	if typ.NumField() != len(op.Fields) {
		report("the Spec has %d fields, the description %d", typ.NumField(), len(op.Fields))
	}
	for i, f := range op.Fields {
		if i < typ.NumField() && typ.Field(i).Name != f.Go {
			report("field %d is %s in Go and %s in the description", i, typ.Field(i).Name, f.Go)
			continue
		}
		if f.Default != "" {
			if err := op.Values(spec).setDefault(f); err != nil && f.Default[0] != '=' {
				report("default: %v", err)
			}
		}
		if f.Doc == "" || ((f.Kind == Type || f.Kind == Enum) && len(f.Choices) == 0) {
			report("field %s lacks documentation or choices", f.Name)
		}
	}
	for _, d := range op.Dims {
		if f, ok := op.field(d.Max); !ok || f.Kind != Int {
			report("size %s is limited by %q, which is no integer field", d.Name, d.Max)
		}
	}
	for _, o := range op.Operands {
		all = append(all, op.verifyOperand(o)...)
	}
	all = append(all, op.verifyFlops()...)
	for _, a := range op.Algorithms {
		if a.Doc == "" || a.Provider == "" || len(a.Targets) == 0 {
			report("algorithm %s lacks documentation, provider or target", a.Name)
		}
	}
	return all
}

func (op *Operator) verifyFlops() []string {
	if len(op.Flops) == 0 {
		return []string{op.Name + ": the arithmetic operations are not stated"}
	}
	var all []string
	for factor := range strings.SplitSeq(strings.Join(op.Flops, "*"), "*") {
		if !op.knows(factor) {
			all = append(all, fmt.Sprintf("%s: operations: %q is no number, field or size", op.Name, factor))
		}
	}
	return all
}

func (op *Operator) verifyOperand(o Operand) []string {
	var all []string
	report := func(format string, args ...any) {
		all = append(all, op.Name+"."+o.Name+": "+fmt.Sprintf(format, args...))
	}
	if f, ok := op.field(o.DType); !ok || f.Kind != Type {
		report("element type %q is no dtype field", o.DType)
	}
	if len(o.Shape) != len(o.Strides) {
		report("%d dimensions and %d strides", len(o.Shape), len(o.Strides))
	}
	for _, expr := range slices.Concat(o.Shape, o.Strides) {
		for factor := range strings.SplitSeq(expr, "*") {
			if !op.knows(factor) {
				report("%q in %q is no number, field or size", factor, expr)
			}
		}
	}
	if _, ok := op.field(strings.TrimPrefix(o.When, "!")); o.When != "" && !ok {
		report("condition %q is no field", o.When)
	}
	for _, name := range o.MayAlias {
		if in, ok := op.Operand(name); !ok || in.Access != In || o.Access != Out {
			report("alias %q: only an output may be an input", name)
		}
	}
	return all
}

func (op *Operator) knows(factor string) bool {
	if of, by, divided := strings.Cut(factor, "/"); divided {
		n, err := strconv.Atoi(by)
		return err == nil && n > 0 && op.knows(of)
	}
	if _, err := strconv.Atoi(factor); err == nil {
		return true
	}
	_, ok := op.field(factor)
	return ok || slices.ContainsFunc(op.Dims, func(d Dim) bool { return d.Name == factor })
}
