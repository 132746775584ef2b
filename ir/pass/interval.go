package pass

import (
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// interval bounds an integer that is known not to be negative. ok is false where nothing is known.
type interval struct {
	lo, hi uint64
	ok     bool
}

// ranges bounds integers from constants, the exact block size and the operations between them. An operation whose result
// could wrap has no bounds.
type ranges struct {
	k     *ir.Kernel
	known map[*ir.Value]interval
}

func newRanges(k *ir.Kernel) *ranges { return &ranges{k: k, known: map[*ir.Value]interval{}} }

// Limits of a grid (CUDA programming guide, technical specifications).
const (
	maxGridX  = math.MaxInt32
	maxGridYZ = 65535
)

func (r *ranges) of(v *ir.Value) interval {
	if v.IsConst() {
		return interval{v.Bits(), v.Bits(), v.Int() >= 0 || !op.Signed.Has(v.Type().Kind)}
	}
	if have, ok := r.known[v]; ok {
		return have
	}
	r.known[v] = interval{} // a loop leads back here
	found := r.derive(v)
	if found.ok && found.hi > top(v.Type().Kind) {
		found = interval{}
	}
	r.known[v] = found
	return found
}

// top is the largest value of a kind.
func top(k op.Kind) uint64 {
	n := k.Bits()
	if op.Signed.Has(k) {
		n--
	}
	return math.MaxUint64 >> (64 - n)
}

func (r *ranges) derive(v *ir.Value) interval {
	o := v.Def()
	if o == nil {
		return r.induction(v)
	}
	if hi, ok := r.register(o.Info.Name); ok {
		return interval{0, hi, true}
	}
	switch o.Info.Name {
	case "add", "mul", "mul_wide", "mad", "mad_wide", "shl":
		return r.arithmetic(o)
	case "shr", "and", "rem", "div", "min":
		return r.shrinking(o)
	case "cvt_int":
		return r.of(o.Args[0]) // only values in range keep their bounds, see of
	}
	return interval{}
}

func (r *ranges) register(name string) (uint64, bool) {
	b := r.k.Block()
	switch name {
	case "tid.x":
		return uint64(b[0] - 1), true
	case "tid.y":
		return uint64(b[1] - 1), true
	case "tid.z":
		return uint64(b[2] - 1), true
	case "laneid":
		return 31, true
	case "ctaid.x":
		return maxGridX - 1, true
	case "ctaid.y", "ctaid.z":
		return maxGridYZ - 1, true
	}
	return 0, false
}

// induction bounds a loop's index by the loop's bounds.
func (r *ranges) induction(v *ir.Value) interval {
	if v.Kind() != ir.ArgumentValue || v.Index() != 0 || v.Region().Owner() == nil || v.Region().Owner().Info.Name != "loop" {
		return interval{}
	}
	o := v.Region().Owner()
	lo, hi := r.of(o.Args[0]), r.of(o.Args[1])
	if !lo.ok || !hi.ok || hi.hi == 0 {
		return interval{}
	}
	return interval{lo.lo, hi.hi - 1, true}
}

func (r *ranges) arithmetic(o *ir.Op) interval {
	x, y := r.of(o.Args[0]), r.of(o.Args[1])
	if !x.ok || !y.ok {
		return interval{}
	}
	switch o.Info.Name {
	case "add":
		return sum(x, y)
	case "mul", "mul_wide":
		return product(x, y)
	case "shl":
		if y.hi >= 63 {
			return interval{}
		}
		return product(x, interval{1 << y.lo, 1 << y.hi, true})
	}
	return sum(product(x, y), r.of(o.Args[2])) // mad
}

func sum(x, y interval) interval {
	hi, carry := bits.Add64(x.hi, y.hi, 0)
	return interval{x.lo + y.lo, hi, x.ok && y.ok && carry == 0}
}

func product(x, y interval) interval {
	over, hi := bits.Mul64(x.hi, y.hi)
	return interval{x.lo * y.lo, hi, x.ok && y.ok && over == 0}
}

// shrinking handles results that are no larger than an operand.
func (r *ranges) shrinking(o *ir.Op) interval {
	x, y := r.of(o.Args[0]), r.of(o.Args[1])
	switch name := o.Info.Name; {
	case name == "and" && x.ok && y.ok:
		return interval{0, min(x.hi, y.hi), true}
	case name == "and" && (x.ok || y.ok): // the other may be anything
		return interval{0, max(x.hi, y.hi), true}
	case name == "min" && x.ok && y.ok:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi), true}
	case !x.ok || !y.ok || y.lo == 0 && name != "shr":
		return interval{}
	case name == "shr":
		return interval{x.lo >> min(y.hi, 63), x.hi >> min(y.lo, 63), true}
	case name == "rem":
		return interval{0, min(x.hi, y.hi-1), true}
	}
	return interval{x.lo / y.hi, x.hi / y.lo, true} // div
}
