package isa

// Logic and shifts (manual 9.7.8).
var logicRows = []Row{
	{Syntax: "and.type d, a, b", Alt: A{"type", "pred b16 b32 b64"}, PTX: 10, SM: 10, Sec: "9.7.8.1", Doc: "Bitwise and."},
	{Syntax: "or.type d, a, b", Alt: A{"type", "pred b16 b32 b64"}, PTX: 10, SM: 10, Sec: "9.7.8.2", Doc: "Bitwise or."},
	{Syntax: "xor.type d, a, b", Alt: A{"type", "pred b16 b32 b64"}, PTX: 10, SM: 10, Sec: "9.7.8.3", Doc: "Bitwise exclusive or."},
	{Syntax: "not.type d, a", Alt: A{"type", "pred b16 b32 b64"}, PTX: 10, SM: 10, Sec: "9.7.8.4", Doc: "Bitwise complement."},
	{Syntax: "cnot.type d, a", Alt: A{"type", "b16 b32 b64"}, PTX: 10, SM: 10, Sec: "9.7.8.5", Doc: "1 if a is 0, else 0."},
	{Syntax: "lop3.b32 d, a, b, c, immLut", Args: "immLut: b32 imm", PTX: 43, SM: 50, Sec: "9.7.8.6",
		Doc: "Any function of three bits, given by its truth table."},
	{Syntax: "lop3.BoolOp.b32 d|p, a, b, c, immLut, q", Alt: A{"BoolOp", "or and"}, Args: "d: b32 def sink; p: pred def; immLut: b32 imm; q: pred reg",
		PTX: 82, SM: 70, Sec: "9.7.8.6", Doc: "lop3, with p telling whether the result is not 0, combined with q."},
	{Syntax: "shf.dir.mode.b32 d, a, b, c", Alt: A{"dir", "l r", "mode", "clamp wrap"}, Args: "c: u32 either", PTX: 31, SM: 32,
		Sec: "9.7.8.7", Doc: "Funnel shift of b:a by c: the high word of a left shift, the low word of a right one."},
	{Syntax: "shl.type d, a, b", Alt: A{"type", "b16 b32 b64"}, Args: "b: u32 either", PTX: 10, SM: 10, Sec: "9.7.8.8",
		Doc: "Left shift; amounts over the width give 0."},
	{Syntax: "shr.type d, a, b", Alt: A{"type", "b16 b32 b64 u16 u32 u64 s16 s32 s64"}, Args: "b: u32 either", PTX: 10, SM: 10,
		Sec: "9.7.8.9", Doc: "Right shift, with the sign for signed types; amounts over the width are clamped."},
}
