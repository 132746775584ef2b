package profile

import (
	"math"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

func cold1(t *testing.T, body string) float64 {
	t.Helper()
	return run(t, body, launchOf(1, 32, 1024), emulate.Config{Off: emulate.AllChecks}).Chain.Cold
}

// Chains count what waits for what, not what stands beside it.
func TestChain(t *testing.T) {
	const empty = "mov.u32 %r3, 0;"
	base := cold1(t, empty)
	one := cold1(t, "ld.global.u32 %r3, [%rd0]; add.u32 %r4, %r3, 1;") - base
	if math.Abs(one-H200.LatencyMemory) > 10 {
		t.Errorf("a load takes %g clocks, want about %g", one, H200.LatencyMemory)
	}
	four := cold1(t, `ld.global.u32 %r3, [%rd0]; add.u32 %r4, %r3, 1; ld.global.u32 %r5, [%rd0+512]; add.u32 %r4, %r4, %r5;
ld.global.u32 %r6, [%rd0+1024]; add.u32 %r4, %r4, %r6; ld.global.u32 %r7, [%rd0+1536]; add.u32 %r4, %r4, %r7;`) - base
	if four > H200.LatencyMemory+50 {
		t.Errorf("four independent loads take %g clocks, want about one latency", four)
	}
	behind := cold1(t, "ld.global.u32 %r3, [%rd0]; cvt.u64.u32 %rd1, %r3; add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r5, [%rd2+512]; add.u32 %r4, %r4, %r5;") - base
	if behind < 2*H200.LatencyMemory || behind > 2*H200.LatencyMemory+50 {
		t.Errorf("a load whose address another brings takes %g clocks, want about two latencies", behind)
	}
	again := cold1(t, "ld.global.u32 %r3, [%rd0]; cvt.u64.u32 %rd1, %r3; add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r5, [%rd2+8]; add.u32 %r4, %r4, %r5;") - base
	if want := H200.LatencyMemory + H200.LatencyL2; again < want || again > want+50 {
		t.Errorf("a second load of a sector takes %g clocks in all, want about %g", again, want)
	}
	apart := cold1(t, "ld.global.u32 %r3, [%rd0]; add.u32 %r4, %r3, 1; bar.sync 0; ld.global.u32 %r5, [%rd0+512]; add.u32 %r4, %r4, %r5;") - base
	if apart < 2*H200.LatencyMemory {
		t.Errorf("loads on two sides of a barrier take %g clocks, want at least two latencies", apart)
	}
}

// A copy of 64 MB is bound by memory, and by L2 where that holds it.
func TestEstimate(t *testing.T) {
	const body = `mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r1, %r3, %r0; and.b32 %r4, %r4, 32767; mul.wide.u32 %rd1, %r4, 16; add.u64 %rd2, %rd0, %rd1;
ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd2]; st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8};`
	p := run(t, body, launchOf(128, 256, 0), emulate.Config{Off: emulate.AllChecks})
	if want := float64(128 * 256 * 16); p.Footprint.Read.Grid != want || p.Footprint.Write.Grid != want {
		t.Fatalf("footprint %+v", p.Footprint)
	}
	e := p.Estimate(H200, 8, Conditions{})
	memory := 2 * 128 * 256 * 16 / H200.CopyRate
	if math.Abs(e.Steady-memory) > 1e-12 || e.By != "memory" {
		t.Errorf("%g s by %s, want %g by memory", e.Steady, e.By, memory)
	}
	if sum := e.Launch + e.Ramp + e.Steady; e.Seconds != sum || e.Launch != H200.NodeTime {
		t.Errorf("%+v does not add up", e)
	}
	if w := p.Estimate(H200, 8, Conditions{WorkingSet: 1e6}); w.Seconds >= e.Seconds {
		t.Errorf("%g s from L2, %g s from memory", w.Seconds, e.Seconds)
	}
	if e.Waves != 128.0/(8*132) {
		t.Errorf("%g waves", e.Waves)
	}
	p.Dependent = true
	if d := p.Estimate(H200, 8, Conditions{}); d.Launch != H200.DependentTime {
		t.Errorf("a dependent launch takes %g s, want %g", d.Launch, H200.DependentTime)
	}
}

// A ring of two stages: the copies of a later round wait for the stage that the reader gives back, so reads are spread over the chain.
// Barriers at 1024 (full) and 1032 (empty), stages of 512 bytes.
const ring = `setp.ne.u32 %p1, %r0, 0; add.u32 %r3, %r2, 1024; add.u32 %r4, %r2, 1040; @%p1 bra READY;
mbarrier.init.shared::cta.b64 [%r3], 1; mbarrier.init.shared::cta.b64 [%r3+8], 1; mbarrier.init.shared::cta.b64 [%r4], 1; mbarrier.init.shared::cta.b64 [%r4+8], 1;
fence.mbarrier_init.release.cluster;
READY: bar.sync 0; setp.ge.u32 %p2, %r0, 32; mov.u32 %r5, 0; @%p2 bra READ;
setp.ne.u32 %p3, %r0, 0; @%p3 bra END;
COPY: and.b32 %r6, %r5, 1; shl.b32 %r7, %r6, 3; add.u32 %r8, %r3, %r7; add.u32 %r9, %r4, %r7; shr.u32 %r10, %r5, 1; and.b32 %r10, %r10, 1; xor.b32 %r10, %r10, 1;
W1: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r9], %r10; @!%p4 bra W1;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r8], 512; shl.b32 %r11, %r6, 9; add.u32 %r11, %r11, %r2; shl.b32 %r12, %r5, 9; cvt.u64.u32 %rd2, %r12; add.u64 %rd2, %rd2, %rd0;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2], 512, [%r8];
add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 8; @%p5 bra COPY; bra END;
READ: and.b32 %r6, %r5, 1; shl.b32 %r7, %r6, 3; add.u32 %r8, %r3, %r7; add.u32 %r9, %r4, %r7; shr.u32 %r10, %r5, 1; and.b32 %r10, %r10, 1;
W2: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], %r10; @!%p4 bra W2;
setp.ne.u32 %p6, %r0, 32; @%p6 bra NEXT; mbarrier.arrive.shared::cta.b64 %rd3, [%r9];
NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 8; @%p5 bra READ;
END:`

func TestStream(t *testing.T) {
	c := run(t, ring, launchOf(1, 64, 2048), emulate.Config{Off: emulate.AllChecks}).Chain
	// Eight copies through two stages: the last pair starts when the third has come, three misses behind the first.
	miss := H200.BulkLatency + H200.LatencyMemory - H200.LatencyL2
	if c.Stream < 3*miss || c.Stream > 3.6*miss {
		t.Errorf("reads are spread over %g clocks, want a little more than %g", c.Stream, 3*miss)
	}
	const handshake = 150 // two operations on mbarriers and the instructions around them
	if c.Cold < 4*miss || c.Cold > 4*(miss+handshake) {
		t.Errorf("the chain has %g clocks, want a little more than %g", c.Cold, 4*miss)
	}
}

// Two blocks whose tiles share rows and columns of factors: no more bytes than there are.
func TestFootprintEndsWithTheMemory(t *testing.T) {
	const all = `shr.u32 %r3, %r1, 3; and.b32 %r4, %r1, 7; add.u32 %r3, %r3, %r4; shl.b32 %r3, %r3, 7; shl.b32 %r5, %r0, 2; add.u32 %r3, %r3, %r5;
cvt.u64.u32 %rd1, %r3; add.u64 %rd1, %rd1, %rd0; add.u64 %rd1, %rd1, 1040384; ld.global.u32 %r6, [%rd1];`
	p := run(t, all, launchOf(64, 32, 0), emulate.Config{Off: emulate.AllChecks, Blocks: 8})
	if r := p.Footprint.Read; r.Block != 128 || r.Grid > memoryBytes {
		t.Errorf("%+v", r)
	}
	// 10000 blocks of 128 bytes each would be more than the memory has.
	p = run(t, strings.Replace(all, "shr.u32 %r3, %r1, 3; and.b32 %r4, %r1, 7; add.u32 %r3, %r3, %r4;", "and.b32 %r3, %r1, 31;", 1), launchOf(10000, 32, 0), emulate.Config{Off: emulate.AllChecks, Blocks: 8})
	if r := p.Footprint.Read; r.Grid != memoryBytes {
		t.Errorf("%g bytes of %d", r.Grid, memoryBytes)
	}
}
