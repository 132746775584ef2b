package emulate

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// ringForm returns the kernel as it is for a device in ring mode: decoded a second time, with other arithmetic.
func (k *Kernel) ringForm() (*Kernel, error) {
	p := k.prog
	p.ringOnce.Do(func() { p.ringProgram, p.ringErr = loadRing(p) })
	if p.ringErr != nil {
		return nil, p.ringErr
	}
	return p.ringProgram.Kernel(k.Name), nil
}

func loadRing(p *Program) (*Program, error) {
	q := &Program{module: p.module, Position: p.Position, constAt: map[uint64]src{}, vars: p.vars, ring: true}
	return q, q.decode()
}

// ringMods are the modifiers that mean nothing in a ring.
var ringMods = []string{"rn", "rz", "rm", "rp", "rna", "ftz", "sat", "approx", "full", "satfinite", "NaN"}

// decodeRing decodes floating-point arithmetic for ring mode. It returns false for everything else.
func decodeRing(b *build) bool {
	op := b.in.Form.Opcode()
	switch op {
	case "add", "sub", "mul", "div", "min", "max", "neg", "abs", "fma", "ex2", "rcp", "sqrt", "rsqrt", "lg2", "sin", "cos", "tanh":
		return b.ringArithmetic(op)
	case "cvt":
		return b.ringConvert()
	case "atom", "red", "cp":
		if (op != "cp" || b.in.Form.Has("reduce")) && !b.in.Form.Has("exch") && isFloatType(b.typ()) {
			b.fail("floating-point atomics and reductions are no part of ring mode")
			return true
		}
	}
	return false
}

func isFloatType(t isa.Type) bool {
	_, _, ok := ringOf(t)
	return ok || t == isa.F64
}

func (b *build) ringArithmetic(op string) bool {
	t := b.typ()
	r, packed, ok := ringOf(t)
	if !ok {
		if t == isa.F64 {
			b.fail("f64 arithmetic is no part of ring mode")
		}
		return t == isa.F64
	}
	b.ignore(ringMods...)
	// Each half of a packed operand by itself.
	split := func(f func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
		if !packed {
			return f
		}
		return func(x, y, z uint64) uint64 {
			return f(x&0xffff, y&0xffff, z&0xffff) | f(x>>16&0xffff, y>>16&0xffff, z>>16&0xffff)<<16
		}
	}
	switch op {
	case "fma":
		b.ternary(t, t, t, split(func(x, y, z uint64) uint64 { return r.add(r.mul(x, y), z) }))
	case "add", "sub", "mul", "div", "min", "max":
		if len(b.in.Operands) != 3 {
			b.fail("%s of three operands is no part of ring mode", op)
			return true
		}
		f := split(func(x, y, _ uint64) uint64 { return r.combine(op, x, y) })
		b.binary(t, func(x, y uint64) uint64 { return f(x, y, 0) })
	default:
		f := split(func(x, _, _ uint64) uint64 { return r.function(op, x) })
		b.unary(t, func(x uint64) uint64 { return f(x, 0, 0) })
	}
	return true
}

// ringConvert is cvt from or to a floating-point type.
func (b *build) ringConvert() bool {
	ts := b.types()
	if len(ts) < 2 || !isFloatType(ts[0]) && !isFloatType(ts[1]) {
		return false
	}
	b.ignore(append(ringMods, "rni", "rzi", "rmi", "rpi")...)
	to, wide, okTo := ringOf(ts[0])
	from, packed, okFrom := ringOf(ts[1])
	put := func(t int64) uint64 {
		if !okTo {
			return mask(uint64(t), ts[0].Bits())
		}
		return to.float(t)
	}
	one := func(v uint64) uint64 {
		switch {
		case !okFrom && ts[1].Class() == isa.ClassSigned:
			return put(signed(v, ts[1].Bits()))
		case !okFrom:
			return put(int64(mask(v, ts[1].Bits())))
		case okTo && from.infinite(v) && to.inf != 0:
			inf := to.inf
			if v&from.sign() != 0 {
				inf |= to.sign()
			}
			return inf
		}
		return put(from.tag(mask(v, int(from.width))))
	}
	switch {
	case b.in.Form.Has("relu") || ts[0] == isa.F64 || ts[1] == isa.F64:
		b.fail("this conversion is no part of ring mode")
	case wide && packed: // two to two
		b.unary(ts[1], func(v uint64) uint64 { return one(v&(1<<from.width-1)) | one(v>>from.width)<<to.width })
	case wide: // the first operand goes to the upper half
		b.binary(ts[1], func(x, y uint64) uint64 { return one(x)<<to.width | one(y) })
	default:
		b.unary(ts[1], one)
	}
	return true
}

// ringFactors makes rows hold tags; those of tf32 are cut to 24 bits, so that sums of products stay exact.
func ringFactors(rows *tensorcore.Rows, f tensorcore.Format) {
	r := map[tensorcore.Format]ring{tensorcore.F16: ringF16, tensorcore.BF16: ringBF16, tensorcore.TF32: ring32, tensorcore.E4M3: ringE4M3, tensorcore.E5M2: ringE5M2}[f]
	if f.Integer() {
		rows.Tag = nil
		return
	}
	rows.Tag = func(bits uint32) float64 {
		t := r.tag(uint64(bits))
		if f == tensorcore.TF32 {
			t = signed(uint64(t), 24)
		}
		return float64(t)
	}
}

// ringMultiply is the product of rows of tags, with C and D as floats.
func ringMultiply(d []uint32, a, b *tensorcore.Rows, c []uint32, halves bool) {
	r := ring32
	if halves {
		r = ringF16
	}
	var add []uint32
	if c != nil {
		add = make([]uint32, len(c))
		for i, v := range c {
			add[i] = uint32(r.tag(uint64(v)))
		}
	}
	tensorcore.Multiply(d, a, b, add, tensorcore.S32)
	for i, v := range d {
		d[i] = uint32(r.float(int64(int32(v))))
	}
}
