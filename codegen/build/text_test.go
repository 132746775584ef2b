package build

import (
	"testing"
)

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"OxideSm90SimtRMSNorm": "oxide_sm90_simt_rms_norm", "OxideSm90SimtGemvM1N16K64": "oxide_sm90_simt_gemv_m1_n16_k64",
		"RMSNorm": "rms_norm", "X": "x", "already_snake": "already_snake", "A_B": "a_b",
	} {
		if got := snake(in); got != want {
			t.Errorf("snake(%s) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{"num_rows": "NumRows", "numRows": "NumRows", "x": "X", "K": "K", "_a__b": "AB"} {
		if got := exported(in); got != want {
			t.Errorf("exported(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestPtxLine(t *testing.T) {
	const text = "one\n\ttwo \nthree"
	for line, want := range map[int]string{0: "", 1: "one", 2: "two", 3: "three", 4: ""} {
		if got := ptxLine(text, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}
