package isa

// Half-precision arithmetic (manual 9.7.4). The x2 types do two operations on the halves of a 32-bit register.
var halfRows = []Row{
	{Syntax: "add{.rn}{.ftz}{.sat}.type d, a, b", Alt: A{"type", "f16 f16x2"}, PTX: 42, SM: 53, Sec: "9.7.4.1", Doc: "d = a + b."},
	{Syntax: "add{.rn}.type d, a, b", Alt: A{"type", "bf16 bf16x2"}, PTX: 78, SM: 90, Sec: "9.7.4.1", Doc: "d = a + b."},
	{Syntax: "sub{.rn}{.ftz}{.sat}.type d, a, b", Alt: A{"type", "f16 f16x2"}, PTX: 42, SM: 53, Sec: "9.7.4.2", Doc: "d = a - b."},
	{Syntax: "sub{.rn}.type d, a, b", Alt: A{"type", "bf16 bf16x2"}, PTX: 78, SM: 90, Sec: "9.7.4.2", Doc: "d = a - b."},
	{Syntax: "mul{.rn}{.ftz}{.sat}.type d, a, b", Alt: A{"type", "f16 f16x2"}, PTX: 42, SM: 53, Sec: "9.7.4.3", Doc: "d = a * b."},
	{Syntax: "mul{.rn}.type d, a, b", Alt: A{"type", "bf16 bf16x2"}, PTX: 78, SM: 90, Sec: "9.7.4.3", Doc: "d = a * b."},
	{Syntax: "fma.rn{.ftz}{.sat}{.relu}.type d, a, b, c", Alt: A{"type", "f16 f16x2"}, Where: "sat & relu => never", PTX: 42, SM: 53,
		Sec: "9.7.4.4", Doc: "d = a*b + c with one rounding; .relu clamps negatives to 0."},
	{Syntax: "fma.rn{.relu}.type d, a, b, c", Alt: A{"type", "bf16 bf16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.4",
		Doc: "d = a*b + c with one rounding; .relu clamps negatives to 0."},
	{Syntax: "fma.rn.oob{.relu}.type d, a, b, c", Alt: A{"type", "f16 f16x2 bf16 bf16x2"}, PTX: 81, SM: 90, Sec: "9.7.4.4",
		Doc: "As fma, but 0 where a or b is the out-of-bounds NaN of a tensor copy."},
	{Syntax: "neg{.ftz}.type d, a", Alt: A{"type", "f16 f16x2"}, PTX: 60, SM: 53, Sec: "9.7.4.5", Doc: "-a."},
	{Syntax: "neg.type d, a", Alt: A{"type", "bf16 bf16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.5", Doc: "-a."},
	{Syntax: "abs{.ftz}.type d, a", Alt: A{"type", "f16 f16x2"}, PTX: 65, SM: 53, Sec: "9.7.4.6", Doc: "|a|."},
	{Syntax: "abs.type d, a", Alt: A{"type", "bf16 bf16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.6", Doc: "|a|."},
	{Syntax: "min{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", Alt: A{"type", "f16 f16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.7", Doc: "Smaller value."},
	{Syntax: "min{.NaN}{.xorsign.abs}.type d, a, b", Alt: A{"type", "bf16 bf16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.7", Doc: "Smaller value."},
	{Syntax: "max{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", Alt: A{"type", "f16 f16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.8", Doc: "Larger value."},
	{Syntax: "max{.NaN}{.xorsign.abs}.type d, a, b", Alt: A{"type", "bf16 bf16x2"}, PTX: 70, SM: 80, Sec: "9.7.4.8", Doc: "Larger value."},
	{Syntax: "tanh.approx.type d, a", Alt: A{"type", "f16 f16x2 bf16 bf16x2"}, PTX: 70, SM: 75, Sec: "9.7.4.9", Doc: "Hyperbolic tangent."},
	{Syntax: "ex2.approx.type d, a", Alt: A{"type", "f16 f16x2"}, PTX: 70, SM: 75, Sec: "9.7.4.10", Doc: "2 to the power a."},
	{Syntax: "ex2.approx.ftz.type d, a", Alt: A{"type", "bf16 bf16x2"}, PTX: 78, SM: 90, Sec: "9.7.4.10", Doc: "2 to the power a."},
}
