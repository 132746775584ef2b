// Package fastdiv computes the multiplier and shifts with which a 32-bit unsigned division by a fixed number becomes a
// multiplication (Granlund and Montgomery, Division by invariant integers using multiplication, figure 4.1). The host
// computes them for a launch, package ir/lib applies them on the device; the formula is here so that both agree.
package fastdiv

import "math/bits"

// Divisor is a divisor with its magic numbers. The quotient of n is ((n-t)>>Shift1 + t) >> Shift2 with t the high half
// of Mul*n; it is exact for every n.
type Divisor struct {
	D      uint32
	Mul    uint32
	Shift1 uint32 // 0 for D = 1, else 1
	Shift2 uint32
}

// New makes the magic numbers of d; d = 0 is taken as 1.
func New(d uint32) Divisor {
	d = max(d, 1)
	l := uint32(bits.Len32(d - 1)) // ceil(log2 d)
	m := (uint64(1)<<32)*((uint64(1)<<l)-uint64(d))/uint64(d) + 1
	return Divisor{D: d, Mul: uint32(m), Shift1: min(l, 1), Shift2: max(l, 1) - 1}
}

// Shifts packs both shifts into one kernel parameter.
func (d Divisor) Shifts() uint32 { return d.Shift1 | d.Shift2<<8 }

// Div is the device's computation, done on the host.
func (d Divisor) Div(n uint32) uint32 {
	t, _ := bits.Mul32(d.Mul, n)
	return ((n-t)>>d.Shift1 + t) >> d.Shift2
}
