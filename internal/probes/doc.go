// Package probes makes thousands of small kernels with the ops of the IR, one for each form of an instruction of the
// asynchronous and matrix hardware, and holds what an H200 made of them.
//
// A probe is one launch with inputs from a seed: a form of wgmma or mma.sync with every kind of numbers, a tensor map with
// boxes inside and over every side of its tensor, a reduction of one type. Each goes the way of a released kernel: IR,
// passes, verifier, lowering, PTX text. The emulator, with all checkers on, must find nothing and leave the device's bits.
//
// CI runs a fixed sample, -long all of them:
//
//	go test ./internal/probes -long -v
//
// The recording is made, and compared again, by the test binary on a machine with a GPU, which needs neither Go nor ptxas:
//
//	go test -c -o probes.test ./internal/probes
//	mkdir cubins && ./probes.test -test.run Assemble -long -cubins cubins
//	./probes.test -test.run Device -test.v -cubins cubins -record recording.gz
//
// Not recorded yet, and so only run for findings: wgmma, multicast, bitwise reductions of tensors, element strides (unrecorded in
// probes_test.go). The launches on a device ended with an illegal instruction in a module whose first probe reduced a tensor of
// s32 with .or; such reductions are now the last probes. Give a run a limit: a reduction that a chip does not know may never end.
package probes
