// Package subjects holds small Hopper kernels written with the low-level ops of the IR, one for each way in which kernels of
// this kind are put together: rings of tensor copies, warp-specialised matrix products, clusters, turns and schedulers.
//
// They are test subjects: each comes with its launch, its inputs and the exact bytes that a reference, written from the
// definition, leaves in memory. They run on the emulator under every schedule, are mutated to prove the checkers, and can be
// written out as cases that a device runs ([Subject.Write]). They are not shipped.
//
// All values are small integers, so that every order of summation gives the same bits.
package subjects
