package ir

import "github.com/oxideinfer/oxide/ir/op"

// Op is one operation of a kernel.
type Op struct {
	Info    *op.Info
	Args    []*Value
	Results []*Value
	Attrs   []op.Attr // in the order of Info.Attrs, defaults left out
	Regions []*Region
	Pos     Pos

	parent *Region
	bad    bool
}

// Region is a list of ops that ends in yield, with arguments (loop variables and carried values).
type Region struct {
	Args []*Value
	Ops  []*Op

	owner *Op
	outer *Region // the region whose values are visible here besides its own
}

// Parent is the region that holds the op.
func (o *Op) Parent() *Region { return o.parent }

// Owner is the op that the region belongs to; nil for the kernel's body.
func (r *Region) Owner() *Op { return r.owner }

// Outer is the region whose values are visible here too; the body of a while sees its condition.
func (r *Region) Outer() *Region { return r.outer }

// Result is the op's only result.
func (o *Op) Result() *Value { return o.Results[0] }

// Yield is the op that ends the region, or nil while it is being built.
func (r *Region) Yield() *Op {
	if n := len(r.Ops); n > 0 && r.Ops[n-1].Info.Name == "yield" {
		return r.Ops[n-1]
	}
	return nil
}

func (o *Op) attr(name string) (op.Attr, bool) {
	for _, a := range o.Attrs {
		if a.Name == name {
			return a, true
		}
	}
	return op.Attr{}, false
}

// Flag tells whether a flag attribute is set.
func (o *Op) Flag(name string) bool {
	_, ok := o.attr(name)
	return ok
}

// Int is an integer attribute, 0 if it is not set.
func (o *Op) Int(name string) int64 {
	a, _ := o.attr(name)
	return a.Int
}

// Enum is the value of an enumerated attribute, the first of its list if it is not set.
func (o *Op) Enum(name string) string {
	spec, ok := o.Info.Spec(name)
	if !ok {
		return ""
	}
	a, _ := o.attr(name)
	return spec.Values[a.Int]
}

// SetInt sets an integer attribute; 0 removes an optional one.
func (o *Op) SetInt(name string, v int64) {
	rest := make([]op.Attr, 0, len(o.Attrs)+1)
	for _, spec := range o.Info.Attrs {
		a, ok := o.attr(spec.Name)
		if spec.Name == name {
			a, ok = op.Attr{Name: name, Int: v}, v != 0 || spec.Required
		}
		if ok {
			rest = append(rest, a)
		}
	}
	o.Attrs = rest
}

// Walk visits the ops of the region and of the regions inside, in textual order. It stops when visit returns false.
func (r *Region) Walk(visit func(*Op) bool) bool {
	for _, o := range r.Ops {
		if !visit(o) {
			return false
		}
		for _, inner := range o.Regions {
			if !inner.Walk(visit) {
				return false
			}
		}
	}
	return true
}

// sees tells whether a value that lives in region home is visible in r.
func (r *Region) sees(home *Region) bool {
	for ; r != nil; r = r.outer {
		if r == home {
			return true
		}
	}
	return home == nil
}

// InsertBefore puts a new op in front of o, for passes. It takes o's position.
func (k *Kernel) InsertBefore(o *Op, name string, attrs []op.Attr, results []Type, args ...*Value) *Op {
	info, ok := op.ByName(name)
	if !ok {
		panic("ir: InsertBefore: there is no op " + name)
	}
	n := &Op{Info: info, Args: args, Pos: o.Pos, parent: o.parent}
	n.Attrs, _ = normalAttrs(info, attrs)
	for _, t := range results {
		n.addResult(k, t)
	}
	ops := o.parent.Ops
	for i := range ops {
		if ops[i] == o {
			o.parent.Ops = append(ops[:i:i], append([]*Op{n}, ops[i:]...)...)
			break
		}
	}
	return n
}
