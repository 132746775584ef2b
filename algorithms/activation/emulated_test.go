package activation_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	gen "github.com/oxideinfer/oxide/gen/activation"
)

// TestQuickCases runs every quick case with every algorithm that supports it on the emulated device.
func TestQuickCases(t *testing.T) { trialtest.QuickCases(t, activation.Bindings()) }

func TestDescriptions(t *testing.T) { trialtest.Descriptions(t, activation.Bindings()) }

func TestCasesReachEveryArtifact(t *testing.T) {
	trialtest.Coverage(t, activation.Bindings(), gen.Artifacts())
}
