package ir

import "github.com/oxideinfer/oxide/ir/op"

// departed says that threads may have left the kernel, and how far they did so together.
type departed struct {
	level op.Level
	at    *Op
}

func (d departed) lower(e departed) departed {
	if e.level < d.level {
		return e
	}
	return d
}

// convergence checks ops that need threads together, in program order because of the threads that leave on the way.
func (c *checker) convergence() { c.converge(c.k.Body, departed{level: op.UniformGrid}) }

func (c *checker) converge(r *Region, left departed) departed {
	for _, o := range r.Ops {
		switch o.Info.Name {
		case "exit":
			left = left.lower(departed{c.uniform.regions[r], o})
		case "loop", "while": // what leaves in one round is gone in the next
			for _, inner := range o.Regions {
				left = left.lower(c.leaves(inner))
			}
			for _, inner := range o.Regions {
				c.converge(inner, left)
			}
		case "if":
			after := left
			for _, inner := range o.Regions {
				after = after.lower(c.converge(inner, left))
			}
			left = after
		default:
			c.together(o, left)
		}
	}
	return left
}

// leaves is the least uniform exit inside a region.
func (c *checker) leaves(r *Region) departed {
	left := departed{level: op.UniformGrid}
	r.Walk(func(o *Op) bool {
		if o.Info.Name == "exit" {
			left = left.lower(departed{c.uniform.regions[o.parent], o})
		}
		return true
	})
	return left
}

func (c *checker) together(o *Op, left departed) {
	if o.bad {
		return
	}
	for _, d := range o.Info.Demands {
		for _, v := range o.ArgsOf(d.Slot) {
			if c.uniform.Value(v) < d.Level {
				c.at(o, CodeNotUniform, "make it with k.Uniform", "operand %s of %s must be equal in the %s", d.Slot, o.Info.Name, d.Level)
			}
		}
	}
	need := c.uniform.promote(o.Info.Converge)
	switch {
	case o.Info.Converge == op.Divergent || o.Flag("mask"):
	case c.uniform.regions[o.parent] < need:
		c.divergent(o, c.uniform.cause[o.parent], "they are divided by ")
	case left.level < need:
		c.divergent(o, left.at, "threads may have left at ")
	}
}

func (c *checker) divergent(o, cause *Op, how string) {
	code, fix := CodeConvergent, "move it out of the branch, or make the condition equal in the warp with k.Uniform"
	if o.Info.Effects.Order && o.Info.Name != "sync_warp" {
		code, fix = CodeBarrierDivergent, "move the barrier out of the branch or loop, or use a named barrier among whole warps"
	}
	where := "control flow"
	if cause != nil {
		where = cause.Info.Name + " at " + cause.Pos.String()
	}
	c.at(o, code, fix, "%s needs all threads of the %s together, but %s%s", o.Info.Name, o.Info.Converge, how, where)
}
