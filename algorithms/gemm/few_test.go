package gemm_test

import (
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/gemm"
	"github.com/oxideinfer/oxide/runtime"
)

// TestFewRowsRefuse names what the algorithms for few rows cannot run.
func TestFewRowsRefuse(t *testing.T) {
	dev, _ := trialtest.Device(t)
	for _, c := range []struct {
		algorithm string
		change    func(*gemm.MatmulSpec)
	}{
		{"OxideSm90MatmulGemv", func(s *gemm.MatmulSpec) { s.MaxM = 9 }},
		{"OxideSm90MatmulGemv", func(s *gemm.MatmulSpec) { s.K = 1031; s.AStride, s.BStride = 1032, 1032 }},
		{"OxideSm90MatmulSkinny", func(s *gemm.MatmulSpec) { s.MaxM = 65 }},
		{"OxideSm90MatmulSkinny", func(s *gemm.MatmulSpec) { s.BStride = 1034 }},
		{"OxideSm90MatmulSkinny", func(s *gemm.MatmulSpec) { s.Align = 8 }},
		{"OxideSm90MatmulSkinny", func(s *gemm.MatmulSpec) { s.BByK = true }},
		{"OxideSm90MatmulSkinnyS2", func(s *gemm.MatmulSpec) { s.K = 504 }},
		{"OxideSm90MatmulSkinnyS4", func(s *gemm.MatmulSpec) { s.BatchInvariant = true }},
	} {
		s := gemm.MatmulSpec{MaxM: 8, N: 40, K: 1032, Input: oxrt.BF16}
		if _, err := gemm.PlanMatmul(dev, s, gemm.WithAlgorithm(c.algorithm)); err != nil {
			t.Errorf("%s: %v", c.algorithm, err)
		}
		c.change(&s)
		if _, err := gemm.PlanMatmul(dev, s, gemm.WithAlgorithm(c.algorithm)); err == nil {
			t.Errorf("%s takes %+v", c.algorithm, s)
		}
	}
}
