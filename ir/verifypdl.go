package ir

import "github.com/oxideinfer/oxide/ir/op"

// programmatic checks a kernel that may start before its predecessor has ended: on every path it waits before its first
// global write and before it reads anything not declared constant, and no path ends without having waited, because a later
// kernel relies on this one for what came before (PTX ISA 9.7.13.13).
func (c *checker) programmatic() {
	if !c.k.Contract.ProgrammaticLaunch {
		return
	}
	if !c.waits(c.k.Body, false) {
		c.add(Finding{Code: CodePDLWaitMissing, Pos: c.k.pos, Msg: "some path through the kernel ends without k.GridDependencyWait", Fix: "call it outside of any branch", Manual: "9.7.13.13"})
	}
}

// waits follows the region and tells whether every path to its end has waited.
func (c *checker) waits(r *Region, waited bool) bool {
	for _, o := range r.Ops {
		switch o.Info.Name {
		case "griddep_wait":
			waited = true
		case "if":
			yes, no := c.waits(o.Regions[0], waited), c.waits(o.Regions[1], waited)
			waited = yes && no
		case "loop":
			c.waits(o.Regions[0], waited)
		case "while":
			waited = c.waits(o.Regions[0], waited)
			c.waits(o.Regions[1], waited)
		case "exit":
			if !waited {
				c.at(o, CodePDLWaitMissing, "wait before leaving", "a thread leaves without k.GridDependencyWait")
			}
			waited = true // nobody gets past it
		default:
			if !waited {
				c.early(o)
			}
		}
	}
	return waited
}

func (c *checker) early(o *Op) {
	o.touches(func(p *Value, a op.Access) {
		if p.typ.Kind == op.TensorMap || op.In(op.Global, op.Generic).Has(p.typ.Space) {
			c.touchedEarly(o, p, a)
		}
	})
}

func (c *checker) touchedEarly(o *Op, p *Value, a op.Access) {
	root := c.roots.root(p)
	if root != nil && root.kind == ArrayValue {
		return
	}
	d := c.k.declared(root)
	name := "memory of unknown origin"
	if d != nil {
		name = "parameter " + d.Name
	}
	switch {
	case a&op.Writes != 0:
		c.at(o, CodePDLWaitMissing, "call k.GridDependencyWait before it", "%s is written before the kernel has waited for its predecessor", name)
	case d == nil || !d.Constant:
		c.at(o, CodePDLWaitMissing, "call k.GridDependencyWait before it, or declare the parameter ir.Constant if no earlier launch writes it", "%s is read before the kernel has waited for its predecessor", name)
	}
}
