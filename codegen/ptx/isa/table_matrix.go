package isa

const mmaArgs = "d: @mmaD def reg vec=@mmaD; a: @mmaA reg vec=@mmaA; b: @mmaB reg vec=@mmaB; c: @mmaC reg vec=@mmaC"

// Warp-level matrix instructions (manual 9.7.14.5). Every operand is a vector of registers whose length follows from
// shape and types.
var matrixRows = []Row{
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c",
		Alt:   A{"shape", "m16n8k8 m16n8k16", "dtype", "f16 f32", "atype", "f16", "btype", "f16", "ctype", "f16 f32"},
		Where: "dtype=f16 & ctype=f32 => never; dtype=f32 & ctype=f16 => never", Args: mmaArgs, PTX: 65, SM: 75, Sec: "9.7.14.5.14",
		Convergent: true, Doc: "d = a*b + c of a warp, half-precision factors."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c",
		Alt:   A{"shape", "m16n8k4 m16n8k8 m16n8k16", "dtype", "f32", "atype", "bf16 tf32", "btype", "bf16 tf32", "ctype", "f32"},
		Where: "atype=bf16 => btype=bf16; atype=tf32 => btype=tf32; atype=bf16 => shape=m16n8k8|m16n8k16; atype=tf32 => shape=m16n8k4|m16n8k8",
		Args:  mmaArgs, PTX: 70, SM: 80, Sec: "9.7.14.5.14", Convergent: true, Doc: "d = a*b + c of a warp, bf16 or tf32 factors."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c",
		Alt:   A{"shape", "m16n8k16 m16n8k32", "dtype", "f16 f32", "atype", "e4m3 e5m2", "btype", "e4m3 e5m2", "ctype", "f16 f32"},
		Where: "dtype=f16 & ctype=f32 => never; dtype=f32 & ctype=f16 => never", Args: mmaArgs, PTX: 84, SM: 89, Sec: "9.7.14.5.14",
		Convergent: true, Doc: "d = a*b + c of a warp, 8-bit floating-point factors; emulated with f16 on sm_90."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c",
		Alt:  A{"shape", "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "dtype", "f64", "atype", "f64", "btype", "f64", "ctype", "f64"},
		Args: mmaArgs, PTX: 70, SM: 80, Sec: "9.7.14.5.14", Convergent: true, Doc: "d = a*b + c of a warp, f64."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c",
		Alt:  A{"shape", "m8n8k16 m16n8k16 m16n8k32", "dtype", "s32", "atype", "u8 s8", "btype", "u8 s8", "ctype", "s32"},
		Args: mmaArgs, PTX: 65, SM: 75, Sec: "9.7.14.5.14", Convergent: true, Doc: "d = a*b + c of a warp, bytes; .satfinite clamps instead of wrapping."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c",
		Alt:  A{"shape", "m8n8k32 m16n8k32 m16n8k64", "dtype", "s32", "atype", "u4 s4", "btype", "u4 s4", "ctype", "s32"},
		Args: mmaArgs, PTX: 65, SM: 75, Sec: "9.7.14.5.14", Convergent: true, Doc: "d = a*b + c of a warp, 4-bit integers."},
	{Op: "mma", Syntax: "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype.bitOp.popc d, a, b, c",
		Alt:  A{"shape", "m8n8k128 m16n8k128 m16n8k256", "dtype", "s32", "atype", "b1", "btype", "b1", "ctype", "s32", "bitOp", "xor and"},
		Args: mmaArgs, PTX: 70, SM: 75, Sec: "9.7.14.5.14", Convergent: true, Doc: "d = popc(a op b) + c of a warp."},
	{Syntax: "ldmatrix.sync.aligned.shape.num{.trans}{.ss}.type r, [p]", Alt: A{"shape", "m8n8", "num", "x1 x2 x4", "ss", "shared shared::cta", "type", "b16"},
		Args: "r: b32 def vec=.num; p: T space=.ss", PTX: 65, SM: 75, Sec: "9.7.14.5.15", Convergent: true, Reads: ".ss",
		Doc: "Loads 8x8 matrices of 16-bit elements; lanes 8i to 8i+7 give the row addresses of matrix i."},
	{Syntax: "stmatrix.sync.aligned.shape.num{.trans}{.ss}.type [p], r", Alt: A{"shape", "m8n8", "num", "x1 x2 x4", "ss", "shared shared::cta", "type", "b16"},
		Args: "r: b32 reg vec=.num; p: T space=.ss", PTX: 78, SM: 90, Sec: "9.7.14.5.16", Convergent: true, Writes: ".ss",
		Doc: "Stores 8x8 matrices of 16-bit elements."},
	{Syntax: "movmatrix.sync.aligned.shape.trans.type d, a", Alt: A{"shape", "m8n8", "type", "b16"}, Args: "d: b32 def; a: b32 reg", PTX: 78, SM: 75,
		Sec: "9.7.14.5.17", Convergent: true, Doc: "Transposes an 8x8 matrix of 16-bit elements held by a warp."},
}
