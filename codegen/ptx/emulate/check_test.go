package emulate

import (
	"strings"
	"testing"
)

// TestFindings plants one mistake a kernel and demands exactly the class, the line of the mistake, and a message that
// names what matters. The mistake is on the line that holds "//!".
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		body  string
		l     LaunchConfig
		class Class
		want  string
	}{
		{"past the end", `mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5;
			st.global.u32 [%rd6], %r0; //!`, block(65), OOBGlobal, `0 bytes past the end of "buf0"`},
		{"before the start", `ld.global.u32 %r2, [%rd0+-4]; //!
			st.global.u32 [%rd0], %r2;`, block(1), OOBGlobal, `4 bytes before "buf0"`},
		{"straddles the end", `ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1]; //!
			st.global.u32 [%rd0], %r2;`, block(1), OOBGlobal, `of "buf1", which has 8 bytes`},
		{"null", `mov.u64 %rd5, 0;
			ld.global.u32 %r2, [%rd5+16]; //!
			st.global.u32 [%rd0], %r2;`, block(1), OOBGlobal, "null pointer"},
		{"generic null", `mov.u64 %rd5, 0;
			ld.u32 %r2, [%rd5+16]; //!
			st.global.u32 [%rd0], %r2;`, block(1), OOBGlobal, "null pointer"},
		{"truncated pointer", `cvt.u32.u64 %r2, %rd0; cvt.u64.u32 %rd5, %r2; add.u64 %rd5, %rd5, 65536;
			st.global.u32 [%rd5], %r0; //!`, block(1), OOBGlobal, "upper half of the address is zero"},
		{"misaligned", `ld.global.v2.u32 {%r2,%r3}, [%rd0+4]; //!
			st.global.u32 [%rd0], %r2;`, block(1), Misaligned, "no multiple of 8"},
		{"shared past the end", `mov.u32 %r2, dyn; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;
			st.shared.u32 [%r2], %r0; //!`, LaunchConfig{Block: [3]uint32{32, 1, 1}, Dynamic: 124}, OOBShared, "the block has 124 bytes"},
		{"shared misaligned", `mov.u32 %r2, dyn;
			st.shared.u16 [%r2+1], %h0; //!`, LaunchConfig{Dynamic: 64}, Misaligned, "no multiple of 2"},
		{"local past the end", `.local .b32 a[4]; mov.u64 %rd5, a; mul.wide.u32 %rd6, %r0, 4; add.u64 %rd5, %rd5, %rd6;
			st.local.u32 [%rd5], %r0; //!`, block(5), OOBLocal, "local offset 16"},
		{"store to a parameter", `mov.b64 %rd5, p0; cvta.param.u64 %rd5, %rd5;
			st.u32 [%rd5], %r0; //!`, block(1), ReadOnly, "parameters"},
		{"register stored", `st.global.u32 [%rd0], %r9; //!`, block(1), InitRegister, "register %r9 is stored"},
		{"register by value flow", `add.u32 %r2, %r9, 1; mov.u32 %r3, %r2;
			st.global.u32 [%rd0], %r3; //!`, block(1), InitRegister, "register %r3 is stored"},
		{"register in an address", `add.u64 %rd5, %rd0, %rd9;
			ld.global.u32 %r2, [%rd5]; //!
			st.global.u32 [%rd0], %r2;`, block(1), InitRegister, "%rd5 is an address"},
		{"register decides a branch", `setp.eq.u32 %p1, %r9, 0;
			@%p1 bra OUT; //!
			st.global.u32 [%rd0], %r0; OUT:`, block(1), InitRegister, "%p1 decides"},
		{"register decides a store", `setp.eq.u32 %p1, %r9, 0;
			@%p1 st.global.u32 [%rd0], %r0; //!`, block(1), InitRegister, "%p1 decides"},
		{"written on one path", `setp.lt.u32 %p1, %r0, 16; @%p1 mov.u32 %r2, 5; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5;
			st.global.u32 [%rd6], %r2; //!`, block(32), InitRegister, "%r2"},
		{"shared never written", `mov.u32 %r2, dyn; ld.shared.u32 %r3, [%r2];
			st.global.u32 [%rd0], %r3; //!`, LaunchConfig{Dynamic: 64}, InitShared, "memory that nobody wrote"},
		{"local never written", `.local .b32 a[4]; ld.local.u32 %r3, [a];
			st.global.u32 [%rd0], %r3; //!`, block(1), InitLocal, "memory that nobody wrote"},
		{"global never written", `ld.global.u32 %r3, [%rd2];
			st.global.u32 [%rd0], %r3; //!`, block(1), InitGlobal, "memory that nobody wrote"},
		{"undefined through shared", `mov.u32 %r2, dyn; st.shared.u32 [%r2], %r9; ld.shared.u32 %r3, [%r2];
			st.global.u32 [%rd0], %r3; //!`, LaunchConfig{Dynamic: 64}, InitShared, "nobody wrote"},
		{"shuffled", `shfl.sync.idx.b32 %r3, %r9, 0, 31, -1;
			st.global.u32 [%rd0], %r3; //!`, block(32), InitRegister, "%r3"},
		{"vote", `setp.eq.u32 %p1, %r9, 0; vote.sync.ballot.b32 %r3, %p1, -1;
			st.global.u32 [%rd0], %r3; //!`, block(32), InitRegister, "%r3"},
		{"atomic on unwritten memory", `atom.global.add.u32 %r3, [%rd2], 1; //!
			st.global.u32 [%rd0], %r3;`, block(1), InitGlobal, "atomic"},
		{"trap", `trap; //!`, block(1), Trap, "trap"},
		{"mask names others", `setp.lt.u32 %p1, %r0, 4; @!%p1 bra OUT;
			shfl.sync.idx.b32 %r3, %r0, 0, 31, 240; //!
			st.global.u32 [%rd0], %r3; OUT:`, block(32), SyncMask, "its member mask 0xf0"},
		{"lane outside the mask", `setp.lt.u32 %p1, %r0, 4; @!%p1 bra OUT;
			shfl.sync.idx.b32 %r3, %r0, 9, 31, 15; //!
			st.global.u32 [%rd0], %r3; OUT:`, block(32), SyncMask, "read from a lane that does not take part"},
		{"mask waits for others", `setp.lt.u32 %p1, %r0, 16; @!%p1 bra ELSE;
			bar.warp.sync -1; //!
			bra OUT; ELSE: bar.sync 1; OUT:`, block(32), SyncMask, "lanes 0-15 wait"},
		{"barrier number", `mov.u32 %r2, 16;
			bar.sync %r2; //!`, block(32), SyncBarrier, "barrier 16"},
		{"barrier count", `bar.sync 1, 40; //!`, block(64), SyncBarrier, "multiple of 32"},
		{"barrier count too large", `bar.sync 1, 128; //!`, block(64), SyncBarrier, "at most 64"},
		{"counts disagree", `setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1, 64; bra OUT;
			A: bar.sync 1, 96; OUT:`, block(96), SyncBarrier, "in the same phase"},
		{"barrier red and sync", `setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1, 64; bra OUT;
			A: bar.red.popc.u32 %r2, 1, 64, %p1; OUT:`, block(64), SyncBarrier, "either barrier.red"},
		{"divergent barrier", `setp.lt.u32 %p1, %r0, 16; @%p1 bra A; bar.sync 0; bra OUT;
			A: bar.sync 0; OUT:`, block(32), SyncDiverged, "lanes"},
		{"guarded barrier", `setp.lt.u32 %p1, %r0, 16;
			@%p1 bar.sync 0; //!`, block(32), SyncDiverged, "in lanes 0-15 and not in lanes 16-31"},
		{"uniform branch", `setp.lt.u32 %p1, %r0, 16;
			@%p1 bra.uni OUT; //!
			OUT:`, block(32), SyncDiverged, "lanes 0-15 jump"},
		{"deadlock", `setp.lt.u32 %p1, %r0, 32; @%p1 bra OUT;
			bar.sync 1, 64; //!
			OUT:`, block(64), Deadlock, "barrier 1 has 32 of 64 threads"},
		{"deadlock on two barriers", `setp.lt.u32 %p1, %r0, 32; @%p1 bra A;
			bar.sync 1, 64; bra OUT; A:
			bar.sync 2, 64; //!
			OUT:`, block(64), Deadlock, "waits at barrier 2"},
		{"spin for ever", `W: ld.volatile.global.u32 %r2, [%rd0]; setp.ne.u32 %p1, %r2, 77; //!
			@%p1 bra W;`, block(32), Hang, "spins"},
		{"branch index", `{ T: .branchtargets X, Y; mov.u32 %r2, 2;
			brx.idx %r2, T; //!
			X: ret; Y: ret; }`, block(1), BadOperand, "2 targets"},
		{"bit field", `mov.u32 %r2, 256;
			bfe.u32 %r3, %r0, %r2, 8; //!
			st.global.u32 [%rd0], %r3;`, block(1), BadOperand, "bit field at 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Config{}, kernelText(3, c.body), make([]uint32, 64), make([]uint32, 2), 64)
			line := 0
			text := kernelText(3, c.body)
			for i, l := range strings.Split(text, "\n") {
				if strings.Contains(l, "//!") {
					line = i + 1
				}
			}
			res := b.launch(c.l, 0)
			if len(res.Findings) != 1 {
				t.Fatalf("findings %v, want one of class %s", res.Findings, c.class)
			}
			f := res.Findings[0]
			if f.Class != c.class || line != 0 && f.Line != line || !strings.Contains(f.Message, c.want) || f.Severity != Error || f.Kernel != "k" {
				t.Errorf("got %v\nwant class %s, line %d, message with %q\n%s", f, c.class, line, c.want, numbered(text))
			}
			if len(f.Threads) == 0 {
				t.Error("no thread is named")
			}
			if res.Err() == nil {
				t.Error("Err is nil")
			}
		})
	}
}

// TestQuiet runs code that looks suspicious and is right: no checker may speak.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		l    LaunchConfig
	}{
		{"undefined value dropped", `add.u32 %r2, %r9, 1; shfl.sync.bfly.b32 %r3, %r9, 1, 31, -1;`, block(32)},
		{"undefined value not selected", `setp.eq.u32 %p1, 0, 0; selp.b32 %r2, %r0, %r9, %p1; st.global.u32 [%rd0], %r2;`, block(1)},
		{"predicate and", `setp.ne.u32 %p1, 0, 0; setp.eq.u32 %p2, %r9, 0; and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd0], %r0;`, block(1)},
		{"guarded load joined by a guarded use", `setp.lt.u32 %p1, %r0, 16; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5;
			@%p1 ld.global.u32 %r2, [%rd6]; @%p1 st.global.u32 [%rd6], %r2;`, block(32)},
		{"last warp is partial", `shfl.sync.bfly.b32 %r2, %r0, 16, 31, -1; bar.sync 0;`, block(40)},
		{"early exit before a barrier", `setp.lt.u32 %p1, %r0, 32; @%p1 exit; bar.sync 0;`, block(96)},
		{"lanes exit before a vote", `setp.lt.u32 %p1, %r0, 7; @%p1 ret; vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [%rd0], %r2;`, block(32)},
		{"barriers of two roles", `setp.lt.u32 %p1, %r0, 32; @%p1 bra A; barrier.cta.sync 1, 64; bra OUT; A: barrier.cta.arrive 1, 64; OUT: bar.sync 0;`, block(64)},
		{"exchange of unwritten memory", `atom.global.exch.b32 %r2, [%rd2], %r0;`, block(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			newBench(t, Config{}, kernelText(3, c.body), make([]uint32, 64), make([]uint32, 2), 64).clean(c.l, 0)
		})
	}
}

func TestUseAfterFree(t *testing.T) {
	b := newBench(t, Config{}, kernelText(2, `ld.global.u32 %r2, [%rd1+8]; st.global.u32 [%rd0], %r2;`), make([]uint32, 4), make([]uint32, 4))
	if err := b.dev.Free(b.bufs[1]); err != nil {
		t.Fatal(err)
	}
	res := b.launch(block(1), 0)
	if len(res.Findings) != 1 || res.Findings[0].Class != OOBGlobal || !strings.Contains(res.Findings[0].Message, `byte 8 of "buf1", which was freed`) {
		t.Errorf("findings %v", res.Findings)
	}
	if err := b.dev.Free(b.bufs[1]); err == nil {
		t.Error("freed twice")
	}
	if err := b.dev.Free(b.bufs[0] + 16); err == nil {
		t.Error("freed from the middle")
	}
	next, err := b.dev.Alloc("next", 16)
	if err != nil || next <= b.bufs[1] {
		t.Errorf("address %#x was used again: %v", next, err)
	}
}

// TestChecksOff: with Initcheck off an undefined value passes, with Memcheck off a misaligned access does.
func TestChecksOff(t *testing.T) {
	body := `st.global.u32 [%rd0+2], %r9;`
	newBench(t, Config{Off: AllChecks}, kernelText(1, body), make([]uint32, 4)).clean(block(1), 0)
	res := newBench(t, Config{}, kernelText(1, body), make([]uint32, 4)).launch(block(1), 0)
	if len(res.Findings) != 1 || res.Findings[0].Class != Misaligned {
		t.Errorf("findings %v", res.Findings)
	}
}

// TestSynccheckOff: misuse that the launch survives is not told, misuse that ends it is.
func TestSynccheckOff(t *testing.T) {
	guarded := `setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0;`
	newBench(t, Config{Off: Synccheck}, kernelText(1, guarded), make([]uint32, 4)).clean(block(32), 0)
	res := newBench(t, Config{Off: Synccheck}, kernelText(1, `mov.u32 %r2, 16; bar.sync %r2;`), make([]uint32, 4)).launch(block(32), 0)
	if len(res.Findings) != 1 || res.Findings[0].Class != SyncBarrier {
		t.Errorf("findings %v", res.Findings)
	}
}

// TestPosition: findings carry the source position that the program knows for the line.
func TestPosition(t *testing.T) {
	b := newBench(t, Config{}, kernelText(1, `st.global.u32 [%rd0], %r9;`), 64)
	b.k.Program().Position = func(line int) string { return "kernel.go:" + itoa(line+100) }
	res := b.launch(block(64), 0)
	if len(res.Findings) != 1 {
		t.Fatalf("findings %v", res.Findings)
	}
	f := res.Findings[0]
	if f.Position != "kernel.go:"+itoa(f.Line+100) || f.Count != 2 || !strings.Contains(f.String(), f.Position) {
		t.Errorf("finding %+v", f)
	}
}
