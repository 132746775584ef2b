package command

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/build"
)

func TestStaleErrorIsBounded(t *testing.T) {
	var faults []*build.Fault
	for range 300 {
		faults = append(faults, &build.Fault{Kind: build.ErrGenerated, File: "x.map", Want: strings.Repeat("ab", 32), Got: "b"})
	}
	text := (&staleError{faults}).Error()
	if n := strings.Count(text, "\n"); n != 21 || !strings.Contains(text, "… and 280 more\n300 faults; fix: ") {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if !strings.Contains(text, "want abababababababab…, got b") {
		t.Errorf("hashes are written out:\n%s", text)
	}
}
