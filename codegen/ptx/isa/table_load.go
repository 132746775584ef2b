package isa

// Values of the load and store rows.
const (
	loadSpaces  = "const global local param::entry param::func param shared shared::cta shared::cluster"
	storeSpaces = "global local param param::func shared shared::cta shared::cluster"
	evict1      = "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"
	prefetches  = "L2::64B L2::128B L2::256B"
	loadArgs    = "d: T def reg vec=.vec wide sink; a: T space=.ss"
	storeArgs   = "a: T space=.ss; b: T either vec=.vec wide"
)

// Loads (manual 9.7.9.8 and 9.7.9.9).
var loadRows = []Row{
	{Syntax: "ld{.weak}{.ss}{.cop}{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
		Alt: A{"ss", loadSpaces, "cop", "ca cg cs lu cv", "level1::eviction_priority", evict1, "level::cache_hint", "L2::cache_hint",
			"level::prefetch_size", prefetches, "vec", "v2 v4", "type", allTypes},
		Where: vecWhere + cacheWhere + "cop & level1::eviction_priority => never",
		Args:  loadArgs, PTX: 10, SM: 10, Sec: "9.7.9.8", Reads: ".ss", Doc: "Loads a value or vector."},
	{Syntax: "ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a]",
		Alt:   A{"ss", volatileSpaces, "level::prefetch_size", prefetches, "vec", "v2 v4", "type", allTypes},
		Where: vecWhere + "level::prefetch_size => !ss or ss=global",
		Args:  loadArgs, PTX: 11, SM: 10, Sec: "9.7.9.8", Reads: ".ss", Volatile: true, Doc: "Loads with relaxed semantics of system scope."},
	{Syntax: "ld.sem.scope{.ss}{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
		Alt: A{"sem", "relaxed acquire", "scope", scopes, "ss", "global shared shared::cta shared::cluster", "level1::eviction_priority", evict1,
			"level::cache_hint", "L2::cache_hint", "level::prefetch_size", prefetches, "vec", "v2 v4", "type", allTypes},
		Where: vecWhere + cacheWhere,
		Args:  loadArgs, PTX: 60, SM: 70, Sec: "9.7.9.8", Reads: ".ss", Sync: true, Volatile: true, Doc: "Loads with memory ordering."},
	{Syntax: "ld.global{.cop}.nc{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
		Alt: A{"cop", "ca cg cs", "level1::eviction_priority", evict1, "level::cache_hint", "L2::cache_hint",
			"level::prefetch_size", prefetches, "vec", "v2 v4", "type", allTypes},
		Where: vecWhere + "cop & level1::eviction_priority => never",
		Args:  "d: T def reg vec=.vec wide sink; a: T space=global", PTX: 31, SM: 32, Sec: "9.7.9.9", Reads: "global",
		Doc: "Loads data that nothing writes during the kernel, through the non-coherent cache."},
}

const (
	// Vectors end at 128 bits on this target.
	vecWhere = "vec => type!=b128; v4 => type!=b64|u64|s64|f64; "
	// Only global memory has caches with policies.
	hintWhere  = "level::cache_hint => !ss or ss=global; level1::eviction_priority => !ss or ss=global; "
	cacheWhere = hintWhere + "level::prefetch_size => !ss or ss=global; "
	// .volatile is for memory that others can write.
	volatileSpaces = "global shared shared::cta shared::cluster"
)

// Stores (manual 9.7.9.11 and following).
var storeRows = []Row{
	{Syntax: "st{.weak}{.ss}{.cop}{.level1::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
		Alt: A{"ss", storeSpaces, "cop", "wb cg cs wt", "level1::eviction_priority", evict1, "level::cache_hint", "L2::cache_hint",
			"vec", "v2 v4", "type", allTypes},
		Where: vecWhere + hintWhere + "cop & level1::eviction_priority => never",
		Args:  storeArgs, PTX: 10, SM: 10, Sec: "9.7.9.11", Writes: ".ss", Doc: "Stores a value or vector."},
	{Syntax: "st.volatile{.ss}{.vec}.type [a], b", Alt: A{"ss", volatileSpaces, "vec", "v2 v4", "type", allTypes}, Where: vecWhere,
		Args: storeArgs, PTX: 11, SM: 10, Sec: "9.7.9.11", Writes: ".ss", Volatile: true, Doc: "Stores with relaxed semantics of system scope."},
	{Syntax: "st.sem.scope{.ss}{.level1::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
		Alt: A{"sem", "relaxed release", "scope", scopes, "ss", "global shared shared::cta shared::cluster", "level1::eviction_priority", evict1,
			"level::cache_hint", "L2::cache_hint", "vec", "v2 v4", "type", allTypes},
		Where: vecWhere + hintWhere,
		Args:  storeArgs, PTX: 60, SM: 70, Sec: "9.7.9.11", Writes: ".ss", Sync: true, Doc: "Stores with memory ordering."},
}
