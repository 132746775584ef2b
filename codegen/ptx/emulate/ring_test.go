package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRingTags: every format's tags are a bijection with 0, 1 and -1 in their places.
func TestRingTags(t *testing.T) {
	for _, r := range []ring{ring32, ringF16, ringBF16, ringE4M3, ringE5M2} {
		for v, want := range map[uint64]int64{0: 0, r.one: 1, r.one | r.sign(): -1} {
			if got := r.tag(v); got != want || r.float(want) != v {
				t.Errorf("%d bits: tag of %#x is %d, want %d", r.width, v, got, want)
			}
		}
		seen := map[int64]bool{}
		for i := range uint64(1) << min(r.width, 16) {
			v := i
			if r.width == 32 {
				v = mask(i*0x9e3779b1, 32)
			}
			x := r.tag(v)
			if r.float(x) != v || seen[x] {
				t.Fatalf("%d bits: %#x has tag %#x, which gives %#x", r.width, v, x, r.float(x))
			}
			seen[x] = true
		}
	}
}

// TestRingLaws: the laws that make tilings agree.
func TestRingLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, r := range []ring{ring32, ringF16, ringBF16} {
		for range 2000 {
			a, b, c := mask(rng.Uint64(), int(r.width)), mask(rng.Uint64(), int(r.width)), mask(rng.Uint64(), int(r.width))
			if r.infinite(a) || r.infinite(b) || r.infinite(c) {
				continue
			}
			for name, pair := range map[string][2]uint64{
				"a+(b+c)":         {r.add(a, r.add(b, c)), r.add(r.add(a, b), c)},
				"a(b+c)":          {r.mul(a, r.add(b, c)), r.add(r.mul(a, b), r.mul(a, c))},
				"ex2(a+b)":        {r.function("ex2", r.add(a, b)), r.mul(r.function("ex2", a), r.function("ex2", b))},
				"a-a":             {r.combine("sub", a, a), 0},
				"max":             {r.combine("max", a, r.combine("max", b, c)), r.combine("max", r.combine("max", c, b), a)},
				"max with -Inf":   {r.combine("max", r.inf|r.sign(), a), a},
				"-Inf minus a":    {r.function("ex2", r.combine("sub", r.inf|r.sign(), a)), 0},
				"1/(2a+1)·(2a+1)": {r.mul(r.function("rcp", r.float(2*r.tag(a)+1)), r.float(2*r.tag(a)+1)), r.one},
			} {
				if pair[0] != pair[1] {
					t.Fatalf("%s of %#x, %#x, %#x: %#x and %#x", name, a, b, c, pair[0], pair[1])
				}
			}
		}
	}
}

// dotText makes each thread add the products of 64 pairs, in runs of the given length with a sum of their own; shift
// misplaces one factor of the last run.
func dotText(run, shift int) string {
	var b strings.Builder
	b.WriteString("mul.wide.u32 %rd5, %r0, 256; add.u64 %rd6, %rd1, %rd5; mov.f32 %f0, 0f00000000;\n")
	for i := 0; i < 64; i += run {
		b.WriteString("mov.f32 %f1, 0f00000000;\n")
		for j := i; j < i+run; j++ {
			other := j
			if j == 63 {
				other = j - shift
			}
			fmt.Fprintf(&b, "ld.global.f32 %%f2, [%%rd6+%d]; ld.global.f32 %%f3, [%%rd2+%d]; fma.rn.f32 %%f1, %%f2, %%f3, %%f1;\n", 4*j, 4*other)
		}
		b.WriteString("add.rn.f32 %f0, %f0, %f1;\n")
	}
	b.WriteString("mul.wide.u32 %rd7, %r0, 4; add.u64 %rd8, %rd0, %rd7; st.global.f32 [%rd8], %f0;")
	return kernelText(3, b.String())
}

func ringRun(t *testing.T, text string, l LaunchConfig, bufs ...any) []uint32 {
	t.Helper()
	b := newBench(t, Config{Ring: true}, text, bufs...)
	b.clean(l, 0)
	return b.u32(0)
}

// TestRingTilings: two ways to cut the same sums agree in every bit, a wrong one does not.
func TestRingTilings(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	a, w := make([]uint32, 32*64), make([]uint32, 64)
	for _, v := range [][]uint32{a, w} {
		for i := range v {
			v[i] = uint32(rng.Uint32()&0x803fffff | 0x3f000000)
		}
	}
	whole, pieces := ringRun(t, dotText(64, 0), block(32), 128, a, w), ringRun(t, dotText(4, 0), block(32), 128, a, w)
	if !slices.Equal(whole, pieces) {
		t.Error("two tilings of the same sums differ")
	}
	wrong := ringRun(t, dotText(4, 1), block(32), 128, a, w)
	for i := range wrong {
		if wrong[i] == whole[i] {
			t.Errorf("element %d of a wrong tiling is right", i)
		}
	}
}

// TestRingMatrices: a chain of two wgmma equals the sum of the two products taken apart and added by threads; taking
// the wrong slice of one factor does not.
func TestRingMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	in := make([]byte, 8192)
	for i := range len(in) / 2 {
		binary.LittleEndian.PutUint16(in[2*i:], uint16(0x3c00+rng.IntN(0x800)))
	}
	run := func(text string) []uint32 { return ringRun(t, kernelText(2, text), tileLaunch(), 128*16, in) }
	chain := run(tileText)
	first := strings.Index(tileText, "wgmma.mma_async")
	apart := tileText[:first] + strings.Replace(tileText[first:], "{%f0, %f1, %f2, %f3}, %rd9, %rd10, %p1", "{%f4, %f5, %f6, %f7}, %rd9, %rd10, 0", 1)
	apart = strings.Replace(apart, "//read", "\nadd.rn.f32 %f0, %f0, %f4; add.rn.f32 %f1, %f1, %f5; add.rn.f32 %f2, %f2, %f6; add.rn.f32 %f3, %f3, %f7;", 1)
	if !slices.Equal(chain, run(apart)) {
		t.Error("a chain and two products added later differ")
	}
	if slices.Equal(chain, run(strings.Replace(tileText, "%rd9, %rd10, %p1", "%rd9, %rd8, %p1", 1))) {
		t.Error("a wrong slice gives the same")
	}
}

// TestRingConversions: widening and narrowing keep tags, integers become residues.
func TestRingConversions(t *testing.T) {
	text := kernelText(1, `mov.b32 %r2, 7; cvt.rn.f32.s32 %f0, %r2; mov.f32 %f1, 0f3f800000; add.rn.f32 %f2, %f1, %f1; add.rn.f32 %f2, %f2, %f2; add.rn.f32 %f2, %f2, %f2; sub.rn.f32 %f2, %f2, %f1;
		cvt.rn.bf16.f32 %h1, %f0; cvt.f32.bf16 %f3, %h1; cvt.rn.bf16x2.f32 %r3, %f0, %f1; mov.b32 {%h2, %h3}, %r3; cvt.f32.bf16 %f4, %h3; cvt.f32.bf16 %f5, %h2; cvt.rzi.s32.f32 %r4, %f0;
		st.global.v4.f32 [%rd0], {%f0, %f2, %f3, %f4}; st.global.f32 [%rd0+16], %f5; st.global.u32 [%rd0+20], %r4;`)
	got := ringRun(t, text, block(1), 24)
	seven := uint32(ring32.float(7))
	if want := []uint32{seven, seven, seven, seven, 0x3f800000, 7}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}

// TestRingRefuses: what has no meaning there is an error that names the instruction.
func TestRingRefuses(t *testing.T) {
	for _, body := range []string{"add.rn.f64 %fd0, %fd1, %fd2;", "red.global.add.f32 [%rd0], %f0;", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd0], [%r2], 16;", "cvt.rn.relu.bf16x2.f32 %r2, %f0, %f1;"} {
		b := newBench(t, Config{Ring: true}, kernelText(1, body), 64)
		_, err := b.dev.Launch(b.k, block(1), b.params(0))
		var d *DecodeError
		if !errors.As(err, &d) || !strings.Contains(d.Reason, "ring mode") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
