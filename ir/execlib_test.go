package ir_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/internal/fastdiv"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// The helpers of ir/lib, run on the emulated device.

func TestFastDivDivides(t *testing.T) {
	m := newMachine(t)
	n := sequence(64, func(i int) uint32 { return []uint32{0, 1, 6, 7, 8, 1 << 31, 1<<32 - 1, uint32(i) * 77777777}[i%8] })
	run := func(d uint32, byParam bool) {
		k := m.build("divide", block(64), func(k *ir.Kernel) {
			in, q, r := ir.GlobalParam[ir.U32](k, "in"), ir.GlobalParam[ir.U32](k, "q"), ir.GlobalParam[ir.U32](k, "r")
			f := lib.DivConst(k, d)
			if byParam {
				f = lib.DivParam(k, "d")
			}
			a, b := f.DivRem(in.At(k.TIDX()).Load())
			q.At(k.TIDX()).Store(a)
			r.At(k.TIDX()).Store(b)
		})
		q, r := &buffer{data: make([]byte, 256)}, &buffer{data: make([]byte, 256)}
		args := []any{n, q, r}
		if magic := fastdiv.New(d); byParam {
			args = append(args, magic.D, magic.Mul, magic.Shifts())
		}
		m.run(k, one, args...)
		for i, x := range n.u32() {
			if q.u32()[i] != x/d || r.u32()[i] != x%d {
				t.Fatalf("%d / %d = %d rest %d (parameters: %v)", x, d, q.u32()[i], r.u32()[i], byParam)
			}
		}
	}
	for _, d := range []uint32{1, 2, 3, 7, 8, 641, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
		run(d, false)
		run(d, true)
	}
}

func TestExchangeReduces(t *testing.T) {
	m := newMachine(t)
	for _, c := range []struct{ threads, group int }{{32, 0}, {64, 0}, {160, 0}, {256, 2}, {384, 4}, {1024, 0}, {96, 1}} {
		k := m.build("sums", block(c.threads), func(k *ir.Kernel) {
			out := ir.GlobalParam[ir.F32](k, "out")
			e := lib.NewExchange(k, "x", c.group)
			total := ir.NewVar(k.ConstF32(0))
			for range k.Loop(k.ConstU32(0), k.ConstU32(3), k.ConstU32(1)) { // the memory comes round again
				x := k.TIDX().ConvertToF32().Add(total.Get())
				s := e.Sum(x, x.Neg())
				total.Set(s[0].Sub(s[1]).Mul(k.ConstF32(0.5)))
			}
			out.At(k.TIDX()).Store(total.Get().Add(e.Max(k.TIDX().ConvertToF32())[0]))
		})
		out := &buffer{data: make([]byte, 4*c.threads)}
		m.run(k, one, out)
		group := c.group * 32
		if group == 0 {
			group = c.threads
		}
		for i, got := range out.f32() {
			start, sum := i/group*group, 0.0
			for range 3 {
				s := 0.0
				for j := range group {
					s += float64(start+j) + sum
				}
				sum = s
			}
			if want := sum + float64(start+group-1); math.Abs(float64(got)-want) > 1e-6*want {
				t.Fatalf("%+v thread %d: %v, want %v", c, i, got, want)
			}
		}
	}
}

func TestPackedConversions(t *testing.T) {
	m := newMachine(t)
	for n := 1; n <= 16; n *= 2 {
		packed[ir.E4M3](m, numfmt.E4M3, n)
		packed[ir.E5M2](m, numfmt.E5M2, n)
		if n <= 8 {
			packed[ir.F16](m, numfmt.F16, n)
			packed[ir.BF16](m, numfmt.BF16, n)
		}
		if n <= 4 {
			packed[ir.F32](m, numfmt.F32, n)
		}
	}
}

// packed loads n elements, writes them in f32 and stores three times them in their own format.
func packed[T lib.Float](m *machine, f numfmt.Format, n int) {
	k := m.build("packed", block(32), func(k *ir.Kernel) {
		in, out, wide := ir.GlobalParam[T](k, "in", ir.Aligned(16)), ir.GlobalParam[T](k, "out", ir.Aligned(16)), ir.GlobalParam[ir.F32](k, "wide")
		at := k.TIDX().Mul(k.ConstU32(uint32(n)))
		v := lib.PackedLoad(in.At(at), n)
		for i, x := range v {
			wide.At(at).AtConst(i).Store(x)
			v[i] = x.Mul(k.ConstF32(3))
		}
		lib.PackedStore(out.At(at), v)
	})
	size := f.Bits() / 8
	in, out, wide := &buffer{data: make([]byte, 32*n*size)}, &buffer{data: make([]byte, 32*n*size)}, &buffer{data: make([]byte, 32*n*4)}
	r := rand.New(rand.NewPCG(7, uint64(n)))
	for i := range 32 * n {
		in.setWord(i, size, r.Uint64()&(1<<f.Bits()-1))
	}
	m.run(k, one, in, out, wide)
	for i := range 32 * n {
		bits := uint32(in.word(i, size))
		x := f.Decode(bits)
		want := f.Encode(float64(float32(3*x)), numfmt.RN)
		if f == numfmt.E4M3 || f == numfmt.E5M2 {
			want = f.EncodeSat(float64(float32(3*x)), numfmt.RN)
		}
		got := uint32(out.word(i, size))
		if got != want && !(f.IsNaN(got) && f.IsNaN(want)) {
			m.t.Errorf("%v × %d: 3·%v stored as %#x, want %#x", f, n, x, got, want)
		}
		if w := float64(wide.f32()[i]); w != x && !(w != w && x != x) {
			m.t.Errorf("%v × %d: %#x loaded as %v, want %v", f, n, bits, w, x)
		}
	}
}

func TestFormatsAgreeWithNumfmt(t *testing.T) {
	m := newMachine(t)
	for format, f := range map[lib.Format]numfmt.Format{lib.F32: numfmt.F32, lib.F16: numfmt.F16, lib.BF16: numfmt.BF16, lib.E4M3: numfmt.E4M3} {
		for _, width := range []int{1, lib.PacketSize} {
			k := m.build("format", block(32), func(k *ir.Kernel) {
				in, out := lib.ElementsParam(k, "in", format, ir.Aligned(16)), lib.ElementsParam(k, "out", format, ir.Aligned(16))
				at := k.TIDX().Mul(k.ConstU32(uint32(width)))
				v := in.At(at).LoadNIf(k, k.TIDX().Less(k.ConstU32(30)), width)
				for i, x := range in.At(at).LoadN(width) {
					v[i] = format.Round(v[i].Add(x))
				}
				out.At(at).StoreN(v)
			})
			size := f.Bits() / 8
			in, out := &buffer{data: make([]byte, 32*width*size)}, &buffer{data: make([]byte, 32*width*size)}
			r := rand.New(rand.NewPCG(9, uint64(width)))
			for i := range 32 * width {
				in.setWord(i, size, uint64(f.Encode(r.Float64()*200-100, numfmt.RN)))
			}
			m.run(k, one, in, out)
			for i := range 32 * width {
				x := f.Decode(uint32(in.word(i, size)))
				want := x + x
				if i/width >= 30 {
					want = x
				}
				if got := f.Decode(uint32(out.word(i, size))); got != want {
					t.Errorf("%v × %d element %d: %v, want %v", format, width, i, got, want)
				}
			}
		}
	}
}

func TestActivationsAreAccurate(t *testing.T) {
	m := newMachine(t)
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	for _, c := range []struct {
		name   string
		on     func(ir.F32) ir.F32
		ref    func(float64) float64
		ulp    float64
		lo, hi float64
	}{
		{"NormalCDF", lib.NormalCDF, phi, 6, -12.9, 9},
		{"GELU", lib.GELU, func(x float64) float64 { return x * phi(x) }, 7, -12.9, 9},
		{"SiLU", lib.SiLU, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 70, -85, 85},
		{"GELUTanh", lib.GELUTanh, func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(0.7978845608028654*(x+0.044715*x*x*x))) }, 16, -3, 9},
	} {
		const n = 2048
		x, y := &buffer{}, &buffer{data: make([]byte, 4*n)}
		x = sequence(n, func(i int) uint32 { return math.Float32bits(float32(c.lo + (c.hi-c.lo)*float64(i)/(n-1))) })
		k := m.build("activation", block(256), func(k *ir.Kernel) {
			in, out := ir.GlobalParam[ir.F32](k, "in"), ir.GlobalParam[ir.F32](k, "out")
			i := k.CTAIDX().MulAdd(k.ConstU32(256), k.TIDX())
			out.At(i).Store(c.on(in.At(i).Load()))
		})
		m.run(k, [3]uint32{n / 256, 1, 1}, x, y)
		worst, where := 0.0, ""
		for i, v := range x.f32() {
			want := c.ref(float64(v))
			if e := numfmt.F32.UlpError(math.Float32bits(y.f32()[i]), want); e > worst {
				worst, where = e, fmt.Sprintf("f(%v) = %v, want %v", v, y.f32()[i], want)
			}
		}
		if worst > c.ulp {
			t.Errorf("%s is off by %.1f ulp: %s", c.name, worst, where)
		}
		t.Logf("%s: %.2f ulp", c.name, worst)
	}
}
