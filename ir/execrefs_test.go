package ir_test

import (
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir/op"
)

const lop3Table = 0xca // x ? y : z

func scalarCases() map[string]scalarCase {
	shift := func(i int) uint64 { return uint64(i * 5 % 70) }
	small := func(i int) uint64 { return uint64(i % 9) }
	nonzero := func(i int) uint64 { return uint64(i*7 + 1) }
	return map[string]scalarCase{
		"add":           {ref: both(func(a, b uint64) uint64 { return a + b }, func(a, b float64) float64 { return a + b })},
		"sub":           {ref: both(func(a, b uint64) uint64 { return a - b }, func(a, b float64) float64 { return a - b })},
		"mul":           {ref: both(func(a, b uint64) uint64 { return a * b }, func(a, b float64) float64 { return a * b })},
		"div":           {ref: divide, arg: func(i int) uint64 { return nonzero(i) }},
		"rem":           {ref: remainder, arg: nonzero},
		"neg":           {ref: flipSign(func(sign, x uint64) uint64 { return x ^ sign }, func(x int64) int64 { return -x })},
		"abs":           {ref: flipSign(func(sign, x uint64) uint64 { return x &^ sign }, func(x int64) int64 { return max(x, -x) })},
		"min":           {ref: extreme(true)},
		"max":           {ref: extreme(false)},
		"fma":           {ref: fma},
		"mad":           {ref: ints(func(k op.Kind, a []uint64) uint64 { return a[0]*a[1] + a[2] })},
		"sqrt":          {ref: floats(func(a []float64) float64 { return math.Sqrt(a[0]) })},
		"rcp":           {ref: floats(func(a []float64) float64 { return 1 / a[0] })},
		"copysign":      {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0]&0x7fffffff | a[1]&0x80000000 })},
		"mul_hi":        {ref: ints(mulHigh)},
		"mul_wide":      {ref: wide(func(a []int64) int64 { return a[0] * a[1] })},
		"mad_wide":      {ref: wide(func(a []int64) int64 { return a[0]*a[1] + a[2] })},
		"dp4a":          {ref: dotAdd},
		"and":           {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0] & a[1] })},
		"or":            {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0] | a[1] })},
		"xor":           {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0] ^ a[1] })},
		"not":           {ref: ints(func(_ op.Kind, a []uint64) uint64 { return ^a[0] })},
		"andnot":        {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0] &^ a[1] })},
		"shl":           {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0] << a[1] }), arg: shift},
		"shr":           {ref: ints(func(k op.Kind, a []uint64) uint64 { return shiftRight(k, a[0], a[1]) }), arg: shift},
		"funnel_left":   {ref: ints(func(_ op.Kind, a []uint64) uint64 { return (a[1]<<32 | a[0]) << (a[2] % 32) >> 32 })},
		"funnel_right":  {ref: ints(func(_ op.Kind, a []uint64) uint64 { return (a[1]<<32 | a[0]) >> (a[2] % 32) })},
		"popc":          {ref: ints(func(_ op.Kind, a []uint64) uint64 { return uint64(bits.OnesCount64(a[0])) })},
		"clz":           {ref: ints(func(k op.Kind, a []uint64) uint64 { return uint64(bits.LeadingZeros64(a[0]) - 64 + k.Bits()) })},
		"bfind":         {ref: highestBit},
		"brev":          {ref: ints(func(k op.Kind, a []uint64) uint64 { return bits.Reverse64(a[0]) >> (64 - k.Bits()) })},
		"bfe":           {ref: ints(extract), arg: small},
		"bfi":           {ref: ints(insert), arg: small},
		"lop3":          {ref: ints(func(_ op.Kind, a []uint64) uint64 { return a[0]&a[1] | ^a[0]&a[2] })},
		"prmt":          {ref: ints(permute)},
		"lt":            {ref: compare(func(c int) bool { return c < 0 }, false)},
		"le":            {ref: compare(func(c int) bool { return c <= 0 }, false)},
		"gt":            {ref: compare(func(c int) bool { return c > 0 }, false)},
		"ge":            {ref: compare(func(c int) bool { return c >= 0 }, false)},
		"eq":            {ref: compare(func(c int) bool { return c == 0 }, false)},
		"ne":            {ref: compare(func(c int) bool { return c != 0 }, true)},
		"is_nan":        {ref: class(func(x float64) bool { return x != x })},
		"is_finite":     {ref: class(func(x float64) bool { return x-x == 0 })},
		"is_inf":        {ref: class(func(x float64) bool { return math.IsInf(x, 0) })},
		"select":        {ref: choose, arg: nil},
		"bitcast":       {ref: func(_, _ op.Kind, a []uint64) []uint64 { return a }},
		"cvt_int":       {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{uint64(toInt(s, a[0])) & ones(t)} }},
		"cvt_int_float": {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{intToFloat(t, s, a[0])} }},
		"cvt_float_int": {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{floatToInt(t, s, a[0])} }},
		"cvt_widen":     {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{encode(t, decode(s, a[0]))} }},
		"cvt_narrow":    {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{encode(t, decode(s, a[0]))} }},
		"cvt_half":      {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{encode(t, decode(s, a[0]))} }},
		"cvt_tf32":      {ref: func(_, _ op.Kind, a []uint64) []uint64 { return []uint64{uint64(numfmt.F32ToTF32RNA(uint32(a[0])))} }},
		"floor":         {ref: floats(func(a []float64) float64 { return math.Floor(a[0]) })},
		"ceil":          {ref: floats(func(a []float64) float64 { return math.Ceil(a[0]) })},
		"trunc":         {ref: floats(func(a []float64) float64 { return math.Trunc(a[0]) })},
		"rint":          {ref: floats(func(a []float64) float64 { return math.RoundToEven(a[0]) })},
		"cvt_pack_half": {ref: func(t, s op.Kind, a []uint64) []uint64 {
			return []uint64{join(t, encode(t.Elem(), decode(s, a[0])), encode(t.Elem(), decode(s, a[1])))}
		}},
		"cvt_pack_fp8": {ref: func(t, s op.Kind, a []uint64) []uint64 {
			return []uint64{join(t, clamp8(t.Elem(), decode(s, a[0])), clamp8(t.Elem(), decode(s, a[1])))}
		}},
		"cvt_half_fp8": {ref: func(t, s op.Kind, a []uint64) []uint64 {
			lo, hi := split(s, a[0])
			return []uint64{join(t, clamp8(t.Elem(), decode(op.F16, lo)), clamp8(t.Elem(), decode(op.F16, hi)))}
		}},
		"cvt_fp8_half": {ref: func(t, s op.Kind, a []uint64) []uint64 {
			lo, hi := split(s, a[0])
			return []uint64{join(t, encode(op.F16, decode(s.Elem(), lo)), encode(op.F16, decode(s.Elem(), hi)))}
		}},
		"cvt_half_wide": {ref: func(t, s op.Kind, a []uint64) []uint64 {
			lo, hi := split(s, a[0])
			return []uint64{encode(t, decode(s.Elem(), lo)), encode(t, decode(s.Elem(), hi))}
		}},
		"pack":   {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{a[0] | a[1]<<s.Bits()} }},
		"unpack": {ref: func(t, s op.Kind, a []uint64) []uint64 { return []uint64{a[0] & ones(t), a[0] >> t.Bits()} }},
		"rsqrt":  {ref: floats(func(a []float64) float64 { return 1 / math.Sqrt(a[0]) }), ulp: 4},
		"ex2":    {ref: lanes(math.Exp2), ulp: 16},
		"lg2":    {ref: floats(func(a []float64) float64 { return math.Log2(a[0]) }), ulp: 64},
		"tanh":   {ref: lanes(math.Tanh), ulp: 1 << 14},
		"sin":    {ref: floats(func(a []float64) float64 { return math.Sin(a[0]) }), arg: nil, ulp: math.MaxUint32},
		"cos":    {ref: floats(func(a []float64) float64 { return math.Cos(a[0]) }), arg: nil, ulp: math.MaxUint32},
	}
}

func ones(k op.Kind) uint64 { return math.MaxUint64 >> (64 - k.Bits()) }

func isSigned(k op.Kind) bool { return op.Signed.Has(k) || k == op.S8 }

// toInt extends by the kind's own sign.
func toInt(k op.Kind, x uint64) int64 {
	if !isSigned(k) {
		return int64(x)
	}
	up := 64 - k.Bits()
	return int64(x<<up) >> up
}

func decode(k op.Kind, x uint64) float64 {
	if k == op.F64 {
		return math.Float64frombits(x)
	}
	f, _ := format(k)
	return f.Decode(uint32(x))
}

func encode(k op.Kind, x float64) uint64 {
	if k == op.F64 {
		return math.Float64bits(x)
	}
	f, _ := format(k)
	return uint64(f.Encode(x, numfmt.RN))
}

func clamp8(k op.Kind, x float64) uint64 {
	f, _ := format(k)
	return uint64(f.EncodeSat(x, numfmt.RN))
}

func split(k op.Kind, x uint64) (lo, hi uint64) {
	n := k.Elem().Bits()
	return x & ones(k.Elem()), x >> n
}

func join(k op.Kind, lo, hi uint64) uint64 { return lo | hi<<k.Elem().Bits() }

// ints computes on bits; results wrap to the result's width, which is T's, or 32 where the closure says less.
func ints(f func(k op.Kind, a []uint64) uint64) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 {
		mask := uint64(1)
		if t != op.Pred {
			mask = ones(t)
		}
		return []uint64{f(t, a) & mask}
	}
}

func wide(f func(a []int64) int64) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 {
		w := patternKind("W", t, 0)
		v := []int64{toInt(t, a[0]), toInt(t, a[1])}
		if len(a) > 2 {
			v = append(v, toInt(w, a[2]))
		}
		return []uint64{uint64(f(v)) & ones(w)}
	}
}

// floats computes in f64 and rounds once: exact for one operation on f32 and narrower.
func floats(f func(a []float64) float64) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 {
		var lanes uint64
		for lane := range t.Lanes() {
			v := make([]float64, len(a))
			for i, x := range a {
				v[i] = decode(t.Elem(), x>>(lane*t.Elem().Bits())&ones(t.Elem()))
			}
			lanes |= encode(t.Elem(), f(v)) << (lane * t.Elem().Bits())
		}
		return []uint64{lanes}
	}
}

func lanes(f func(float64) float64) func(t, s op.Kind, a []uint64) []uint64 {
	return floats(func(a []float64) float64 { return f(a[0]) })
}

func both(i func(a, b uint64) uint64, f func(a, b float64) float64) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, s op.Kind, a []uint64) []uint64 {
		if op.Integers.Has(t) {
			return []uint64{i(a[0], a[1]) & ones(t)}
		}
		return floats(func(v []float64) float64 { return f(v[0], v[1]) })(t, s, a)
	}
}

func divide(t, s op.Kind, a []uint64) []uint64 {
	switch {
	case t == op.F32:
		return floats(func(v []float64) float64 { return v[0] / v[1] })(t, s, a)
	case isSigned(t):
		return []uint64{uint64(toInt(t, a[0])/toInt(t, a[1])) & ones(t)}
	}
	return []uint64{a[0] / a[1]}
}

func remainder(t, _ op.Kind, a []uint64) []uint64 {
	if isSigned(t) {
		return []uint64{uint64(toInt(t, a[0])%toInt(t, a[1])) & ones(t)}
	}
	return []uint64{a[0] % a[1]}
}

func flipSign(f func(sign, x uint64) uint64, i func(int64) int64) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 {
		if op.Integers.Has(t) {
			return []uint64{uint64(i(toInt(t, a[0]))) & ones(t)}
		}
		var sign uint64
		for lane := range t.Lanes() {
			sign |= 1 << ((lane+1)*t.Elem().Bits() - 1)
		}
		return []uint64{f(sign, a[0])}
	}
}

func extreme(least bool) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, s op.Kind, a []uint64) []uint64 {
		if op.Integers.Has(t) {
			if intLess(t, a[0], a[1]) == least {
				return a[:1]
			}
			return a[1:]
		}
		return floats(func(v []float64) float64 {
			switch {
			case v[0] != v[0]:
				return v[1]
			case v[1] != v[1]:
				return v[0]
			case least:
				return math.Min(v[0], v[1])
			}
			return math.Max(v[0], v[1])
		})(t, s, a)
	}
}

func intLess(k op.Kind, a, b uint64) bool {
	if isSigned(k) {
		return toInt(k, a) < toInt(k, b)
	}
	return a < b
}

func fma(t, s op.Kind, a []uint64) []uint64 {
	if t == op.F32 {
		x, y, z := math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(a[1])), math.Float32frombits(uint32(a[2]))
		return []uint64{uint64(math.Float32bits(numfmt.FMA32(x, y, z)))}
	}
	if t == op.F64 {
		return []uint64{math.Float64bits(math.FMA(decode(t, a[0]), decode(t, a[1]), decode(t, a[2])))}
	}
	return floats(func(v []float64) float64 { return numfmt.FMAOdd(v[0], v[1], v[2]) })(t, s, a)
}

func shiftRight(k op.Kind, x, n uint64) uint64 {
	if isSigned(k) {
		return uint64(toInt(k, x) >> n)
	}
	return x >> n
}

func mulHigh(k op.Kind, a []uint64) uint64 {
	if k.Bits() < 64 {
		return uint64(toInt(k, a[0])*toInt(k, a[1])) >> k.Bits()
	}
	hi, _ := bits.Mul64(a[0], a[1])
	if isSigned(k) {
		if int64(a[0]) < 0 {
			hi -= a[1]
		}
		if int64(a[1]) < 0 {
			hi -= a[0]
		}
	}
	return hi
}

func dotAdd(_, _ op.Kind, a []uint64) []uint64 {
	sum := int32(a[2])
	for i := range 4 {
		sum += int32(int8(a[0]>>(8*i))) * int32(int8(a[1]>>(8*i)))
	}
	return []uint64{uint64(uint32(sum))}
}

func highestBit(t, _ op.Kind, a []uint64) []uint64 {
	x := toInt(t, a[0])
	if isSigned(t) && x < 0 {
		x = ^x
	}
	return []uint64{uint64(uint32(bits.Len64(uint64(x)) - 1))}
}

func extract(k op.Kind, a []uint64) uint64 {
	pos, n := a[1], a[2]
	if n == 0 {
		return 0
	}
	field := a[0] >> pos & (1<<n - 1)
	if isSigned(k) && field>>(n-1) != 0 {
		field |= ^uint64(0) << n
	}
	return field
}

func insert(_ op.Kind, a []uint64) uint64 {
	mask := uint64(1<<a[3]-1) << a[2]
	return a[1]&^mask | a[0]<<a[2]&mask
}

func permute(_ op.Kind, a []uint64) uint64 {
	both := a[1]<<32 | a[0]
	var out uint64
	for i := range 4 {
		sel := a[2] >> (4 * i) & 0xf
		b := both >> (8 * (sel & 7)) & 0xff
		if sel&8 != 0 {
			b = 0xff * (b >> 7)
		}
		out |= b << (8 * i)
	}
	return out
}

func compare(f func(c int) bool, unordered bool) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 {
		c, holds := 0, unordered
		if op.Integers.Has(t) {
			if a[0] != a[1] {
				c = map[bool]int{true: -1, false: 1}[intLess(t, a[0], a[1])]
			}
			holds = f(c)
		} else if x, y := decode(t, a[0]), decode(t, a[1]); x == x && y == y {
			if x != y {
				c = map[bool]int{true: -1, false: 1}[x < y]
			}
			holds = f(c)
		}
		return []uint64{map[bool]uint64{true: 1}[holds]}
	}
}

func class(f func(float64) bool) func(t, s op.Kind, a []uint64) []uint64 {
	return func(t, _ op.Kind, a []uint64) []uint64 { return []uint64{map[bool]uint64{true: 1}[f(decode(t, a[0]))]} }
}

func choose(_, _ op.Kind, a []uint64) []uint64 {
	if a[0] != 0 {
		return a[1:2]
	}
	return a[2:3]
}

func intToFloat(t, s op.Kind, x uint64) uint64 {
	if s.Bits() < 64 {
		return encode(t, float64(toInt(s, x))) // exact in f64
	}
	v := float64(x)
	if isSigned(s) {
		v = float64(int64(x))
	}
	if t == op.F64 {
		return math.Float64bits(v)
	}
	// Round to odd first: f64 has more than two bits over any of the targets.
	if back := uint64(v); !isSigned(s) && (v >= math.Ldexp(1, 64) || back != x) || isSigned(s) && (v >= math.Ldexp(1, 63) || int64(v) != int64(x)) {
		v = oddNeighbour(v, x, isSigned(s))
	}
	return encode(t, v)
}

// oddNeighbour is the odd one of the two f64 around an integer that f64 does not hold.
func oddNeighbour(v float64, x uint64, signed bool) float64 {
	if math.Float64bits(v)&1 != 0 {
		return v
	}
	above := v >= math.Ldexp(1, 64)
	if !above && signed {
		above = v >= math.Ldexp(1, 63) || int64(v) > int64(x)
	} else if !above {
		above = uint64(v) > x
	}
	if above {
		return math.Nextafter(v, math.Inf(-1))
	}
	return math.Nextafter(v, math.Inf(1))
}

// floatToInt truncates and clamps; NaN gives 0, or 0x8000… for 64 bits or an f64 source (PTX ISA 9.7.9.21).
func floatToInt(t, s op.Kind, x uint64) uint64 {
	v := math.Trunc(decode(s, x))
	if v != v {
		if t.Bits() == 64 || s == op.F64 {
			return 1 << (t.Bits() - 1)
		}
		return 0
	}
	lo, hi := 0.0, math.Ldexp(1, t.Bits())
	if isSigned(t) {
		lo, hi = -math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1)
	}
	switch {
	case v >= hi:
		return map[bool]uint64{true: ones(t) >> 1, false: ones(t)}[isSigned(t)]
	case v <= lo:
		return uint64(int64(lo)) & ones(t)
	case isSigned(t):
		return uint64(int64(v)) & ones(t)
	}
	return uint64(v)
}
