package command

import (
	"archive/tar"
	"bytes"
	"os"
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

// TestHostileRecordsAreShownHarmless: what a record or the name of an archive's entry holds does not reach the terminal as an escape sequence.
func TestHostileRecordsAreShownHarmless(t *testing.T) {
	found, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "evidence", "records", "*", "contract-*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	hostile := bytes.Replace(data, []byte(`"claims":[`), []byte(`"claims":["all is well\u001b[8m\u202eand this is hidden\r",`), 1)
	path := filepath.Join(t.TempDir(), "record.json")
	if err := os.WriteFile(path, hostile, 0o600); err != nil {
		t.Fatal(err)
	}
	status, said, errOut := call("evidence", "show", path)
	if status != exitRight || !strings.Contains(said, `claims: all is well\x1b[8m\u202eand this is hidden\r`) {
		t.Errorf("status %d: %q, %q", status, said, errOut)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, err := range []error{w.WriteHeader(&tar.Header{Name: "../../x\x1b[31m.json", Size: int64(len(data)), Mode: 0o644}), second(w.Write(data)), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	store := t.TempDir()
	path = filepath.Join(t.TempDir(), "hostile.tar")
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	status, said, errOut = call("evidence", "import", path, "-dir", store)
	if status != exitUnable || strings.Contains(said+errOut, "\x1b") || !strings.Contains(errOut, `../../x\x1b[31m.json`) {
		t.Errorf("status %d: %q, %q", status, said, errOut)
	}
	if left, err := os.ReadDir(store); err != nil || len(left) > 0 {
		t.Errorf("%v were left, %v", left, err)
	}
	if status, _, errOut := call("evidence", "show", "no\x1bfile"); status != exitUnable || strings.Contains(errOut, "\x1b") {
		t.Errorf("status %d: %q", status, errOut)
	}
}

func second(_ int, err error) error { return err }
