// Package arch holds the test of the project's import directions. It has no code of its own.
//
// The directions are those of the package map: kernels see only the IR, the run-time packages never see the IR
// or the code generator, and the code generator never sees the runtime, so that a program which imports an
// operator family links neither the compiler nor the emulator.
package arch
