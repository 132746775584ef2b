package main

import (
	"errors"
	"math"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/mufu"
)

// point says that the sum at the offset lies in [lo, hi).
type point struct {
	offset uint32
	lo, hi int64
}

type segment struct{ points []point }

type quadratic struct{ c0, c1, c2 int64 }

var errNone = errors.New("no integers give every recorded bit")

// solve finds integers for which every sum lies where it was seen. Least squares says where to look: the middles of the
// intervals have an error of a last place over some 10^5 points, so the true slope and curvature are a few steps away.
func (s segment) solve(slopeShift int) (quadratic, error) {
	const reach = 4
	slope, curvature := s.leastSquares()
	c1, c2 := math.RoundToEven(math.Ldexp(slope, -slopeShift)), math.RoundToEven(curvature)
	for distance := 0; distance <= 2*reach; distance++ {
		for d1 := -distance; d1 <= distance; d1++ {
			rest := distance - max(d1, -d1)
			for _, d2 := range []int{-rest, rest} {
				q := quadratic{c1: (int64(c1) + int64(d1)) << slopeShift, c2: int64(c2) + int64(d2)}
				if lo, hi := s.constants(q); lo < hi {
					q.c0 = roundest(lo, hi)
					return q, nil
				}
			}
		}
	}
	return quadratic{}, errNone
}

// constants gives the interval of c0 with which every point is met.
func (s segment) constants(q quadratic) (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64
	for _, p := range s.points {
		rest := q.c1*int64(p.offset) + q.c2*int64(mufu.Square(p.offset))
		lo, hi = max(lo, p.lo-rest), min(hi, p.hi-rest)
		if lo >= hi {
			break
		}
	}
	return lo, hi
}

// roundest is the number in [lo, hi) with the most zeros at its end.
func roundest(lo, hi int64) int64 {
	if lo <= 0 && hi > 0 {
		return 0
	}
	keep := bits.Len64(uint64(lo^(hi-1))) - 1
	if keep < 0 {
		return lo
	}
	return (hi - 1) >> keep << keep
}

// leastSquares fits a + b·offset + c·square to the middles of the points, with offsets scaled to [0, 1).
func (s segment) leastSquares() (slope, curvature float64) {
	const scale = 1 << offsetBits
	var m [3][4]float64
	for _, p := range s.points {
		x := float64(p.offset) / scale
		row := [4]float64{1, x, float64(mufu.Square(p.offset)) / (scale * scale), float64(p.lo-s.points[0].lo) + float64(p.hi-p.lo)/2}
		for i := range 3 {
			for j := range 4 {
				m[i][j] += row[i] * row[j]
			}
		}
	}
	for i := range 3 { // Gauss-Jordan; the matrix is positive definite
		for j := range 3 {
			if f := m[j][i] / m[i][i]; j != i {
				for k := range 4 {
					m[j][k] -= f * m[i][k]
				}
			}
		}
	}
	return m[1][3] / m[1][1] / scale, m[2][3] / m[2][2] / (scale * scale)
}
