package build

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
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

func TestFramesOf(t *testing.T) {
	frame := func(n int) []bundle.Frame { return []bundle.Frame{{File: "a/b.go", Line: n, Func: "f"}} }
	positions := []bundle.Position{{Line: 5, Frames: frame(50)}, {Line: 9, Frames: frame(90)}}
	for line, want := range map[int]int{4: 0, 5: 50, 8: 50, 9: 90, 99: 90} {
		got := 0
		if f := framesOf(positions, line); len(f) > 0 {
			got = f[0].Line
		}
		if got != want {
			t.Errorf("PTX line %d: Go line %d, want %d", line, got, want)
		}
	}
	if got, want := string(encodePositions(positions)), "5\ta/b.go:50 f\n9\ta/b.go:90 f\n"; got != want {
		t.Errorf("%q, want %q", got, want)
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
