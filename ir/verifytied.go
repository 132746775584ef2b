package ir

import "github.com/oxideinfer/oxide/ir/op"

// ties checks operands that an instruction updates in place: they have the results' types, and nothing reads them
// afterwards, since their registers then hold something else. Inside a loop, such an operand must be carried: one from
// outside would be updated once a round.
func (c *checker) ties() {
	var tied []*Op
	order, n := map[*Op]int{}, 0
	readers := map[*Value][]*Op{}
	c.k.Body.Walk(func(o *Op) bool {
		n++
		order[o] = n
		if len(o.Info.Ties) > 0 && !o.bad {
			tied = append(tied, o)
		}
		for _, a := range o.Args {
			readers[a] = append(readers[a], o)
		}
		return true
	})
	for _, o := range tied {
		for _, t := range o.Info.Ties {
			c.tie(o, t, readers, order)
		}
	}
}

func (c *checker) tie(o *Op, t op.Tie, readers map[*Value][]*Op, order map[*Op]int) {
	args, results := o.ArgsOf(t.Arg), o.ResultsOf(t.Result)
	if len(args) != len(results) {
		c.at(o, CodeTied, "give one operand for each result", "%d results %s are tied to %d operands %s", len(results), t.Result, len(args), t.Arg)
		return
	}
	for i, a := range args {
		switch {
		case a.typ != results[i].typ:
			c.at(o, CodeTied, "use one type", "result %s is %s, the operand in its registers %s", t.Result, results[i].typ, a.typ)
		case a.kind == ConstValue:
		case a.kind == ParamValue || a.kind == ArrayValue:
			c.at(o, CodeTied, "copy it first", "%s cannot be updated in place", a)
		case readAfter(o, readers[a], order) != nil:
			c.at(o, CodeTied, "use the result from here on", "operand %s is updated in place and read again at %s", a, readAfter(o, readers[a], order).Pos)
		case c.leavesLoop(o, a):
			c.at(o, CodeTied, "carry it in an ir.Var", "operand %s comes from outside the loop and is updated in place in every round", a)
		}
	}
}

// leavesLoop tells whether a loop lies between an op and the region of a value.
func (c *checker) leavesLoop(o *Op, v *Value) bool {
	for r := o.parent; r != nil && r != v.region; r = r.outer {
		if r.owner != nil && (r.owner.Info.Name == "loop" || r.owner.Info.Name == "while") {
			return true
		}
	}
	return false
}

// readAfter finds a reader that may run after o: one later in the text and not in the other branch of an if.
func readAfter(o *Op, readers []*Op, order map[*Op]int) *Op {
	for _, r := range readers {
		if order[r] > order[o] && !exclusive(o, r) {
			return r
		}
	}
	return nil
}

func exclusive(a, b *Op) bool {
	branch := map[*Op]*Region{}
	for r := a.parent; r != nil && r.owner != nil; r = r.owner.parent {
		branch[r.owner] = r
	}
	for r := b.parent; r != nil && r.owner != nil; r = r.owner.parent {
		if other, ok := branch[r.owner]; ok {
			return r.owner.Info.Name == "if" && other != r
		}
	}
	return false
}
