package isa

const (
	atomSpaces = "global shared shared::cta shared::cluster"
	atomSems   = "relaxed acquire release acq_rel"
	redSems    = "relaxed release"
	atomArgs   = "a: T space=.space"
	hint       = "L2::cache_hint"
	atomHint   = "level::cache_hint => !space or space=global"

	// Which types an operation has (manual 9.7.13.5); .s64 addition is .u64 addition and is left out there.
	opWhere = "op=and|or|xor => type=b32|b64; op=inc|dec => type=u32;" +
		" op=add => type=u32|u64|s32|f32|f64; op=min|max => type=u32|u64|s32|s64"
)

// Atomic operations and reductions (manual 9.7.13.5 to 9.7.13.7).
var atomicRows = []Row{
	{Syntax: "atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
		Alt: A{"sem", atomSems, "scope", scopes, "space", atomSpaces, "op", "and or xor exch add inc dec min max", "level::cache_hint", hint,
			"type", "b32 b64 u32 u64 s32 s64 f32 f64"},
		Where: opWhere + "; op=exch => type=b32|b64; " + atomHint, Args: "d: T def reg sink; " + atomArgs,
		PTX: 11, SM: 11, Sec: "9.7.13.5", Reads: ".space", Writes: ".space", Doc: "d = [a]; [a] = op([a], b), atomically."},
	{Syntax: "atom{.sem}{.scope}{.space}.cas.type d, [a], b, c",
		Alt:  A{"sem", atomSems, "scope", scopes, "space", atomSpaces, "type", "b16 b32 b64 b128"},
		Op:   "atom.cas",
		Args: "d: T def reg sink; " + atomArgs, PTX: 11, SM: 11, Sec: "9.7.13.5", Reads: ".space", Writes: ".space",
		Doc: "d = [a]; if d == b, [a] = c, atomically."},
	{Syntax: "atom{.sem}{.scope}{.space}.exch{.level::cache_hint}.b128 d, [a], b{, cache-policy}",
		Alt:   A{"sem", atomSems, "scope", scopes, "space", atomSpaces, "level::cache_hint", hint},
		Where: atomHint, Args: "d: T def reg sink; " + atomArgs, PTX: 83, SM: 90, Sec: "9.7.13.5", Reads: ".space", Writes: ".space",
		Doc: "d = [a]; [a] = b, atomically."},
	{Syntax: "atom{.sem}{.scope}{.space}.add.noftz{.level::cache_hint}.type d, [a], b{, cache-policy}",
		Alt:   A{"sem", atomSems, "scope", scopes, "space", atomSpaces, "level::cache_hint", hint, "type", "f16 f16x2 bf16 bf16x2"},
		Where: atomHint, Args: "d: T def reg sink; " + atomArgs, PTX: 62, SM: 60, Sec: "9.7.13.5", Reads: ".space", Writes: ".space",
		Doc: "d = [a]; [a] = [a] + b, each element atomically."},
	{Syntax: "atom{.sem}{.scope}{.global}.add{.level::cache_hint}.vec.f32 d, [a], b{, cache-policy}",
		Alt:  A{"sem", atomSems, "scope", scopes, "level::cache_hint", hint, "vec", "v2 v4"},
		Args: vecAtomArgs, PTX: 81, SM: 90, Sec: "9.7.13.5", Reads: "global", Writes: "global", Doc: "Vector addition, each element atomically."},
	{Syntax: "atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type d, [a], b{, cache-policy}",
		Alt:   A{"sem", atomSems, "scope", scopes, "op", "add min max", "level::cache_hint", hint, "vec", "v2 v4 v8", "type", "f16 bf16 f16x2 bf16x2"},
		Where: "v8 => type=f16|bf16", Args: vecAtomArgs, PTX: 81, SM: 90, Sec: "9.7.13.5", Reads: "global", Writes: "global",
		Doc: "Vector operation, each element atomically."},

	{Syntax: "red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy}",
		Alt: A{"sem", redSems, "scope", scopes, "space", atomSpaces, "op", "and or xor add inc dec min max", "level::cache_hint", hint,
			"type", "b32 b64 u32 u64 s32 s64 f32 f64"},
		Where: opWhere + "; " + atomHint, Args: atomArgs, PTX: 12, SM: 20, Sec: "9.7.13.6", Reads: ".space", Writes: ".space", Doc: "[a] = op([a], b), atomically."},
	{Syntax: "red{.sem}{.scope}{.space}.add.noftz{.level::cache_hint}.type [a], b{, cache-policy}",
		Alt:   A{"sem", redSems, "scope", scopes, "space", atomSpaces, "level::cache_hint", hint, "type", "f16 f16x2 bf16 bf16x2"},
		Where: atomHint, Args: atomArgs, PTX: 62, SM: 60, Sec: "9.7.13.6", Reads: ".space", Writes: ".space", Doc: "[a] = [a] + b, each element atomically."},
	{Syntax: "red{.sem}{.scope}{.global}.add{.level::cache_hint}.vec.f32 [a], b{, cache-policy}",
		Alt:  A{"sem", redSems, "scope", scopes, "level::cache_hint", hint, "vec", "v2 v4"},
		Args: vecRedArgs, PTX: 81, SM: 90, Sec: "9.7.13.6", Reads: "global", Writes: "global", Doc: "Vector addition, each element atomically."},
	{Syntax: "red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type [a], b{, cache-policy}",
		Alt:   A{"sem", redSems, "scope", scopes, "op", "add min max", "level::cache_hint", hint, "vec", "v2 v4 v8", "type", "f16 bf16 f16x2 bf16x2"},
		Where: "v8 => type=f16|bf16", Args: vecRedArgs, PTX: 81, SM: 90, Sec: "9.7.13.6", Reads: "global", Writes: "global",
		Doc: "Vector operation, each element atomically."},

	{Op: "red.async", Syntax: "red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b, [mbar]",
		Alt: A{"sem", "relaxed", "scope", "cluster", "ss", "shared::cluster", "completion_mechanism", "mbarrier::complete_tx::bytes",
			"op", "inc dec min max and or xor add", "type", "u32 s32 u64 b32"},
		Where: "op=inc|dec => type=u32; op=min|max => type=u32|s32; op=and|or|xor => type=b32; op=add => type=u32|s32|u64",
		Args:  "a: T space=shared::cluster; mbar: b64 space=shared::cluster", PTX: 81, SM: 90, Sec: "9.7.13.7",
		Reads: "shared::cluster", Writes: "shared::cluster", Async: "mbarrier", Doc: "Reduction in another CTA's shared memory, counted by its mbarrier."},
}

const (
	vecAtomArgs = "d: T def reg vec=.vec; a: T space=global; b: T reg vec=.vec"
	vecRedArgs  = "a: T space=global; b: T reg vec=.vec"
)
