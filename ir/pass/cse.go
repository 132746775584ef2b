package pass

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/ir"
)

// CSE gives equal pure ops one result: an op is replaced by an equal one that came before it in the same region or in
// one that encloses it.
func CSE(k *ir.Kernel) {
	ids := map[*ir.Value]int{}
	seen := map[string][]*ir.Op{}
	rewrite(k, func(o *ir.Op) []*ir.Value {
		if !o.Info.Effects.Pure() || len(o.Regions) > 0 {
			return nil
		}
		key := signature(o, ids)
		for _, earlier := range seen[key] {
			if encloses(earlier.Parent(), o.Parent()) {
				return earlier.Results
			}
		}
		seen[key] = append(seen[key], o)
		return nil
	}, map[*ir.Value]*ir.Value{})
}

// signature tells ops apart that do not compute the same. Operands of commuting ops are put in order.
func signature(o *ir.Op, ids map[*ir.Value]int) string {
	id := func(v *ir.Value) int {
		n, ok := ids[v]
		if !ok {
			n = len(ids)
			ids[v] = n
		}
		return n
	}
	args := make([]int, len(o.Args))
	for i, a := range o.Args {
		args[i] = id(a)
	}
	if o.Info.Commutes && len(args) == 2 && args[0] > args[1] {
		args[0], args[1] = args[1], args[0]
	}
	var b strings.Builder
	fmt.Fprint(&b, o.Info.Name, args, o.Attrs)
	for _, r := range o.Results {
		fmt.Fprint(&b, r.Type())
	}
	return b.String()
}

func encloses(outer, inner *ir.Region) bool {
	for r := inner; r != nil; r = r.Outer() {
		if r == outer {
			return true
		}
	}
	return false
}
