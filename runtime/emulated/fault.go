package emulated

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// Fault is what a checker found in a launch.
type Fault struct {
	Kernel  string // the entry
	Finding emulate.Finding
}

func (f *Fault) Error() string { return f.Finding.String() }

// codeOf returns what the driver of a GPU reports for such a fault.
func codeOf(class emulate.Class) oxrt.Code {
	switch class {
	case emulate.OOBGlobal, emulate.OOBShared, emulate.OOBLocal, emulate.OOBParam, emulate.ReadOnly:
		return oxrt.CodeIllegalAddress
	case emulate.Misaligned:
		return oxrt.CodeMisalignedAddress
	case emulate.Deadlock, emulate.Hang:
		return oxrt.CodeLaunchTimeout
	case emulate.BadOperand:
		return oxrt.CodeIllegalInstruction
	}
	return oxrt.CodeLaunchFailed
}

// failure is a code with what is behind it; the zero value is success.
type failure struct {
	code   oxrt.Code
	detail error
}

func (f failure) failed() bool { return f.code != oxrt.CodeSuccess }
