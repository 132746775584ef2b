package ir

import "github.com/oxideinfer/oxide/ir/op"

const maxAccessBytes = 16

// vector checks the width of an access and, where it can be proved, its alignment.
func (c *checker) vector(o *Op, vals []*Value) {
	n := len(vals)
	elem := o.Args[0].typ.Elem.Bytes()
	bytes := n * elem
	if n == 0 || n&(n-1) != 0 || n > 4 || bytes > maxAccessBytes {
		c.at(o, CodeVectorWidth, "use 1, 2 or 4 elements, or 8 of at most 16 bits", "an access of %d elements of %d bytes", n, elem)
		return
	}
	a := c.alignment(o.Args[0], 0).plus(o.Int("off"))
	if g := gcd(a.mod, int64(bytes)); a.rem%g != 0 {
		c.at(o, CodeMisaligned, "start at a multiple of the access size, or use a narrower one",
			"the address is %d modulo %d, an access of %d bytes must be aligned to its size", mod(a.rem, g), g, bytes)
	}
}

// residue says that an address is rem modulo mod.
type residue struct{ mod, rem int64 }

func (r residue) plus(n int64) residue { return residue{r.mod, mod(r.rem+n, r.mod)} }

const (
	lookBack = 64      // definitions that alignment and factor follow
	aligned  = 1 << 20 // stands for a multiple of everything that matters
)

func (c *checker) alignment(p *Value, depth int) residue {
	unknown := residue{1, 0}
	if depth > lookBack {
		return unknown
	}
	switch {
	case p.kind == ParamValue:
		return residue{int64(max(c.k.Params[p.index].Align, p.typ.Elem.Bytes())), 0}
	case p.kind == ArrayValue:
		return residue{int64(c.k.Arrays[p.index].Align), 0}
	case p.def == nil:
		return unknown
	}
	o := p.def
	switch o.Info.Name {
	case "ptr_cast", "to_generic", "from_generic", "mapa", "to_cluster":
		return c.alignment(o.Args[0], depth+1)
	case "addr_off":
		return c.alignment(o.Args[0], depth+1).plus(o.Int("off"))
	case "addr":
		base := c.alignment(o.Args[0], depth+1).plus(o.Int("off"))
		scale := o.Int("scale")
		if i := o.Args[1]; i.IsConst() {
			return base.plus(i.Int() * scale)
		}
		m := gcd(base.mod, scale*factor(o.Args[1], 0))
		return residue{m, mod(base.rem, m)}
	}
	return unknown
}

// factor is a number that the integer is known to be a multiple of.
func factor(v *Value, depth int) int64 {
	if v.IsConst() {
		if v.Int() == 0 {
			return aligned
		}
		return gcd(v.Int(), aligned)
	}
	if v.def == nil || depth > lookBack {
		return 1
	}
	o := v.def
	sub := func(i int) int64 { return factor(o.Args[i], depth+1) }
	switch o.Info.Name {
	case "add", "sub":
		return gcd(sub(0), sub(1))
	case "mul", "mul_wide":
		return gcd(min(sub(0), aligned)*min(sub(1), aligned), aligned)
	case "mad", "mad_wide":
		return gcd(min(sub(0), aligned)*min(sub(1), aligned), sub(2))
	case "cvt_int":
		return sub(0)
	case "shl":
		if n := o.Args[1]; n.IsConst() && n.Bits() < 20 {
			return gcd(sub(0)<<n.Bits(), aligned)
		}
	}
	return 1
}

func gcd(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

func mod(a, m int64) int64 { return ((a % m) + m) % m }

// cache checks the modifiers of an access against each other and against the space.
func (c *checker) cache(o *Op) {
	space := o.Args[0].typ.Space
	global := space == op.Global || space == op.Generic
	sem := o.Enum("sem")
	loads := o.Info.Effects.ByPointer&op.Writes == 0
	if !global && (o.Flag("nc") || o.Flag("policy") || o.Enum("cache") != "none" || o.Enum("l1") != "none" || loads && o.Enum("l2") != "none") {
		c.at(o, CodeSpaceMismatch, "drop the cache options", "cache options are for global memory, the pointer is into %s", space)
	}
	if sem != "weak" && (o.Flag("nc") || o.Enum("cache") != "none") {
		c.at(o, CodeBadAttribute, "use one of them", "%s excludes .nc and cache operators", sem)
	}
	if loads && sem == "release" || !loads && sem == "acquire" {
		c.at(o, CodeBadAttribute, "loads acquire, stores release", "%s cannot be %s", o.Info.Name, sem)
	}
	if o.Enum("cache") != "none" && (o.Flag("nc") && o.Enum("cache") == "cv" || o.Enum("l1") != "none" || o.Flag("policy")) {
		c.at(o, CodeBadAttribute, "use a cache operator or eviction hints", "a cache operator excludes eviction hints and policies")
	}
	if sem == "weak" || sem == "volatile" {
		if _, ok := o.attr("scope"); ok {
			c.at(o, CodeBadAttribute, "add ir.Relaxed, ir.Acquire or ir.Release", "a scope needs a memory order")
		}
	}
	c.nonCoherent(o)
}

// nonCoherent refuses .nc on memory that something still in flight may write: the load may be hoisted above
// griddepcontrol.wait (PTX ISA 9.7.9.9).
func (c *checker) nonCoherent(o *Op) {
	if !o.Flag("nc") {
		return
	}
	root := c.roots.root(o.Args[0])
	d := c.k.declared(root)
	switch {
	case d == nil:
		c.at(o, CodeNCNotConstant, "load without ir.NC", "it is not known which parameter this non-coherent load reads")
	case !d.Constant:
		c.at(o, CodeNCNotConstant, "declare the parameter ir.Constant if that is true, or load without ir.NC", "parameter %s may be written by an earlier launch that is still in flight", d.Name)
	case c.roots.written[root]:
		c.at(o, CodeNCNotConstant, "load without ir.NC", "the kernel writes parameter %s itself", d.Name)
	}
}

func (c *checker) written(o *Op) {
	o.touches(func(p *Value, a op.Access) {
		if d := c.k.declared(c.roots.root(p)); a&op.Writes != 0 && d != nil && d.Constant {
			c.at(o, CodeConstantWritten, "drop ir.Constant from the parameter", "parameter %s is declared constant", d.Name)
		}
	})
}

// atomic checks the kinds on which an atomic operation exists (PTX ISA 9.7.13.5, 9.7.13.6).
func (c *checker) atomic(o *Op) {
	k, what, n := o.Args[0].typ.Elem, o.Enum("op"), len(o.ArgsOf("v"))
	words := op.Integers32
	kinds := op.KindSet(0)
	switch {
	case o.Info.Name == "cas":
		kinds, what = words|op.Of(op.U16, op.F32), "cas"
	case what == "add":
		kinds = op.Of(op.U32, op.S32, op.U64, op.S64, op.F32, op.F64, op.F16, op.BF16, op.F16x2, op.BF16x2)
	case what == "min", what == "max":
		kinds = words
	case what == "inc", what == "dec":
		kinds = op.Of(op.U32)
	case what == "exch":
		kinds = words | op.Of(op.F32)
	default:
		kinds = words
	}
	if !kinds.Has(k) {
		c.at(o, CodeTypeMismatch, "use an integer of 32 or 64 bits", "atomic %s does not exist on %s", what, k)
	}
	if o.Info.Name == "red" && n > 1 {
		if !op.Of(op.F32, op.F16, op.BF16, op.F16x2, op.BF16x2).Has(k) || what != "add" {
			c.at(o, CodeTypeMismatch, "update the elements one by one", "a vector reduction adds floats, not %s of %s", what, k)
		}
		if o.Args[0].typ.Space != op.Global {
			c.at(o, CodeSpaceMismatch, "update the elements one by one", "vector reductions exist on global memory only")
		}
	}
}
