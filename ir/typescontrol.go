package ir

import "github.com/oxideinfer/oxide/ir/op"

// control checks ops with regions. While one is being built its regions do not exist yet and only the operands are looked
// at; the verifier calls it again when the kernel is complete.
func (c *typeCheck) control() {
	o := c.op
	switch o.Info.Name {
	case "loop":
		c.loop()
	case "while":
		c.while()
	case "if":
		c.branch()
	}
}

func (c *typeCheck) loop() {
	o := c.op
	if len(o.Args) < 3 {
		c.fail(CodeStructure, "loop needs lo, hi and step")
		return
	}
	t := o.Args[0].typ
	if !o.Info.Kinds.Has(t.Kind) {
		c.fail(CodeTypeMismatch, "a loop cannot count in %s", t)
	}
	c.equal("bounds and step", typesOf(o.Args[:3]), []Type{t, t, t})
	if len(o.Regions) == 0 {
		return
	}
	carried := typesOf(o.Args[3:])
	c.equal("results", typesOf(o.Results), carried)
	if len(o.Regions) != 1 || o.Regions[0].Yield() == nil {
		c.fail(CodeStructure, "a loop has one region, ended by yield")
		return
	}
	c.equal("region arguments", typesOf(o.Regions[0].Args), append([]Type{t}, carried...))
	c.equal("yielded values", typesOf(o.Regions[0].Yield().Args), carried)
}

func (c *typeCheck) while() {
	o := c.op
	if len(o.Regions) == 0 {
		return
	}
	if len(o.Regions) != 2 || o.Regions[0].Yield() == nil || o.Regions[1].Yield() == nil || len(o.Regions[1].Args) > 0 {
		c.fail(CodeStructure, "a while has a condition and a body region, both ended by yield, the body without arguments")
		return
	}
	carried := typesOf(o.Args)
	c.equal("results", typesOf(o.Results), carried)
	c.equal("region arguments", typesOf(o.Regions[0].Args), carried)
	c.equal("values of the condition", typesOf(o.Regions[0].Yield().Args), append([]Type{scalar(op.Pred)}, carried...))
	c.equal("yielded values", typesOf(o.Regions[1].Yield().Args), carried)
}

func (c *typeCheck) branch() {
	o := c.op
	c.equal("operands", typesOf(o.Args), []Type{scalar(op.Pred)})
	if len(o.Regions) == 0 {
		return
	}
	if len(o.Regions) != 2 {
		c.fail(CodeStructure, "an if has two regions")
		return
	}
	for _, r := range o.Regions {
		if r.Yield() == nil || len(r.Args) > 0 {
			c.fail(CodeStructure, "a region of if has no arguments and ends in yield")
			return
		}
		c.equal("yielded values", typesOf(r.Yield().Args), typesOf(o.Results))
	}
}

func (c *typeCheck) equal(what string, got, want []Type) {
	if len(got) != len(want) {
		c.fail(CodeStructure, "%s of %s: %d, want %d", what, c.op.Info.Name, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			c.fail(CodeTypeMismatch, "%s of %s: %s, want %s", what, c.op.Info.Name, got[i], want[i])
		}
	}
}
