package numfmt

import "math"

// F32ToBF16 rounds to nearest even. NaN gives 0x7fff.
func F32ToBF16(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// BF16ToF32 is exact.
func BF16ToF32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// F32ToF16 rounds to nearest even. NaN gives 0x7fff.
func F32ToF16(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	mag := b & 0x7fffffff
	switch {
	case mag > 0x7f800000:
		return 0x7fff
	case mag >= 0x477ff000: // 65520, the tie above the largest finite value, and up
		return sign | 0x7c00
	case mag >= 0x38800000: // normal in f16: re-bias by 112 and round 13 bits away
		return sign | uint16((mag-0x38000000+0xfff+mag>>13&1)>>13)
	case mag < 0x33000000: // below half of the smallest subnormal
		return sign
	}
	man := uint64(mag&0x7fffff | 0x800000)
	return sign | uint16(roundShift(man, uint(126-mag>>23), RN, false))
}

// F16ToF32 is exact.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	mag := uint32(h & 0x7fff)
	switch {
	case mag >= 0x7c00:
		return math.Float32frombits(sign | 0x7f800000 | mag&0x3ff<<13)
	case mag >= 0x400:
		return math.Float32frombits(sign | mag<<13 + 0x38000000)
	}
	v := float32(mag) * (1.0 / (1 << 24))
	return math.Float32frombits(sign | math.Float32bits(v))
}

// F32ToTF32RNA is cvt.rna.tf32.f32 as the assembler expands it: a finite value gets half a unit added to its
// magnitude, then the low 13 bits are cleared. A NaN whose payload sits in those bits becomes an infinity.
func F32ToTF32RNA(x uint32) uint32 {
	if x&0x7f800000 != 0x7f800000 {
		x += 0x1000
	}
	return x &^ 0x1fff
}

// Relu replaces a negative value, minus zero included, by +0 (PTX .relu). NaN becomes the canonical NaN.
func (f Format) Relu(bits uint32) uint32 {
	if f.IsNaN(bits) {
		return layouts[f].nan
	}
	if bits&f.signBit() != 0 {
		return 0
	}
	return bits
}
