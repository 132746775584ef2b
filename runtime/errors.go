package oxrt

import (
	"errors"
	"fmt"
)

// Sentinels for errors.Is. Errors of this package wrap them with what was wanted and what was found.
var (
	// ErrNoDriver: there is no usable driver library, or the program was built without cgo or for another system.
	ErrNoDriver = errors.New("no NVIDIA driver")
	// ErrNoDevice: the driver has no device of that number.
	ErrNoDevice = errors.New("no such device")
	// ErrTarget: an artifact and a device, or the parts of an artifact, do not belong together.
	ErrTarget = errors.New("artifact does not fit")
	// ErrClosed: the object was closed.
	ErrClosed = errors.New("closed")
	// ErrStale: a scope or completion was used after its life ended.
	ErrStale = errors.New("stale")
	// ErrLeased: memory was closed while submitted work still uses it; it is freed when that work settles.
	ErrLeased = errors.New("leased by submitted work")
	// ErrContract: a call breaks a kernel's or operator's contract (see ContractError).
	ErrContract = errors.New("contract broken")
)

// DriverError is a failed driver call. Unwrap gives its Code.
type DriverError struct {
	Op     string // the driver operation, for example "cuMemAlloc"
	Kernel string // the kernel concerned, if any
	Code   Code
	Detail error // what a checking device found, if it did
}

func (e *DriverError) Error() string {
	s := e.Op + ": " + e.Code.Error()
	if e.Kernel != "" {
		s = e.Kernel + ": " + s
	}
	if e.Detail != nil {
		s += ": " + e.Detail.Error()
	}
	return s
}

// Unwrap returns the code and the detail.
func (e *DriverError) Unwrap() []error {
	if e.Detail != nil {
		return []error{e.Code, e.Detail}
	}
	return []error{e.Code}
}

// Sticky reports whether the device context is lost.
func (e *DriverError) Sticky() bool { return e.Code.Sticky() }

// ContractError is a call refused before anything was submitted. It is ErrContract to errors.Is.
type ContractError struct {
	Kernel string // kernel or operator
	Field  string // operand, parameter or launch field
	Want   string
	Got    string
}

func (e *ContractError) Error() string {
	return fmt.Sprintf("%s: %s: want %s, got %s", e.Kernel, e.Field, e.Want, e.Got)
}

// Unwrap returns ErrContract.
func (e *ContractError) Unwrap() error { return ErrContract }

// TargetError is a refusal of the device gate: two sides that must agree and do not. It is ErrTarget to errors.Is.
type TargetError struct {
	Kernel   string // the artifact
	Left     string // one side, for example "manifest target"
	LeftGot  string
	Right    string // the other side, for example "device compute capability"
	RightGot string
}

func (e *TargetError) Error() string {
	return fmt.Sprintf("%s: %s %s does not agree with %s %s", e.Kernel, e.Left, e.LeftGot, e.Right, e.RightGot)
}

// Unwrap returns ErrTarget.
func (e *TargetError) Unwrap() error { return ErrTarget }
