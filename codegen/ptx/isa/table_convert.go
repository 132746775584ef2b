package isa

const cvtTypes = "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"

// Conversions (manual 9.7.9.21 and 9.7.9.22).
var convertRows = []Row{
	{Syntax: "cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a", Alt: A{"rnd", "rni rzi rmi rpi rn rz rm rp", "dtype", cvtTypes, "atype", cvtTypes},
		Args: "d: .dtype def reg wide; a: .atype either wide", PTX: 10, SM: 10, Sec: "9.7.9.21", Doc: "Converts a value to another type."},
	{Syntax: "cvt.rnd{.relu}{.satfinite}.dtype.f32 d, a, b", Alt: A{"rnd", "rn rz", "dtype", "f16x2 bf16x2"},
		Args: "d: .dtype def reg", PTX: 70, SM: 80, Sec: "9.7.9.21", Doc: "Packs two f32: a into the upper half, b into the lower."},
	{Syntax: "cvt.rn.satfinite{.relu}.dtype.f32 d, a, b", Alt: A{"dtype", "e4m3x2 e5m2x2"}, Args: "d: .dtype def reg", PTX: 81, SM: 89,
		Sec: "9.7.9.21", Doc: "Packs two f32: a into the upper byte, b into the lower."},
	{Syntax: "cvt.rn{.relu}.f16x2.atype d, a", Alt: A{"atype", "e4m3x2 e5m2x2"}, Args: "d: f16x2 def reg; a: .atype reg", PTX: 81, SM: 89,
		Sec: "9.7.9.21", Doc: "Unpacks two 8-bit floats."},
}
