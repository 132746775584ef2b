package pass

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// Address takes constant parts out of indexes: p[(tid + 512)·8] becomes p[tid·8] plus 4096 elements, which the access
// instruction adds for free, so that unrolled accesses share one address. A 32-bit index extends to 64 bits before it is
// scaled, so this is right only where nothing on the way can wrap; the exact block size often proves that.
func Address(k *ir.Kernel) {
	r := newRanges(k)
	with := map[*ir.Value]*ir.Value{}
	var addrs []*ir.Op
	k.Body.Walk(func(o *ir.Op) bool {
		if o.Info.Name == "addr" {
			addrs = append(addrs, o)
		}
		return true
	})
	for _, o := range addrs {
		c := r.constantPart(o.Args[1])
		if c == 0 || c > maxOffset/uint64(o.Int("scale")) {
			continue
		}
		t := []ir.Type{o.Result().Type()}
		base := o.Args[0]
		if i := r.without(k, o, o.Args[1]); i != nil {
			base = k.InsertBefore(o, "addr", []op.Attr{{Name: "scale", Int: o.Int("scale")}}, t, base, i).Result()
		}
		off := []op.Attr{{Name: "off", Int: int64(c)*o.Int("scale") + o.Int("off")}}
		with[o.Result()] = k.InsertBefore(o, "addr_off", off, t, base).Result()
	}
	rewrite(k, func(*ir.Op) []*ir.Value { return nil }, with)
}

// maxOffset keeps offsets within what an access can hold (24 bits with sign).
const maxOffset = 1<<23 - 1

// constantPart is the constant that can be taken out of an integer, 0 if there is none.
func (r *ranges) constantPart(v *ir.Value) uint64 {
	if v.IsConst() {
		if in := r.of(v); in.ok {
			return v.Bits()
		}
		return 0
	}
	o := v.Def()
	if o == nil || !r.of(v).ok {
		return 0
	}
	part := func(i int) uint64 { return r.constantPart(o.Args[i]) }
	switch o.Info.Name {
	case "add":
		return part(0) + part(1)
	case "mul", "mul_wide", "shl":
		if !o.Args[1].IsConst() {
			return 0
		}
		return part(0) * r.factor(o)
	case "mad", "mad_wide":
		if !o.Args[1].IsConst() {
			return part(2)
		}
		return part(0)*r.factor(o) + part(2)
	case "cvt_int":
		return part(0)
	}
	return 0
}

func (r *ranges) factor(o *ir.Op) uint64 {
	if o.Info.Name == "shl" {
		return 1 << min(o.Args[1].Bits(), 63)
	}
	return o.Args[1].Bits()
}

// without builds the integer less its constant part in front of an op; nil stands for 0.
func (r *ranges) without(k *ir.Kernel, at *ir.Op, v *ir.Value) *ir.Value {
	switch {
	case v.IsConst():
		return nil
	case r.constantPart(v) == 0:
		return v
	}
	o := v.Def()
	t := []ir.Type{v.Type()}
	x := r.without(k, at, o.Args[0])
	switch o.Info.Name {
	case "add":
		y := r.without(k, at, o.Args[1])
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return k.InsertBefore(at, "add", nil, t, x, y).Result()
	case "mad", "mad_wide":
		if !o.Args[1].IsConst() {
			x = o.Args[0]
		}
		return r.withoutSum(k, at, o, x)
	}
	if x == nil {
		return nil
	}
	args := append([]*ir.Value{x}, o.Args[1:]...)
	return k.InsertBefore(at, o.Info.Name, o.Attrs, t, args...).Result()
}

// withoutSum rebuilds x·m + y from what is left of x and y.
func (r *ranges) withoutSum(k *ir.Kernel, at, o *ir.Op, x *ir.Value) *ir.Value {
	t := []ir.Type{o.Result().Type()}
	y := r.without(k, at, o.Args[2])
	product := map[string]string{"mad": "mul", "mad_wide": "mul_wide"}[o.Info.Name]
	switch {
	case x == nil:
		return y
	case y == nil:
		return k.InsertBefore(at, product, nil, t, x, o.Args[1]).Result()
	}
	return k.InsertBefore(at, o.Info.Name, o.Attrs, t, x, o.Args[1], y).Result()
}
