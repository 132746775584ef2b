// Package emulate runs PTX on the CPU: the same text that ptxas assembles, instruction by instruction, with checkers
// for memory, undefined values, races and synchronisation.
//
//	m, err := ptx.Parse(text)
//	prog, err := emulate.Load(m)                    // *DecodeError for what is not modelled, with its line
//	dev := emulate.NewDevice(emulate.Config{})      // all checkers on
//	addr, err := dev.Alloc("x", 4096)
//	res, err := dev.Launch(prog.Kernel("name"), emulate.LaunchConfig{…}, params)
//	res.Findings                                    // what the checkers saw; res.Err() is the first error
//
// # Machine
//
// A module is decoded once. A warp runs its 32 lanes together on registers kept as structures of arrays; predicates
// are one bit a lane. Lanes that part become fragments; the deepest call and then the lowest program counter runs
// first, so lanes meet again behind a branch. A .sync instruction waits until the lanes of its mask are there. Several
// CTAs are resident at once, as many as the configured multiprocessors hold, so a grid barrier works exactly where it
// works on a device of that size.
//
// A launch is deterministic: Config.Seed fixes the order of warps and blocks. Clusters run in parallel only where none
// can see another (no global atomics, no ordered or volatile accesses, no clocks), which leaves nothing that an order
// could change. The blocks of a cluster are resident together and reach each other's shared memory; the rank is the high
// byte of a shared address.
//
// # Asynchrony
//
// What cp.async, bulk and tensor copies, st.async, red.async and wgmma do happens between their issue and the wait that
// observes it; the manual says no more. Config.Async chooses: AsyncLate (the default) leaves the destination undefined
// until a legal wait, and reads the sources then; AsyncEarly does everything at the issue; AsyncRandom draws the
// moments from the seed and lets mbarrier.try_wait give up early. A kernel that waits for what it should gives the
// same result in all three. An mbarrier wait suspends its threads; when nobody can run, operations in flight complete,
// those first that somebody waits for, and what is left then is a deadlock: the finding says who waits for which
// phase of which barrier, and which arrivals or bytes it lacks. Device.LaunchAll overlaps dependent launches as
// griddepcontrol allows.
//
// Tensor maps have an encoding of our own (TensorMap.Encode), made from the arguments of cuTensorMapEncodeTiled and
// refused for the same reasons.
//
// # What is exact
//
// Integer and bit operations, comparisons, conversions of every type, f32 add, sub, mul, fma, div, rcp and sqrt in
// every rounding mode with .ftz and .sat, f16 and bf16 arithmetic, minimum and maximum with their NaN rules, f64
// arithmetic in every rounding mode. NaN results are the ones the hardware makes where it is known (0x7fffffff, 0x7fff). Atomic f32
// addition flushes subnormals in global memory and keeps them in shared memory, as the chip does.
//
// The approximate functions too: ex2, lg2, rcp, rsqrt, sqrt, sin, cos and tanh of f32, ex2 and tanh of f16 and bf16,
// div.full and div.approx give the bits of an H200 on every argument. Their tables are fitted to recorded values, and
// hashes over all 2^32 arguments of each instruction are kept in testdata/mufu (package internal/mufu says how).
//
// Copies of tensors, bulk copies and reductions, st.async, red.async, atomics on a peer's memory and the phases of an mbarrier:
// what an H200 made of thousands of small kernels is recorded in internal/probes and compared in every run of its tests; that
// package says which are not recorded yet.
//
// Matrix instructions give the bits of an H200: mma.sync and wgmma.mma_async on f16, bf16, tf32, fp8 and bytes follow
// the tensor core's own way of adding (package tensorcore), ptxas's expansion where the chip has no instruction.
//
// # Ring mode
//
// With Config.Ring floats are integers modulo 2^w: every order of the same sums gives the same bits. Two tilings of one
// algebra can be compared for equality, without tolerances. ring.go says what each operation means there.
//
// # What is bounded
//
// Order-dependent results (floating-point atomics) follow the schedule.
//
// # What is checked
//
// Memcheck: every access must lie in one live allocation and be aligned; findings name the allocation. Initcheck:
// registers, local, shared and global memory; a value that nobody gave is reported when it reaches a store to global
// memory, an address, an atomic, a barrier or a branch, not when it is read. Definedness is kept a register and lane
// and a memory byte: one undefined byte makes the register that it is loaded into undefined. Synchronisation: member
// masks, divergent and partial barriers, deadlocks and endless spinning, each with who waits for whom. Asynccheck: bytes
// read, written or reused while an operation is in flight, operations that nobody waits for, mbarriers used without
// init, initialised twice, or with counts, bytes and parities that do not fit, blocks of a cluster reached before they
// started or after they ended, tensor maps that do not fit their use. Register counts of setmaxnreg. wgmma: registers
// touched without wgmma.fence or before the wait, operands in flight given to something else, groups that nobody commits
// or waits for, warps of a warpgroup that disagree; accumulators in flight hold poison.
//
// Racecheck: two accesses to a byte, one of them a write, must be ordered. Order is happens-before by vector clocks, lane
// by lane: barriers, bar.warp.sync, the cluster barrier, mbarrier arrivals and waits, waits for groups of asynchronous
// operations, and release and acquire patterns of ordered accesses and fences with their scopes (manual 8). So it finds
// a race in any schedule that runs both accesses, whichever came first, in shared memory, in the memory of a peer, and in
// global memory over all blocks, also those of other goroutines. Ordered accesses and atomics whose scopes hold each
// other do not race; an atomic's reduction form never acquires; threads may store what is there already. Lanes that only
// lockstep orders get a warning. A write that reaches the async proxy needs a proxy fence, in the writing thread; one that
// only the issuing side executes is a warning, and reads before an asynchronous refill need none. mbarrier.init must be
// ordered before every use, and fenced before copies complete on it. What package mutate plants shows what is found;
// docs/sanitizer.md compares forty of these mistakes with compute-sanitizer.
//
// # What is not modelled
//
// Refused at Load, with line and text: matrices of f64, 4-bit and 1-bit elements, approximate f64 functions, 128-bit values, fma.oob, indirect
// and recursive calls, textures, and whatever the instruction table (package isa) lacks, such as multimem and im2col copies. Refused where a
// tensor map is encoded: interleaved layouts.
//
// Time and caches have no model here: %clock and %globaltimer count instructions of the worker, nanosleep and prefetches do nothing,
// and cache operators and policies change nothing. Package profile estimates times. ECC, power and the real scheduling of warps and blocks do
// not show. Weak memory order is only judged by Racecheck, values never go stale. A set of unordered readers of a byte is kept up
// to 64, and an actor's time up to 2^24 events; beyond, races may be missed. A launch by Device.Launch ends before the next begins.
//
// Followed from the manual and not compared with a chip: the element that a tensor map's stride skips, and how long a suspended wait
// lasts.
package emulate
