package ir

import "fmt"

// structure checks that ops match their rows, that every region ends in its only yield, and that values are defined before
// they are used and where they are visible. The builder keeps these by construction; parsed kernels may not.
func (c *checker) structure() bool {
	defined := map[*Value]bool{}
	for _, p := range c.k.Params {
		defined[p.Value] = true
	}
	for _, a := range c.k.Arrays {
		defined[a.Value] = true
	}
	c.region(c.k.Body, defined)
	return len(c.found) == 0
}

func (c *checker) region(r *Region, defined map[*Value]bool) {
	for _, a := range r.Args {
		defined[a] = true
	}
	for i, o := range r.Ops {
		last := i == len(r.Ops)-1
		if isYield := o.Info.Name == "yield"; isYield != last {
			c.add(Finding{Code: CodeStructure, Pos: o.Pos, Op: o.Text(), Msg: "a region ends in yield and has no other one"})
		}
		if !o.bad { // already reported while it was built
			c.operands(r, o, defined)
			for _, f := range checkTypes(o) {
				f.Op = o.Text()
				c.add(f)
			}
		}
		for _, inner := range o.Regions {
			c.region(inner, defined)
		}
		for _, v := range o.Results {
			defined[v] = true
		}
	}
	if len(r.Ops) == 0 {
		c.add(Finding{Code: CodeStructure, Msg: "a region without yield"})
	}
	if r == c.k.Body && r.Yield() != nil && len(r.Yield().Args) > 0 {
		c.add(Finding{Code: CodeStructure, Msg: "a kernel yields nothing"})
	}
}

func (c *checker) operands(r *Region, o *Op, defined map[*Value]bool) {
	for i, v := range o.Args {
		switch {
		case v == nil:
			c.add(Finding{Code: CodeZeroValue, Pos: o.Pos, Op: o.Text(), Msg: fmt.Sprintf("operand %d is missing", i+1)})
		case v.kernel != c.k:
			c.add(Finding{Code: CodeForeignValue, Pos: o.Pos, Op: o.Text(), Msg: fmt.Sprintf("operand %s belongs to kernel %s", v, v.kernel.Name)})
		case v.kind == ConstValue, v.bad:
		case !defined[v] || !r.sees(v.region):
			c.add(Finding{Code: CodeOutOfRegion, Pos: o.Pos, Op: o.Text(), Msg: fmt.Sprintf("operand %s is not defined here", v),
				Fix: "carry it out of its region in an ir.Var"})
		}
	}
}
