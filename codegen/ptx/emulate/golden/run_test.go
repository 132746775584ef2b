package golden

import (
	"encoding/binary"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// emulated runs a case and returns its outputs; findings fail the test.
func emulated(t testing.TB, c *Case, cfg emulate.Config) map[string][]byte {
	t.Helper()
	m, err := ptx.Parse([]byte(c.PTX))
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Name, err, c.PTX)
	}
	p, err := emulate.Load(m)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	dev := emulate.NewDevice(cfg)
	var params []byte
	at := make([]uint64, len(c.Buffers))
	for i, b := range c.Buffers {
		if at[i], err = dev.Alloc(b.Name, uint64(len(b.Data))); err != nil {
			t.Fatal(err)
		}
		if err := dev.Write(at[i], b.Data); err != nil {
			t.Fatal(err)
		}
		params = binary.LittleEndian.AppendUint64(params, at[i])
	}
	res, err := dev.Launch(p.Kernel(c.Entry), emulate.LaunchConfig{Grid: [3]uint32{c.Grid, 1, 1}, Block: [3]uint32{c.Block, 1, 1}, Dynamic: c.Dynamic}, params)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	for _, f := range res.Findings {
		t.Errorf("%s: %v", c.Name, f)
	}
	out := map[string][]byte{}
	for i, b := range c.Buffers {
		if b.Out {
			out[b.Name] = make([]byte, len(b.Data))
			if err := dev.Read(at[i], out[b.Name]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

var numberFormats = map[string]numfmt.Format{"f32": numfmt.F32, "f16": numfmt.F16, "bf16": numfmt.BF16, "tf32": numfmt.TF32, "e4m3": numfmt.E4M3, "e5m2": numfmt.E5M2}

// integerOf reads a pattern as a number.
func integerOf(typ string, bits uint32) int {
	switch typ {
	case "s8":
		return int(int8(bits))
	case "u8":
		return int(uint8(bits))
	case "s32":
		return int(int32(bits))
	}
	f := numberFormats[typ]
	if typ == "tf32" {
		bits &^= 0x1fff
	}
	return int(f.Decode(bits))
}

// product is A·B, with signs, plus C.
func (p *problem) product(ta, tb, tc string, m, n, k, sign, scale int) []int {
	out := make([]int, m*n)
	for i := range out {
		sum := 0
		for l := range k {
			sum += integerOf(ta, p.a[i/n*k+l]) * integerOf(tb, p.b[i%n*k+l])
		}
		out[i] = sign*sum + scale*integerOf(tc, p.c[i])
	}
	return out
}

// TestWgmmaIntegers multiplies integers, which are exact in every order, through every layout.
func TestWgmmaIntegers(t *testing.T) {
	for _, w := range wgmmaLayouts() {
		if w.steps() > 1 {
			continue
		}
		for _, mode := range []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly} {
			c, problems := w.build(7, []Kind{Integer})
			got := emulated(t, c, emulate.Config{Async: mode})["d"]
			sign, scale := 1, 1
			if w.NegateA != w.NegateB {
				sign = -1
			}
			if w.DropC {
				scale = 0
			}
			want := problems[0].product(w.A, w.B, w.D, wgmmaRows, w.N, w.K(), sign, scale)
			check(t, w.String(), w.D, got, want, func(thread, j int) int {
				return (thread/32*16+thread%32/4+8*(j/2%2))*w.N + 8*(j/4) + thread%4*2 + j%2
			}, w.registersD())
		}
	}
}

// TestMmaIntegers does the same for mma.sync.
func TestMmaIntegers(t *testing.T) {
	for _, m := range mmaShapes() {
		c, problems := m.build(7, []Kind{Integer})
		got := emulated(t, c, emulate.Config{})["d"]
		want := problems[0].product(m.A, m.B, m.D, m.M, m.N, m.K, 1, 1)
		_, _, nd := m.counts()
		check(t, m.String(), m.D, got, want, func(l, j int) int { return (l/4+8*(j/2))*m.N + l%4*2 + j%2 }, nd)
	}
}

// check compares fragments with a matrix of integers.
func check(t *testing.T, name, typ string, got []byte, want []int, at func(thread, j int) int, regs int) {
	t.Helper()
	per := map[bool]int{true: 2, false: 1}[typ == "f16"]
	for i := 0; i < len(got)/4; i++ {
		v := binary.LittleEndian.Uint32(got[4*i:])
		for e := range per {
			bits := v
			if per == 2 {
				bits = v >> (16 * e) & 0xffff
			}
			where := at(i/regs, i%regs*per+e)
			if g := integerOf(typ, bits); g != want[where] {
				t.Errorf("%s: element %d is %d, want %d", name, where, g, want[where])
				return
			}
		}
	}
}
