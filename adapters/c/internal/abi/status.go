package abi

import (
	"context"
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/runtime"
)

// Status is the result of every exported function. The numbers are part of the ABI and never change their meaning.
type Status int32

// Statuses. NotReady is an answer and no error.
const (
	OK Status = iota
	NotReady
	Argument
	Struct
	Handle
	Poisoned
	Contract
	Rejected
	Target
	NoDriver
	NoDevice
	Closed
	Stale
	Leased
	Driver
	DeviceLost
	Unsupported
	Forked
	Panic
	Unknown
	Capture
)

// Statuses says what each status means, by its number.
var Statuses = [...]struct{ Name, Doc string }{
	OK:          {"OK", "done"},
	NotReady:    {"NOT_READY", "the work has not settled; wait or poll again"},
	Argument:    {"ERROR_ARGUMENT", "an argument or field is null, misaligned, out of range or unknown"},
	Struct:      {"ERROR_STRUCT", "a struct has another size or version than this library's"},
	Handle:      {"ERROR_HANDLE", "a handle was destroyed or never given out"},
	Poisoned:    {"ERROR_POISONED", "an earlier call with this handle failed inside the library; destroy it"},
	Contract:    {"ERROR_CONTRACT", "a spec or a call breaks the operator's contract; nothing was submitted"},
	Rejected:    {"ERROR_REJECTED", "the device refused an operand's content; outputs are as they were"},
	Target:      {"ERROR_TARGET", "the operator has no artifact for this device"},
	NoDriver:    {"ERROR_NO_DRIVER", "there is no NVIDIA driver"},
	NoDevice:    {"ERROR_NO_DEVICE", "there is no device of that number"},
	Closed:      {"ERROR_CLOSED", "an object that the call needs was closed"},
	Stale:       {"ERROR_STALE", "a scope was used after its end, or a completion too late"},
	Leased:      {"ERROR_LEASED", "something still uses the object"},
	Driver:      {"ERROR_DRIVER", "a driver call failed; see the driver code"},
	DeviceLost:  {"ERROR_DEVICE_LOST", "a driver call failed and the context is lost: the process must end"},
	Unsupported: {"ERROR_UNSUPPORTED", "this kind of device does not offer the function"},
	Forked:      {"ERROR_FORKED", "the process was forked after the library was loaded; the child must start anew with exec (spawn)"},
	Panic:       {"ERROR_PANIC", "a fault of this library; the handle is poisoned"},
	Unknown:     {"ERROR_UNKNOWN", "an error without a code of its own"},
	Capture:     {"ERROR_CAPTURE", "the stream is being captured and the call may not be; nothing was submitted"},
}

func (s Status) String() string {
	if s < 0 || int(s) >= len(Statuses) {
		return fmt.Sprintf("status %d", int32(s))
	}
	return "OXIDE_" + Statuses[s].Name
}

// Error makes a status an error of its own for errors.Is.
func (s Status) Error() string {
	if s < 0 || int(s) >= len(Statuses) {
		return s.String()
	}
	return Statuses[s].Doc
}

// fault is an error with the status that it is told as.
type fault struct {
	status Status
	text   string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.status }

func refuse(s Status, format string, args ...any) error {
	return &fault{s, fmt.Sprintf(format, args...)}
}

// sentinels are tried in order; the more telling ones come first.
var sentinels = []struct {
	is     error
	status Status
}{
	{oxrt.ErrRejected, Rejected},
	{oxrt.ErrDeviceLost, DeviceLost},
	{oxrt.ErrCapture, Capture},
	{oxrt.ErrStale, Stale},
	{oxrt.ErrLeased, Leased},
	{oxrt.ErrClosed, Closed},
	{oxrt.ErrNoDevice, NoDevice},
	{oxrt.ErrNoDriver, NoDriver},
	{oxrt.ErrTarget, Target},
	{oxrt.ErrContract, Contract},
	{context.DeadlineExceeded, NotReady},
}

// StatusOf returns the status of an error of this package or of the runtime.
func StatusOf(err error) Status {
	if err == nil {
		return OK
	}
	var s Status
	if errors.As(err, &s) {
		return s
	}
	for _, e := range sentinels {
		if errors.Is(err, e.is) {
			return e.status
		}
	}
	var code oxrt.Code
	switch {
	case !errors.As(err, &code):
		return Unknown
	case code.Sticky():
		return DeviceLost
	}
	return Driver
}

// Describe fills the struct that tells an error to the caller.
func Describe(err error) Error {
	e := Error{Header: header[Error](), Status: int32(StatusOf(err))}
	setText(e.Text[:], err.Error())
	var contract *oxrt.ContractError
	if errors.As(err, &contract) {
		setText(e.OperatorName[:], contract.Kernel)
		setText(e.Field[:], contract.Field)
		setText(e.Want[:], contract.Want)
		setText(e.Got[:], contract.Got)
	}
	var rejected *oxrt.RejectedError
	if errors.As(err, &rejected) {
		setText(e.OperatorName[:], rejected.Operator)
		setText(e.Field[:], rejected.Operand)
		setText(e.Want[:], fmt.Sprintf("%v %d", rejected.Rule, rejected.Wanted))
		setText(e.Got[:], fmt.Sprint(rejected.Got))
		e.Index = rejected.Index
	}
	var code oxrt.Code
	if errors.As(err, &code) {
		e.DriverCode = int32(code)
	}
	return e
}

// setText stores a string with a final zero, cut at a character where it is too long.
func setText(to []byte, s string) {
	if len(s) > len(to)-1 {
		s = s[:len(to)-1]
		for len(s) > 0 && s[len(s)-1]&0xc0 == 0x80 {
			s = s[:len(s)-1]
		}
		if len(s) > 0 && s[len(s)-1] >= 0xc0 {
			s = s[:len(s)-1]
		}
	}
	clear(to[copy(to, s):])
}
