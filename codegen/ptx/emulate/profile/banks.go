package profile

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Shared memory has 32 banks of 4 bytes: word w lies in bank w mod 32, and a phase serves one word of each bank.
const (
	banks     = 32
	bankBytes = 4
)

// phases counts the phases that the lanes in m of a request need. Wide accesses are served by groups of lanes whose bytes fill
// the banks once. exclusive: lanes that touch the same word take their turns (atomics).
func phases(r *emulate.Reference, m uint32, exclusive bool) Banks {
	out := Banks{Requests: 1, Bytes: uint64(bits.OnesCount32(m) * r.Bytes)}
	words := max(1, r.Bytes/bankBytes)
	group := max(1, banks/words)
	for first := 0; first < 32; first += group {
		g := m >> first & (1<<group - 1)
		if g == 0 {
			continue
		}
		n, distinct := conflicts(r, g, first, words, exclusive)
		out.Phases += n
		out.Least += max(1, (distinct+banks-1)/banks)
	}
	return out
}

// conflicts returns the words that the fullest bank has to serve to the lanes of a group, and the words that they touch.
func conflicts(r *emulate.Reference, g uint32, first, words int, exclusive bool) (n, distinct uint64) {
	var seen [banks][]uint64
	for ; g != 0; g &= g - 1 {
		at := r.Addr[first+bits.TrailingZeros32(g)] / bankBytes
		for w := at; w < at+uint64(words); w++ {
			b := &seen[w%banks]
			if !exclusive && contains(*b, w) {
				continue
			}
			*b = append(*b, w)
			distinct++
			n = max(n, uint64(len(*b)))
		}
	}
	return n, distinct
}

func contains(list []uint64, x uint64) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// matrixPhases counts the phases of ldmatrix and stmatrix: one a matrix, whose eight rows of 16 bytes fill the banks once.
func matrixPhases(r *emulate.Reference, matrices int) Banks {
	return phases(r, uint32(1<<(8*matrices)-1), false)
}
