// Package cubinelf reads the few facts of a cubin that the device gate needs: its target, the options that ptxas wrote into it, and
// the parameters and block of one entry. It is small on purpose: every program that uses the library links it. The full reader of
// the build side is codegen/cubin.
package cubinelf
