//go:build cgo && linux

package python_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHost runs the adapter's own tests and its example against a library that is built for them. numpy and torch are used where python3
// has them.
func TestHost(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("not run, because python3 is not installed")
	}
	library := filepath.Join(t.TempDir(), "liboxide.so")
	if out, err := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, "../c").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	run := func(args ...string) string {
		cmd := exec.Command(python, args...)
		cmd.Env = append(os.Environ(), "OXIDE_LIBRARY="+library, "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for line := range strings.Lines(run("-m", "unittest", "-v", "tests/test_host.py")) {
		if strings.Contains(line, "skipped") || strings.HasPrefix(line, "Ran ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	example := filepath.Join("..", "..", "examples", "python", "rmsnorm.py")
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n >= 30 {
		t.Errorf("the example has %d lines, want less than 30", n)
	}
	if out := run(example); !strings.Contains(out, "y[0, 1] = 0.027384") {
		t.Error(out)
	}
}
