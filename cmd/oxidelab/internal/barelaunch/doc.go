// Package barelaunch is the floor of an eager call: cuLaunchKernel called from C in a loop, with nothing of this library around it. The
// clock is read in C, so that not even a cgo call is inside.
package barelaunch

import oxrt "github.com/oxideinfer/oxide/runtime"

// Mode is what one bare call does.
type Mode int

// Modes. Programmatic ones launch through cuLaunchKernelEx with the attribute of programmatic stream serialisation.
const (
	Launch Mode = iota
	LaunchRecord
	Programmatic
	ProgrammaticRecord
)

// Modes lists all modes in order.
var Modes = []Mode{Launch, LaunchRecord, Programmatic, ProgrammaticRecord}

func (m Mode) String() string {
	switch m {
	case Launch:
		return "cuLaunchKernel"
	case LaunchRecord:
		return "cuLaunchKernel + cuEventRecord"
	case Programmatic:
		return "cuLaunchKernelEx, programmatic"
	case ProgrammaticRecord:
		return "cuLaunchKernelEx, programmatic + cuEventRecord"
	}
	return "unknown"
}

// Call is the launch to repeat.
type Call struct {
	Context oxrt.ContextHandle
	Stream  oxrt.StreamHandle
	Event   oxrt.EventHandle
	Kernel  *oxrt.Kernel
	Grid    oxrt.Dim3
	Params  []byte // the flat parameter buffer
}
