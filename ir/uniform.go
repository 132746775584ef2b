package ir

import "github.com/oxideinfer/oxide/ir/op"

// Uniformity says how far each value is known to be equal between threads, and how far the threads that reach a region
// are known to reach it together.
type Uniformity struct {
	k       *Kernel
	roots   *roots
	values  map[*Value]op.Level
	regions map[*Region]op.Level
	cause   map[*Region]*Op // the control op that made a region less uniform than its surroundings
	changed bool
}

// Analyse infers uniformity: thread indexes differ, block indexes and parameters do not, results follow their row's rule,
// loads are as uniform as their address where nothing in the kernel writes the memory.
func Analyse(k *Kernel) *Uniformity {
	u := &Uniformity{k: k, roots: findRoots(k), values: map[*Value]op.Level{}, regions: map[*Region]op.Level{}, cause: map[*Region]*Op{}}
	for u.changed = true; u.changed; {
		u.changed = false
		u.region(k.Body, op.UniformGrid, nil)
	}
	return u
}

// Value is how far v is known to be equal.
func (u *Uniformity) Value(v *Value) op.Level {
	if v.kind != ResultValue && v.kind != ArgumentValue {
		return op.UniformGrid
	}
	if l, ok := u.values[v]; ok {
		return l
	}
	return op.UniformGrid
}

// Region is how far threads reach r together, not counting exits.
func (u *Uniformity) Region(r *Region) op.Level { return u.regions[r] }

// lower records a level; levels only fall, so that the iteration ends.
func (u *Uniformity) lower(v *Value, l op.Level) {
	l = u.promote(l)
	if l < u.Value(v) {
		u.values[v] = l
		u.changed = true
	}
}

// promote uses the exact block size: in a block of one warp, equal in the warp is equal in the block.
func (u *Uniformity) promote(l op.Level) op.Level {
	threads := u.k.Threads()
	if l == op.Divergent && threads == 1 || l == op.UniformWarp && threads <= 32 || l == op.UniformWarpgroup && threads <= 128 {
		return op.UniformBlock
	}
	return l
}

func (u *Uniformity) region(r *Region, l op.Level, cause *Op) {
	l = u.promote(l)
	if old, ok := u.regions[r]; !ok || l < old {
		u.regions[r] = l
		u.cause[r] = cause
		u.changed = true
	}
	for _, o := range r.Ops {
		switch o.Info.Name {
		case "loop":
			u.loop(o)
		case "while":
			u.while(o)
		case "if":
			u.branch(o)
		default:
			u.simple(o)
		}
	}
}

// inner is the level of a control op's regions and the op to blame if it is lower than outside.
func (u *Uniformity) inner(o *Op, decision op.Level) (op.Level, *Op) {
	outside := u.regions[o.parent]
	if u.promote(decision) < outside {
		return decision, o
	}
	return outside, u.cause[o.parent]
}

func (u *Uniformity) loop(o *Op) {
	trips := min(u.Value(o.Args[0]), u.Value(o.Args[1]), u.Value(o.Args[2]))
	body := o.Regions[0]
	u.lower(body.Args[0], min(u.Value(o.Args[0]), u.Value(o.Args[2])))
	for i, a := range body.Args[1:] {
		u.lower(a, min(u.Value(o.Args[3+i]), u.Value(body.Yield().Args[i])))
	}
	l, cause := u.inner(o, trips)
	u.region(body, l, cause)
	for i, r := range o.Results {
		u.lower(r, min(trips, u.Value(o.Args[3+i]), u.Value(body.Yield().Args[i])))
	}
}

func (u *Uniformity) while(o *Op) {
	top, body := o.Regions[0], o.Regions[1]
	for i, a := range top.Args {
		u.lower(a, min(u.Value(o.Args[i]), u.Value(body.Yield().Args[i])))
	}
	decision := u.Value(top.Yield().Args[0])
	l, cause := u.inner(o, decision)
	u.region(top, l, cause)
	u.region(body, l, cause)
	for i, r := range o.Results {
		u.lower(r, min(decision, u.Value(top.Yield().Args[1+i])))
	}
}

func (u *Uniformity) branch(o *Op) {
	decision := u.Value(o.Args[0])
	l, cause := u.inner(o, decision)
	for _, r := range o.Regions {
		u.region(r, l, cause)
	}
	for i, r := range o.Results {
		u.lower(r, min(decision, u.Value(o.Regions[0].Yield().Args[i]), u.Value(o.Regions[1].Yield().Args[i])))
	}
}

func (u *Uniformity) simple(o *Op) {
	l := op.UniformGrid
	for _, a := range o.Args {
		l = min(l, u.Value(a))
	}
	switch o.Info.Uniform {
	case op.Fixed:
		l = o.Info.Level
	case op.AtLeast:
		l = max(l, o.Info.Level)
	case op.FromConstantMemory:
		l = min(l, u.memory(o))
	}
	if w, ok := u.warpIndex(o); ok {
		l = max(l, w)
	}
	for _, r := range o.Results {
		u.lower(r, l)
	}
}

// memory is how uniform a load can be: memory that the kernel writes may change between two threads' loads.
func (u *Uniformity) memory(o *Op) op.Level {
	root := u.roots.root(o.Args[0])
	switch {
	case root == nil || root.kind != ParamValue || u.roots.written[root] || u.roots.unknown || o.Enum("sem") != "weak":
		return op.Divergent
	}
	return op.UniformGrid
}

// warpIndex knows that tid.x / 32 is equal in a warp when warps are rows of the block, and tid.y when rows are warps.
func (u *Uniformity) warpIndex(o *Op) (op.Level, bool) {
	block := u.k.Contract.Block
	line := block[1] == 1 && block[2] == 1
	switch o.Info.Name {
	case "tid.y":
		return spanLevel(block[0])
	case "tid.z":
		return spanLevel(block[0] * block[1])
	case "in_warps":
		return wholeGroups(warpsOf(o), u.k.Threads()), true
	case "shr", "div":
	default:
		return 0, false
	}
	span := threadSpan(o, 0)
	if span == 0 {
		return 0, false
	}
	if !line && block[0]%span != 0 {
		return 0, false
	}
	return spanLevel(span)
}

// threadSpan is the length of the aligned runs of threads in which tid.x, shifted or divided, and perhaps taken from the
// warp's first lane in between, is equal; 0 for other values.
func threadSpan(o *Op, depth int) int {
	const most = 1 << 20
	switch {
	case o == nil || depth > 4:
		return 0
	case o.Info.Name == "tid.x":
		return 1
	case o.Info.Name == "uniform":
		if span := threadSpan(o.Args[0].def, depth+1); span%32 == 0 {
			return span
		}
		return 0
	case o.Info.Name != "shr" && o.Info.Name != "div" || !o.Args[1].IsConst():
		return 0
	}
	by := int(min(o.Args[1].Bits(), most))
	if o.Info.Name == "shr" {
		by = 1 << min(by, 20)
	}
	return min(most, threadSpan(o.Args[0].def, depth+1)*by)
}

// wholeGroups is the level of a condition that holds in a set of warps: does it divide a warpgroup?
func wholeGroups(warps uint32, threads int) op.Level {
	all := uint32(uint64(1)<<((threads+31)/32) - 1)
	for group := uint32(0xf); group != 0; group <<= 4 {
		if part := warps & group & all; part != 0 && part != group&all {
			return op.UniformWarp
		}
	}
	return op.UniformWarpgroup
}

// spanLevel is the level of a value that is equal in each aligned run of so many threads.
func spanLevel(threads int) (op.Level, bool) {
	switch {
	case threads > 0 && threads%128 == 0:
		return op.UniformWarpgroup, true
	case threads > 0 && threads%32 == 0:
		return op.UniformWarp, true
	}
	return 0, false
}
