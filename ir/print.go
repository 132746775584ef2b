package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/ir/op"
)

// String is the kernel's text form, which Parse reads back. Results are numbered in textual order, so equal kernels print
// equally.
func (k *Kernel) String() string {
	k.number()
	p := printer{}
	p.header(k)
	p.b.WriteString("{\n")
	p.region(k.Body, 1)
	p.b.WriteString("}\n")
	return p.b.String()
}

// Text is the op on one line, as in String; regions are left out.
func (o *Op) Text() string {
	p := printer{}
	p.head(o)
	return p.b.String()
}

type printer struct{ b strings.Builder }

func (p *printer) header(k *Kernel) {
	fmt.Fprintf(&p.b, "kernel @%s target %s\n", k.Name, k.Target)
	c := k.Contract
	fmt.Fprintf(&p.b, "block %d %d %d\n", c.Block[0], c.Block[1], c.Block[2])
	if c.Cluster != [3]int{} {
		fmt.Fprintf(&p.b, "cluster %d %d %d\n", c.Cluster[0], c.Cluster[1], c.Cluster[2])
	}
	for _, f := range c.fields() {
		if *f.value != 0 {
			fmt.Fprintf(&p.b, "%s %d\n", f.name, *f.value)
		}
	}
	if c.ProgrammaticLaunch {
		p.b.WriteString("programmatic_launch\n")
	}
	if c.Why != "" {
		fmt.Fprintf(&p.b, "why %s\n", strconv.Quote(c.Why))
	}
	for _, d := range k.Params {
		fmt.Fprintf(&p.b, "param %%%s %s%s%s%s%s\n", d.Name, d.Type, word(d.Constant, " constant"), word(d.Writes, " writes"), number(" align", d.Align), d.Box)
	}
	for _, a := range k.Arrays {
		fmt.Fprintf(&p.b, "array %%%s %s%s%s%s%s\n", a.Name, a.Type, word(a.Dynamic, " dynamic"), number(" count", a.Count), number(" align", a.Align), number(" offset", a.Offset))
	}
}

type contractField struct {
	name  string
	value *int
}

func (c *Contract) fields() []contractField {
	return []contractField{
		{"dynamic_shared_bytes", &c.DynamicSharedBytes}, {"min_blocks_per_sm", &c.MinBlocksPerSM}, {"max_registers", &c.MaxRegisters},
		{"allow_spill_bytes", &c.AllowSpillBytes}, {"allow_stack_bytes", &c.AllowStackBytes},
	}
}

func word(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func number(text string, n int) string {
	if n == 0 {
		return ""
	}
	return text + " " + strconv.Itoa(n)
}

func (p *printer) region(r *Region, depth int) {
	for _, o := range r.Ops {
		p.op(o, depth)
	}
}

func (p *printer) op(o *Op, depth int) {
	indent := strings.Repeat("\t", depth)
	p.b.WriteString(indent)
	p.head(o)
	for i, r := range o.Regions {
		p.regionHead(r)
		if i == 0 {
			p.position(o)
		}
		p.b.WriteByte('\n')
		p.region(r, depth+1)
		p.b.WriteString(indent + "}")
	}
	if len(o.Regions) == 0 {
		p.position(o)
	}
	p.b.WriteByte('\n')
}

func (p *printer) position(o *Op) {
	if len(o.Pos) > 0 {
		p.b.WriteString("  ; " + o.Pos.String())
	}
}

func (p *printer) regionHead(r *Region) {
	p.b.WriteString(" (")
	for i, a := range r.Args {
		p.b.WriteString(word(i > 0, ", ") + a.text() + ": " + a.typ.String())
	}
	p.b.WriteString(") {")
}

func (p *printer) head(o *Op) {
	for i, r := range o.Results {
		p.b.WriteString(word(i > 0, ", ") + r.text())
	}
	if len(o.Results) > 0 {
		p.b.WriteString(" = ")
	}
	p.b.WriteString(o.Info.Name)
	if len(o.Results) > 0 {
		p.b.WriteString(" " + resultTypes(o.Results))
	}
	for i, a := range o.Args {
		p.b.WriteString(word(i > 0, ",") + " " + a.text())
	}
	if len(o.Attrs) > 0 {
		p.b.WriteString(" {")
		for i, a := range o.Attrs {
			p.b.WriteString(word(i > 0, ", ") + attrText(o, a))
		}
		p.b.WriteString("}")
	}
}

func resultTypes(results []*Value) string {
	first, same := results[0].typ, true
	var parts []string
	for _, r := range results {
		same = same && r.typ == first
		parts = append(parts, r.typ.String())
	}
	switch {
	case len(results) == 1:
		return parts[0]
	case same:
		return parts[0] + "*" + strconv.Itoa(len(results))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func attrText(o *Op, a op.Attr) string {
	spec, _ := o.Info.Spec(a.Name)
	switch spec.Kind {
	case op.Enum:
		return a.Name + "=" + spec.Values[a.Int]
	case op.Int:
		return a.Name + "=" + strconv.FormatInt(a.Int, 10)
	case op.Text:
		return a.Name + "=" + strconv.Quote(a.Text)
	}
	return a.Name
}

func (v *Value) text() string {
	switch {
	case v == nil:
		return "%nil"
	case v.kind == ConstValue:
		return v.literal()
	case v.name != "":
		return "%" + v.name
	}
	return "%" + strconv.Itoa(v.id)
}

// String is the value as an operand in the text form.
func (v *Value) String() string { return v.text() }
