// Package irtest runs a kernel of the IR in a Go test, on the CPU, with every checker on:
//
//	func TestAdd(t *testing.T) {
//		x, y := []float32{1, 2, 3}, make([]float32, 3)
//		irtest.Run(t, kernels.Add, irtest.Grid{1}, x, y, uint32(len(x)))
//		…                                         // y holds what the kernel stored
//	}
//
// A tensor map is an argument [Tensor], the tensor's slice, sizes and strides, or, where the kernel declares no box, [Boxes].
//
// The kernel goes the way of a released one: passes, verifier, lowering, PTX text, and the emulator reads the text. It runs
// once for every asynchronous mode and several schedules, each time from the same inputs. The test fails at the first
// finding of a checker, with the Go line of the kernel, and when two runs leave different bytes.
package irtest
