package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCommittedRecords demands that every record of the repository is valid and unedited, that the index says which speak of
// kernels that have changed, and that the report of all of them can be rendered.
func TestCommittedRecords(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "evidence")
	status, said, errOut := call("evidence", "verify", "-dir", dir)
	if status != exitRight || !strings.Contains(said, "records") {
		t.Fatalf("status %d: %s%s; if a kernel has changed, go run ./cmd/oxidelab evidence index marks its records as stale", status, said, errOut)
	}
	if strings.HasPrefix(said, "0 records") {
		return // of a store without records there is no report
	}
	page := filepath.Join(t.TempDir(), "evidence.html")
	if status, _, errOut := call("report", "-dir", dir, "-html", page); status != exitRight {
		t.Errorf("report: status %d: %s", status, errOut)
	}
}

func TestReportWithoutRecords(t *testing.T) {
	if status, _, errOut := call("report", "-dir", t.TempDir()); status != exitUnable || !strings.Contains(errOut, "no records") {
		t.Errorf("status %d: %s", status, errOut)
	}
}
