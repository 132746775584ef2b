package isa

const (
	cvtInts   = "u8 u16 u32 u64 s8 s16 s32 s64"
	cvtFloats = "f16 bf16 f32 f64"
	cvtArgs   = "d: .dtype def reg wide; a: .atype either wide"
	intRound  = "rni rzi rmi rpi"

	// Saturation needs a target that lacks some of the source's values.
	cvtSatInt = "sat & dtype=u8 => atype!=u8; sat & dtype=u16 => atype!=u8|u16; sat & dtype=u32 => atype!=u8|u16|u32;" +
		" sat & dtype=u64 => atype=s8|s16|s32|s64; sat & dtype=s8 => atype!=s8; sat & dtype=s16 => atype!=s8|s16|u8;" +
		" sat & dtype=s32 => atype!=s8|s16|s32|u8|u16; sat & dtype=s64 => atype=u64"
)

// Conversions (manual 9.7.9.21 and 9.7.9.22). The manual has one row for the first six; ptxas tells apart whether a
// value can lose range, precision or a fraction.
var convertRows = []Row{
	{Syntax: "cvt{.sat}.dtype.atype d, a", Alt: A{"dtype", cvtInts, "atype", cvtInts}, Where: cvtSatInt,
		Args: cvtArgs, PTX: 10, SM: 10, Sec: "9.7.9.21", Doc: "Converts an integer, wrapping or clamping."},
	{Syntax: "cvt.rnd{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", intRound, "dtype", cvtInts, "atype", cvtFloats},
		Where: "ftz => atype=f32; atype=bf16 => !sat & dtype!=u8|s8", Args: cvtArgs, PTX: 10, SM: 10, Sec: "9.7.9.21",
		Doc: "Rounds a float to an integer and clamps it to the range; NaN gives 0 or the sign bit."},
	{Syntax: "cvt.rnd{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", roundings, "dtype", cvtFloats, "atype", cvtInts},
		Where: "ftz => dtype=f32; dtype=bf16 => !sat & atype!=u8|s8", Args: cvtArgs, PTX: 10, SM: 10, Sec: "9.7.9.21",
		Doc: "Converts an integer to a float."},
	{Syntax: "cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", intRound, "dtype", cvtFloats, "atype", cvtFloats},
		Where: "dtype=f16 => atype=f16; dtype=bf16 => atype=bf16 & !sat; dtype=f32 => atype=f32; dtype=f64 => atype=f64; ftz => dtype=f32",
		Args:  cvtArgs, PTX: 10, SM: 10, Sec: "9.7.9.21", Doc: "Rounds a float to an integral value of its own type."},
	{Syntax: "cvt.rnd{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", roundings, "dtype", "f16 bf16 f32", "atype", "f32 f64"},
		Where: "dtype=f32 => atype=f64; dtype=f16|bf16 & atype=f64 => !ftz; dtype=bf16 => !sat", Args: cvtArgs, PTX: 10, SM: 10,
		Sec: "9.7.9.21", Doc: "Rounds a float to a narrower type."},
	{Syntax: "cvt{.ftz}{.sat}.dtype.atype d, a", Alt: A{"dtype", "f32 f64", "atype", "f16 f32"},
		Where: "dtype=f32 => atype=f16; dtype=f64 & atype=f16 => !ftz", Args: cvtArgs, PTX: 10, SM: 10, Sec: "9.7.9.21",
		Doc: "Widens a float, exactly unless flushed or saturated."},
	{Syntax: "cvt{.rnd}{.ftz}.dtype.atype d, a", Alt: A{"rnd", roundings, "dtype", "f16 bf16 f32 f64", "atype", "f16 bf16"},
		Where: "dtype=bf16 => atype=f16; dtype!=bf16 => atype=bf16; ftz => dtype=f32", Args: cvtArgs, PTX: 78, SM: 90, Sec: "9.7.9.21",
		Doc: "Converts from bf16, or from f16 to it."},
	{Syntax: "cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a", Alt: A{"rnd", "rn rz", "dtype", "f16 bf16"}, Where: "relu or satfinite",
		Args: "d: .dtype def; a: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21", Doc: "Converts, clamping negatives to 0 or to the largest finite values."},
	{Syntax: "cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a, b", Alt: A{"rnd", "rn rz", "dtype", "f16x2 bf16x2"},
		Args: "d: .dtype def; a: f32 either; b: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21", Doc: "Packs two f32: a into the upper half, b into the lower."},
	{Syntax: "cvt.rna{.satfinite}.tf32.f32 d, a", Args: "d: tf32 def; a: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21",
		Doc: "Rounds to tf32, ties away from zero; .satfinite (PTX 8.1) clamps to the largest finite values."},
	{Syntax: "cvt.rnd{.relu}.tf32.f32 d, a", Alt: A{"rnd", "rn rz"}, Args: "d: tf32 def; a: f32 either", PTX: 78, SM: 90, Sec: "9.7.9.21",
		Doc: "Rounds to tf32."},
	{Syntax: "cvt.rn.satfinite{.relu}.dtype.f32 d, a, b", Alt: A{"dtype", "e4m3x2 e5m2x2"}, Args: "d: .dtype def; a: f32 either; b: f32 either",
		PTX: 81, SM: 89, Sec: "9.7.9.21", Doc: "Packs two f32: a into the upper byte, b into the lower."},
	{Syntax: "cvt.rn.satfinite{.relu}.dtype.f16x2 d, a", Alt: A{"dtype", "e4m3x2 e5m2x2"}, Args: "d: .dtype def; a: f16x2 either", PTX: 81, SM: 89,
		Sec: "9.7.9.21", Doc: "Packs two f16 into bytes."},
	{Syntax: "cvt.rn{.relu}.f16x2.atype d, a", Alt: A{"atype", "e4m3x2 e5m2x2"}, Args: "d: f16x2 def; a: .atype either", PTX: 81, SM: 89,
		Sec: "9.7.9.21", Doc: "Unpacks two 8-bit floats."},
	{Op: "cvt.pack", Syntax: "cvt.pack.sat.convertType.abType d, a, b", Alt: A{"convertType", "u16 s16", "abType", "s32"},
		Args: "d: b32 def; a: s32 either; b: s32 either", PTX: 65, SM: 72, Sec: "9.7.9.22", Doc: "Packs two integers with saturation: a into the upper half."},
	{Op: "cvt.pack", Syntax: "cvt.pack.sat.convertType.abType.cType d, a, b, c", Alt: A{"convertType", "u8 s8", "abType", "s32", "cType", "b32"},
		Args: "d: b32 def; a: s32 either; b: s32 either; c: b32 either", PTX: 65, SM: 72, Sec: "9.7.9.22",
		Doc: "Packs two integers into the low bytes, shifting c up."},
}
