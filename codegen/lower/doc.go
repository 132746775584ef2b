// Package lower turns a verified kernel of the IR into a PTX module.
//
// One IR op becomes one known PTX shape through one small function; the functions are found in a table by the op's
// name, and a test fails for an op without one. Nothing is optimised here: passes over the IR come before, ptxas
// schedules after. What this package decides is how structured control flow becomes labels and branches, which values
// need a register at all (constants and folded addresses do not), and which values share one: loop-carried values. Register
// arrays, the accumulators and fragments of matrix products, have registers of their own for the whole kernel.
package lower
