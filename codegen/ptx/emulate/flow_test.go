package emulate

import (
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// collatz counts steps to 1, the reference of TestDivergence.
func collatz(n uint32) uint32 {
	steps := uint32(0)
	for n != 1 {
		if n%2 == 1 {
			n = 3*n + 1
		} else {
			n /= 2
		}
		steps++
	}
	return steps
}

// TestDivergence: lanes of a warp loop different numbers of times, and meet again for a shuffle behind the loop.
func TestDivergence(t *testing.T) {
	body := `add.u32 %r2, %r0, 1; mov.u32 %r3, 0;
LOOP: setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE;
and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra EVEN; mad.lo.u32 %r2, %r2, 3, 1; bra NEXT;
EVEN: shr.u32 %r2, %r2, 1;
NEXT: add.u32 %r3, %r3, 1; bra LOOP;
DONE: shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1; activemask.b32 %r6; setp.ne.u32 %p3, %r6, -1; @%p3 trap;
mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r5;`
	b := newBench(t, Config{}, kernelText(1, body), 4*64)
	b.clean(block(64), 0)
	for i, got := range b.u32(0) {
		if want := collatz(uint32(i) ^ 1 + 1); got != want {
			t.Errorf("thread %d: %d steps, want %d", i, got, want)
		}
	}
}

// TestCalls: functions with parameters in memory and in registers, called by a part of a warp, calling each other.
func TestCalls(t *testing.T) {
	text := strings.Replace(kernelText(1, `
setp.lt.u32 %p1, %r0, 20; mov.u32 %r3, 7; @!%p1 bra SKIP;
{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call.uni (r), square1, (a); ld.param.b32 %r3, [r]; }
SKIP: mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r3;`), ".visible .entry", `
.func (.param .b32 r) inc (.param .b32 x) { .reg .b32 %a<3>; ld.param.b32 %a1, [x]; add.u32 %a2, %a1, 1; st.param.b32 [r], %a2; ret; }
.func (.param .b32 r) square1 (.param .b32 x) { .reg .b32 %a<5>; ld.param.b32 %a1, [x]; mul.lo.u32 %a2, %a1, %a1;
{ .param .b32 p; .param .b32 q; st.param.b32 [p], %a2; call.uni (q), inc, (p); ld.param.b32 %a3, [q]; } st.param.b32 [r], %a3; ret; }
.visible .entry`, 1)
	b := newBench(t, Config{}, text, 4*32)
	b.clean(block(32), 0)
	for i, got := range b.u32(0) {
		want := uint32(7)
		if i < 20 {
			want = uint32(i*i) + 1
		}
		if got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// TestBranchTable jumps by index; lanes of a warp take all the ways.
func TestBranchTable(t *testing.T) {
	body := `{ T: .branchtargets A, B, C; and.b32 %r2, %r0, 3; min.u32 %r2, %r2, 2; brx.idx %r2, T;
A: mov.u32 %r3, 100; bra OUT; B: mov.u32 %r3, 200; bra OUT; C: mov.u32 %r3, 300;
OUT: mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r3; }`
	b := newBench(t, Config{}, kernelText(1, body), 4*32)
	b.clean(block(32), 0)
	for i, got := range b.u32(0) {
		if want := uint32(100 * (min(i&3, 2) + 1)); got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// gridBarrier adds 1 to a counter and waits until all blocks did: it needs all of them resident at once.
const gridBarrier = `mov.u32 %r5, %nctaid.x; bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra WAITED; atom.global.add.u32 %r2, [%rd0], 1;
W: ld.acquire.gpu.global.u32 %r3, [%rd0]; setp.lt.u32 %p2, %r3, %r5; @%p2 bra W;
WAITED: bar.sync 0; mov.u32 %r6, %ctaid.x; mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd1, %rd5; @!%p1 st.global.u32 [%rd6], %r5;`

func TestGridBarrier(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2} {
		b := newBench(t, Config{Seed: seed, SMs: 2}, kernelText(2, gridBarrier), []uint32{0}, 4*4)
		b.clean(grid(4, 1024), 0)
		if got := b.u32(1); !slices.Equal(got, []uint32{4, 4, 4, 4}) {
			t.Errorf("seed %d: %v", seed, got)
		}
	}
	b := newBench(t, Config{SMs: 1}, kernelText(2, gridBarrier), []uint32{0}, 4*4)
	res := b.launch(grid(4, 1024), 0)
	if len(res.Findings) != 1 || res.Findings[0].Class != Hang || !strings.Contains(res.Findings[0].Message, "2 blocks have not started") {
		t.Errorf("with room for two blocks: %v", res.Findings)
	}
}

// TestSpinLock: lanes of one warp take a lock in turn, so a lane that spins must let the holder run.
func TestSpinLock(t *testing.T) {
	body := `L: atom.global.cas.b32 %r2, [%rd0], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;
ld.volatile.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1], %r3; membar.gl; atom.global.exch.b32 %r4, [%rd0], 0;`
	b := newBench(t, Config{}, kernelText(2, body), []uint32{0}, []uint32{0})
	b.clean(grid(3, 64), 0)
	if got := b.u32(1)[0]; got != 192 {
		t.Errorf("%d increments, want 192", got)
	}
}

// TestSeeds: a seed reproduces a run; different seeds and worker counts agree where the kernel does not depend on
// the order.
func TestSeeds(t *testing.T) {
	run := func(cfg Config) (out []uint32, steps uint64) {
		in := make([]byte, 4*512*2)
		for i := range in {
			in[i] = byte(i*31) & 0x3f
		}
		b := newBench(t, cfg, rowNormText(), in, len(in))
		l := grid(4, 64)
		l.Dynamic = 64
		res := b.clean(l, 512)
		return b.u32(1), res.WarpInstructions
	}
	want, steps := run(Config{})
	for _, cfg := range []Config{{Seed: 1}, {Seed: 1}, {Seed: 99}, {Workers: 1}, {Workers: 3}} {
		if got, n := run(cfg); !slices.Equal(got, want) || n != steps {
			t.Errorf("%+v: other results, or %d instructions instead of %d", cfg, n, steps)
		}
	}
}

// TestOrderSeen: the order in which warps reach an atomic follows from the seed alone.
func TestOrderSeen(t *testing.T) {
	body := `mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra L; and.b32 %r3, %r0, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra OUT;
atom.global.add.u32 %r4, [%rd0], 1; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r0; OUT:`
	run := func(seed uint64) []uint32 {
		b := newBench(t, Config{Seed: seed}, kernelText(2, body), []uint32{0}, 4*16)
		b.clean(block(512), 0)
		return b.u32(1)
	}
	if !slices.Equal(run(7), run(7)) {
		t.Error("seed 7 gives two orders")
	}
	if slices.Equal(run(7), run(8)) && slices.Equal(run(8), run(9)) {
		t.Error("three seeds give one order")
	}
}

func TestLaunchErrors(t *testing.T) {
	b := newBench(t, Config{}, kernelText(1, ""), 16)
	for _, c := range []struct {
		l     LaunchConfig
		field string
	}{
		{block(1025), "block"},
		{LaunchConfig{Block: [3]uint32{1, 1, 65}}, "block"},
		{LaunchConfig{Grid: [3]uint32{1, 70000, 1}}, "grid"},
		{LaunchConfig{Dynamic: 228 << 10}, "shared memory"},
		{LaunchConfig{Dynamic: 1<<32 - 1}, "shared memory"},
		{LaunchConfig{Grid: [3]uint32{3, 1, 1}, Cluster: [3]uint32{2, 1, 1}, HasCluster: true}, "grid"},
		{LaunchConfig{Cluster: [3]uint32{32, 1, 1}, HasCluster: true}, "cluster"},
	} {
		_, err := b.dev.Launch(b.k, c.l, b.params(0))
		le, ok := err.(*LaunchError)
		if !ok || le.Field != c.field {
			t.Errorf("%+v: %v, want an error about %s", c.l, err, c.field)
		}
	}
	if _, err := b.dev.Launch(b.k, LaunchConfig{}, nil); err == nil {
		t.Error("launched without parameters")
	}
}

// TestUnmodelled: what the decoder does not know is refused with line and text, never ignored.
func TestUnmodelled(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"rcp.approx.ftz.f64 %fd1, %fd2;", "f64 function"},
	} {
		m, err := ptx.Parse([]byte(kernelText(0, "\n"+c.body)))
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		_, err = Load(m)
		de, ok := err.(*DecodeError)
		if !ok || de.Line != 10 || !strings.Contains(de.Error(), c.want) || !strings.HasPrefix(c.body, strings.SplitN(de.Text, " ", 2)[0]) {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// TestModuleVariables: initialised global and constant variables, per device.
func TestModuleVariables(t *testing.T) {
	text := strings.Replace(kernelText(1, `mov.u64 %rd5, tab; mul.wide.u32 %rd6, %r0, 4; add.u64 %rd7, %rd5, %rd6; ld.const.u32 %r2, [%rd7];
ld.global.u32 %r3, [count]; add.u32 %r3, %r3, %r2; add.u64 %rd8, %rd0, %rd6; st.global.u32 [%rd8], %r3; bar.warp.sync 15; st.global.u32 [count], 5;`),
		".visible", ".const .align 4 .b32 tab[4] = {10, 20, 30, 40};\n.global .align 4 .u32 count = 1;\n.visible", 1)
	b := newBench(t, Config{}, text, 16)
	b.clean(block(4), 0)
	if got := b.u32(0); !slices.Equal(got, []uint32{11, 21, 31, 41}) {
		t.Errorf("first launch: %v", got)
	}
	b.clean(block(4), 0)
	if got := b.u32(0); !slices.Equal(got, []uint32{15, 25, 35, 45}) {
		t.Errorf("second launch: %v", got)
	}
}
