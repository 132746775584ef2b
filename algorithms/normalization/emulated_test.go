package normalization_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	gen "github.com/oxideinfer/oxide/gen/normalization"
)

// TestQuickCases runs every quick case with every algorithm that supports it on the emulated device.
func TestQuickCases(t *testing.T) { trialtest.QuickCases(t, normalization.Bindings()) }

func TestDescriptions(t *testing.T) { trialtest.Descriptions(t, normalization.Bindings()) }

func TestCasesReachEveryArtifact(t *testing.T) {
	trialtest.Coverage(t, normalization.Bindings(), gen.Artifacts())
}
