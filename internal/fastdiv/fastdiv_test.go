package fastdiv

import (
	"math/rand/v2"
	"testing"
)

func TestDivIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		d := uint32(r.Uint64() >> (32 + r.IntN(32)))
		switch {
		case i < 1000:
			d = uint32(i + 1)
		case i < 2000:
			d = uint32(1)<<(i%32) + uint32(i%3) - 1
		}
		d = max(d, 1)
		m := New(d)
		k := uint32(r.Uint32())
		for _, n := range []uint32{0, 1, d - 1, d, d + 1, k, k / d * d, k/d*d - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			if got := m.Div(n); got != n/d {
				t.Fatalf("%d / %d = %d, want %d (%+v)", n, d, got, n/d, m)
			}
		}
	}
}
