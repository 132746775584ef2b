package ir

import "github.com/oxideinfer/oxide/ir/op"

// roots tells which parameter or array a pointer is derived from, and which of them the kernel writes.
type roots struct {
	of      map[*Value]*Value
	written map[*Value]bool
	unknown bool // something is written through a pointer of unknown origin
}

func findRoots(k *Kernel) *roots {
	r := &roots{of: map[*Value]*Value{}, written: map[*Value]bool{}}
	k.Body.Walk(func(o *Op) bool {
		o.touches(func(p *Value, a op.Access) {
			if a&op.Writes == 0 {
				return
			}
			if root := r.root(p); root != nil {
				r.written[root] = true
			} else if !op.In(op.Shared, op.SharedCluster, op.Local).Has(p.typ.Space) {
				r.unknown = true
			}
		})
		return true
	})
	return r
}

// touches visits the operands whose memory the op reads or writes, now or later.
func (o *Op) touches(visit func(p *Value, a op.Access)) {
	if o.bad {
		return
	}
	if a := o.Info.Effects.ByPointer; a != 0 {
		visit(o.Args[0], a)
	}
	for _, t := range o.Info.Touches {
		if p := o.Arg(t.Slot); p != nil {
			visit(p, t.Access)
		}
	}
}

// root is the parameter or array that p points into, nil if it is not known or not one.
func (r *roots) root(p *Value) *Value {
	if root, ok := r.of[p]; ok {
		return root
	}
	s := rootSearch{seen: map[*Value]bool{}}
	s.visit(p)
	if s.lost {
		s.root = nil
	}
	r.of[p] = s.root
	return s.root
}

// rootSearch goes back through everything that a pointer may come from; loops lead to values already seen.
type rootSearch struct {
	seen map[*Value]bool
	root *Value
	lost bool
}

func (s *rootSearch) visit(p *Value) {
	if s.lost || s.seen[p] {
		return
	}
	s.seen[p] = true
	var from []*Value
	switch {
	case p.kind == ParamValue || p.kind == ArrayValue:
		s.lost = s.root != nil && s.root != p
		s.root = p
		return
	case p.kind == ArgumentValue:
		from = incoming(p)
	case p.def == nil:
	case len(p.def.Regions) > 0:
		from = outgoing(p)
	default:
		from = pointerArgs(p.def)
	}
	s.lost = s.lost || len(from) == 0
	for _, v := range from {
		s.visit(v)
	}
}

func pointerArgs(o *Op) []*Value {
	switch o.Info.Name {
	case "addr", "addr_off", "ptr_cast", "to_generic", "from_generic", "uniform", "mapa", "to_cluster", "matrix_desc", "desc_add", "tensormap_at":
		return o.Args[:1]
	case "select":
		return o.Args[1:]
	}
	return nil
}

// incoming lists the values that a loop gives to a carried argument.
func incoming(arg *Value) []*Value {
	o, i := arg.region.owner, arg.index
	switch o.Info.Name {
	case "loop":
		if i == 0 {
			return nil
		}
		return []*Value{o.Args[2+i], o.Regions[0].Yield().Args[i-1]}
	case "while":
		return []*Value{o.Args[i], o.Regions[1].Yield().Args[i]}
	}
	return nil
}

// outgoing lists the values that may become a control op's result.
func outgoing(v *Value) []*Value {
	o, i := v.def, v.index
	switch o.Info.Name {
	case "loop":
		return []*Value{o.Args[3+i], o.Regions[0].Yield().Args[i]}
	case "while":
		return []*Value{o.Regions[0].Yield().Args[i+1]}
	case "if":
		return []*Value{o.Regions[0].Yield().Args[i], o.Regions[1].Yield().Args[i]}
	}
	return nil
}

// param is the declaration behind a root.
func (k *Kernel) declared(root *Value) *ParamDecl {
	if root == nil || root.kind != ParamValue {
		return nil
	}
	return k.Params[root.index]
}

// Access tells how the kernel uses the memory behind its parameters: the launch binding and alias checks want to know.
func (k *Kernel) Access() (reads, writes []bool) {
	r := findRoots(k)
	reads, writes = make([]bool, len(k.Params)), make([]bool, len(k.Params))
	k.Body.Walk(func(o *Op) bool {
		o.touches(func(p *Value, a op.Access) {
			if d := r.root(p); d != nil && d.kind == ParamValue {
				reads[d.index] = reads[d.index] || a&op.Reads != 0
				writes[d.index] = writes[d.index] || a&op.Writes != 0
			}
		})
		return true
	})
	return reads, writes
}
