package oxrt_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestContractErrorQuotesWhatCannotBeSeen: what a caller gave does not reach a terminal or a log as an escape sequence or a new line.
func TestContractErrorQuotesWhatCannotBeSeen(t *testing.T) {
	for got, want := range map[string]string{
		"bf16, 8192×4096":   "rms_norm: x: want y, got bf16, 8192×4096",
		"a\x1b[31m\nPASSED": `rms_norm: x: want y, got "a\x1b[31m\nPASSED"`,
		"\xff":              `rms_norm: x: want y, got "\xff"`,
	} {
		if text := (&oxrt.ContractError{Kernel: "rms_norm", Field: "x", Want: "y", Got: got}).Error(); text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}
