package emulate

import (
	"slices"
	"strings"
	"testing"
)

// bar is the mbarrier of these tests: the first 8 bytes of dynamic shared memory, initialised for n arrivals by thread 0.
func bar(n string) string {
	return "mov.u32 %r8, dyn; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared::cta.b64 [%r8], " + n + "; fence.mbarrier_init.release.cluster; bar.sync 0;\n"
}

// waitFor spins on a parity of the barrier at a register.
func waitFor(label, addr, parity string) string {
	return label + ": mbarrier.try_wait.parity.shared::cta.b64 %p9, [" + addr + "], " + parity + "; @!%p9 bra " + label + ";\n"
}

func dynamic(x uint32) LaunchConfig {
	l := block(x)
	l.Dynamic = 4096
	return l
}

// TestMbarrierPhases: what a single thread sees of the state machine (manual 9.7.13.15).
func TestMbarrierPhases(t *testing.T) {
	test := func(parity string) string {
		return "mbarrier.test_wait.parity.shared.b64 %p9, [%r8], " + parity + "; selp.u32 %r9, 1, 0, %p9; shl.b32 %r2, %r2, 1; or.b32 %r2, %r2, %r9;\n"
	}
	count := "mbarrier.pending_count.b64 %r9, %rd9; shl.b32 %r3, %r3, 4; or.b32 %r3, %r3, %r9;\n"
	text := kernelText(1, bar("3")+`mov.u32 %r2, 0; mov.u32 %r3, 0;
`+test("0")+test("1")+ // a fresh barrier: phase 0 is open, the one before it is over
		"mbarrier.arrive.shared.b64 %rd9, [%r8];\n"+count+ // 3 were pending before
		"mbarrier.arrive.shared.b64 %rd10, [%r8], 2; mov.b64 %rd9, %rd10;\n"+count+ // 2
		test("0")+test("1")+ // phase 0 is over, phase 1 open
		"mbarrier.test_wait.shared.b64 %p9, [%r8], %rd10; selp.u32 %r9, 1, 0, %p9; shl.b32 %r2, %r2, 1; or.b32 %r2, %r2, %r9;\n"+
		"mbarrier.arrive.noComplete.shared.b64 %rd9, [%r8], 2;\n"+count+ // 3
		"mbarrier.arrive_drop.shared.b64 %rd9, [%r8];\n"+count+ // 1, and phase 1 is over
		test("1")+
		"mbarrier.arrive.shared.b64 %rd9, [%r8];\n"+count+ // 2: one was dropped
		"mbarrier.arrive.shared.b64 %rd9, [%r8];\n"+test("0")+
		// bytes: expected after they came, then expected first
		"mbarrier.complete_tx.relaxed.cta.shared.b64 [%r8], 64; mbarrier.arrive.shared.b64 _, [%r8]; mbarrier.arrive.shared.b64 _, [%r8];\n"+test("1")+
		"mbarrier.expect_tx.relaxed.cta.shared.b64 [%r8], 64;\n"+test("1")+
		"mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 16; mbarrier.arrive.shared.b64 _, [%r8];\n"+test("0")+
		"mbarrier.complete_tx.relaxed.cta.shared.b64 [%r8], 16;\n"+test("0")+
		"mbarrier.inval.shared.b64 [%r8]; st.shared.v2.u32 [%r8], {1, 2}; st.global.v2.u32 [%rd0], {%r2, %r3};")
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, 8)
		b.clean(dynamic(1), 0)
		want := []uint32{0b01_10_1_1_1_0_1_0_1, 0x323_1_2}
		if got := b.u32(0); !slices.Equal(got, want) {
			t.Errorf("tests %b counts %#x, want %b %#x", got[0], got[1], want[0], want[1])
		}
	})
}

// TestMbarrierHandover: a producer warp and a consumer warp pass values through two slots, three times around.
func TestMbarrierHandover(t *testing.T) {
	body := `
mov.u32 %r8, dyn; setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;
mbarrier.init.shared.b64 [%r8], 32; mbarrier.init.shared.b64 [%r8+8], 32; mbarrier.init.shared.b64 [%r8+16], 32; mbarrier.init.shared.b64 [%r8+24], 32;
READY: bar.sync 0; shr.u32 %r2, %r0, 5; and.b32 %r3, %r0, 31; setp.eq.u32 %p1, %r2, 1; mov.u32 %r4, 0; mov.u32 %r15, 0;
LOOP: and.b32 %r5, %r4, 1; shr.u32 %r6, %r4, 1; and.b32 %r6, %r6, 1; shl.b32 %r7, %r5, 3; add.u32 %r9, %r8, %r7; // full, empty = +16
shl.b32 %r10, %r5, 7; add.u32 %r10, %r10, %r8; shl.b32 %r11, %r3, 2; add.u32 %r10, %r10, %r11; @%p1 bra CONSUME;
xor.b32 %r12, %r6, 1; add.u32 %r13, %r9, 16;
` + waitFor("WE", "%r13", "%r12") + `
mad.lo.u32 %r14, %r4, 100, %r3; st.shared.u32 [%r10+64], %r14; mbarrier.arrive.shared.b64 _, [%r9]; bra.uni NEXT;
CONSUME:
` + waitFor("WF", "%r9", "%r6") + `
ld.shared.u32 %r14, [%r10+64]; mad.lo.u32 %r15, %r15, 3, %r14; mbarrier.arrive.shared.b64 _, [%r9+16];
NEXT: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 6; @%p2 bra LOOP;
mul.wide.u32 %rd5, %r3, 4; add.u64 %rd6, %rd0, %rd5; @%p1 st.global.u32 [%rd6], %r15;`
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, kernelText(1, body), 128)
		b.clean(dynamic(64), 0)
		for i, got := range b.u32(0) {
			want := uint32(0)
			for k := range uint32(6) {
				want = 3*want + 100*k + uint32(i)
			}
			if got != want {
				t.Fatalf("lane %d: %d, want %d", i, got, want)
			}
		}
	})
}

// TestMbarrierRemote: every block arrives at the leader's barrier; the leader waits for all.
func TestMbarrierRemote(t *testing.T) {
	text := kernelText(1, `
mov.u32 %r2, %cluster_ctarank; mov.u32 %r8, dyn; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r8], 128; st.shared.u32 [%r8+8], 0;
fence.mbarrier_init.release.cluster;
`+clusterSync+`
mapa.shared::cluster.u32 %r9, %r8, 0; add.u32 %r10, %r0, 1; red.relaxed.cluster.shared::cluster.add.u32 [%r9+8], %r10;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];
setp.ne.u32 %p1, %r2, 0; @%p1 bra DONE;
`+strings.Replace(waitFor("W", "%r8", "0"), "parity.shared", "parity.acquire.cluster.shared", 1)+`
ld.shared.u32 %r11, [%r8+8]; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r11;
DONE:
`+clusterSync)
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, 128)
		b.clean(clusters(1, 4, 32), 0)
		for i, got := range b.u32(0) {
			if got != 4*32*33/2 {
				t.Fatalf("lane %d: %d", i, got)
			}
		}
	})
}

// TestMbarrierFaults plants one misuse of each kind.
func TestMbarrierFaults(t *testing.T) {
	arrive := "mbarrier.arrive.shared.b64 _, [%r8];"
	for _, c := range []struct {
		name, body string
		class      Class
		parts      []string
	}{
		{"no init", "mov.u32 %r8, dyn; " + arrive, MbarInit, []string{"no mbarrier was initialised", "dyn+0"}},
		{"twice", bar("1") + "@%p0 mbarrier.init.shared.b64 [%r8], 1;", MbarInit, []string{"not invalidated"}},
		{"after inval", bar("1") + "@%p0 mbarrier.inval.shared.b64 [%r8];" + arrive, MbarInit, []string{"no mbarrier"}},
		{"plain load", bar("1") + "ld.shared.u64 %rd5, [%r8];", MbarInit, []string{"plain read"}},
		{"plain store", bar("1") + "st.shared.u32 [%r8+4], 1;", MbarInit, []string{"plain write"}},
		{"zero count", bar("0"), MbarCount, []string{"1 to 1048575"}},
		{"underflow", bar("2") + "@%p0 mbarrier.arrive.shared.b64 _, [%r8], 3;", MbarCount, []string{"3 arrivals", "lacks 2 of 2"}},
		{"noComplete", bar("1") + "@%p0 mbarrier.arrive.noComplete.shared.b64 %rd5, [%r8], 1;", MbarCount, []string{".noComplete"}},
		{"stale state", bar("1") + "@!%p0 bra E; mbarrier.arrive.shared.b64 %rd5, [%r8]; " + arrive + arrive + "mbarrier.test_wait.shared.b64 %p5, [%r8], %rd5; E:", MbarCount, []string{"neither the current phase 3"}},
		{"parity value", bar("1") + "mbarrier.test_wait.parity.shared.b64 %p5, [%r8], 2;", MbarCount, []string{"parity of 2"}},
		{"global", bar("1") + "mbarrier.arrive.b64 %rd5, [%rd0];", MbarInit, []string{"no shared address"}},
		{"tx too large", bar("1") + "@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r8], 1048576;", MbarTx, []string{"1048576 bytes"}},
		{"tx overflow", bar("1") + "@!%p0 bra E; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r8], 1048575; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r8], 1; E:", MbarTx, []string{"counts 1048576 pending bytes"}},
		{"tx at exit", bar("1") + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 64;", MbarTx, []string{"64 bytes that line"}},
		{"misaligned", bar("1") + "mbarrier.arrive.shared.b64 _, [%r8+4];", Misaligned, []string{"no multiple of 8"}},
		{"outside", bar("1") + "mbarrier.arrive.shared.b64 _, [%r8+4096];", OOBShared, []string{"offset 4096"}},
		{"polling for ever", bar("33") + arrive + strings.ReplaceAll(waitFor("W", "%r8", "0"), "try_wait", "test_wait"), Hang, []string{"every running warp spins", "phase 0, lacks 1 of 33 arrivals"}},
		{"deadlock", bar("33") + arrive + waitFor("W", "%r8", "0"), Deadlock, []string{"phase 0, lacks 1 of 33 arrivals", "dyn+0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Config{}, kernelText(1, c.body), 64)
			res := b.launch(dynamic(32), 0)
			if len(res.Findings) == 0 || res.Findings[0].Class != c.class {
				t.Fatalf("want %s: %v", c.class, res.Findings)
			}
			for _, p := range c.parts {
				if !strings.Contains(res.Findings[0].Message, p) {
					t.Errorf("the message lacks %q: %s", p, res.Findings[0].Message)
				}
			}
			if f := res.Findings[0]; f.Line == 0 || f.Class != Deadlock && f.Class != Hang && f.Class != Misaligned && f.Class != OOBShared && f.Section == "" {
				t.Errorf("line %d, section %q", f.Line, f.Section)
			}
		})
	}
}

// TestMbarrierDeadlockPosition: the explanation names the source position of the wait.
func TestMbarrierDeadlockPosition(t *testing.T) {
	b := newBench(t, Config{}, kernelText(0, bar("2")+"mbarrier.arrive.shared.b64 _, [%r8];"+waitFor("W", "%r8", "0")))
	b.k.prog.Position = func(line int) string { return "kernel.go:" + itoa(100+line) }
	res := b.launch(dynamic(1), 0)
	if len(res.Findings) == 0 || res.Findings[0].Class != Deadlock || strings.Count(res.Findings[0].Message, "(kernel.go:1") != 3 { // the wait, the arrival, init
		t.Errorf("findings %v", res.Findings)
	}
}

// TestMbarrierParity: a consumer that starts with the wrong parity is warned about, a producer that does so is right.
func TestMbarrierParity(t *testing.T) {
	arm := "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 16; add.u32 %r9, %r8, 16; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 16, [%r8];\n"
	for _, c := range []struct {
		name, body string
		warned     bool
	}{
		{"consumer", "setp.ge.u32 %p1, %r0, 32; @%p1 bra C;\n" + arm + waitFor("V", "%r8", "0") + "bra.uni E; C: mbarrier.test_wait.parity.shared.b64 %p2, [%r8], 1; E:", true},
		{"producer", "@!%p0 bra C; mbarrier.test_wait.parity.shared.b64 %p2, [%r8], 1; C:\n" + arm + waitFor("V", "%r8", "0"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			everySchedule(t, func(t *testing.T, cfg Config) {
				b := newBench(t, cfg, kernelText(1, bar("1")+c.body), ramp(16, func(int) uint32 { return 3 }))
				res := b.launch(dynamic(64), 0)
				if res.Err() != nil {
					t.Fatal(res.Err())
				}
				// Where the data came first, parity 1 is not over and the wait is a plain "no".
				if !c.warned && len(res.Findings) > 0 || cfg.Async == AsyncLate && c.warned && (len(res.Findings) != 1 || res.Findings[0].Severity != Warning || res.Findings[0].Class != MbarCount) {
					t.Errorf("findings %v", res.Findings)
				}
			})
		})
	}
}

// TestTryWaitMayFail: with random completion a try_wait gives up now and then although its phase would end, so a kernel
// that asks once and does not look at the answer reads what is not there.
func TestTryWaitMayFail(t *testing.T) {
	once := "mbarrier.try_wait.parity.shared.b64 %p9, [%r8], 0;\n"
	body := bar("1") + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 16; add.u32 %r9, %r8, 16; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 16, [%r8];\n" +
		once + "selp.u32 %r10, 1, 0, %p9; shl.b32 %r2, %r0, 2; cvt.u64.u32 %rd5, %r2; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r10;" + waitFor("V", "%r8", "0")
	yes, no := 0, 0
	for seed := range uint64(40) {
		b := newBench(t, Config{Async: AsyncRandom, Seed: seed}, kernelText(2, body), 64, 128)
		if res := b.launch(dynamic(32), 0); res.Err() != nil {
			t.Fatal(res.Err())
		}
		if b.u32(1)[0] == 1 {
			yes++
		} else {
			no++
		}
	}
	if yes == 0 || no == 0 {
		t.Errorf("%d times true, %d times false", yes, no)
	}
}

// TestSameSeedSameRun: a seed fixes the order of float additions that several blocks make, and so their bits.
func TestSameSeedSameRun(t *testing.T) {
	body := "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r0; cvt.rn.f32.u32 %f1, %r3; rcp.rn.f32 %f2, %f1; mov.u32 %r8, dyn; shl.b32 %r4, %r0, 2; add.u32 %r9, %r8, %r4; st.shared.f32 [%r9], %f2;\n" +
		"fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 %p0, %r0, 0; @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd0], [%r8], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
	run := func(mode AsyncMode, seed uint64) []uint32 {
		b := newBench(t, Config{Async: mode, Seed: seed, SMs: 1}, kernelText(1, body), ramp(64, func(int) uint32 { return 0 }))
		l := grid(8, 64)
		l.Dynamic = 256
		b.clean(l, 0)
		return b.u32(0)
	}
	differ := false
	for seed := range uint64(6) {
		for _, mode := range allModes {
			a, b := run(mode, seed+1), run(mode, seed+1)
			if !slices.Equal(a, b) {
				t.Fatalf("%v seed %d: two runs differ", mode, seed)
			}
			differ = differ || !slices.Equal(a, run(mode, 99))
		}
	}
	if !differ {
		t.Error("no seed gave another order: the test sees nothing")
	}
}
