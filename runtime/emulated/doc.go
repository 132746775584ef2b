// Package emulated is a device without a GPU: it implements oxrt's driver table over the PTX emulator, so that the same scopes, graphs
// and completions run on any machine, without cgo too.
//
//	rt, err := emulated.Open(ptx.Lookup) // ptx is the generated package gen/ptx
//
// A module is the PTX that an artifact's PTXSHA256 names. Work is asynchronous as on a GPU: each stream runs its commands in order on a
// goroutine of its own that ends when the stream is idle; kernels run one at a time. Checkers are always on. A finding of severity error
// is the error of the completion behind it: an *oxrt.DriverError with the driver's code for such a fault, whose Detail is a [Fault] with
// the finding, the kernel and the line. The commands behind a fault are skipped up to that completion. Unlike a GPU's context
// the device stays usable afterwards, unless [Options.Sticky] asks for the loss.
package emulated
