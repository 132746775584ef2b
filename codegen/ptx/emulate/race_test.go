package emulate

import (
	"strings"
	"testing"
)

// racy is a kernel with a planted race: its finding is at the line with "//!", the other access at the line with
// "//?". right is the same kernel with the mistake repaired; it must be silent.
type racy struct {
	name  string
	body  string
	right string
	l     LaunchConfig
	class Class
	sev   Severity
}

// Each thread's word of dyn is at %r10, its neighbour's in the next warp at %r11, in the same warp at %r12.
const racePrologue = `mov.u32 %r5, dyn; shl.b32 %r6, %r0, 2; add.u32 %r10, %r5, %r6; xor.b32 %r7, %r6, 128; add.u32 %r11, %r5, %r7;
xor.b32 %r8, %r6, 4; add.u32 %r12, %r5, %r8; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; mov.u32 %r13, %ctaid.x;
setp.eq.u32 %p1, %r0, 0; setp.lt.u32 %p2, %r0, 32; setp.eq.u32 %p3, %r13, 0; and.pred %p4, %p1, %p3; and.b32 %r14, %r0, 31;
setp.eq.u32 %p5, %r14, 0;
`

func dynamics(g, x, bytes uint32) LaunchConfig {
	l := grid(g, x)
	l.Dynamic = bytes
	return l
}

// races are the planted mistakes of synchronous code.
var races = []racy{
	{"barrier missing", `
st.shared.u32 [%r10], %r0; //?
ld.shared.u32 %r2, [%r11]; //!
st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r10], %r0;
bar.sync 0;
ld.shared.u32 %r2, [%r11];
st.global.u32 [%rd6], %r2;`, dynamics(1, 64, 256), RaceShared, Error},
	{"barrier missing before the reuse", `
st.shared.u32 [%r10], %r0;
bar.sync 0;
ld.shared.u32 %r2, [%r11]; //?
st.shared.u32 [%r10], %r2; //!
st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r10], %r0;
bar.sync 0;
ld.shared.u32 %r2, [%r11];
bar.sync 0;
st.shared.u32 [%r10], %r2;
st.global.u32 [%rd6], %r2;`, dynamics(1, 64, 256), RaceShared, Error},
	{"warp barrier missing", `
st.shared.u32 [%r10], %r0; //?
ld.shared.u32 %r2, [%r12]; //!
st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r10], %r0;
bar.warp.sync -1;
ld.shared.u32 %r2, [%r12];
st.global.u32 [%rd6], %r2;`, dynamics(1, 32, 128), RaceShared, Error},
	{"a shuffle orders no memory", `
st.shared.u32 [%r10], %r0; //?
shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;
ld.shared.u32 %r2, [%r12]; //!
add.u32 %r2, %r2, %r3; st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r10], %r0;
shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;
bar.warp.sync -1;
ld.shared.u32 %r2, [%r12];
add.u32 %r2, %r2, %r3; st.global.u32 [%rd6], %r2;`, dynamics(1, 32, 128), RaceShared, Warning},
	{"bytes of one word", `
st.shared.u8 [%r10+1], %r0; //?
ld.shared.u32 %r2, [%r11]; //!
st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r10], %r0; bar.sync 0; st.shared.u8 [%r10+1], %r0;
ld.shared.u8 %r2, [%r11];
st.global.u32 [%rd6], %r2;`, dynamics(1, 64, 256), RaceShared, Error},
	{"different values in one word", `
st.shared.u32 [%r5], %r0; //! //?
ld.shared.u32 %r2, [%r5]; st.global.u32 [%rd6], %r2;`, `
st.shared.u32 [%r5], 7;
bar.sync 0; ld.shared.u32 %r2, [%r5]; st.global.u32 [%rd6], %r2;`, dynamics(1, 32, 256), RaceShared, Error},
	{"named barrier of too few", `
@%p2 bra A; st.shared.u32 [%r10], %r0; //?
barrier.cta.arrive 2, 64; bra OUT;
A: barrier.cta.sync 1, 32; ld.shared.u32 %r2, [%r11]; //!
st.global.u32 [%rd6], %r2; barrier.cta.sync 2, 64; OUT:`, `
@%p2 bra A; st.shared.u32 [%r10], %r0;
barrier.cta.arrive 2, 64; bra OUT;
A: barrier.cta.sync 2, 64; ld.shared.u32 %r2, [%r11];
st.global.u32 [%rd6], %r2; OUT:`, dynamics(1, 64, 256), RaceShared, Error},
	{"flag without release", `
@%p3 bra A; ld.relaxed.gpu.global.u32 %r2, [%rd1];
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8]; //!
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7; //?
st.relaxed.gpu.global.u32 [%rd1], 1; OUT:`, `
@%p3 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8];
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7;
st.release.gpu.global.u32 [%rd1], 1; OUT:`, grid(2, 1), RaceGlobal, Error},
	{"flag without acquire", `
@%p3 bra A;
W: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8]; //!
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7; //?
membar.gl; st.volatile.global.u32 [%rd1], 1; OUT:`, `
@%p3 bra A;
W: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
membar.gl; ld.global.u32 %r3, [%rd1+8];
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7;
membar.gl; st.volatile.global.u32 [%rd1], 1; OUT:`, grid(2, 1), RaceGlobal, Error},
	{"scope too small", `
@%p3 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8]; //!
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7; //?
fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%rd1], 1; OUT:`, `
@%p3 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8];
st.global.u32 [%rd0], %r3; bra OUT;
A: st.global.u32 [%rd1+8], 7;
fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], 1; OUT:`, grid(2, 1), RaceGlobal, Error},
	{"the fence of a neighbour", `
@%p3 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+12]; //!
st.global.u32 [%rd0], %r3; bra OUT;
A: add.u64 %rd7, %rd1, %rd5; st.global.u32 [%rd7+8], 7; //?
membar.gl; @%p1 st.relaxed.gpu.global.u32 [%rd1], 1; OUT:`, `
@%p3 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+12];
st.global.u32 [%rd0], %r3; bra OUT;
A: add.u64 %rd7, %rd1, %rd5; st.global.u32 [%rd7+8], 7;
bar.warp.sync -1; membar.gl; @%p1 st.relaxed.gpu.global.u32 [%rd1], 1; OUT:`, grid(2, 32), RaceGlobal, Error},
	{"two blocks, one word", `
st.global.u32 [%rd6], %r13; //! //?
`, `
mul.wide.u32 %rd7, %r13, 128; add.u64 %rd6, %rd6, %rd7; st.global.u32 [%rd6], %r13;
`, grid(2, 32), RaceGlobal, Error},
	{"read what another block writes", `
@%p3 st.global.u32 [%rd6], %r13; //?
@!%p3 ld.global.u32 %r2, [%rd6]; //!
@!%p3 st.global.u32 [%rd6+128], %r2;
`, `
@%p3 st.global.u32 [%rd6], %r13;
@%p3 ld.global.u32 %r2, [%rd6];
@%p3 st.global.u32 [%rd6+128], %r2;
`, grid(2, 32), RaceGlobal, Error},
	{"an atomic against an ordinary read", `
@%p3 atom.global.add.u32 %r2, [%rd1], 1; //?
@!%p3 ld.global.u32 %r3, [%rd1]; //!
@!%p3 st.global.u32 [%rd0], %r3;
`, `
@%p3 atom.global.add.u32 %r2, [%rd1], 1;
@!%p3 ld.relaxed.gpu.global.u32 %r3, [%rd1];
@!%p3 st.global.u32 [%rd0], %r3;
`, grid(2, 1), RaceGlobal, Error},
	{"red does not acquire", `
@%p3 bra A; st.global.u32 [%rd1+8], 5; //?
red.release.gpu.global.add.u32 [%rd1], 1; bra OUT;
A: W: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
red.relaxed.gpu.global.add.u32 [%rd1], 1;
ld.global.u32 %r3, [%rd1+8]; //!
st.global.u32 [%rd0], %r3; OUT:`, `
@%p3 bra A; st.global.u32 [%rd1+8], 5;
red.release.gpu.global.add.u32 [%rd1], 1; bra OUT;
A: W: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p6, %r2, 0; @%p6 bra W;
atom.acquire.gpu.global.add.u32 %r4, [%rd1], 1;
ld.global.u32 %r3, [%rd1+8];
st.global.u32 [%rd0], %r3; OUT:`, grid(2, 1), RaceGlobal, Error},
	{"lock without release", `
W: atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8]; add.u32 %r3, %r3, 1; //!
st.global.u32 [%rd1+8], %r3; //?
st.relaxed.gpu.global.u32 [%rd1], 0;`, `
W: atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p6, %r2, 0; @%p6 bra W;
ld.global.u32 %r3, [%rd1+8]; add.u32 %r3, %r3, 1;
st.global.u32 [%rd1+8], %r3;
st.release.gpu.global.u32 [%rd1], 0;`, grid(8, 1), RaceGlobal, Error},
	{"last block without fence", `
add.u64 %rd7, %rd0, %rd5; mul.wide.u32 %rd8, %r13, 128; add.u64 %rd7, %rd7, %rd8; st.global.u32 [%rd7], %r0; //?
bar.sync 0; @%p1 atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1; @%p1 st.shared.u32 [%r5], %r2; bar.sync 0;
ld.shared.u32 %r2, [%r5]; setp.ne.u32 %p6, %r2, 1; @%p6 bra OUT;
fence.acq_rel.gpu; ld.global.u32 %r3, [%rd6]; ld.global.u32 %r4, [%rd6+128]; //!
add.u32 %r3, %r3, %r4; st.global.u32 [%rd6+256], %r3; OUT:`, `
add.u64 %rd7, %rd0, %rd5; mul.wide.u32 %rd8, %r13, 128; add.u64 %rd7, %rd7, %rd8; st.global.u32 [%rd7], %r0;
bar.sync 0; fence.acq_rel.gpu; @%p1 atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1; @%p1 st.shared.u32 [%r5], %r2; fence.acq_rel.gpu; bar.sync 0;
ld.shared.u32 %r2, [%r5]; setp.ne.u32 %p6, %r2, 1; @%p6 bra OUT;
fence.acq_rel.gpu; ld.global.u32 %r3, [%rd6]; ld.global.u32 %r4, [%rd6+128];
add.u32 %r3, %r3, %r4; st.global.u32 [%rd6+256], %r3; OUT:`, dynamics(2, 32, 16), RaceGlobal, Error},
}

func lineWith(text, mark string) int {
	for i, l := range strings.Split(text, "\n") {
		if strings.Contains(l, mark) {
			return i + 1
		}
	}
	return 0
}

// TestRaces: every planted race is found with its class, its severity and both lines under every seed; the repaired
// kernel is silent.
func TestRaces(t *testing.T) {
	for _, c := range races {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				c.check(t, Config{Seed: seed})
			}
		})
	}
}

func (c racy) check(t *testing.T, cfg Config) {
	t.Helper()
	newBench(t, cfg, kernelText(2, racePrologue+c.right), make([]uint32, 256), make([]uint32, 64)).clean(c.l, 0)
	text := kernelText(2, racePrologue+c.body)
	res := newBench(t, cfg, text, make([]uint32, 256), make([]uint32, 64)).launch(c.l, 0)
	bang, query := lineWith(text, "//!"), lineWith(text, "//?")
	for _, f := range res.Findings {
		if f.Class == c.class && f.Severity == c.sev && len(f.Accesses) == 2 {
			a, b := f.Accesses[0].Line, f.Accesses[1].Line
			if a == bang && b == query || a == query && b == bang {
				return
			}
		}
	}
	t.Errorf("seed %d: findings %v\nwant class %s at lines %d and %d\n%s", cfg.Seed, res.Findings, c.class, query, bang, numbered(text))
}
