package profile

import (
	"math"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Blocks read 128 bytes each of their own and 64 bytes that all share, and write 128.
const sharing = `shl.b32 %r3, %r1, 7; shl.b32 %r4, %r0, 2; add.u32 %r5, %r3, %r4; cvt.u64.u32 %rd1, %r5; add.u64 %rd2, %rd0, %rd1;
ld.global.u32 %r6, [%rd2]; and.b32 %r7, %r0, 15; shl.b32 %r7, %r7, 2; cvt.u64.u32 %rd3, %r7; add.u64 %rd4, %rd0, %rd3; add.u64 %rd4, %rd4, 524288;
ld.global.u32 %r8, [%rd4]; add.u32 %r6, %r6, %r8; add.u64 %rd5, %rd2, 262144; st.global.u32 [%rd5], %r6;`

func TestFootprintOfAGrid(t *testing.T) {
	for _, blocks := range []int{0, 2, 8} {
		p := run(t, sharing, launchOf(1000, 32, 0), emulate.Config{Off: emulate.AllChecks, Blocks: blocks})
		r, w := p.Footprint.Read, p.Footprint.Write
		if r.Block != 192 || math.Abs(r.Shared-64) > 0.5 || math.Abs(r.Grid-(128*1000+64)) > 0.5 || w.Grid != 128*1000 {
			t.Errorf("%d of 1000 blocks: read %+v, written %+v", p.Blocks, r, w)
		}
		if blocks > 0 && p.Blocks != blocks {
			t.Errorf("%d blocks ran, want %d", p.Blocks, blocks)
		}
	}
}

func TestSectorSet(t *testing.T) {
	var s sectors
	if n := s.add(40, 8); n != 1 { // inside one sector
		t.Errorf("%d new sectors, want 1", n)
	}
	if n := s.add(32, 33); n != 1 { // that one and the next
		t.Errorf("%d new sectors, want 1", n)
	}
	if n := s.add(pageBytes-32, 64); n != 2 { // over the edge of a page
		t.Errorf("%d new sectors, want 2", n)
	}
	if s.add(0, 0) != 0 || s.count != 4 || !s.has(63) || s.has(0) || !s.has(pageBytes) {
		t.Errorf("%d sectors", s.count)
	}
}

const pageBytes = sectorBytes << pageBits
