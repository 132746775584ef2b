package emulate

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// tileText multiplies two pairs of tiles of a 64x8x16 bf16 product, each in a group of its own, then adds one to every
// element and stores: 128 threads, the operands of both steps in shared memory without swizzle.
const tileText = `
mov.u32 %r2, dyn; shl.b32 %r3, %r0, 5; add.u32 %r4, %r2, %r3; mul.wide.u32 %rd5, %r0, 32; add.u64 %rd6, %rd1, %rd5;
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6]; st.shared.v4.b32 [%r4], {%r10, %r11, %r12, %r13};
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6+16]; st.shared.v4.b32 [%r4+16], {%r10, %r11, %r12, %r13};
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6+4096]; st.shared.v4.b32 [%r4+4096], {%r10, %r11, %r12, %r13};
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6+4112]; st.shared.v4.b32 [%r4+4112], {%r10, %r11, %r12, %r13};
fence.proxy.async.shared::cta; bar.sync 0;
shr.u32 %r5, %r2, 4; cvt.u64.u32 %rd7, %r5; or.b64 %rd7, %rd7, 0x0000000800400000;
add.u64 %rd8, %rd7, 128; add.u64 %rd9, %rd7, 160; add.u64 %rd10, %rd7, 288;
and.b64 %rd8, %rd8, 0x3fff; or.b64 %rd8, %rd8, 0x0000000800080000; and.b64 %rd10, %rd10, 0x3fff; or.b64 %rd10, %rd10, 0x0000000800080000;
mov.f32 %f0, 0f3f800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; setp.eq.u32 %p1, %r2, %r2;
wgmma.fence.sync.aligned; //fence
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd7, %rd8, %p1, 1, 1, 0, 0; //first
wgmma.commit_group.sync.aligned; //commit1
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd9, %rd10, %p1, 1, 1, 0, 0; //second
wgmma.commit_group.sync.aligned; //commit2
wgmma.wait_group.sync.aligned 1; //wait1
wgmma.wait_group.sync.aligned 0; //wait0
add.rn.f32 %f0, %f0, 0f3f800000; //read
add.rn.f32 %f1, %f1, 0f3f800000; add.rn.f32 %f2, %f2, 0f3f800000; add.rn.f32 %f3, %f3, 0f3f800000;
bar.sync 0;
st.shared.b32 [%r4], %r0; //refill
mul.wide.u32 %rd11, %r0, 16; add.u64 %rd12, %rd0, %rd11; st.global.v4.f32 [%rd12], {%f0, %f1, %f2, %f3};
`

// tileBench makes the device of a tile kernel: all factors are ones.
func tileBench(t testing.TB, cfg Config, body string) *bench {
	in := make([]byte, 8192)
	for i := range len(in) / 2 {
		binary.LittleEndian.PutUint16(in[2*i:], 0x3f80)
	}
	return newBench(t, cfg, kernelText(2, body), 128*16, in)
}

func tileLaunch() LaunchConfig {
	return LaunchConfig{Block: [3]uint32{128, 1, 1}, Dynamic: 8192}
}

// TestWgmmaGroups: two chained products of ones give 1 + 16 + 16 + 1, in every mode and order.
func TestWgmmaGroups(t *testing.T) {
	for _, mode := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
		for seed := range uint64(5) {
			b := tileBench(t, Config{Async: mode, Seed: seed}, tileText)
			b.clean(tileLaunch(), 0)
			for i, v := range b.u32(0) {
				if math.Float32frombits(v) != 34 {
					t.Fatalf("%v seed %d: element %d is %g, want 34", mode, seed, i, math.Float32frombits(v))
				}
			}
		}
	}
}

// TestWgmmaFindings plants one mistake in the kernel and demands its class, in every mode; where a wait is missing,
// completion as late as possible gives wrong numbers without any checker.
func TestWgmmaFindings(t *testing.T) {
	line := func(name string) string {
		for _, l := range strings.Split(tileText, "\n") {
			if strings.HasSuffix(l, "//"+name) {
				return l + "\n"
			}
		}
		t.Fatalf("no line %q", name)
		return ""
	}
	drop := func(name string) [2]string { return [2]string{line(name), ""} }
	for _, c := range []struct {
		name  string
		edits [][2]string
		class Class
		want  string
		wrong bool // late completion gives wrong numbers
	}{
		{"no fence", [][2]string{drop("fence")}, WgmmaFence, "before the first", false},
		{"fence too early", [][2]string{drop("fence"), {"mov.f32 %f0, 0f3f800000;", "wgmma.fence.sync.aligned; mov.f32 %f0, 0f3f800000;"}}, WgmmaFence, "no wgmma.fence lies between", false},
		{"no wait", [][2]string{drop("wait0"), drop("wait1")}, WgmmaWait, "no wgmma.wait_group 0 or lower", true},
		{"waits for fewer groups", [][2]string{drop("wait0")}, WgmmaWait, "no wgmma.wait_group 0 or lower", true},
		{"no commit", [][2]string{drop("commit2")}, WgmmaWait, "no wgmma.commit_group", true},
		{"no commit at all", [][2]string{drop("commit1"), drop("commit2")}, WgmmaWait, "no wgmma.commit_group", true},
		{"read before the wait", [][2]string{drop("wait0"), {"bar.sync 0;\nst.shared", line("wait0") + "bar.sync 0;\nst.shared"}}, WgmmaWait, "is touched while", true},
		{"written in flight", [][2]string{{"//second", "//second\nmov.f32 %f2, 0f00000000;"}}, WgmmaWait, "is touched while", false},
		{"shared memory refilled in flight", [][2]string{drop("refill"), {line("wait0"), "st.shared.b32 [%r4+2560], %r0;\n" + line("wait0")}}, WgmmaReuse, "may still read", true},
		{"another shape in flight", [][2]string{{"//commit1", "//commit1\nwgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd7, %rd7, 0, 1, 1, 0, 0;"}}, WgmmaReuse, "as something else", false},
		{"accumulator as A in flight", [][2]string{{"{%f0, %f1, %f2, %f3}, %rd9, %rd10, %p1, 1, 1, 0, 0;", "{%f4, %f5, %f6, %f7}, {%r20, %r21, %r22, %r23}, %rd10, 0, 1, 1, 0;"},
			{line("first"), "mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 0; mov.b32 %r23, 0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r20, %r21, %r22, %r23}, %rd7, %rd8, 0, 1, 1, 0, 0;\n"}}, WgmmaReuse, "a fragment of A here", false},
		{"descriptor past shared memory", [][2]string{{"%rd9, %rd7, 160;", "%rd9, %rd7, 960;"}}, OOBShared, "through its descriptor", false},
		{"swizzle not aligned", [][2]string{{"//first", "//first\nadd.u64 %rd13, %rd7, 8; or.b64 %rd13, %rd13, 0x4000000000000000; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f4, %f5, %f6, %f7}, %rd13, %rd8, 0, 1, 1, 0, 0;"}}, Misaligned, "begins at a multiple of 1024", false},
		{"descriptors differ in a warp", [][2]string{{"//fence", "//fence\ncvt.u64.u32 %rd14, %r0; add.u64 %rd7, %rd7, %rd14;"}}, BadOperand, "the descriptor is", false},
		{"descriptors differ between warps", [][2]string{{"//fence", "//fence\nshr.u32 %r14, %r0, 5; cvt.u64.u32 %rd14, %r14; add.u64 %rd7, %rd7, %rd14;"}}, BadOperand, "another warp of its warpgroup", false},
		{"scale differs between warps", [][2]string{{"setp.eq.u32 %p1, %r2, %r2;", "setp.lt.u32 %p1, %r0, 32;"}}, BadOperand, "scale-d differs", false},
		{"scale differs in a warp", [][2]string{{"setp.eq.u32 %p1, %r2, %r2;", "setp.lt.u32 %p1, %r0, 16;"}}, BadOperand, "scale-d is true in lanes", false},
		{"one warp stays away", [][2]string{{line("second"), "setp.lt.u32 %p2, %r0, 96; @!%p2 bra SKIP;\n" + line("second") + "SKIP:\n"}}, Deadlock, "wgmma instructions that warps of its warpgroup", false},
		{"warps at different instructions", [][2]string{{line("second"), "setp.lt.u32 %p2, %r0, 96; @!%p2 bra OTHER;\n" + line("second") + "bra JOIN;\nOTHER:\n" + line("second") + "JOIN:\n"}}, SyncDiverged, "must execute the same wgmma", false},
		{"half a warp", [][2]string{{line("second"), "and.b32 %r15, %r0, 31; setp.lt.u32 %p2, %r15, 16; @%p2 exit;\n" + line("second")}}, SyncDiverged, "needs all 32 threads", false},
		{"accumulator without a value", [][2]string{{"mov.f32 %f1, %f0;", ""}}, InitRegister, "%f1", false},
		{"factor without a value", [][2]string{{"st.shared.v4.b32 [%r4+4112], {%r10, %r11, %r12, %r13};", ""}}, InitShared, "memory that nobody wrote", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := tileText
			for _, e := range c.edits {
				if !strings.Contains(body, e[0]) {
					t.Fatalf("no %q in the kernel", e[0])
				}
				body = strings.Replace(body, e[0], e[1], 1)
			}
			for _, mode := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
				if c.name == "shared memory refilled in flight" && mode != AsyncLate {
					continue // where the operands were read already nothing is wrong
				}
				res := tileBench(t, Config{Async: mode}, body).launch(tileLaunch(), 0)
				ok := slices.ContainsFunc(res.Findings, func(f Finding) bool {
					return f.Class == c.class && strings.Contains(f.Message, c.want) && f.Line > 0 && len(f.Threads) > 0 &&
						(f.Section != "" || !strings.HasPrefix(string(f.Class), "wgmma"))
				})
				if !ok {
					t.Errorf("%v: findings %v, want class %s with %q", mode, res.Findings, c.class, c.want)
				}
			}
			if !c.wrong {
				return
			}
			b := tileBench(t, Config{Off: AllChecks}, body)
			b.clean(tileLaunch(), 0)
			if !slices.ContainsFunc(b.u32(0), func(v uint32) bool { return math.Float32frombits(v) != 34 }) {
				t.Error("late completion gives the right numbers all the same")
			}
		})
	}
}

// TestWgmmaSmallBlock: a block without four warps has no warpgroup.
func TestWgmmaSmallBlock(t *testing.T) {
	l := tileLaunch()
	l.Block[0] = 96
	res := tileBench(t, Config{}, tileText).launch(l, 0)
	if len(res.Findings) == 0 || res.Findings[0].Class != SyncDiverged || !strings.Contains(res.Findings[0].Message, "warpgroup") {
		t.Errorf("findings %v", res.Findings)
	}
}

// TestWgmmaLeft: a warp may not end with a wgmma in flight.
func TestWgmmaLeft(t *testing.T) {
	body, _, _ := strings.Cut(tileText, "wgmma.wait_group")
	res := tileBench(t, Config{}, body).launch(tileLaunch(), 0)
	if len(res.Findings) != 1 || res.Findings[0].Class != WgmmaWait || !strings.Contains(res.Findings[0].Message, "ends with 2 wgmma in flight") {
		t.Errorf("findings %v", res.Findings)
	}
	tileBench(t, Config{Off: Wgmmacheck}, body).clean(tileLaunch(), 0)
}

// TestLdmatrix moves index patterns through shared memory and compares with the layout of the manual's figures.
func TestLdmatrix(t *testing.T) {
	for _, num := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			regs := "{" + strings.Join([]string{"%r10", "%r11", "%r12", "%r13"}[:num], ", ") + "}"
			body := fmt.Sprintf(`mov.u32 %%r2, dyn; shl.b32 %%r3, %%r0, 4; add.u32 %%r4, %%r2, %%r3; shl.b32 %%r5, %%r0, 3;
				add.u32 %%r6, %%r5, 1; shl.b32 %%r6, %%r6, 16; or.b32 %%r6, %%r6, %%r5;
				add.u32 %%r7, %%r6, 0x20002; add.u32 %%r8, %%r7, 0x20002; add.u32 %%r9, %%r8, 0x20002; st.shared.v4.b32 [%%r4], {%%r6, %%r7, %%r8, %%r9};
				bar.warp.sync -1; mov.b32 %%r11, 0; mov.b32 %%r12, 0; mov.b32 %%r13, 0;
				ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%r4];
				mul.wide.u32 %%rd5, %%r0, 16; add.u64 %%rd6, %%rd0, %%rd5; st.global.v4.b32 [%%rd6], {%%r10, %%r11, %%r12, %%r13};
				bar.warp.sync -1; add.u32 %%r4, %%r4, 512; stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r4], %s; bar.warp.sync -1;
				setp.lt.u32 %%p1, %%r0, %d; @%%p1 ld.shared.v4.b32 {%%r6, %%r7, %%r8, %%r9}, [%%r4];
				add.u64 %%rd6, %%rd1, %%rd5; st.global.v4.b32 [%%rd6], {%%r6, %%r7, %%r8, %%r9};`, num, trans, regs, num, trans, regs, 8*num)
			b := newBench(t, Config{}, kernelText(2, body), 512, 512)
			b.clean(LaunchConfig{Block: [3]uint32{32, 1, 1}, Dynamic: 1024}, 0)
			got, back := b.u32(0), b.u32(1)
			for lane := range 32 {
				for i := range num {
					row, col := 8*i+lane/4, lane%4*2
					lo, hi := 8*row+col, 8*row+col+1
					if trans != "" {
						lo, hi = 8*(8*i+col)+lane/4, 8*(8*i+col+1)+lane/4
					}
					if want := uint32(lo | hi<<16); got[4*lane+i] != want {
						t.Fatalf("x%d%s: register %d of lane %d is %#x, want %#x", num, trans, i, lane, got[4*lane+i], want)
					}
				}
				for i := range 4 { // stmatrix put back what ldmatrix took
					if want := uint32(8*lane + 2*i | (8*lane+2*i+1)<<16); back[4*lane+i] != want {
						t.Fatalf("x%d%s: word %d of row %d came back as %#x, want %#x", num, trans, i, lane, back[4*lane+i], want)
					}
				}
			}
		}
	}
}

func TestMovmatrix(t *testing.T) {
	b := newBench(t, Config{}, kernelText(1, `shl.b32 %r2, %r0, 1; add.u32 %r3, %r2, 1; shl.b32 %r3, %r3, 16; or.b32 %r2, %r2, %r3;
		movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r2; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.b32 [%rd6], %r4;`), 128)
	b.clean(block(32), 0)
	for lane, v := range b.u32(0) {
		row, col := lane/4, lane%4*2 // of the transposed matrix: element (row, col) was (col, row)
		if want := uint32(8*col + row | (8*(col+1)+row)<<16); v != want {
			t.Fatalf("lane %d: %#x, want %#x", lane, v, want)
		}
	}
}

func TestMatrixMoveFindings(t *testing.T) {
	for _, c := range []struct {
		name, body string
		class      Class
		want       string
	}{
		{"row not aligned", `mov.u32 %r2, dyn; add.u32 %r2, %r2, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];`, Misaligned, "multiple of 16"},
		{"row past the end", `mov.u32 %r2, dyn; shl.b32 %r3, %r0, 4; add.u32 %r2, %r2, %r3; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];`, OOBShared, "matrix row"},
		{"memory that nobody wrote", `mov.u32 %r2, dyn; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2]; st.global.b32 [%rd0], %r3;`, InitShared, "nobody wrote"},
		{"lanes have exited", `setp.lt.u32 %p1, %r0, 8; @%p1 exit; mov.u32 %r2, dyn; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];`, SyncDiverged, "all 32 threads"},
		{"product of an unwritten register", `mov.b32 %r2, 0; mov.f32 %f0, 0f00000000; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r2, %r9}, {%r2}, {%f0, %f0, %f0, %f0};
			st.global.f32 [%rd0], %f0; st.global.f32 [%rd0+4], %f2;`, InitRegister, "%f2"},
	} {
		res := newBench(t, Config{}, kernelText(1, c.body), 512).launch(LaunchConfig{Block: [3]uint32{32, 1, 1}, Dynamic: 256}, 0)
		if len(res.Findings) != 1 || res.Findings[0].Class != c.class || !strings.Contains(res.Findings[0].Message, c.want) {
			t.Errorf("%s: findings %v, want one of class %s with %q", c.name, res.Findings, c.class, c.want)
		}
	}
}
