package isa

const cvtTypes = "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"

// Conversions (manual 9.7.9.21 and 9.7.9.22).
var convertRows = []Row{
	{Syntax: "cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", "rni rzi rmi rpi rn rz rm rp", "dtype", cvtTypes, "atype", cvtTypes},
		Args: "d: .dtype def reg wide; a: .atype either wide", PTX: 10, SM: 10, Sec: "9.7.9.21", Doc: "Converts a value to another type."},
	{Syntax: "cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a", Alt: A{"rnd", "rn rz", "dtype", "f16 bf16"}, Where: "relu or satfinite",
		Args: "d: .dtype def; a: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21", Doc: "Converts, clamping negatives to 0 or to the largest finite values."},
	{Syntax: "cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a, b", Alt: A{"rnd", "rn rz", "dtype", "f16x2 bf16x2"},
		Args: "d: .dtype def; a: f32 either; b: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21", Doc: "Packs two f32: a into the upper half, b into the lower."},
	{Syntax: "cvt.rna.tf32.f32 d, a", Args: "d: tf32 def; a: f32 either", PTX: 70, SM: 80, Sec: "9.7.9.21",
		Doc: "Rounds to tf32, ties away from zero."},
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
