package emulate

import (
	"slices"
	"strings"
	"testing"
)

func TestParseAsync(t *testing.T) {
	for _, m := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
		if got, err := ParseAsync(m.String()); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseAsync("sometimes"); err == nil {
		t.Error("an unknown mode is taken")
	}
}

func TestParseChecks(t *testing.T) {
	for list, want := range map[string]Checks{"all": AllChecks, "none": 0, "memcheck": Memcheck, "racecheck, synccheck": Racecheck | Synccheck, "memcheck,initcheck,asynccheck,racecheck,synccheck,wgmmacheck": AllChecks} {
		if got, err := ParseChecks(list); err != nil || got != want {
			t.Errorf("%s: %b, %v", list, got, err)
		}
	}
	for _, list := range []string{"", "memcheck,", "everything"} {
		if _, err := ParseChecks(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}

// ringText loads six tiles of 32 words through a ring of two slots: one thread fills, a warp adds up.
func ringText() string {
	return kernelText(2, `
mov.u32 %r8, dyn; setp.eq.u32 %p0, %r0, 0; @!%p0 bra READY;
mbarrier.init.shared.b64 [%r8], 1; mbarrier.init.shared.b64 [%r8+8], 1; mbarrier.init.shared.b64 [%r8+16], 32; mbarrier.init.shared.b64 [%r8+24], 32; fence.mbarrier_init.release.cluster;
READY: bar.sync 0; setp.ge.u32 %p1, %r0, 32; mov.u32 %r4, 0; mov.u32 %r15, 0; and.b32 %r3, %r0, 31; mov.u64 %rd5, %rd0;
LOOP: and.b32 %r5, %r4, 1; shr.u32 %r6, %r4, 1; and.b32 %r6, %r6, 1; shl.b32 %r7, %r5, 3; add.u32 %r9, %r8, %r7; shl.b32 %r10, %r5, 7; add.u32 %r10, %r10, %r8; @%p1 bra CONSUME;
@!%p0 bra NEXT; xor.b32 %r12, %r6, 1; add.u32 %r13, %r9, 16;
`+waitFor("EMPTY", "%r13", "%r12")+`
mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 128; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10+128], [%rd5], 128, [%r9]; bra.uni NEXT;
CONSUME:
`+waitFor("FULL", "%r9", "%r6")+`
shl.b32 %r11, %r3, 2; add.u32 %r16, %r10, %r11; ld.shared.u32 %r14, [%r16+128]; mad.lo.u32 %r15, %r15, 3, %r14; mbarrier.arrive.shared.b64 _, [%r9+16];
NEXT: add.u64 %rd5, %rd5, 128; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 6; @%p2 bra LOOP;
mul.wide.u32 %rd6, %r3, 4; add.u64 %rd7, %rd1, %rd6; @%p1 st.global.u32 [%rd7], %r15;`)
}

// TestAdversarialCompletion: with every checker off, a missing wait gives wrong numbers by itself: the wait for data
// where completion is late, the wait for a free slot where it is early. The right kernel is right in all modes.
func TestAdversarialCompletion(t *testing.T) {
	in := ramp(6*32, func(i int) uint32 { return uint32(i*i + 1) })
	want := ramp(32, func(lane int) uint32 {
		sum := uint32(0)
		for tile := range 6 {
			sum = 3*sum + in[32*tile+lane]
		}
		return sum
	})
	right := func(c Config, text string) bool {
		b := newBench(t, c, text, in, 128)
		b.launch(dynamic(64), 0)
		return slices.Equal(b.u32(1), want)
	}
	everySchedule(t, func(t *testing.T, c Config) {
		if !right(c, ringText()) {
			t.Error("the right kernel is wrong")
		}
	})
	if t.Failed() {
		return
	}
	noData := strings.Replace(ringText(), "@!%p9 bra FULL;", "", 1)
	noSlot := strings.Replace(ringText(), "@!%p9 bra EMPTY;", "", 1)
	noData = strings.Replace(noData, "mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r9], %r6;", "", 1)
	noSlot = strings.Replace(noSlot, "mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r13], %r12;", "", 1)
	for seed := range uint64(4) {
		if right(Config{Async: AsyncLate, Seed: seed, Off: AllChecks}, noData) {
			t.Errorf("seed %d: late completion hides a missing wait for data", seed)
		}
		if right(Config{Async: AsyncEarly, Seed: seed, Off: AllChecks}, noSlot) {
			t.Errorf("seed %d: early completion hides a missing wait for a slot", seed)
		}
	}
}
