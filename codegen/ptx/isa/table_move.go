package isa

const windows = "const global local shared shared::cta shared::cluster param param::entry"

// Moves within registers (manual 9.7.9.3 to 9.7.9.7).
var moveRows = []Row{
	{Syntax: "mov.type d, a", Alt: A{"type", "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"},
		Args: "d: T def reg pack sink; a: T either sym sreg pack", PTX: 10, SM: 10, Sec: "9.7.9.3",
		Doc: "Copies a register, constant, special register or address; the .b types also pack and unpack vectors (9.7.9.4)."},
	{Syntax: "prmt.b32{.mode} d, a, b, c", Alt: A{"mode", "f4e b4e rc8 ecl ecr rc16"}, PTX: 20, SM: 20, Sec: "9.7.9.7",
		Doc: "Picks four of the eight bytes of b:a."},
}

// Addresses and what the caches do with them (manual 9.7.9.15 to 9.7.9.24).
var addressRows = []Row{
	{Syntax: "prefetch{.space}.level [a]", Alt: A{"space", "global local", "level", "L1 L2"}, Args: "a: space=.space", PTX: 20, SM: 20,
		Sec: "9.7.9.15", Volatile: true, Doc: "Brings a cache line to a level."},
	{Syntax: "prefetch{.global}.level::eviction_priority [a]", Alt: A{"level::eviction_priority", "L2::evict_last L2::evict_normal"},
		Args: "a: space=global", PTX: 74, SM: 80, Sec: "9.7.9.15", Volatile: true, Doc: "Brings a cache line to L2 with an eviction priority."},
	{Syntax: "prefetch{.tensormap_space}.tensormap [a]", Alt: A{"tensormap_space", "const param"}, Args: "a: space=.tensormap_space",
		PTX: 80, SM: 90, Sec: "9.7.9.15", Volatile: true, Doc: "Brings a tensor map to the descriptor cache."},
	{Syntax: "prefetchu.L1 [a]", PTX: 20, SM: 20, Sec: "9.7.9.15", Volatile: true, Doc: "Brings a cache line to the uniform cache."},
	{Syntax: "applypriority{.global}.level::eviction_priority [a], size", Alt: A{"level::eviction_priority", "L2::evict_normal"},
		Args: "a: space=global; size: b32 imm=128", PTX: 74, SM: 80, Sec: "9.7.9.16", Volatile: true, Doc: "Sets the eviction priority of 128 bytes."},
	{Syntax: "discard{.global}.level [a], size", Alt: A{"level", "L2"}, Args: "a: space=global; size: b32 imm=128", PTX: 74, SM: 80,
		Sec: "9.7.9.17", Writes: "global", Doc: "Drops 128 bytes of the cache without writing them back; they are undefined afterwards."},
	{Op: "createpolicy.range", Syntax: "createpolicy.range{.global}.level::primary_priority{.level::secondary_priority}.b64 cache-policy, [a], primary-size, total-size",
		Alt:  A{"level::primary_priority", policies, "level::secondary_priority", "L2::evict_first L2::evict_unchanged"},
		Args: "cache-policy: b64 def; a: space=global; primary-size: u32 either; total-size: u32 either", PTX: 74, SM: 80, Sec: "9.7.9.18",
		Doc: "A cache policy for a range of addresses."},
	{Op: "createpolicy.fractional", Syntax: "createpolicy.fractional.level::primary_priority{.level::secondary_priority}.b64 cache-policy{, fraction}",
		Alt:  A{"level::primary_priority", policies, "level::secondary_priority", "L2::evict_first L2::evict_unchanged"},
		Args: "cache-policy: b64 def; fraction: f32 either", PTX: 74, SM: 80, Sec: "9.7.9.18",
		Doc: "A cache policy for a fraction of the accesses."},
	{Op: "createpolicy.cvt", Syntax: "createpolicy.cvt.L2.b64 cache-policy, access-property",
		Args: "cache-policy: b64 def; access-property: b64 either", PTX: 74, SM: 80, Sec: "9.7.9.18", Doc: "The cache policy of a CUDA access property."},
	{Syntax: "isspacep.space p, a", Alt: A{"space", windows}, Args: "a: u64 reg", PTX: 20, SM: 20, Sec: "9.7.9.19",
		Doc: "Whether a generic address falls into the window of a space."},
	{Syntax: "cvta.space.size p, a", Alt: A{"space", windows, "size", "u64"}, Args: "p: .size def reg; a: .size either sym",
		PTX: 20, SM: 20, Sec: "9.7.9.20", Doc: "The generic address of an address in a space."},
	{Op: "cvta.to", Syntax: "cvta.to.space.size p, a", Alt: A{"space", windows, "size", "u64"}, Args: "p: .size def reg; a: .size either sym",
		PTX: 20, SM: 20, Sec: "9.7.9.20", Doc: "The address in a space of a generic address."},
	{Syntax: "mapa{.space}.type d, a, b", Alt: A{"space", "shared::cluster", "type", "u32 u64"}, Args: "a: T reg sym; b: u32 either",
		PTX: 78, SM: 90, Sec: "9.7.9.23", Doc: "The address of a shared variable in CTA b of the cluster."},
	{Syntax: "getctarank{.space}.type d, a", Alt: A{"space", "shared::cluster", "type", "u32 u64"}, Args: "d: u32 def; a: T reg sym",
		PTX: 78, SM: 90, Sec: "9.7.9.24", Doc: "The rank in the cluster of the CTA that owns a shared address."},
}

const policies = "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"
