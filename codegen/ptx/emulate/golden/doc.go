// Package golden holds what an H200 makes of small kernels, and makes those kernels: each case is PTX with inputs from a
// seed, aimed at one thing that a manual leaves open.
//
// The recordings are in testdata; a test compares the emulator with them bit for bit. They come from a device and are
// never made from the emulator. To record again, on a machine with the pinned ptxas and one with an H200 (which may be
// the same):
//
//	go run ./codegen/ptx/emulate/golden/record write DIR     the cases, in the format of "oxidelab ptx"
//	oxidelab ptx record -assemble DIR                        the cubins
//	oxidelab ptx record DIR                                  on the GPU: the outputs
//	go run ./codegen/ptx/emulate/golden/record keep DIR      testdata/tensor.safetensors.gz
package golden
