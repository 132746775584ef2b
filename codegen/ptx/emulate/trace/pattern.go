package trace

import (
	"fmt"
	"math/bits"
	"strings"
)

func lowest(m uint32) int { return bits.TrailingZeros32(m) & 31 }

// pattern writes the values of the lanes in m.
func pattern(v [32]uint64, m uint32) string {
	first := lowest(m)
	rest := m & (m - 1)
	if rest == 0 {
		return fmt.Sprintf("%#x", v[first])
	}
	second := lowest(rest)
	step := int64(v[second]-v[first]) / int64(second-first)
	even := true
	for x := m; x != 0; x &= x - 1 {
		l := lowest(x)
		even = even && v[l] == v[first]+uint64(step*int64(l-first))
	}
	switch {
	case even && step == 0:
		return fmt.Sprintf("%#x", v[first])
	case even:
		return fmt.Sprintf("%#x%+d*t", v[first]-uint64(step*int64(first)), step)
	}
	return list(v, m)
}

// list writes values one by one, equal neighbours together.
func list(v [32]uint64, m uint32) string {
	var b strings.Builder
	b.WriteByte('{')
	for m != 0 {
		x, n := v[lowest(m)], 0
		for m != 0 && v[lowest(m)] == x {
			n++
			m &= m - 1
		}
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		if n > 1 {
			fmt.Fprintf(&b, "%d*", n)
		}
		fmt.Fprintf(&b, "%#x", x)
	}
	b.WriteByte('}')
	return b.String()
}
