package activation_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
)

// TestQuickCases runs every quick case with every algorithm that supports it on the emulated device.
func TestQuickCases(t *testing.T) { trialtest.QuickCases(t, activation.Bindings()) }
