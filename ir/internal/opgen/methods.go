package main

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/oxideinfer/oxide/ir/op"
)

// method is one generated method: an op on concrete kinds.
type method struct {
	info *op.Info
	name string
	t, s op.Kind
	args []arg
	out  []arg
}

type arg struct {
	name string
	kind op.Kind
}

// methodsOf lists the methods whose receiver is kind k; op.Invalid asks for the kernel's.
func methodsOf(k op.Kind) []method {
	var list []method
	for _, i := range op.All() {
		if i.Method == "" || (i.On == op.OnKernel) != (k == op.Invalid) {
			continue
		}
		switch {
		case i.On == op.OnKernel:
			list = append(list, instantiate(i, op.Invalid, op.Invalid))
		case i.Pairs != nil:
			for _, p := range i.Pairs {
				if p.S == k {
					list = append(list, instantiate(i, p.T, p.S))
				}
			}
		case i.Kinds.Has(k):
			list = append(list, instantiate(i, k, op.Invalid))
		}
	}
	return list
}

func instantiate(i *op.Info, t, s op.Kind) method {
	m := method{info: i, name: i.Method, t: t, s: s}
	if i.Pairs != nil && (strings.HasSuffix(m.name, "To") || m.name == "As") {
		m.name += t.GoName()
	}
	sig := i.Signature()
	for _, a := range sig.Args {
		m.args = append(m.args, arg{a.Name, m.kind(a.Pattern)})
	}
	for _, r := range sig.Results {
		m.out = append(m.out, arg{r.Name, m.kind(r.Pattern)})
	}
	return m
}

var wide = map[op.Kind]op.Kind{op.U16: op.U32, op.U32: op.U64, op.S16: op.S32, op.S32: op.S64}

func (m method) kind(pattern string) op.Kind {
	switch pattern {
	case "T":
		return m.t
	case "S":
		return m.s
	case "W":
		return wide[m.t]
	}
	k, ok := op.KindByName(pattern)
	if !ok {
		panic(fmt.Sprintf("opgen: %s: pattern %q needs a hand-written method", m.info.Name, pattern))
	}
	return k
}

// options and fixed are the attributes that become options and parameters.
func (m method) options() (opts, fixed []op.AttrSpec) {
	for _, a := range m.info.Attrs {
		switch {
		case !a.For(m.t, m.s):
		case a.Required:
			fixed = append(fixed, a)
		case a.Go != "":
			opts = append(opts, a)
		}
	}
	return opts, fixed
}

// optionName is the interface for a set of options: RoundingFlushSaturateOption.
func optionName(opts []op.AttrSpec) string {
	var b strings.Builder
	for _, a := range opts {
		b.WriteString(a.Go)
	}
	return b.String() + "Option"
}

func kindFile(f *jen.File, k op.Kind) {
	name := k.GoName()
	f.Commentf("%s is a device value of type %s.", name, k)
	f.Type().Id(name).Struct(jen.Id("v").Op("*").Id("Value"))
	f.Func().Params(jen.Id("x").Id(name)).Id("value").Params().Op("*").Id("Value").Block(jen.Return(jen.Id("x").Dot("v")))
	f.Func().Params(jen.Id(name)).Id("static").Params().Id("Type").Block(jen.Return(typeOf(k)))
	if k != op.Pred {
		f.Func().Params(jen.Id(name)).Id("elem").Params().Block()
	}
	if op.Integers32.Has(k) {
		f.Func().Params(jen.Id(name)).Id("index").Params().Block()
	}
	if (op.Integers | op.Bytes).Has(k) {
		constFunc(f, k)
	}
	for _, m := range methodsOf(k) {
		m.emit(f, jen.Id(m.args[0].name).Id(name))
	}
}

func kernelFile(f *jen.File) {
	for _, m := range methodsOf(op.Invalid) {
		m.emit(f, jen.Id("k").Op("*").Id("Kernel"))
	}
}

func typeOf(k op.Kind) *jen.Statement {
	return jen.Id("Type").Values(jen.Dict{jen.Id("Kind"): jen.Qual(irPath+"/op", k.GoName())})
}

func constFunc(f *jen.File, k op.Kind) {
	goType := map[bool]string{true: "int", false: "uint"}[op.Signed.Has(k) || k == op.S8] + fmt.Sprint(k.Bits())
	f.Commentf("Const%s makes a %s constant.", k.GoName(), k)
	f.Func().Params(jen.Id("k").Op("*").Id("Kernel")).Id("Const" + k.GoName()).Params(jen.Id("x").Id(goType)).Id(k.GoName()).Block(
		jen.Return(jen.Id(k.GoName()).Values(jen.Id("k").Dot("constant").Call(typeOf(k), jen.Uint64().Call(jen.Id("x"))))))
}

func (m method) emit(f *jen.File, receiver *jen.Statement) {
	opts, fixed := m.options()
	f.Comment(fmt.Sprintf("%s %s. PTX: %s (ISA %s).", m.name, m.info.Doc, m.info.PTX, m.info.Section))
	f.Func().Params(receiver).Id(m.name).ParamsFunc(func(g *jen.Group) {
		for _, a := range m.operands() {
			g.Id(a.name).Id(a.kind.GoName())
		}
		for _, a := range fixed {
			g.Id(a.Name).Id(goParam(a))
		}
		if len(opts) > 0 {
			g.Id("opts").Op("...").Id(optionName(opts))
		}
	}).Do(m.results).Block(m.body(opts, fixed)...)
}

// operands are the parameters: all of the op's, without the receiver.
func (m method) operands() []arg {
	if m.info.On == op.OnKernel {
		return m.args
	}
	return m.args[1:]
}

func goParam(a op.AttrSpec) string {
	if a.Go == "" {
		return "int"
	}
	return a.Go
}

func (m method) results(s *jen.Statement) {
	switch len(m.out) {
	case 0:
	case 1:
		s.Id(m.out[0].kind.GoName())
	default:
		s.ParamsFunc(func(g *jen.Group) {
			for _, r := range m.out {
				g.Id(r.name).Id(r.kind.GoName())
			}
		})
	}
}

func (m method) body(opts, fixed []op.AttrSpec) []jen.Code {
	attrs := jen.Nil()
	var extra []jen.Code
	for _, a := range fixed {
		if a.Go != "" {
			extra = append(extra, jen.Id(a.Name).Dot("attr").Call())
		} else {
			extra = append(extra, jen.Qual(irPath+"/op", "Attr").Values(jen.Dict{
				jen.Id("Name"): jen.Lit(a.Name), jen.Id("Int"): jen.Int64().Call(jen.Id(a.Name))}))
		}
	}
	switch {
	case len(opts) > 0:
		attrs = jen.Id("attrsOf").Call(append([]jen.Code{jen.Id("opts")}, extra...)...)
	case len(extra) > 0:
		attrs = jen.Index().Qual(irPath+"/op", "Attr").Values(extra...)
	}
	var vals []jen.Code
	for _, a := range m.args {
		vals = append(vals, jen.Id("use").Call(jen.Id(a.name)))
	}
	if m.info.On == op.OnKernel {
		return m.kernelBody(attrs, vals)
	}
	call := []jen.Code{jen.Lit(m.info.Name), attrs}
	for _, r := range m.out {
		call = append(call, typeOf(r.kind))
	}
	call = append(call, vals...)
	if len(m.out) == 1 {
		return []jen.Code{jen.Return(jen.Id(m.out[0].kind.GoName()).Values(jen.Id("emitOne").Call(call...)))}
	}
	return []jen.Code{
		jen.List(jen.Id("a"), jen.Id("b")).Op(":=").Id("emitTwo").Call(call...),
		jen.Return(jen.Id(m.out[0].kind.GoName()).Values(jen.Id("a")), jen.Id(m.out[1].kind.GoName()).Values(jen.Id("b"))),
	}
}

func (m method) kernelBody(attrs *jen.Statement, vals []jen.Code) []jen.Code {
	types := jen.Nil()
	if len(m.out) == 1 {
		types = jen.Index().Id("Type").Values(typeOf(m.out[0].kind))
	}
	call := jen.Id("k").Dot("Emit").Call(append([]jen.Code{jen.Lit(m.info.Name), attrs, types}, vals...)...)
	if len(m.out) == 0 {
		return []jen.Code{call}
	}
	return []jen.Code{jen.Return(jen.Id(m.out[0].kind.GoName()).Values(call.Dot("Result").Call()))}
}
