// Package numfmt defines the number formats that kernels use: f32, f16, bf16, tf32, e4m3 (finite-only) and e5m2.
//
// Everything here is a definition, not an algorithm: what the bits of a format mean, and the one correct rounding of
// an exact value into it. The emulator, the float64 references and oxidelab share it; roundings inside a
// computation are never shared.
//
// # One rounding
//
// [Format.Encode] rounds a float64 once. The result of an operation that is not exact in float64 is first rounded to
// odd ([AddOdd], [FMAOdd], [DivOdd], [SqrtOdd]): 53 bits rounded to odd and then to at most 24 bits in any mode equal
// a single rounding of the exact result, because 53 >= 24+2 (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", 2008).
//
// # NaN
//
// Encoders return the canonical NaN that NVIDIA hardware produces: 0x7fffffff for f32, 0x7fff for f16 and bf16, 0x7f
// for the fp8 formats. Decoders return a quiet NaN.
package numfmt
