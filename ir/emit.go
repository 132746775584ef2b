package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// Emit appends an op to the region under construction: packages that add nouns on top of this one (tiles, pipelines) use
// it. Kernel code uses the typed methods.
func (k *Kernel) Emit(name string, attrs []op.Attr, results []Type, args ...*Value) *Op {
	info, ok := op.ByName(name)
	if !ok {
		info, _ = op.ByName("trap")
		k.report(Finding{Code: CodeStructure, Pos: here(), Msg: fmt.Sprintf("there is no op %q", name)})
	}
	k.checkOpen()
	o := &Op{Info: info, Pos: k.here(), Args: args, parent: k.frame.region}
	o.Attrs = k.normalise(o, attrs)
	for _, t := range results {
		o.addResult(k, t)
	}
	k.checkArgs(o)
	if !o.bad {
		for _, f := range checkTypes(o) {
			k.report(f)
			o.bad = true
		}
	}
	for _, r := range o.Results {
		r.bad = o.bad
	}
	k.frame.region.Ops = append(k.frame.region.Ops, o)
	return o
}

func (o *Op) addResult(k *Kernel, t Type) *Value {
	v := &Value{kernel: k, typ: t, kind: ResultValue, def: o, region: o.parent, index: len(o.Results)}
	o.Results = append(o.Results, v)
	return v
}

func (k *Kernel) checkOpen() {
	if k.closed {
		panic(abort{Finding{Code: CodeForeignValue, Pos: here(), Msg: "the kernel that this device value belongs to is already built",
			Fix: "make every value from the *ir.Kernel that the kernel function receives"}})
	}
}

// checkArgs reports values that cannot be used here. Marking the op bad keeps one mistake from being reported at every
// later use.
func (k *Kernel) checkArgs(o *Op) {
	for i, v := range o.Args {
		v = resolve(v)
		o.Args[i] = v
		name, fine := o.Info.Name, false
		switch {
		case v == nil:
			k.report(Finding{Code: CodeZeroValue, Pos: o.Pos, Op: name, Msg: fmt.Sprintf("operand %d of %s is the zero handle, not a device value", i+1, name),
				Fix: "make it with k.Const…, a parameter, a load or an operation"})
		case v.kernel != k:
			k.report(Finding{Code: CodeForeignValue, Pos: o.Pos, Op: name, Msg: fmt.Sprintf("operand %d of %s belongs to kernel %s", i+1, name, v.kernel.Name),
				Fix: "keep device values inside the kernel function that made them"})
		case v.bad:
		case !o.parent.sees(v.region):
			k.report(Finding{Code: CodeOutOfRegion, Pos: o.Pos, Op: name, Msg: fmt.Sprintf("operand %d of %s was made%s inside a device region that has ended", i+1, name, madeAt(v)),
				Fix: "carry it out in an ir.Var"})
		default:
			fine = true
		}
		if !fine {
			o.bad = true
			o.Args[i] = k.standIn(Type{})
		}
	}
}

// standIn takes the place of a value that has already been reported.
func (k *Kernel) standIn(t Type) *Value {
	return &Value{kernel: k, typ: t, kind: ConstValue, bad: true}
}

func madeAt(v *Value) string {
	if v.def == nil {
		return ""
	}
	return " at " + v.def.Pos.String()
}

// normalise orders attributes as the table does and drops defaults.
func (k *Kernel) normalise(o *Op, attrs []op.Attr) []op.Attr {
	out, problems := normalAttrs(o.Info, attrs)
	for _, p := range problems {
		k.report(Finding{Code: CodeBadAttribute, Pos: o.Pos, Op: o.Info.Name, Msg: p})
	}
	return out
}

func normalAttrs(info *op.Info, attrs []op.Attr) (out []op.Attr, problems []string) {
	seen := 0
	for _, spec := range info.Attrs {
		var got []op.Attr
		for _, a := range attrs {
			if a.Name == spec.Name {
				got = append(got, a)
			}
		}
		seen += len(got)
		if len(got) > 1 {
			problems = append(problems, fmt.Sprintf("%s is given twice", spec.Name))
		}
		a := op.Attr{Name: spec.Name}
		if len(got) > 0 {
			a = got[0]
		}
		if spec.Kind == op.Enum && a.Text != "" {
			i, ok := spec.EnumValue(a.Text)
			if !ok {
				problems = append(problems, fmt.Sprintf("%s=%s is not offered on %s; it takes %v", spec.Name, a.Text, info.Name, spec.Values))
			}
			a.Int, a.Text = i, ""
		}
		if spec.Required || len(got) > 0 && (spec.Kind == op.Flag || a.Int != 0 || a.Text != "") {
			out = append(out, a)
		}
	}
	if seen != len(attrs) {
		problems = append(problems, fmt.Sprintf("an option is not offered on %s", info.Name))
	}
	return out, problems
}

// owner finds the kernel that the operands belong to. A zero receiver has none, so any operand will do.
func owner(args ...*Value) *Kernel {
	var any *Kernel
	for _, a := range args {
		if a != nil && (any == nil || any.closed) {
			any = a.kernel
		}
	}
	if any == nil {
		panic(abort{Finding{Code: CodeZeroValue, Pos: here(), Msg: "a method was called on a zero handle, which is no device value",
			Fix: "make it with k.Const…, a parameter, a load or an operation"}})
	}
	return any
}

func emitNone(name string, attrs []op.Attr, args ...*Value) {
	owner(args...).Emit(name, attrs, nil, args...)
}

func emitOne(name string, attrs []op.Attr, result Type, args ...*Value) *Value {
	return owner(args...).Emit(name, attrs, []Type{result}, args...).Results[0]
}

func emitTwo(name string, attrs []op.Attr, a, b Type, args ...*Value) (*Value, *Value) {
	o := owner(args...).Emit(name, attrs, []Type{a, b}, args...)
	return o.Results[0], o.Results[1]
}
