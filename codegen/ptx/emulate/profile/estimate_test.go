package profile

import (
	"math"
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
