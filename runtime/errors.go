package oxrt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
	// ErrRejected: an operator found wrong data on the device and did nothing (see RejectedError).
	ErrRejected = errors.New("rejected on the device")
	// ErrDeviceLost: the device's context is gone and every later call on it fails (see DeviceError).
	ErrDeviceLost = errors.New("device lost")
	// ErrCapture: a submission went to a stream under capture that it may not be part of (see CaptureError).
	ErrCapture = errors.New("not capturable")
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
	return fmt.Sprintf("%s: %s: want %s, got %s", e.Kernel, e.Field, e.Want, visible(e.Got))
}

// visible quotes what a caller gave if it holds anything but printable runes.
func visible(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
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

// DeviceError says that a device's context is lost: an illegal address, an ECC error, a launch timeout, a device that fell off the bus.
// The first call that meets it, every submission in flight and every later call on the device return the same value; leases
// are given back. It is ErrDeviceLost to errors.Is, and so is the driver's code that caused it.
type DeviceError struct {
	Device string
	Cause  *DriverError
}

func (e *DeviceError) Error() string {
	return e.Device + ": " + ErrDeviceLost.Error() + ": " + e.Cause.Error()
}

// Unwrap returns ErrDeviceLost and the cause.
func (e *DeviceError) Unwrap() []error { return []error{ErrDeviceLost, e.Cause} }

// RejectedError is the outcome of an operator that checked data on the device, found it wrong and did nothing: its outputs are as they
// were, the operators around it and the stream are unharmed. It is ErrRejected to errors.Is.
type RejectedError struct {
	Operator string
	Operand  string // the tensor with the wrong value
	Index    int64  // of the wrong element
	Rule     Rule   // how Got should stand to Wanted
	Wanted   int64
	Got      int64
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("%s: %s[%d]: want %s %d, got %d", e.Operator, e.Operand, e.Index, e.Rule, e.Wanted, e.Got)
}

// Unwrap returns ErrRejected.
func (e *RejectedError) Unwrap() error { return ErrRejected }

// CaptureError is a submission that was refused because its stream is being captured; nothing of it was enqueued. It is ErrCapture to
// errors.Is.
type CaptureError struct {
	Operator string
	Want     string // what would make it capturable
}

func (e *CaptureError) Error() string {
	return fmt.Sprintf("%s: the stream is being captured: want %s", e.Operator, e.Want)
}

// Unwrap returns ErrCapture.
func (e *CaptureError) Unwrap() error { return ErrCapture }
