package emulate

import (
	"slices"
	"strings"
	"testing"
)

// stream runs launches of one kernel on buffers of n words, the first of which counts up.
func stream(t *testing.T, c Config, texts []string, words int, dependent bool) (*bench, []*Result) {
	t.Helper()
	b := newBench(t, c, texts[0], ramp(words, func(i int) uint32 { return uint32(i) }), ramp(words, func(int) uint32 { return 0 }), ramp(words, func(int) uint32 { return 0 }))
	var list []StreamLaunch
	for i, text := range texts {
		l := StreamLaunch{Kernel: load(t, text).Kernel("k"), Config: grid(uint32(words/64), 64), Params: b.params(0)}
		l.Config.Dependent = dependent && i > 0
		list = append(list, l)
	}
	res, err := b.dev.LaunchAll(list)
	if err != nil || len(res) != len(texts) {
		t.Fatalf("%d results: %v", len(res), err)
	}
	return b, res
}

const (
	gridIndex = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r0; mul.wide.u32 %rd5, %r3, 4; add.u64 %rd6, %rd0, %rd5; add.u64 %rd7, %rd1, %rd5; add.u64 %rd8, %rd2, %rd5; xor.b32 %r9, %r3, 511; mul.wide.u32 %rd9, %r9, 4; add.u64 %rd10, %rd1, %rd9;\n"
	gridFirst = gridIndex + "griddepcontrol.launch_dependents; ld.global.u32 %r4, [%rd6]; mul.lo.u32 %r4, %r4, 3; st.global.u32 [%rd7], %r4;"
	// reads what another block of the first grid writes
	gridSecond = gridIndex + "griddepcontrol.wait; ld.global.u32 %r4, [%rd10]; add.u32 %r4, %r4, 1; st.global.u32 [%rd8], %r4;"
)

// TestDependentLaunch: a grid that starts early sees the data of the one before after its wait.
func TestDependentLaunch(t *testing.T) {
	const words = 512
	third := strings.NewReplacer("[%rd10]", "[%rd8]", "[%rd8], %r4", "[%rd7], %r4").Replace(gridSecond)
	everySchedule(t, func(t *testing.T, c Config) {
		b, res := stream(t, c, []string{kernelText(3, gridFirst), kernelText(3, "griddepcontrol.launch_dependents;"+gridSecond), kernelText(3, third)}, words, true)
		for _, r := range res {
			if len(r.Findings) > 0 {
				t.Fatalf("findings %v", r.Findings)
			}
		}
		want := ramp(words, func(i int) uint32 { return uint32(3*(words-1-i) + 1) })
		if got := b.u32(2); !slices.Equal(got, want) {
			t.Fatalf("second grid: %v", got)
		}
		want = ramp(words, func(i int) uint32 { return uint32(3*(words-1-i) + 2) })
		if got := b.u32(1); !slices.Equal(got, want) {
			t.Fatalf("third grid: %v", got)
		}
	})
}

// TestDependentFaults: what a dependent grid does before its wait is reported in every mode, also where it runs late.
func TestDependentFaults(t *testing.T) {
	noWait := strings.Replace(gridSecond, "griddepcontrol.wait;", "", 1)
	for _, c := range []struct{ name, second, part string }{
		{"reads early", noWait, "a read of"},
		{"waits too late", strings.Replace(gridSecond, "griddepcontrol.wait; ld.global.u32 %r4, [%rd10];", "ld.global.u32 %r4, [%rd10]; griddepcontrol.wait;", 1), "meets a"},
		{"writes early", gridIndex + "st.global.u32 [%rd6], 7; griddepcontrol.wait;", "write"},
		{"copies early", gridIndex + "mov.u32 %r8, dyn; cp.async.ca.shared.global [%r8], [%rd10], 4; cp.async.wait_all; griddepcontrol.wait;", "meets a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range allModes {
				b := newBench(t, Config{Async: mode}, kernelText(3, gridFirst), ramp(512, func(i int) uint32 { return uint32(i) }), 2048, 2048)
				second := StreamLaunch{Kernel: load(t, kernelText(3, c.second)).Kernel("k"), Config: grid(8, 64), Params: b.params(0)}
				second.Config.Dependent, second.Config.Dynamic = true, 64
				res, err := b.dev.LaunchAll([]StreamLaunch{{b.k, grid(8, 64), b.params(0)}, second})
				if err != nil {
					t.Fatal(err)
				}
				all := append(res[0].Findings, res[1].Findings...)
				i := slices.IndexFunc(all, func(f Finding) bool { return f.Class == RaceGlobal })
				if i < 0 || !strings.Contains(all[i].Message, c.part) || len(all[i].Accesses) != 2 || all[i].Accesses[1].Line == 0 {
					t.Errorf("%v: %v", mode, all)
				}
			}
		})
	}
	t.Run("not dependent", func(t *testing.T) {
		_, res := stream(t, Config{}, []string{kernelText(3, gridFirst), kernelText(3, noWait)}, 512, false)
		if len(res[1].Findings) > 0 {
			t.Errorf("findings %v", res[1].Findings)
		}
	})
}

// TestGridPairBytes: conflicts are judged by the byte.
func TestGridPairBytes(t *testing.T) {
	p := &gridPair{pages: map[uint64]*pairPage{}}
	p.note(4094, 7, pairLeaderWrite, 5) // bytes 4094 to 4100, over the end of a page
	p.note(5000, 1, pairLeaderRead, 6)
	for _, c := range []struct {
		addr, n uint64
		kind    int
		line    int
	}{
		{4093, 1, pairFollowerRead, 0}, {4094, 1, pairFollowerRead, 5}, {4100, 4, pairFollowerRead, 5}, {4101, 4, pairFollowerRead, 0},
		{4090, 16, pairFollowerWrite, 5}, {5000, 1, pairFollowerRead, 0}, {5000, 1, pairFollowerWrite, 6}, {5001, 3, pairFollowerWrite, 0},
		{4101, 1, pairLeaderWrite, 9}, {4108, 1, pairLeaderWrite, 0},
	} {
		if got, _ := p.note(c.addr, c.n, c.kind, 9); got != c.line {
			t.Errorf("%d bytes at %d, kind %d: line %d, want %d", c.n, c.addr, c.kind, got, c.line)
		}
	}
}

// TestEarlyGridOverlaps: with early completion a dependent grid really starts before the end of the one before.
func TestEarlyGridOverlaps(t *testing.T) {
	// The first grid waits for a word that only the second one writes.
	first := "griddepcontrol.launch_dependents; W: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra W;"
	second := "st.volatile.global.u32 [%rd1], 1; griddepcontrol.wait;"
	for _, c := range []struct {
		mode AsyncMode
		runs bool
	}{{AsyncEarly, true}, {AsyncLate, false}} {
		_, res := stream(t, Config{Async: c.mode}, []string{kernelText(3, first), kernelText(3, second)}, 64, true)
		hung := slices.ContainsFunc(res[0].Findings, func(f Finding) bool { return f.Class == Hang })
		if hung == c.runs {
			t.Errorf("%v: %v", c.mode, res[0].Findings)
		}
	}
}

// TestDeadlockBesideGrid: a deadlock is found although the next grid is there, waiting.
func TestDeadlockBesideGrid(t *testing.T) {
	first := "griddepcontrol.launch_dependents; setp.lt.u32 %p0, %r0, 32; @%p0 bra E; bar.sync 1, 64; E:"
	for _, mode := range allModes {
		_, res := stream(t, Config{Async: mode, MaxSteps: 1 << 20}, []string{kernelText(3, first), kernelText(3, gridSecond)}, 64, true)
		if len(res[0].Findings) == 0 || res[0].Findings[0].Class != Deadlock {
			t.Errorf("%v: %v", mode, res[0].Findings)
		}
	}
}

// TestTensorMapReplace: a map in shared memory gets another tensor, goes to global memory and is used there.
func TestTensorMapReplace(t *testing.T) {
	c := &tmaCase{m: plainMap(), smem: 896}
	copyMap := ""
	for i := range 16 {
		copyMap += "ld.param.u64 %rd5, [map+" + itoa(8*i) + "]; st.shared.u64 [%r8+" + itoa(8192+8*i) + "], %rd5;\n"
	}
	// The buffer is the second tensor: 8 rows of 64 words; its map goes behind it.
	body := copyMap + `add.u32 %r20, %r8, 8192; add.u64 %rd6, %rd0, 8192; bar.warp.sync -1;
tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r20], %rd0; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20], 1, 8;
tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r20], 0, 512; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20], 1, 4;
tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r20], 0; tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20], 2;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [%r20], 128;
fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
` + tmaInit + strings.NewReplacer("%r1;", "512;", "%rd1", "%rd6").Replace(tmaLoad) + `
shl.b32 %r4, %r0, 2; add.u32 %r5, %r9, %r4; ld.shared.u32 %r6, [%r5+128]; cvt.u64.u32 %rd7, %r4; add.u64 %rd8, %rd0, %rd7; st.global.u32 [%rd8+12288], %r6;
`
	buffer := make([]byte, tmaShared)
	for i := range 1024 {
		buffer[4*i], buffer[4*i+1] = byte(i), byte(i>>8)
	}
	c.start[0], c.start[1] = 4, 2
	res, _, got := c.run(t, Config{}, tmaKernel(2, body), make([]byte, 16*256), buffer)
	if len(res.Findings) > 0 {
		t.Fatal(res.Findings)
	}
	for i := range 32 { // the second row of the box: row 3 of the tensor
		if want := 3*128 + 4 + i; int(got[12288+4*i])+int(got[12288+4*i+1])<<8 != want {
			t.Errorf("word %d: %v, want %d", i, got[12288+4*i:12288+4*i+4], want)
		}
	}
	bad := strings.Replace(body, "swizzle_mode.shared::cta.b1024.b32 [%r20], 0", "swizzle_mode.shared::cta.b1024.b32 [%r20], 4", 1)
	if res, _, _ = c.run(t, Config{}, tmaKernel(2, bad), make([]byte, 16*256), buffer); len(res.Findings) == 0 || res.Findings[0].Class != LaunchMap {
		t.Errorf("a swizzle of 4: %v", res.Findings)
	}
}

// TestDiscard: discarded bytes have no value.
func TestDiscard(t *testing.T) {
	for _, c := range []struct {
		body  string
		class Class
	}{
		{"discard.global.L2 [%rd0], 128; ld.global.u32 %r2, [%rd0+64]; st.global.u32 [%rd1], %r2;", InitGlobal},
		{"discard.global.L2 [%rd0], 128; ld.global.u32 %r2, [%rd0+128]; st.global.u32 [%rd1], %r2;", ""},
		{"discard.L2 [%rd0+64], 128;", Misaligned},
	} {
		res := newBench(t, Config{}, kernelText(2, c.body), ramp(64, func(i int) uint32 { return 1 }), 4).launch(block(1), 0)
		if c.class == "" && len(res.Findings) > 0 || c.class != "" && (len(res.Findings) != 1 || res.Findings[0].Class != c.class) {
			t.Errorf("%s: %v", c.body, res.Findings)
		}
	}
}
