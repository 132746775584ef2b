package lower

import "github.com/oxideinfer/oxide/ir/op"

// Missing lists the ops without a lowering, and the lowerings without an op.
func Missing(infos []*op.Info) []string {
	e := &emitter{table: newTable()}
	var out []string
	for _, i := range infos {
		if i.Name != "yield" && e.lowering(i.Name) == nil {
			out = append(out, i.Name)
		}
	}
	for name := range e.table {
		if _, ok := op.ByName(name); !ok {
			out = append(out, name)
		}
	}
	return out
}
