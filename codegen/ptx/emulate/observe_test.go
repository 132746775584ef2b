package emulate

import (
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// TestObserve: an observer sees each instruction of the text once, with its addresses, what it wrote, who waits, and the copies
// that it starts; and the launch gives the same result.
func TestObserve(t *testing.T) {
	body := bar("1") + `
setp.ne.u32 %p1, %r0, 0; @%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8+128], [%rd0], 128, [%r8];
WAIT:
` + waitFor("W", "%r8", "0") + `
shl.b32 %r2, %r0, 2; add.u32 %r3, %r8, %r2; ld.shared.u32 %r4, [%r3+128]; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r4;`
	in := ramp(32, func(i int) uint32 { return uint32(i) * 3 })
	counts := map[string]int{}
	waits := 0
	var b *bench
	see := func(s *Step) {
		if s.Instr == nil {
			return
		}
		op := s.Instr.Form.Op()
		if s.Again {
			waits++
			return
		}
		counts[op]++
		switch {
		case op == "ld" && s.Refs[0].Space == isa.Shared:
			v := s.Values()
			for l := range 32 {
				if s.Refs[0].Addr[l] != sharedUserStart+128+4*uint64(l) || s.Refs[0].Bytes != 4 || v[0].Lanes[l] != uint64(in[l]) {
					t.Fatalf("lane %d: %+v %+v", l, s.Refs[0], v)
				}
			}
		case op == "cp.async.bulk":
			want := Copy{Reads: []Range{{isa.Global, 0, b.bufs[0], 128}}, Writes: []Range{{isa.Shared, 0, sharedUserStart + 128, 128}}, Barrier: true, Bar: sharedUserStart}
			if len(s.Copies) != 1 || !slices.Equal(s.Copies[0].Reads, want.Reads) || !slices.Equal(s.Copies[0].Writes, want.Writes) || s.Copies[0].Bar != want.Bar || !s.Copies[0].Barrier {
				t.Errorf("copies %+v, want %+v", s.Copies, want)
			}
			if s.Mask != 1 {
				t.Errorf("the copy runs in lanes %#x", s.Mask)
			}
		}
	}
	b = newBench(t, Config{Observe: func(l Launched) Observer {
		if l.Kernel.Name != "k" || l.Block[0] != 32 || l.Blocks != 1 {
			t.Errorf("launched %+v", l)
		}
		return see
	}}, kernelText(2, body), in, 128)
	b.clean(dynamic(32), 0)
	if got := b.u32(1); !slices.Equal(got, in) {
		t.Errorf("got %v", got)
	}
	for op, n := range map[string]int{"cp.async.bulk": 1, "mbarrier.arrive.expect_tx": 1, "mbarrier.init": 1, "bar.sync": 1, "ret": 1, "st": 1} {
		if counts[op] != n {
			t.Errorf("%s was seen %d times, want %d: %v", op, counts[op], n, counts)
		}
	}
	if waits == 0 {
		t.Error("nobody was seen to wait for the mbarrier")
	}
}

// TestBlocks: a part of the grid runs, its first and last block among them, but only where blocks cannot see each other.
func TestBlocks(t *testing.T) {
	mark := "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd0, %rd5; mov.u32 %r3, 1; "
	for _, c := range []struct {
		store string
		want  int
	}{{"st.global.u32 [%rd6], %r3;", 3}, {"red.global.add.u32 [%rd6], %r3;", 9}} {
		b := newBench(t, Config{Blocks: 3}, kernelText(1, mark+c.store), make([]uint32, 9))
		res := b.clean(grid(9, 1), 0)
		got := b.u32(0)
		n := 0
		for _, v := range got {
			n += int(v)
		}
		if n != c.want || res.CTAs != c.want || got[0] != 1 || got[8] != 1 || got[4] != 1 {
			t.Errorf("%s: %d blocks ran: %v, result %d", c.store, n, got, res.CTAs)
		}
	}
}
