package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const foreignCase = "../../../../codegen/ptx/testdata/foreign/cu_cluster_dsmem.json"

// TestTrace: two schedules of a case part nowhere; a filter cuts a trace short, which the comparison shows.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	a, b, part := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "part")
	for _, args := range [][]string{{"-trace", "all", "-trace-to", a}, {"-trace", "all", "-trace-to", b, "-seed", "5", "-async", "early"}, {"-trace", "warp=0", "-trace-to", part, "-json"}} {
		if status, out, errOut := call(append([]string{"ptx", "run", foreignCase}, args...)...); status != 0 {
			t.Fatalf("%v: status %d: %s %s", args, status, out, errOut)
		}
	}
	if status, out, errOut := call("ptx", "trace-diff", a, b); status != 0 || !strings.Contains(out, "every warp does the same") {
		t.Errorf("status %d: %s %s", status, out, errOut)
	}
	if status, out, _ := call("ptx", "trace-diff", a, part); status != 1 || !strings.Contains(out, " w1 parts at line") {
		t.Errorf("status %d: %s", status, out)
	}
	if text, err := os.ReadFile(part); err != nil || !strings.Contains(string(text), "w0 l") || strings.Contains(string(text), " w1 l") {
		t.Errorf("the filter lets through: %v", err)
	}
	if status, out, _ := call("ptx", "run", foreignCase, "-trace", "barrier=0"); status != 0 || !strings.HasPrefix(out, "launch ") {
		t.Errorf("status %d: %s", status, out)
	}
	for _, wrong := range [][]string{{"-trace", "warp=x"}, {"-trace-to", a}, {"-trace", "all", "-json"}} {
		if status, _, errOut := call(append([]string{"ptx", "run", foreignCase}, wrong...)...); status != 2 || errOut == "" {
			t.Errorf("%v: status %d: %s", wrong, status, errOut)
		}
	}
}
