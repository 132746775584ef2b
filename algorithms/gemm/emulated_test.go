package gemm_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/gemm"
	gen "github.com/oxideinfer/oxide/gen/gemm"
)

// TestQuickCases runs every quick case with every algorithm that supports it on the emulated device.
func TestQuickCases(t *testing.T) { trialtest.QuickCases(t, gemm.Bindings()) }

func TestDescriptions(t *testing.T) { trialtest.Descriptions(t, gemm.Bindings()) }

func TestCasesReachEveryArtifact(t *testing.T) {
	trialtest.Coverage(t, gemm.Bindings(), gen.Artifacts())
}
