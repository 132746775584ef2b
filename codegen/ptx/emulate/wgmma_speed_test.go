package emulate

import (
	"fmt"
	"strings"
	"testing"
)

// productText is the main loop of a product: four chained m64n128k16 a step over slices of a swizzled tile, a group
// each step, one in flight.
func productText(steps int) string {
	var acc []string
	for i := range 64 {
		acc = append(acc, fmt.Sprintf("%%acc%d", i))
	}
	var b strings.Builder
	b.WriteString(`.reg .f32 %acc<64>; mov.u32 %r2, dyn; mul.wide.u32 %rd5, %r0, 192; cvt.u32.u64 %r3, %rd5; add.u32 %r4, %r2, %r3; mov.u32 %r5, 0;
FILL: mov.b32 %r6, 0x3f803f80; st.shared.v4.b32 [%r4], {%r6, %r6, %r6, %r6}; add.u32 %r4, %r4, 16; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 12; @%p1 bra FILL;
fence.proxy.async.shared::cta; bar.sync 0; mov.u32 %r7, 0;
`)
	for _, a := range acc {
		b.WriteString("mov.f32 " + a + ", 0f00000000; ")
	}
	b.WriteString("\nshr.u32 %r8, %r2, 4; cvt.u64.u32 %rd6, %r8; or.b64 %rd6, %rd6, 0x4000004000010000; add.u64 %rd7, %rd6, 512;\nSTEP: wgmma.fence.sync.aligned;\n")
	for i := range 4 {
		fmt.Fprintf(&b, "add.u64 %%rd8, %%rd6, %d; add.u64 %%rd9, %%rd7, %d;\nwgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%s}, %%rd8, %%rd9, 1, 1, 1, 0, 0;\n", 2*i, 2*i, strings.Join(acc, ", "))
	}
	fmt.Fprintf(&b, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; add.u32 %%r7, %%r7, 1; setp.lt.u32 %%p1, %%r7, %d; @%%p1 bra STEP;\nwgmma.wait_group.sync.aligned 0;\n", steps)
	b.WriteString("mul.wide.u32 %rd10, %r0, 4; add.u64 %rd11, %rd0, %rd10; st.global.f32 [%rd11], %acc5;")
	return kernelText(1, b.String())
}

const productSteps = 16

func productLaunch() LaunchConfig {
	return LaunchConfig{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{128, 1, 1}, Dynamic: 128 * 192}
}

// TestWgmmaLoop: one group in flight all the time, chains across groups.
func TestWgmmaLoop(t *testing.T) {
	for _, mode := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
		b := newBench(t, Config{Async: mode}, productText(productSteps), 512)
		b.clean(LaunchConfig{Block: [3]uint32{128, 1, 1}, Dynamic: 128 * 192}, 0)
		for i, v := range b.u32(0) {
			if want := float32(64 * productSteps); f32(v) != want {
				t.Fatalf("%v: element %d is %g, want %g", mode, i, f32(v), want)
			}
		}
	}
}

func BenchmarkWgmma(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  Config
	}{{"checks", Config{}}, {"nochecks", Config{Off: AllChecks}}} {
		b.Run(c.name, func(b *testing.B) {
			k := newBench(b, c.cfg, productText(productSteps), 512)
			flop := 0.0
			for b.Loop() {
				k.launch(productLaunch(), 0)
				flop += 2 * productSteps * 4 * 2 * 64 * 128 * 16
			}
			b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
