package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/soak"
)

func TestSoakCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "soak.json")
	status, out, errOut := call("soak", "--device", "emulated", "--for", "200ms", "--goroutines", "4", "--streams", "2", "--json", file)
	if status != 0 || !strings.Contains(out, "4 goroutines, 2 streams") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r soak.Report
	if err := json.Unmarshal(text, &r); err != nil || r.FreeBefore != r.FreeAfter || len(r.Actions) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSoakAndBenchRefusals(t *testing.T) {
	for _, args := range [][]string{
		{"soak", "--device", "emulated", "--goroutines", "0"}, {"soak", "--device", "emulated", "more"},
		{"bench", "host", "--device", "emulated"}, {"bench", "chain", "--device", "emulated"}, {"bench", "host", "--rounds", "0"}, {"bench", "chain", "--rounds", "0"},
	} {
		if status, _, errOut := call(args...); status != exitUnable || errOut == "" {
			t.Errorf("%v: status %d, %q", args, status, errOut)
		}
	}
}
