package isa

// The values that comparisons of half and full precision share: ordered, then unordered, then the NaN tests.
const (
	floatCmp = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
	allCmp   = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
	cmpTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"

	// Bits compare for equality only, unsigned types also by .lo to .hs, floats by the unordered operators too.
	cmpWhere = "ftz => type=f32; CmpOp=equ|neu|ltu|leu|gtu|geu|num|nan => type=f32|f64;" +
		" CmpOp=lo|ls|hi|hs => type=u16|u32|u64; type=b16|b32|b64 => CmpOp=eq|ne"
)

// Comparison and selection (manual 9.7.6 and 9.7.7).
var compareRows = []Row{
	{Syntax: "set.CmpOp{.ftz}.dtype.type d, a, b", Alt: A{"CmpOp", allCmp, "dtype", "u32 s32 f32", "type", cmpTypes}, Where: cmpWhere,
		Args: "d: .dtype def", PTX: 10, SM: 10, Sec: "9.7.6.1", Doc: "All ones (1.0 for f32) if the comparison holds, else 0."},
	{Syntax: "set.CmpOp.BoolOp{.ftz}.dtype.type d, a, b, {!}c", Alt: A{"CmpOp", allCmp, "BoolOp", "and or xor", "dtype", "u32 s32 f32", "type", cmpTypes},
		Where: cmpWhere, Args: "d: .dtype def; c: pred reg", PTX: 10, SM: 10, Sec: "9.7.6.1", Doc: "set, combined with a predicate."},
	{Syntax: "setp.CmpOp{.ftz}.type p{|q}, a, b", Alt: A{"CmpOp", allCmp, "type", cmpTypes}, Where: cmpWhere,
		Args: "p: pred def sink; q: pred def sink", PTX: 10, SM: 10, Sec: "9.7.6.2", Doc: "p is the comparison, q its negation."},
	{Syntax: "setp.CmpOp.BoolOp{.ftz}.type p{|q}, a, b, {!}c", Alt: A{"CmpOp", allCmp, "BoolOp", "and or xor", "type", cmpTypes}, Where: cmpWhere,
		Args: "p: pred def sink; q: pred def sink; c: pred reg", PTX: 10, SM: 10, Sec: "9.7.6.2",
		Doc: "p is the comparison combined with c, q its negation combined with c."},
	{Syntax: "selp.type d, a, b, c", Alt: A{"type", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"}, Args: "c: pred reg", PTX: 10, SM: 10,
		Sec: "9.7.6.3", Doc: "a if c, else b."},
	{Syntax: "slct{.ftz}.type.ctype d, a, b, c", Alt: A{"type", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "ctype", "s32 f32"},
		Where: "ftz => ctype=f32", Args: "c: .ctype either", PTX: 10, SM: 10, Sec: "9.7.6.4", Doc: "a if c >= 0, else b."},
}

// Comparison of half precision (manual 9.7.7).
var halfCompareRows = []Row{
	{Syntax: "set.CmpOp{.ftz}.dtype.stype d, a, b", Alt: A{"CmpOp", allCmp, "dtype", "f16 bf16", "stype", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f32 f64"},
		Where: setHalfWhere, Args: setHalfArgs, PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "1.0 if the comparison holds, else 0."},
	{Syntax: "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", Alt: A{"CmpOp", allCmp, "BoolOp", "and or xor", "dtype", "f16 bf16", "stype", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f32 f64"},
		Where: setHalfWhere, Args: setHalfArgs + "; c: pred", PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "set, combined with a predicate."},
	{Syntax: "set.CmpOp{.ftz}.dtype.stype d, a, b", Alt: A{"CmpOp", floatCmp, "dtype", "u16 s16 u32 s32", "stype", "f16 bf16"},
		Where: "ftz => stype=f16", Args: setHalfArgs, PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "All ones if the comparison holds, else 0."},
	{Syntax: "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor", "dtype", "u16 s16 u32 s32", "stype", "f16 bf16"},
		Where: "ftz => stype=f16", Args: setHalfArgs + "; c: pred", PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "set, combined with a predicate."},
	{Syntax: "set.CmpOp{.ftz}.dtype.stype d, a, b", Alt: A{"CmpOp", floatCmp, "dtype", "f16x2 bf16x2 u32 s32", "stype", "f16x2 bf16x2"},
		Where: setPairWhere, Args: setHalfArgs, PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "Two comparisons of halves."},
	{Syntax: "set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor", "dtype", "f16x2 bf16x2 u32 s32", "stype", "f16x2 bf16x2"},
		Where: setPairWhere, Args: setHalfArgs + "; c: pred", PTX: 42, SM: 53, Sec: "9.7.7.1", Doc: "Two comparisons of halves, combined with a predicate."},
	{Syntax: "setp.CmpOp{.ftz}.type p, a, b", Alt: A{"CmpOp", floatCmp, "type", "f16"}, Args: "p: pred def", PTX: 42, SM: 53,
		Sec: "9.7.7.2", Doc: "p is the comparison."},
	{Syntax: "setp.CmpOp.BoolOp{.ftz}.type p, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor", "type", "f16"},
		Args: "p: pred def; c: pred reg", PTX: 42, SM: 53, Sec: "9.7.7.2", Doc: "p is the comparison combined with c."},
	{Syntax: "setp.CmpOp.type p, a, b", Alt: A{"CmpOp", floatCmp, "type", "bf16"}, Args: "p: pred def", PTX: 78, SM: 90,
		Sec: "9.7.7.2", Doc: "p is the comparison."},
	{Syntax: "setp.CmpOp.BoolOp.type p, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor", "type", "bf16"},
		Args: "p: pred def; c: pred reg", PTX: 78, SM: 90, Sec: "9.7.7.2", Doc: "p is the comparison combined with c."},
	{Syntax: "setp.CmpOp{.ftz}.f16x2 p|q, a, b", Alt: A{"CmpOp", floatCmp}, Args: "p: pred def sink; q: pred def sink", PTX: 42, SM: 53,
		Sec: "9.7.7.2", Doc: "p compares the low halves, q the high ones."},
	{Syntax: "setp.CmpOp.BoolOp{.ftz}.f16x2 p|q, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor"},
		Args: "p: pred def sink; q: pred def sink; c: pred reg", PTX: 42, SM: 53, Sec: "9.7.7.2", Doc: "Both comparisons, combined with c."},
	{Syntax: "setp.CmpOp.bf16x2 p|q, a, b", Alt: A{"CmpOp", floatCmp}, Args: "p: pred def sink; q: pred def sink", PTX: 78, SM: 90,
		Sec: "9.7.7.2", Doc: "p compares the low halves, q the high ones."},
	{Syntax: "setp.CmpOp.BoolOp.bf16x2 p|q, a, b, {!}c", Alt: A{"CmpOp", floatCmp, "BoolOp", "and or xor"},
		Args: "p: pred def sink; q: pred def sink; c: pred reg", PTX: 78, SM: 90, Sec: "9.7.7.2", Doc: "Both comparisons, combined with c."},
}

const (
	setHalfArgs  = "d: .dtype def; a: .stype either; b: .stype either"
	setHalfWhere = "CmpOp=equ|neu|ltu|leu|gtu|geu|num|nan => stype=f16|bf16|f32|f64; CmpOp=lo|ls|hi|hs => stype=u16|u32|u64;" +
		" stype=b16|b32|b64 => CmpOp=eq|ne; ftz => dtype=f16 & stype=f16|f32; stype=bf16 => dtype=bf16"
	setPairWhere = "dtype=f16x2 => stype=f16x2; dtype=bf16x2 => stype=bf16x2; ftz => stype=f16x2"
)
