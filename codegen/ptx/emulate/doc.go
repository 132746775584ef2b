// Package emulate runs PTX on the CPU: the same text that ptxas assembles, instruction by instruction, with checkers
// for memory and undefined values.
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
// A launch is deterministic: Config.Seed fixes the order of warps. CTAs run in parallel only where no CTA can see
// another (no global atomics, no ordered or volatile accesses, no clocks), which leaves nothing that an order could
// change. Launches on one device run one after another.
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
// Matrix instructions give the bits of an H200: mma.sync and wgmma.mma_async on f16, bf16, tf32, fp8 and bytes follow
// the tensor core's own way of adding (package tensorcore), ptxas's expansion where the chip has no instruction.
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
// masks, divergent and partial barriers, deadlocks and endless spinning, each with who waits for whom. wgmma: registers
// touched without wgmma.fence or before the wait, operands in flight given to something else, groups that nobody commits
// or waits for, warps of a warpgroup that disagree; accumulators in flight hold poison.
//
// # What is not modelled
//
// Asynchronous copies, mbarriers, clusters, matrices of f64, 4-bit and 1-bit elements, approximate f64 functions, 128-bit values, indirect
// and recursive calls, textures: Load refuses them. Time, caches, weak memory order, races: not modelled and not
// reported. Launches are sequential, so griddepcontrol orders nothing here.
package emulate
