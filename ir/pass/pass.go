package pass

import "github.com/oxideinfer/oxide/ir"

// Pass is one rewriting step over a kernel.
type Pass struct {
	Name string
	Why  string // what it is for, and what it stands before or after
	Run  func(*ir.Kernel)
}

// All lists the passes in the order in which they run.
func All() []Pass {
	return []Pass{
		{Name: "fold", Run: Fold,
			Why: "constants from build values meet: tile sizes, strides, unrolled indexes; first, because it makes ops equal"},
		{Name: "address", Run: Address,
			Why: "unrolled accesses differ by a constant that the instruction can hold; after fold, which brings constants together, before cse, which then finds the equal addresses"},
		{Name: "cse", Run: CSE,
			Why: "helpers compute the same index or conversion independently; after fold"},
		{Name: "dce", Run: DCE,
			Why: "the passes before leave pure ops without uses; last"},
	}
}

// Optimise runs every pass. after, if not nil, is told the pass that has just run.
func Optimise(k *ir.Kernel, after func(Pass)) {
	for _, p := range All() {
		p.Run(k)
		if after != nil {
			after(p)
		}
	}
}

// rewrite visits every op in textual order, operands already replaced. visit returns the values that take the place of
// the op's results, or nil to keep them. with holds replacements that are known before.
func rewrite(k *ir.Kernel, visit func(*ir.Op) []*ir.Value, with map[*ir.Value]*ir.Value) {
	k.Body.Walk(func(o *ir.Op) bool {
		replaceArgs(o, with)
		for i, v := range visit(o) {
			if v != nil {
				with[o.Results[i]] = v
			}
		}
		return true
	})
	if len(with) == 0 {
		return
	}
	// Loop yields come after the ops that they name, and regions before their op's results: one more sweep reaches the
	// uses that the first could not know.
	k.Body.Walk(func(o *ir.Op) bool {
		replaceArgs(o, with)
		return true
	})
}

func replaceArgs(o *ir.Op, with map[*ir.Value]*ir.Value) {
	for i, a := range o.Args {
		for {
			b, ok := with[a]
			if !ok {
				break
			}
			a = b
		}
		o.Args[i] = a
	}
}
