package emulate

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// cvtMods are the modifiers of cvt (manual 9.7.9.21).
type cvtMods struct {
	r              string // rn rz rm rp, rni rzi rmi rpi, rna, or ""
	ftz, sat       bool
	relu, satfinit bool
}

func decodeCvt(b *build) {
	if b.in.Form.Has("pack") {
		decodeCvtPack(b)
		return
	}
	ts := b.types()
	if len(ts) < 2 {
		b.fail("two types are needed")
		return
	}
	td, ta := ts[0], ts[1]
	m := cvtMods{r: b.oneOf("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"), ftz: b.has("ftz"), sat: b.has("sat"),
		relu: b.has("relu"), satfinit: b.has("satfinite")}
	if len(b.in.Operands) == 3 {
		decodeCvtPair(b, td, m)
		return
	}
	f := m.scalar(td, ta)
	if f == nil {
		b.fail("cvt to .%s from .%s is not modelled", td, ta)
		return
	}
	na, wd := ta.Bits(), width(b.op(0), td)
	extend := td.Class() == isa.ClassSigned && wd > td.Bits()
	x := b.src(b.op(1), ta)
	d := b.dst(b.op(0))
	if !extend && width(b.op(1), ta) == na {
		b.inst.exec = lift1(d, x, f)
		if td == isa.F32 && ta == isa.BF16 && !m.ftz && !m.sat && m.r == "" {
			b.inst.exec = fastWiden(d, x, b.inst.exec)
		}
		return
	}
	b.inst.exec = lift1(d, x, func(a uint64) uint64 {
		v := f(mask(a, na))
		if extend {
			v = mask(uint64(signed(v, td.Bits())), wd)
		}
		return v
	})
}

// decodeCvtPair packs two f32 operands; the first goes to the upper half.
func decodeCvtPair(b *build, td isa.Type, m cvtMods) {
	f, ok := map[isa.Type]numfmt.Format{isa.F16X2: numfmt.F16, isa.BF16X2: numfmt.BF16, isa.E4M3X2: numfmt.E4M3, isa.E5M2X2: numfmt.E5M2}[td]
	if !ok {
		b.fail("cvt to .%s is not modelled", td)
		return
	}
	n := f.Bits()
	x, y := b.src(b.op(1), isa.F32), b.src(b.op(2), isa.F32)
	d := b.dst(b.op(0))
	if f == numfmt.BF16 && m.r == "rn" && !m.relu && !m.satfinit {
		b.inst.exec = fastPackBF16(d, x, y)
		return
	}
	b.inst.exec = lift2(d, x, y, func(x, y uint64) uint64 {
		return m.encode(f, float64(f32(uint32(x))))<<n | m.encode(f, float64(f32(uint32(y))))
	})
}

// encode rounds into a floating-point format with the modifiers of the conversion.
func (m cvtMods) encode(f numfmt.Format, x float64) uint64 {
	r := modeOf(m.r)
	var v uint32
	if m.satfinit {
		v = f.EncodeSat(x, r)
	} else {
		v = f.Encode(x, r)
	}
	if m.relu {
		v = f.Relu(v)
	}
	return uint64(v)
}

// scalar returns the conversion of one value, or nil.
func (m cvtMods) scalar(td, ta isa.Type) func(a uint64) uint64 {
	switch {
	case td == isa.TF32 && ta == isa.F32:
		if m.r == "rna" {
			return func(a uint64) uint64 { return uint64(numfmt.F32ToTF32RNA(uint32(a))) }
		}
		return func(a uint64) uint64 { return m.encode(numfmt.TF32, float64(f32(uint32(a)))) }
	case ta == isa.E4M3X2 || ta == isa.E5M2X2:
		return m.unpack8(td, ta)
	case ta == isa.F16X2:
		return m.pack8(td)
	case isInt(ta) && isInt(td):
		return m.intToInt(td, ta)
	case isInt(ta):
		return m.intToFloat(td, ta)
	case isInt(td):
		return m.floatToInt(td, ta)
	}
	return m.floatToFloat(td, ta)
}

func isInt(t isa.Type) bool {
	c := t.Class()
	return c == isa.ClassSigned || c == isa.ClassUnsigned
}

// unpack8 is f16x2 from two 8-bit floats: exact.
func (m cvtMods) unpack8(td, ta isa.Type) func(a uint64) uint64 {
	if td != isa.F16X2 {
		return nil
	}
	f := numfmt.E4M3
	if ta == isa.E5M2X2 {
		f = numfmt.E5M2
	}
	one := func(v uint64) uint64 { return m.encode(numfmt.F16, f.Decode(uint32(v))) }
	return func(a uint64) uint64 { return one(a&0xff) | one(a>>8&0xff)<<16 }
}

// pack8 is two 8-bit floats from f16x2.
func (m cvtMods) pack8(td isa.Type) func(a uint64) uint64 {
	f, ok := map[isa.Type]numfmt.Format{isa.E4M3X2: numfmt.E4M3, isa.E5M2X2: numfmt.E5M2}[td]
	if !ok {
		return nil
	}
	one := func(v uint64) uint64 { return m.encode(f, numfmt.F16.Decode(uint32(v))) }
	return func(a uint64) uint64 { return one(a&0xffff) | one(a>>16)<<8 }
}

func (m cvtMods) intToInt(td, ta isa.Type) func(a uint64) uint64 {
	na, nd := ta.Bits(), td.Bits()
	sa, sd := ta.Class() == isa.ClassSigned, td.Class() == isa.ClassSigned
	if !m.sat {
		return func(a uint64) uint64 {
			if sa {
				a = uint64(signed(a, na))
			}
			return mask(a, nd)
		}
	}
	return func(a uint64) uint64 {
		if sa {
			return clampSigned(signed(a, na), nd, sd)
		}
		return clampUnsigned(a, nd, sd)
	}
}

func clampSigned(v int64, n int, isSigned bool) uint64 {
	if !isSigned {
		if v < 0 {
			return 0
		}
		return clampUnsigned(uint64(v), n, false)
	}
	lo, hi := int64(math.MinInt64)>>(64-n), int64(math.MaxInt64)>>(64-n)
	return mask(uint64(min(max(v, lo), hi)), n)
}

func clampUnsigned(v uint64, n int, isSigned bool) uint64 {
	top := mask(^uint64(0), n)
	if isSigned {
		top >>= 1
	}
	return min(v, top)
}

// intToFloat rounds once: values above 2^53 are first cut to 53 bits with a sticky last bit.
func (m cvtMods) intToFloat(td, ta isa.Type) func(a uint64) uint64 {
	na, sa := ta.Bits(), ta.Class() == isa.ClassSigned
	split := func(a uint64) (mag uint64, neg bool) {
		if sa && signed(a, na) < 0 {
			return uint64(-signed(a, na)), true
		}
		return a, false
	}
	if td == isa.F64 {
		return func(a uint64) uint64 {
			mag, neg := split(a)
			if r := modeOf(m.r); r != numfmt.RN && mag != 0 {
				x := new(big.Float).SetUint64(mag)
				if neg {
					x.Neg(x)
				}
				return math.Float64bits(round64(x, r))
			}
			return math.Float64bits(negIf(float64(mag), neg))
		}
	}
	f, ok := floatFormat(td)
	if !ok {
		return nil
	}
	return func(a uint64) uint64 {
		mag, neg := split(a)
		shift := max(0, bits.Len64(mag)-53)
		top := mag >> shift
		if mag != top<<shift {
			top |= 1
		}
		v := m.encode(f, negIf(math.Ldexp(float64(top), shift), neg))
		if m.sat && td == isa.F32 {
			v = uint64(saturate(uint32(v)))
		}
		return v
	}
}

func negIf(x float64, neg bool) float64 {
	if neg {
		return -x
	}
	return x
}

func floatFormat(t isa.Type) (numfmt.Format, bool) {
	f, ok := map[isa.Type]numfmt.Format{isa.F32: numfmt.F32, isa.F16: numfmt.F16, isa.BF16: numfmt.BF16}[t]
	return f, ok
}

// floatLoad returns the value of an operand, flushed under .ftz.
func (m cvtMods) floatLoad(t isa.Type) func(a uint64) float64 {
	switch t {
	case isa.F64:
		return f64
	case isa.F32:
		if m.ftz {
			return func(a uint64) float64 { return float64(f32(flush(uint32(a)))) }
		}
		return func(a uint64) float64 { return float64(f32(uint32(a))) }
	case isa.F16, isa.BF16:
		f, _ := halfFormat(t)
		return func(a uint64) float64 { return halfValue(f, a) }
	}
	return nil
}

func roundInteger(x float64, mode string) float64 {
	switch mode {
	case "rzi":
		return math.Trunc(x)
	case "rmi":
		return math.Floor(x)
	case "rpi":
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// floatToInt clamps to the destination's range. NaN gives 0, and the lowest pattern with a set top bit where source
// or destination have 64 bits (guide: measured).
func (m cvtMods) floatToInt(td, ta isa.Type) func(a uint64) uint64 {
	load := m.floatLoad(ta)
	if load == nil {
		return nil
	}
	n, isSigned := td.Bits(), td.Class() == isa.ClassSigned
	nan := uint64(0)
	if ta == isa.F64 || n == 64 {
		nan = 1 << (n - 1)
	}
	return func(a uint64) uint64 {
		x := roundInteger(load(a), m.r)
		switch {
		case x != x:
			return nan
		case isSigned:
			if lim := math.Ldexp(1, n-1); x >= lim {
				return mask(^uint64(0), n) >> 1
			} else if x <= -lim {
				return 1 << (n - 1)
			}
			return mask(uint64(int64(x)), n)
		case x <= 0:
			return 0
		case x >= math.Ldexp(1, n):
			return mask(^uint64(0), n)
		}
		return uint64(x)
	}
}

func (m cvtMods) floatToFloat(td, ta isa.Type) func(a uint64) uint64 {
	load := m.floatLoad(ta)
	if load == nil {
		return nil
	}
	integer := len(m.r) == 3 && m.r != "rna"
	if td == isa.F64 {
		return func(a uint64) uint64 {
			x := load(a)
			if integer {
				x = roundInteger(x, m.r)
			}
			if m.sat {
				x = math.Max(0, math.Min(1, x))
			}
			return canon64(x)
		}
	}
	f, ok := floatFormat(td)
	if !ok {
		return nil
	}
	if f == numfmt.F32 && !integer && !m.sat && !m.ftz {
		switch ta {
		case isa.BF16:
			return func(a uint64) uint64 { return uint64(uint32(a) << 16) }
		case isa.F16:
			return func(a uint64) uint64 { return uint64(math.Float32bits(numfmt.F16ToF32(uint16(a)))) }
		}
	}
	return func(a uint64) uint64 {
		x := load(a)
		if integer {
			x = roundInteger(x, m.r)
		}
		v := m.encode(f, x)
		if m.ftz && f == numfmt.F32 {
			v = uint64(flush(uint32(v)))
		}
		if m.sat {
			switch y := f.Decode(uint32(v)); {
			case !(y > 0):
				v = 0
			case y > 1:
				v = uint64(f.Encode(1, numfmt.RN))
			}
		}
		return v
	}
}

// decodeCvtPack saturates two integers and packs them (manual 9.7.9.22).
func decodeCvtPack(b *build) {
	b.ignore("pack", "sat")
	ts := b.types()
	td := ts[0]
	n, isSigned := td.Bits(), td.Class() == isa.ClassSigned
	var c ptx.Operand = ptx.Int{}
	if len(b.in.Operands) == 4 {
		c = b.op(3)
	}
	x, y, z := b.src(b.op(1), isa.S32), b.src(b.op(2), isa.S32), b.src(c, isa.B32)
	b.inst.exec = lift3(b.dst(b.op(0)), x, y, z, func(x, y, z uint64) uint64 {
		v := clampSigned(signed(x, 32), n, isSigned)<<n | clampSigned(signed(y, 32), n, isSigned)
		return uint64(uint32(z<<(2*n) | v))
	})
}
