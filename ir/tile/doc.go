// Package tile holds the nouns of Hopper kernels, on top of the low-level ops of package ir: tiles in shared memory, tensors
// that copies bring them from, rings of stages, roles of warps, and matrix products in registers. README.md shows a whole
// kernel and draws its main loop.
//
// Everything here is Go that runs while a kernel is being built. A noun emits the ops that a hand-written kernel has and
// keeps nothing on the device; what it computes for the kernel (bytes that a barrier expects, arrivals, parities, numbers of
// groups in flight, boxes of tensor maps, descriptors) follows from the layouts and roles and is not typed by hand.
//
// Mistakes are reported with the others when the kernel is built, at the line of the kernel that made them: see Codes.
package tile
