package isa

// Moves within registers and addresses (manual 9.7.9.3 and following).
var moveRows = []Row{
	{Syntax: "mov.type d, a", Alt: A{"type", "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"},
		Args: "d: T def reg pack sink; a: T either sym sreg pack", PTX: 10, SM: 10, Sec: "9.7.9.3",
		Doc: "Copies a register, constant, special register or address; the .b types also pack and unpack vectors (9.7.9.4)."},
	{Syntax: "prmt.b32{.mode} d, a, b, c", Alt: A{"mode", "f4e b4e rc8 ecl ecr rc16"}, PTX: 20, SM: 20, Sec: "9.7.9.7",
		Doc: "Picks four of the eight bytes of b:a."},
}

// Address conversions (manual 9.7.9.19 and following).
var addressRows = []Row{
	{Syntax: "cvta.space.size p, a", Alt: A{"space", "const global local shared shared::cta shared::cluster param param::entry", "size", "u32 u64"},
		Args: "p: .size def reg; a: .size either sym", PTX: 20, SM: 20, Sec: "9.7.9.20", Doc: "The generic address of an address in a space."},
	{Syntax: "cvta.to.space.size p, a", Alt: A{"space", "const global local shared shared::cta shared::cluster param param::entry", "size", "u32 u64"},
		Args: "p: .size def reg; a: .size either sym", PTX: 20, SM: 20, Sec: "9.7.9.20", Doc: "The address in a space of a generic address."},
}
