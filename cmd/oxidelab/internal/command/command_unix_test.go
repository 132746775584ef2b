//go:build unix

package command

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestRunWaitsForNoPipe demands that a pipe without a writer is refused instead of opened.
func TestRunWaitsForNoPipe(t *testing.T) {
	s, _, out := files(t, spec, nil)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	demandRefusal(t, out, "no regular file", "run", "normalization.rms_norm", "--device", "emulated", "--spec", s, "--in", pipe, "--out", out)
}
