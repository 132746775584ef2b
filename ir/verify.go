package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// Verify checks a complete kernel and returns every finding in textual order of its rule groups: structure and types,
// contract and target, memory, uniformity, programmatic launch. Build calls it; it is exported for kernels that were
// parsed or rewritten by a pass.
func Verify(k *Kernel) []Finding {
	c := &checker{k: k, target: archOf(k.Target)}
	if !c.structure() {
		return c.found
	}
	c.roots = findRoots(k)
	c.uniform = Analyse(k)
	c.contract()
	k.Body.Walk(func(o *Op) bool {
		c.op(o)
		return true
	})
	c.ties()
	c.convergence()
	c.programmatic()
	c.flow()
	return c.found
}

type checker struct {
	k       *Kernel
	target  op.Arch
	roots   *roots
	uniform *Uniformity
	found   []Finding
	seen    map[string]bool
}

// add drops repetitions: an unrolled Go loop makes the same mistake many times.
func (c *checker) add(f Finding) {
	key := f.Code + f.Pos.String() + f.Msg
	if c.seen[key] {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[key] = true
	c.found = append(c.found, f)
}

func (c *checker) at(o *Op, code, fix, format string, args ...any) {
	c.add(Finding{Code: code, Pos: o.Pos, Op: o.Text(), Msg: fmt.Sprintf(format, args...), Fix: fix, Manual: o.Info.Section})
}

// op runs the rules that look at one op.
func (c *checker) op(o *Op) {
	if o.bad {
		return
	}
	c.available(o)
	c.written(o)
	c.copies(o)
	c.matrices(o)
	switch o.Info.Name {
	case "load", "load_if":
		c.vector(o, o.Results)
		c.cache(o)
	case "store", "store_if":
		c.vector(o, o.ArgsOf("v"))
		c.cache(o)
	case "atom", "red":
		c.vector(o, o.ArgsOf("v"))
		c.atomic(o)
	case "cas":
		c.vector(o, o.ArgsOf("new"))
		c.atomic(o)
	case "barrier_named", "barrier_arrive":
		c.barrierID(o)
	case "div", "sqrt", "rcp":
		c.oneRounding(o)
	case "fma":
		c.apart(o, "sat", "relu")
	case "cvt_narrow":
		c.narrow(o)
		c.apart(o, "ftz", "satfinite")
		c.apart(o, "ftz", "relu")
	case "lop3":
		c.within(o, "table", 0, 255)
	case "addr":
		c.indexable(o)
	}
	if spec, ok := o.Info.Spec("lane"); ok && spec.Required {
		c.within(o, "lane", 0, 31)
	}
	if w := o.Int("width"); w < 0 || w > 32 || w&(w-1) != 0 {
		c.at(o, CodeBadAttribute, "use 2, 4, 8, 16 or 32", "%d lanes are no segment of a warp", w)
	}
}

func (c *checker) within(o *Op, attr string, lo, hi int64) {
	if n := o.Int(attr); n < lo || n > hi {
		c.at(o, CodeBadAttribute, fmt.Sprintf("use %d to %d", lo, hi), "%s=%d is out of range", attr, n)
	}
}

func (c *checker) oneRounding(o *Op) {
	if o.Enum("approx") != "exact" && o.Enum("rnd") != "rn" {
		c.at(o, CodeBadAttribute, "leave the rounding or the approximation out", "an approximation has no rounding mode")
	}
}

func (c *checker) narrow(o *Op) {
	rnd := o.Enum("rnd")
	if o.Result().typ.Kind != op.F32 && rnd != "rn" && rnd != "rz" {
		c.at(o, CodeBadAttribute, "use ir.RN or ir.RZ", "conversion to %s does not round with %s", o.Result().typ, rnd)
	}
}

// apart refuses two flags that no instruction has together.
func (c *checker) apart(o *Op, a, b string) {
	if o.Flag(a) && o.Flag(b) {
		c.at(o, CodeBadAttribute, "leave one of them out", "%s and %s do not go together", a, b)
	}
}

func (c *checker) indexable(o *Op) {
	if o.Int("scale") < 1 {
		c.at(o, CodeBadAttribute, "use a scale of 1 byte or more", "an index scale of %d bytes is no address", o.Int("scale"))
	}
}

func (c *checker) barrierID(o *Op) {
	id, n := o.Int("id"), o.Int("threads")
	if id < 1 || id > 15 {
		c.at(o, CodeBarrierID, "use 1 to 15; 0 is k.Barrier", "named barriers are 1 to 15, not %d", id)
	}
	if n < 32 || n%32 != 0 || n > int64(c.k.Threads()) {
		c.at(o, CodeBarrierID, "count whole warps of the block", "a barrier of %d threads in a block of %d: the count is a multiple of 32 and no more than the block", n, c.k.Threads())
	}
}
