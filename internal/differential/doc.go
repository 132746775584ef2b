// Package differential makes random kernels and runs each in several ways that must agree in every byte: with and without
// the IR's passes, on the emulated device under several schedules, and, where there is one, on an sm_90 GPU.
//
// A kernel is made from a seed alone. It calls the methods of the IR's types that have an exact result, found by
// reflection, so that a new op takes part without a line here; around them it builds branches and loops that lanes take
// apart, shuffles, votes, and exchanges through shared memory between barriers. Nothing in it depends on the order of
// threads. What the manual leaves open stays out or is covered up: the bits of a NaN, division by zero. Approximations take part:
// the emulator has the chip's bits.
//
// CI runs some programs. The full comparison is a test binary that runs on a machine with a GPU and ptxas, without Go:
//
//	go test -c -o differential.test ./internal/differential
//	./differential.test -test.run TestDevice -test.v -programs 20000 -ptxas /path/to/ptxas
package differential
