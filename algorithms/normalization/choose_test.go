package normalization

import (
	"testing"

	gen "github.com/oxideinfer/oxide/gen/normalization"
)

// TestRowVariants holds the choices that were measured.
func TestRowVariants(t *testing.T) {
	rms, add := gen.OxideSm90RMSNormRowVariants(), gen.OxideSm90AddRMSNormRowVariants()
	const bf16, f16 = "BF16_WBF16_BF16", "F16_WF16_F16"
	for _, c := range []struct {
		op              string
		types, suffix   string
		hidden, maxRows int
		want            string
	}{
		{"rms", bf16, "", 4096, 1, bf16 + "_T256x2"},
		{"rms", bf16, "", 4096, 8192, bf16 + "_T256x2"},
		{"rms", bf16, "", 8192, 128, bf16 + "_T512x2"},
		{"rms", bf16, "", 8192, 16384, bf16 + "_T256x4_Ahead"},
		{"rms", bf16, "_Before", 8192, 16384, bf16 + "_T512x2_Before"},
		{"rms", bf16, "", 16384, 16384, bf16 + "_T1024x2"},
		{"rms", bf16, "", 16392, 1, ""},
		{"add", bf16, "", 8192, 1, bf16 + "_T512x2"},
		{"add", bf16, "", 8192, 96, bf16 + "_T512x2"},
		{"add", bf16, "", 8192, 128, bf16 + "_T1024x2"},
		{"add", bf16, "", 4096, 128, bf16 + "_T512x1"},
		{"add", bf16, "", 8192, 160, bf16 + "_T512x2"},
		{"add", bf16, "", 8192, 2048, bf16 + "_T512x2_Ahead"},
		{"add", f16, "", 8192, 128, f16 + "_T512x2"},
		{"add", f16, "", 8192, 2048, f16 + "_T512x2"},
	} {
		variants := rms
		if c.op == "add" {
			variants = add
		}
		got := rowVariant(variants, c.types, c.suffix, c.hidden, c.maxRows)
		if c.op == "add" {
			got = soloVariant(variants, got, c.types, c.suffix, c.hidden, c.maxRows)
		}
		if got != c.want {
			t.Errorf("%s, %d rows of %d: %q, want %q", c.op, c.maxRows, c.hidden, got, c.want)
		}
	}
}
