package emulate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func ramp(n int, f func(i int) uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// faulty runs a body with two buffers of 4096 bytes, the first of them written, and demands the class of the first
// finding in the given modes.
func faulty(t *testing.T, l LaunchConfig, body string, class Class, modes []AsyncMode, parts ...string) {
	t.Helper()
	for _, mode := range modes {
		b := newBench(t, Config{Async: mode}, kernelText(2, body), ramp(1024, func(i int) uint32 { return uint32(i) }), 4096)
		res := b.launch(l, 0)
		if len(res.Findings) == 0 || res.Findings[0].Class != class {
			t.Fatalf("%v: want %s: %v", mode, class, res.Findings)
		}
		for _, p := range parts {
			if !strings.Contains(res.Findings[0].Message, p) {
				t.Errorf("%v: the message lacks %q: %s", mode, p, res.Findings[0].Message)
			}
		}
		if class == AsyncCopy || class == AsyncBulk {
			if f := res.Findings[0]; f.Line == 0 || f.Section == "" {
				t.Errorf("%v: %+v", mode, f)
			}
		}
	}
}

var (
	allModes = []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom}
	lateMode = []AsyncMode{AsyncLate}
)

// TestCpAsync: every size, zero fill, ignore-src, and groups in order (manual 9.7.9.25.3).
func TestCpAsync(t *testing.T) {
	text := kernelText(2, `
mov.u32 %r8, dyn; shl.b32 %r2, %r0, 4; add.u32 %r9, %r8, %r2; cvt.u64.u32 %rd5, %r2; add.u64 %rd6, %rd0, %rd5; and.b32 %r3, %r0, 15;
cp.async.cg.shared.global [%r9], [%rd6], 16, %r3; cp.async.commit_group;
cp.async.ca.shared::cta.global [%r9+1024], [%rd6], 8; cp.async.ca.shared.global [%r9+1032], [%rd6+8], 4, 3; setp.ge.u32 %p1, %r0, 20;
cp.async.ca.shared.global [%r9+1036], [%rd6+12], 4, %p1; cp.async.commit_group;
cp.async.wait_group 1; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r9]; add.u64 %rd7, %rd1, %rd5; st.global.v4.u32 [%rd7], {%r10, %r11, %r12, %r13};
cp.async.wait_group 0; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r9+1024]; st.global.v4.u32 [%rd7+512], {%r10, %r11, %r12, %r13};`)
	everySchedule(t, func(t *testing.T, c Config) {
		in := ramp(128, func(i int) uint32 { return uint32(i) * 0x01030507 })
		b := newBench(t, c, text, in, 1024)
		b.clean(dynamic(32), 0)
		got := b.u32(1)
		cut := func(v uint32, n int) uint32 { return v & uint32(1<<(8*max(0, min(n, 4)))-1) }
		for i, v := range in {
			lane, word := i/4, i%4
			if want := cut(v, lane%16-4*word); got[i] != want {
				t.Fatalf("16 bytes, lane %d word %d: %#x, want %#x", lane, word, got[i], want)
			}
			want := v
			if word == 2 {
				want = cut(v, 3)
			} else if word == 3 && lane >= 20 {
				want = 0
			}
			if got[128+i] != want {
				t.Fatalf("small copies, lane %d word %d: %#x, want %#x", lane, word, got[128+i], want)
			}
		}
	})
}

// TestCpAsyncArrive: an mbarrier counts the copies of 64 threads, with and without .noinc.
func TestCpAsyncArrive(t *testing.T) {
	for _, c := range []struct{ count, arrive string }{
		{"64", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];"},
		{"64", "cp.async.mbarrier.arrive.shared.b64 [%r8]; mbarrier.arrive.shared.b64 _, [%r8];"},
	} {
		text := kernelText(2, bar(c.count)+`shl.b32 %r2, %r0, 2; add.u32 %r9, %r8, %r2; cvt.u64.u32 %rd5, %r2; add.u64 %rd6, %rd0, %rd5;
cp.async.ca.shared.global [%r9+16], [%rd6], 4; `+c.arrive+waitFor("W", "%r8", "0")+
			`xor.b32 %r3, %r2, 252; add.u32 %r10, %r8, %r3; ld.shared.u32 %r4, [%r10+16]; add.u64 %rd7, %rd1, %rd5; st.global.u32 [%rd7], %r4;`)
		everySchedule(t, func(t *testing.T, cfg Config) {
			b := newBench(t, cfg, text, ramp(64, func(i int) uint32 { return uint32(7 * i) }), 256)
			b.clean(dynamic(64), 0)
			for i, got := range b.u32(1) {
				if got != uint32(7*(63-i)) {
					t.Fatalf("thread %d: %d", i, got)
				}
			}
		})
	}
}

func TestCpAsyncFaults(t *testing.T) {
	head := "mov.u32 %r8, dyn; shl.b32 %r2, %r0, 4; add.u32 %r9, %r8, %r2; cvt.u64.u32 %rd5, %r2; add.u64 %rd6, %rd0, %rd5;\n"
	cp := "cp.async.cg.shared.global [%r9], [%rd6], 16; "
	for _, c := range []struct {
		name, body string
		class      Class
		modes      []AsyncMode
		part       string
	}{
		{"read in flight", cp + "cp.async.commit_group; ld.shared.u32 %r3, [%r9]; cp.async.wait_all;", AsyncCopy, lateMode, "a read of shared address"},
		{"write in flight", cp + "st.shared.u32 [%r9], 1; cp.async.wait_all;", AsyncCopy, lateMode, "a write of shared address"},
		{"too few groups", cp + "cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r3, [%r9]; cp.async.wait_all;", AsyncCopy, lateMode, "in flight"},
		{"twice", cp + cp + "cp.async.wait_all;", AsyncCopy, lateMode, "still has to write"},
		{"never", cp + "cp.async.commit_group;", AsyncCopy, allModes, "never waited for"},
		{"misaligned", "cp.async.cg.shared.global [%r9+8], [%rd6], 16; cp.async.wait_all;", Misaligned, allModes, "cp.async to shared"},
		{"source", "cp.async.ca.shared.global [%r9], [%rd6+4096], 8; cp.async.wait_all;", OOBGlobal, allModes, "cp.async read of 8 bytes"},
		{"destination", "cp.async.ca.shared.global [%r9+8192], [%rd6], 8; cp.async.wait_all;", OOBShared, allModes, "cp.async write"},
		{"size", "mov.u32 %r4, 9; cp.async.ca.shared.global [%r9], [%rd6], 8, %r4; cp.async.wait_all;", BadOperand, allModes, "src-size 9"},
	} {
		t.Run(c.name, func(t *testing.T) { faulty(t, dynamic(32), head+c.body, c.class, c.modes, c.part) })
	}
	t.Run("no bytes from nowhere", func(t *testing.T) {
		b := newBench(t, Config{}, kernelText(2, head+"cp.async.cg.shared.global [%r9], [%rd6+65536], 16, 0; cp.async.wait_all; ld.shared.u32 %r3, [%r9]; st.global.u32 [%rd1], %r3;"), 16, 4)
		b.clean(dynamic(1), 0)
	})
}

const bulkLoad = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 256, [%r8];"

// TestBulkRoundTrip: global to shared by mbarrier, back by groups.
func TestBulkRoundTrip(t *testing.T) {
	text := kernelText(2, bar("1")+"add.u32 %r9, %r8, 128; @!%p0 bra WAIT; mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; "+bulkLoad+"\nWAIT:\n"+
		waitFor("W", "%r8", "0")+`shl.b32 %r2, %r0, 2; add.u32 %r3, %r9, %r2; ld.shared.u32 %r4, [%r3]; mul.lo.u32 %r4, %r4, 3; st.shared.u32 [%r3], %r4;
fence.proxy.async.shared::cta; bar.sync 0; @!%p0 bra DONE;
cp.async.bulk.prefetch.L2.global [%rd0], 256; cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r9], 240; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;
DONE:`)
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, ramp(64, func(i int) uint32 { return uint32(i * i) }), ramp(68, func(int) uint32 { return 77 }))
		b.clean(dynamic(64), 0)
		for i, got := range b.u32(1) {
			want := uint32(77)
			if i >= 4 && i < 64 {
				want = uint32(3 * (i - 4) * (i - 4))
			}
			if got != want {
				t.Fatalf("word %d: %d, want %d", i, got, want)
			}
		}
	})
}

// TestBulkReduce: every operation and type against its definition, into global memory.
func TestBulkReduce(t *testing.T) {
	f := func(v float32) uint32 { return math.Float32bits(v) }
	old := []uint32{7, 0x80000005, 0xffffffff, f(1.5)}
	val := []uint32{9, 0x00000006, 1, f(2.25)}
	word := func(g func(a, b uint32) uint32) []uint32 {
		out := make([]uint32, 4)
		for i := range out {
			out[i] = g(old[i], val[i])
		}
		return out
	}
	u64 := func(a, b []uint32) []uint32 {
		var out []uint32
		for i := 0; i < 4; i += 2 {
			s := (uint64(a[i]) | uint64(a[i+1])<<32) + (uint64(b[i]) | uint64(b[i+1])<<32)
			out = append(out, uint32(s), uint32(s>>32))
		}
		return out
	}
	for _, c := range []struct {
		op   string
		want []uint32
	}{
		{"add.u32", word(func(a, b uint32) uint32 { return a + b })},
		{"min.s32", word(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) })},
		{"max.u32", word(func(a, b uint32) uint32 { return max(a, b) })},
		{"inc.u32", word(func(a, b uint32) uint32 {
			if a >= b {
				return 0
			}
			return a + 1
		})},
		{"dec.u32", word(func(a, b uint32) uint32 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		})},
		{"and.b32", word(func(a, b uint32) uint32 { return a & b })},
		{"or.b32", word(func(a, b uint32) uint32 { return a | b })},
		{"xor.b64", word(func(a, b uint32) uint32 { return a ^ b })},
		{"add.u64", u64(old, val)},
	} {
		t.Run(c.op, func(t *testing.T) { reduceOnce(t, c.op, old, val, c.want) })
	}
	t.Run("add.f32", func(t *testing.T) {
		reduceOnce(t, "add.f32", []uint32{f(1.5), f(-2), 1, 0}, []uint32{f(2.25), f(2), 0, 0x80000001}, []uint32{f(3.75), 0, 1, 0x80000001})
	})
	t.Run("add.noftz.bf16", func(t *testing.T) {
		reduceOnce(t, "add.noftz.bf16", []uint32{0x3f803f80, 0x00010001, 0, 0}, []uint32{0x40003f80, 0x00010000, 0, 0}, []uint32{0x40404000, 0x00020001, 0, 0})
	})
	t.Run("max.f16", func(t *testing.T) {
		reduceOnce(t, "max.f16", []uint32{0x3c00bc00, 0, 0, 0}, []uint32{0x40003800, 0x80008000, 0, 0}, []uint32{0x40003800, 0, 0, 0})
	})
}

func reduceOnce(t *testing.T, op string, old, val, want []uint32) {
	t.Helper()
	text := kernelText(2, "mov.u32 %r8, dyn; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd0]; st.shared.v4.u32 [%r8], {%r2, %r3, %r4, %r5}; fence.proxy.async.shared::cta;"+
		"cp.reduce.async.bulk.global.shared::cta.bulk_group."+op+" [%rd1], [%r8], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")
	for _, mode := range allModes {
		b := newBench(t, Config{Async: mode}, text, val, old)
		b.clean(dynamic(1), 0)
		if got := b.u32(1); !slices.Equal(got, want) {
			t.Errorf("%v: %#x, want %#x", mode, got, want)
		}
	}
}

// TestBulkCluster: a multicast load, and a copy and a reduction from one block's shared memory to another's.
func TestBulkCluster(t *testing.T) {
	text := kernelText(2, `
mov.u32 %r2, %cluster_ctarank; mov.u32 %r8, dyn; add.u32 %r9, %r8, 128; setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r2, 0; and.pred %p2, %p0, %p1;
@%p0 mbarrier.init.shared.b64 [%r8], 1; @%p0 mbarrier.init.shared.b64 [%r8+8], 1; fence.mbarrier_init.release.cluster;
shl.b32 %r3, %r0, 2; add.u32 %r4, %r8, %r3; mad.lo.u32 %r5, %r2, 1000, %r0; st.shared.u32 [%r4+512], %r5; st.shared.u32 [%r4+1024], 5; fence.proxy.async.shared::cta;
`+clusterSync+`
@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; mov.u16 %h1, 13;
@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r9], [%rd0], 256, [%r8], %h1;
setp.eq.u32 %p3, %r2, 1; @%p3 bra SKIP;
`+waitFor("W", "%r8", "0")+`
SKIP: @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8+8], 512;
add.u32 %r10, %r2, 1; and.b32 %r10, %r10, 3; mapa.shared::cluster.u32 %r11, %r8, %r10; @!%p0 bra COPIED;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11+768], [%r8+512], 256, [%r11+8];
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r11+1024], [%r8+512], 256, [%r11+8];
COPIED: add.u32 %r12, %r8, 8;
`+waitFor("V", "%r12", "0")+`
mov.u32 %r13, 0; @!%p3 ld.shared.u32 %r13, [%r4+128]; ld.shared.u32 %r14, [%r4+768]; ld.shared.u32 %r15, [%r4+1024]; mov.u32 %r16, 0;
mad.lo.u32 %r17, %r2, 64, %r0; mul.wide.u32 %rd5, %r17, 16; add.u64 %rd6, %rd1, %rd5; st.global.v4.u32 [%rd6], {%r13, %r14, %r15, %r16};
@%p3 bra DRAIN; bra.uni OUT;
DRAIN: @%p0 mbarrier.complete_tx.relaxed.cta.shared.b64 [%r8], 256;
OUT:
`+clusterSync)
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, ramp(64, func(i int) uint32 { return uint32(i + 5) }), 4*64*16)
		b.clean(clusters(1, 4, 64), 0)
		got := b.u32(1)
		for i := range 256 {
			rank, thread := i/64, i%64
			from := uint32((rank+3)%4*1000 + thread)
			want := []uint32{uint32(thread + 5), from, from + 5}
			if rank == 1 {
				want[0] = 0
			}
			if !slices.Equal(got[4*i:4*i+3], want) {
				t.Fatalf("rank %d thread %d: %v, want %v", rank, thread, got[4*i:4*i+3], want)
			}
		}
	})
}

func TestBulkFaults(t *testing.T) {
	head := bar("1") + "add.u32 %r9, %r8, 128;\n"
	expect := "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; "
	load, wait := "@%p0 "+bulkLoad, waitFor("W", "%r8", "0")
	fill := "shl.b32 %r2, %r0, 3; add.u32 %r3, %r9, %r2; st.shared.v2.u32 [%r3], {1, 2}; fence.proxy.async.shared::cta; bar.sync 0;"
	store := "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9], 256; @%p0 cp.async.bulk.commit_group;"
	for _, c := range []struct {
		name, body string
		class      Class
		modes      []AsyncMode
		part       string
	}{
		{"read in flight", expect + load + "ld.shared.u32 %r3, [%r9]; " + wait, AsyncBulk, lateMode, "still has to write"},
		{"write in flight", expect + load + "st.shared.u32 [%r9], 1; " + wait, AsyncBulk, lateMode, "a write of"},
		{"never waited for", expect + load, AsyncBulk, allModes, "the block"},
		{"source overwritten", fill + store + "@%p0 st.shared.u32 [%r9], 3; @%p0 cp.async.bulk.wait_group 0;", AsyncBulk, lateMode, "may still read"},
		{"store never waited for", fill + store, AsyncBulk, allModes, "may still read the block's shared memory"},
		{"store not committed", fill + strings.Replace(store, "@%p0 cp.async.bulk.commit_group;", "@%p0 cp.async.bulk.wait_group 0;", 1), AsyncBulk, allModes, "may still read"},
		{"undefined source", store + "@%p0 cp.async.bulk.wait_group 0;", InitShared, allModes, "256 bytes of shared memory that nobody wrote"},
		{"destination read", fill + store + "@%p0 ld.global.u32 %r5, [%rd1]; @%p0 cp.async.bulk.wait_group 0;", AsyncBulk, lateMode, "a read of address"},
		{"too many bytes", strings.Replace(expect, "256", "240", 1) + load + wait, Deadlock, allModes, "got 16 bytes more"},
		{"too few bytes", strings.Replace(expect, "256", "272", 1) + load + wait, Deadlock, allModes, "and 16 bytes that line"},
		{"size", strings.Replace(expect+load, "256", "250", 2) + wait, Misaligned, allModes, "250 bytes"},
		{"address", expect + strings.Replace(load, "[%r9]", "[%r9+8]", 1) + wait, Misaligned, allModes, "no multiple of 16"},
		{"source outside", expect + strings.Replace(load, "[%rd0]", "[%rd0+3856]", 1) + wait, OOBGlobal, allModes, "of 256 bytes"},
		{"destination outside", expect + strings.Replace(load, "[%r9]", "[%r9+3840]", 1) + wait, OOBShared, allModes, "of 256 bytes"},
		{"over the barrier", expect + strings.Replace(load, "[%r9]", "[%r8]", 1) + wait, MbarInit, lateMode, "over an mbarrier"},
		{"no barrier", expect + strings.Replace(load, "[%r8]", "[%r8+8]", 1) + wait, MbarInit, allModes, "no mbarrier was initialised"},
		{"into unwritten", fill + strings.Replace(store, "cp.async.bulk.global.shared::cta.bulk_group", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", 1) + "@%p0 cp.async.bulk.wait_group 0;", InitGlobal, allModes, "memory that nobody wrote"},
	} {
		t.Run(c.name, func(t *testing.T) { faulty(t, dynamic(32), head+c.body, c.class, c.modes, c.part) })
	}
}

// TestBulkReadWaits: a loop of stores that waits only for its sources stays right and keeps few of them.
func TestBulkReadWaits(t *testing.T) {
	body := `mov.u32 %r8, dyn; mov.u32 %r2, 0; shl.b32 %r3, %r0, 2; add.u32 %r9, %r8, %r3; mov.u64 %rd5, %rd0; setp.eq.u32 %p0, %r0, 0;
L: st.shared.u32 [%r9], %r2; fence.proxy.async.shared::cta; bar.sync 0; @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r8], 128; cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0; bar.sync 0; add.u64 %rd5, %rd5, 128; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra L;`
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, kernelText(1, body), 200*128)
		b.clean(dynamic(32), 0)
		for i, got := range b.u32(0) {
			if got != uint32(i/32) {
				t.Fatalf("word %d: %d", i, got)
			}
		}
	})
	w := &warp{}
	q := groupQueue{}
	r := &worker{async: AsyncLate}
	for range 100 {
		op := &asyncOp{warp: w, lanes: 1, stage: asyncTaken, readDone: true}
		w.cta = &cta{}
		q.add(op)
		q.commit(fullMask)
		q.trim(r)
	}
	if len(q.groups) != readGroups {
		t.Errorf("%d groups are kept", len(q.groups))
	}
}

// TestRemoteAsync: st.async and red.async store into the next block and count at its mbarrier.
func TestRemoteAsync(t *testing.T) {
	text := kernelText(1, `
mov.u32 %r2, %cluster_ctarank; mov.u32 %r8, dyn; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r8], 1; st.shared.u32 [%r8+8], 100; st.shared.u32 [%r8+12], 0xff;
fence.mbarrier_init.release.cluster;
`+clusterSync+fmt.Sprintf(`
@%%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%%r8], %d;`, 32*(16+8+4))+`
xor.b32 %r3, %r2, 1; mapa.shared::cluster.u32 %r9, %r8, %r3; shl.b32 %r4, %r0, 4; add.u32 %r10, %r9, %r4; mad.lo.u32 %r5, %r2, 100, %r0; cvt.u64.u32 %rd5, %r5; add.u64 %rd5, %rd5, 0x100000000;
st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r10+128], {%r5, %r2, %r0, 9}, [%r9];
shl.b32 %r6, %r0, 3; add.u32 %r11, %r9, %r6; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r11+1024], %rd5, [%r9];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9+8], %r0, [%r9];
`+waitFor("W", "%r8", "0")+`
add.u32 %r12, %r8, %r4; ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12+128]; add.u32 %r13, %r8, %r6; ld.shared.v2.u32 {%r24, %r25}, [%r13+1024]; ld.shared.u32 %r26, [%r8+8]; mov.u32 %r27, 0;
mad.lo.u32 %r14, %r2, 32, %r0; mul.wide.u32 %rd6, %r14, 32; add.u64 %rd7, %rd0, %rd6; st.global.v4.u32 [%rd7], {%r20, %r21, %r22, %r23}; st.global.v4.u32 [%rd7+16], {%r24, %r25, %r26, %r27};
`+clusterSync)
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, 2*32*32)
		b.clean(clusters(1, 2, 32), 0)
		got := b.u32(0)
		for i := range 64 {
			rank, lane := uint32(i/32), uint32(i%32)
			peer := rank ^ 1
			want := []uint32{peer*100 + lane, peer, lane, 9, peer*100 + lane, 1, 100 + 31*32/2, 0}
			if !slices.Equal(got[8*i:8*i+8], want) {
				t.Fatalf("rank %d lane %d: %v, want %v", rank, lane, got[8*i:8*i+8], want)
			}
		}
	})
}
