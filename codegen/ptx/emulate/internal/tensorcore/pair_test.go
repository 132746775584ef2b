package tensorcore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPair: rows of two blocks give the bits of rows of any length, which TestFusedSum compares with exact sums.
func TestPair(t *testing.T) {
	const m, n, k = 8, 16, 16
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 2000 {
		f := []Format{F16, BF16}[round%2]
		a, b := rowsOf(f, m, k, operands(rng, f, m*k, round%7), false), rowsOf(f, n, k, operands(rng, f, n*k, round/7%7), false)
		c := make([]uint32, m*n)
		for i := range c {
			c[i] = addendOf(rng, F32, i%5)
		}
		if round%8 == 0 {
			c = nil
		}
		for i := range m {
			row, got, want := a.data[2*i:2*i+2], make([]uint32, n), make([]uint32, n)
			add := c
			if c != nil {
				add = c[i*n : (i+1)*n]
			}
			pairRow(got, (*pair)(row), a.special[i], b, add)
			floatRow(want, row, a.special[i], b, add, F32)
			if !slices.Equal(got, want) {
				t.Fatalf("%v, round %d, row %d:\n%08x, want\n%08x", f, round, i, got, want)
			}
		}
	}
}
