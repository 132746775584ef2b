package ir_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// A scalar case gives the exact or, with a tolerance, the approximate result of an op on the bits of its operands.
type scalarCase struct {
	ref func(t, s op.Kind, a []uint64) []uint64
	ulp uint64             // allowed distance of float results
	arg func(i int) uint64 // makes operand bits where random ones are undefined, by operand index
}

// TestScalarOpsCompute runs every op that works on registers alone, on every kind, and compares with Go.
func TestScalarOpsCompute(t *testing.T) {
	m := newMachine(t)
	cases := scalarCases()
	for _, info := range op.All() {
		c, ok := cases[info.Name]
		if !ok {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			m.t = t
			eachKind(info, func(tk, sk op.Kind) { m.scalar(info, tk, sk, c) })
		})
	}
}

func eachKind(info *op.Info, f func(t, s op.Kind)) {
	for _, p := range info.Pairs {
		f(p.T, p.S)
	}
	for _, k := range info.Kinds.List() {
		if k != op.Ptr {
			f(k, op.Invalid)
		}
	}
}

func patternKind(pattern string, t, s op.Kind) op.Kind {
	switch pattern {
	case "T":
		return t
	case "S":
		return s
	case "W":
		return map[op.Kind]op.Kind{op.U16: op.U32, op.U32: op.U64, op.S16: op.S32, op.S32: op.S64}[t]
	}
	k, _ := op.KindByName(pattern)
	return k
}

const scalarRows = 64

// memory is the element type through which a kind is loaded and stored.
func memory(k op.Kind) op.Kind {
	if k == op.Pred {
		return op.U32
	}
	return k
}

func (m *machine) scalar(info *op.Info, tk, sk op.Kind, c scalarCase) {
	sig := info.Signature()
	r := rand.New(rand.NewPCG(uint64(tk), uint64(sk)))
	var in, out []*buffer
	var inKinds, outKinds []op.Kind
	for i, a := range sig.Args {
		k := patternKind(a.Pattern, tk, sk)
		b := &buffer{data: make([]byte, scalarRows*memory(k).Bytes())}
		for row := range scalarRows {
			b.setWord(row, memory(k).Bytes(), operandBits(r, k, i, row, c))
		}
		in, inKinds = append(in, b), append(inKinds, k)
	}
	for _, o := range sig.Results {
		k := patternKind(o.Pattern, tk, sk)
		out, outKinds = append(out, &buffer{data: make([]byte, scalarRows*memory(k).Bytes())}), append(outKinds, k)
	}
	k := m.build("scalar", ir.Contract{Block: [3]int{scalarRows}}, func(k *ir.Kernel) { scalarKernel(k, info, inKinds, outKinds) })
	var args []any
	for _, b := range append(append([]*buffer(nil), in...), out...) {
		args = append(args, b)
	}
	m.run(k, [3]uint32{1, 1, 1}, args...)
	bad := 0
	for row := range scalarRows {
		a := make([]uint64, len(in))
		for i := range in {
			a[i] = in[i].word(row, memory(inKinds[i]).Bytes())
		}
		for i, want := range c.ref(tk, sk, a) {
			got := out[i].word(row, memory(outKinds[i]).Bytes())
			if !closeEnough(outKinds[i], got, want, c.ulp) && bad < 3 {
				bad++
				m.t.Errorf("%s %v<-%v of %x: got %x, want %x", info.Name, outKinds[i], inKinds, a, got, want)
			}
		}
	}
}

func scalarKernel(k *ir.Kernel, info *op.Info, in, out []op.Kind) {
	tid := ir.ValueOf(k.TIDX())
	pointer := func(name string, kind op.Kind) *ir.Value {
		p := ir.ValueOf(ir.GlobalParam[ir.U8](k, name, ir.Aligned(8)))
		t := op.PointerTo(op.Global, memory(kind))
		p = k.Emit("ptr_cast", nil, []ir.Type{t}, p).Result()
		return k.Emit("addr", []op.Attr{{Name: "scale", Int: int64(memory(kind).Bytes())}}, []ir.Type{t}, p, tid).Result()
	}
	zero := ir.ValueOf(k.ConstU32(0))
	var args []*ir.Value
	for i, kind := range in {
		v := k.Emit("load", nil, []ir.Type{op.Scalar(memory(kind))}, pointer(fmt.Sprint("in", i), kind)).Result()
		if kind == op.Pred {
			v = k.Emit("ne", nil, []ir.Type{op.Scalar(op.Pred)}, v, zero).Result()
		}
		args = append(args, v)
	}
	var results []ir.Type
	for _, kind := range out {
		results = append(results, op.Scalar(kind))
	}
	var attrs []op.Attr
	for _, a := range info.Attrs {
		switch {
		case a.Required && a.Kind == op.Enum:
			attrs = append(attrs, op.Attr{Name: a.Name, Text: a.Values[1]})
		case a.Required:
			attrs = append(attrs, op.Attr{Name: a.Name, Int: lop3Table})
		}
	}
	for i, v := range k.Emit(info.Name, attrs, results, args...).Results {
		if out[i] == op.Pred {
			u := op.Scalar(op.U32)
			v = k.Emit("select", nil, []ir.Type{u}, v, ir.ValueOf(k.ConstU32(1)), zero).Result()
		}
		k.Emit("store", nil, nil, pointer(fmt.Sprint("out", i), out[i]), v)
	}
}

// operandBits mixes corner cases and random values; predicates are 0 and 1.
func operandBits(r *rand.Rand, k op.Kind, arg, row int, c scalarCase) uint64 {
	mask := uint64(math.MaxUint64) >> (64 - max(k.Bits(), 1))
	if k == op.Pred {
		return r.Uint64() & 1
	}
	if c.arg != nil && arg > 0 {
		return c.arg(row) & mask
	}
	corner := []uint64{0, 1, mask, mask >> 1, mask>>1 + 1, 2}
	if f, ok := format(k); ok {
		one := uint64(f.Encode(1, numfmt.RN))
		corner = []uint64{0, 1 << (f.Bits() - 1), one, one | 1<<(f.Bits()-1), uint64(f.NaN()), uint64(f.Encode(math.Inf(1), numfmt.RN)), 1, uint64(f.Encode(2.5, numfmt.RN))}
	}
	if row < 2*len(corner) && k.Lanes() == 1 {
		return corner[(row*(arg+1)+arg)%len(corner)]
	}
	if f, ok := format(k.Elem()); ok && row%3 != 0 {
		var bits uint64
		for lane := range k.Lanes() {
			bits |= uint64(f.Encode((r.Float64()-0.5)*math.Ldexp(1, r.IntN(12)-3), numfmt.RN)) << (lane * f.Bits())
		}
		return bits
	}
	if k == op.F64 {
		return math.Float64bits((r.Float64() - 0.5) * 1000)
	}
	if k == op.TF32 {
		return r.Uint64() & mask &^ 0x1fff
	}
	return r.Uint64() & mask
}

func format(k op.Kind) (numfmt.Format, bool) {
	f, ok := map[op.Kind]numfmt.Format{op.F32: numfmt.F32, op.F16: numfmt.F16, op.BF16: numfmt.BF16, op.TF32: numfmt.TF32, op.E4M3: numfmt.E4M3, op.E5M2: numfmt.E5M2}[k]
	return f, ok
}

// closeEnough compares bits; NaNs are equal, and packed values are compared lane by lane.
func closeEnough(k op.Kind, got, want, ulp uint64) bool {
	if got == want {
		return true
	}
	if k == op.F64 {
		return math.IsNaN(math.Float64frombits(got)) && math.IsNaN(math.Float64frombits(want))
	}
	f, ok := format(k.Elem())
	if !ok {
		return false
	}
	for lane := range k.Lanes() {
		mask := uint64(math.MaxUint64) >> (64 - f.Bits())
		g, w := uint32(got>>(lane*f.Bits())&mask), uint32(want>>(lane*f.Bits())&mask)
		if g == w || f.IsNaN(g) && f.IsNaN(w) {
			continue
		}
		if f.IsNaN(g) || f.IsNaN(w) || f.UlpDistance(g, w) > ulp {
			return false
		}
	}
	return true
}
