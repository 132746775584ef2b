package pass

import "github.com/oxideinfer/oxide/ir"

// DCE deletes pure ops whose results nobody uses, and then those that only they used.
func DCE(k *ir.Kernel) {
	uses := map[*ir.Value]int{}
	k.Body.Walk(func(o *ir.Op) bool {
		for _, a := range o.Args {
			uses[a]++
		}
		return true
	})
	sweep(k.Body, uses)
}

// sweep goes backwards, so that an op is seen after all of its users.
func sweep(r *ir.Region, uses map[*ir.Value]int) {
	kept := make([]*ir.Op, 0, len(r.Ops))
	for i := len(r.Ops) - 1; i >= 0; i-- {
		o := r.Ops[i]
		if o.Info.Effects.Pure() && !used(o, uses) {
			for _, a := range o.Args {
				uses[a]--
			}
			continue
		}
		for j := len(o.Regions) - 1; j >= 0; j-- {
			sweep(o.Regions[j], uses)
		}
		kept = append(kept, o)
	}
	r.Ops = r.Ops[:0]
	for i := len(kept) - 1; i >= 0; i-- {
		r.Ops = append(r.Ops, kept[i])
	}
}

func used(o *ir.Op, uses map[*ir.Value]int) bool {
	for _, v := range o.Results {
		if uses[v] > 0 {
			return true
		}
	}
	return false
}
