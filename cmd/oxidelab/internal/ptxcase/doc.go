// Package ptxcase runs PTX case files: a PTX module, the buffers and launches to run it with, and the outputs that a
// GPU left in memory. It is the library behind "oxidelab ptx run".
//
// A case is a JSON file (format "ptx-fixture/1") beside its PTX and its .safetensors data. [Run] executes it on the
// emulator and compares every output under the rule that the case states for it:
//
//   - exact and hw outputs must be equal bit for bit, except that hw outputs may use the stated tolerance;
//   - approx outputs may differ by the stated ulp, or absolute plus relative error;
//   - buffers that are no outputs must be unchanged, scratch excepted.
//
// [Report.ExitCode] is 0 when everything is equal and no finding is an error, 1 when something differs or a finding
// is an error, and 2 when the case could not be run: unreadable files, PTX that is wrong or not modelled.
package ptxcase
