package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSanitizeTable: the page holds the table that its command makes of the recorded runs.
func TestSanitizeTable(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	var out bytes.Buffer
	l := &lab{ctx: t.Context(), out: &out}
	if err := l.ptxSanitize([]string{"-table", filepath.Join(root, "codegen", "subjects", "testdata", "planted.jsonl")}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "sanitizer.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), out.String()) {
		t.Errorf("docs/sanitizer.md does not hold this table:\n%s", out.String())
	}
}
