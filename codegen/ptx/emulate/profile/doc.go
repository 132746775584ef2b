// Package profile counts what a launch does on the emulator, line by line, and estimates from the counts how long an H200 takes.
//
//	rec := profile.New()
//	dev := emulate.NewDevice(emulate.Config{Observe: rec.Observe, Workers: 1, Blocks: 32, Off: emulate.AllChecks})
//	…launch…
//	for _, p := range rec.Profiles() {
//		fmt.Println(p.Total.Warp, p.Total.Load.Efficiency())
//		e := p.Estimate(profile.H200, blocksPerSM, profile.Conditions{})
//	}
//
// Counts are exact for the blocks that ran. A launch of many blocks need not run them all (emulate.Config.Blocks): Scale says how
// many blocks of the grid each of them stands for, and totals of the grid are estimates wherever it is not 1. Footprint extends
// the bytes that blocks touch to the grid by telling apart what each has for itself and what all of them share.
//
// # What is counted
//
// Instructions of the PTX, by warp and by thread; an instruction whose guard fails everywhere takes its issue slot too. A wait
// that has to be executed again counts once, and Retries tells how often.
//
// Global memory: requests of warps, the 32-byte sectors that they touch, and the distinct bytes that were asked for. Shared
// memory: the phases (wavefronts) that the banks need by the real addresses, swizzled or not, beside the least that the bytes
// would need. An access of 4 bytes a lane is one phase for the warp, of 8 bytes one for each half, of 16 bytes one for each
// quarter; a matrix of ldmatrix or stmatrix is one. Lanes that read the same word share it, lanes that write it too; atomics
// take their turns. What wgmma and the copy engine read and write in shared memory is counted in bytes only: they have
// no conflicts under the swizzles that they know.
//
// Tensor work in operations, barriers, copies with their bytes by direction, and L2ToSM: the bytes that travel from L2 to
// multiprocessors, a multicast once. Hits in L1 are not modelled, so it is an upper bound.
//
// # The estimate
//
// Estimate says what the time model is, and machine.go where its constants come from. Instructions are those of PTX, and
// slots.go says what ptxas makes of them. Not in the model: hits in L1, the far half of L2, queues of device memory beyond its
// rate, the order in which ptxas places instructions inside a basic block beyond "loads first", and what loops that it unrolls by
// itself gain. cmd/oxidelab/internal/opprofile tests the model against every recorded time of a kernel.
package profile
