package emulate

import (
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// loadable are the targets whose code an sm_90 chip runs: its own, its architecture-specific one, and those of older
// chips, which the driver compiles anew. An architecture-specific target of another chip is not among them (PTX ISA 11.1.2).
var loadable = []string{
	"sm_90a", "sm_90", "sm_89", "sm_88", "sm_87", "sm_86", "sm_80", "sm_75", "sm_72", "sm_70",
	"sm_62", "sm_61", "sm_60", "sm_53", "sm_52", "sm_50", "sm_37", "sm_35", "sm_32", "sm_30", "sm_20",
}

// TargetError says that a module is not for the modelled chip.
type TargetError struct{ Reason string }

// Error implements error.
func (e *TargetError) Error() string { return "emulate: " + e.Reason }

// checkTarget refuses modules that a driver with an sm_90 chip refuses.
func checkTarget(m *ptx.Module) error {
	if len(m.Target) == 0 || !slices.Contains(loadable, m.Target[0]) {
		return &TargetError{fmt.Sprintf("target %v: the modelled chip runs sm_90a, sm_90 and older targets without a suffix", m.Target)}
	}
	if m.AddressSize != 0 && m.AddressSize != 64 {
		return &TargetError{fmt.Sprintf("addresses of %d bits: the modelled chip has 64", m.AddressSize)}
	}
	return nil
}
