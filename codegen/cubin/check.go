package cubin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Allowance is what a kernel declares about its own assembly. Each item needs a reason; without one it is refused
// like something undeclared.
type Allowance struct {
	Warnings        map[string]string // code such as C7517 -> why it is harmless here
	SpillStoreBytes int               // upper limits per thread
	SpillLoadBytes  int
	StackBytes      int
	LocalReason     string // why the spills or the stack frame are right
	MaxRegisters    int    // register budget; 0 means none is declared
}

// WarningError is an undeclared message of ptxas that means serialised or altered asynchronous work.
type WarningError struct {
	Entry      string
	Diagnostic Diagnostic
}

func (e *WarningError) Error() string {
	return fmt.Sprintf("entry %s: ptxas %s: %s (the kernel does not declare and explain %s)",
		e.Entry, e.Diagnostic.Code, e.Diagnostic.Text, e.Diagnostic.Code)
}

// SpillError is register spilling beyond what the kernel declares.
type SpillError struct {
	Entry                               string
	Registers                           int
	StoreBytes, LoadBytes               int
	AllowedStoreBytes, AllowedLoadBytes int
	Reason                              string
}

func (e *SpillError) Error() string {
	return fmt.Sprintf("entry %s: %d registers and spills: %d bytes stored, %d bytes loaded per thread; declared are %d and %d%s",
		e.Entry, e.Registers, e.StoreBytes, e.LoadBytes, e.AllowedStoreBytes, e.AllowedLoadBytes, unexplained(e.Reason))
}

// StackError is a stack frame beyond what the kernel declares.
type StackError struct {
	Entry                    string
	StackBytes, AllowedBytes int
	Reason                   string
}

func (e *StackError) Error() string {
	return fmt.Sprintf("entry %s: stack frame of %d bytes per thread; declared are %d%s",
		e.Entry, e.StackBytes, e.AllowedBytes, unexplained(e.Reason))
}

// RegisterError is register use over the declared budget.
type RegisterError struct {
	Entry           string
	Registers, Most int
}

func (e *RegisterError) Error() string {
	return fmt.Sprintf("entry %s: %d registers, the declared budget is %d", e.Entry, e.Registers, e.Most)
}

func unexplained(reason string) string {
	if strings.TrimSpace(reason) == "" {
		return " without a reason"
	}
	return ""
}

// gated are the messages about wgmma and setmaxnreg that fail a build: serialised pipelines, ignored register
// counts, and waits or arrives that ptxas added because the text lacks them.
var gated = []string{"C7508", "C7509", "C7510", "C7511", "C7512", "C7513", "C7514", "C7515", "C7516", "C7517", "C7518", "C7519", "C7520"}

// Check compares the result with what the kernel declares and returns every difference, joined.
func (r *Result) Check(entry string, allow Allowance) error {
	var errs []error
	for _, d := range r.Log {
		if slices.Contains(gated, d.Code) && strings.TrimSpace(allow.Warnings[d.Code]) == "" {
			errs = append(errs, &WarningError{entry, d})
		}
	}
	res, ok := r.Resources[entry]
	if !ok {
		return fmt.Errorf("the cubin has no entry %s", entry)
	}
	if strings.TrimSpace(allow.LocalReason) == "" {
		allow.SpillStoreBytes, allow.SpillLoadBytes, allow.StackBytes = 0, 0, 0
	}
	spills := res.SpillStoreBytes > allow.SpillStoreBytes || res.SpillLoadBytes > allow.SpillLoadBytes
	if spills {
		errs = append(errs, &SpillError{entry, res.Registers, res.SpillStoreBytes, res.SpillLoadBytes,
			allow.SpillStoreBytes, allow.SpillLoadBytes, allow.LocalReason})
	}
	// Spilling needs a frame: one finding about it is enough.
	if res.StackBytes > allow.StackBytes && !spills {
		errs = append(errs, &StackError{entry, res.StackBytes, allow.StackBytes, allow.LocalReason})
	}
	if allow.MaxRegisters > 0 && res.Registers > allow.MaxRegisters {
		errs = append(errs, &RegisterError{entry, res.Registers, allow.MaxRegisters})
	}
	return errors.Join(errs...)
}
