package main

import "math"

// function says how the results of one function spread over the segments of its table.
type function struct {
	name       string
	unit       int // the bit of the sum that weighs one
	slopeShift int // the slope is a multiple of 2^slopeShift
	segments   int
	truncated  int // low bits that the sum loses whatever its size
	recordings []source
}

// source is one recording and the place of an argument: the segment, the offset in it, and the power of two that the
// result carries. Arguments that the unit treats apart are not ok.
type source struct {
	name        string
	first, step uint32
	place       func(x uint32) (segment int, offset uint32, exponent int, ok bool)
}

const (
	fractionBits, offsetBits = 23, 17

	fraction   = 1<<fractionBits - 1
	offsetMask = 1<<offsetBits - 1
	one        = 0x3f800000
)

func split(x uint32) (int, uint32) { return int(x & fraction >> offsetBits), x & offsetMask }

func octave(x uint32) (int, uint32, int, bool) {
	s, o := split(x)
	return s, o, 0, true
}

func halfSegments(x uint32) (int, uint32, int, bool) {
	return int(x & fraction >> (offsetBits - 1)), x << 1 & offsetMask, 0, true
}

// twoOctaves is [1, 4).
func twoOctaves(x uint32) (int, uint32, int, bool) {
	s, o := split(x)
	return s + int((x-one)>>fractionBits)<<(fractionBits-offsetBits), o, 0, true
}

func rootOctaves(x uint32) (int, uint32, int, bool) {
	s, o, e, _ := twoOctaves(x)
	return s, o, e, x != one
}

// turn follows the instruction: a product with 1/2π rounded to zero, then the unit's quarter.
func turn(x uint32) (int, uint32, int, bool) {
	const inverse = 0x3e22f983
	p := float64(math.Float32frombits(x)) * float64(math.Float32frombits(inverse)) // exact
	v := uint32(roundToZero(p) * (1 << 25))
	f := v & fraction
	if v>>fractionBits&1 != 0 {
		f = ^f & fraction
	}
	s, o := split(f)
	return s, o, 0, true
}

func roundToZero(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<29 - 1))
}

// tanhDropped is how many bits of the argument the unit drops, octave by octave from 2^-8 on.
var tanhDropped = [...]int{6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3}

func tanhPlace(x uint32) (int, uint32, int, bool) {
	o := int(x>>fractionBits) - 127 + 8
	if o < 0 || o >= len(tanhDropped) {
		return 0, 0, 0, false
	}
	first := 0
	for _, d := range tanhDropped[:o] {
		first += 1 << (fractionBits - offsetBits - d)
	}
	s, at := split(x & fraction >> tanhDropped[o])
	return first + s, at, 0, true
}

var functions = []function{
	{"ex2", 57, 19, 64, 0, []source{{"ex2_ftz_f32", one, 1, octaveOfOne}}},
	{"lg2", 56, 18, 64, 20, []source{{"lg2_ftz_f32", one - 1<<fractionBits, 1, upperOctave}}},
	{"rcp", 58, 18, 128, 0, []source{{"rcp_ftz_f32", one, 1, halfSegments}}},
	{"rsqrt", 57, 17, 128, 0, []source{{"rsqrt_ftz_f32", one, 1, rootOctaves}}},
	{"sqrt", 58, 18, 128, 0, []source{{"sqrt_ftz_f32", one, 1, twoOctaves}}},
	{"sin", 56, 19, 64, 0, []source{{"sin_ftz_f32", one, 1, turn}, {"sin_ftz_f32", one - 3<<fractionBits, 4, turn}}},
	{"tanh", 57, 18, 51, 0, []source{{"tanh_f32", one - 4<<fractionBits, 1, tanhPlace}, {"tanh_f32", one - 16<<fractionBits, 16, tanhPlace}}},
}

// octaveOfOne is 2^x for x in [1, 2), which carries one power of two.
func octaveOfOne(x uint32) (int, uint32, int, bool) {
	s, o, _, ok := octave(x)
	return s, o, 1, ok
}

// upperOctave leaves out the arguments below 1, whose logarithm is a difference.
func upperOctave(x uint32) (int, uint32, int, bool) {
	s, o, e, _ := octave(x)
	return s, o, e, x > one
}

// read sorts what was recorded into segments.
func (f function) read(dir string) ([]segment, error) {
	segments := make([]segment, f.segments)
	for _, src := range f.recordings {
		r, err := readRecording(dir, src.name, src.first, src.step)
		if err != nil {
			return nil, err
		}
		for i, result := range r.results {
			s, offset, exponent, ok := src.place(r.first + uint32(i)*r.step)
			if !ok {
				continue
			}
			y, ulp := value(result)
			scale := math.Ldexp(1, f.unit-exponent)
			lo := int64(y * scale)
			segments[s].points = append(segments[s].points, point{offset, lo, lo + max(int64(ulp*scale), 1<<f.truncated)})
		}
	}
	return segments, nil
}
