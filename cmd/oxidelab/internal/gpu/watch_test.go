package gpu

import (
	"context"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/evidence"
)

func TestRead(t *testing.T) {
	s := read(strings.NewReader("345, 3201, 75.10, 700.00, 30, P0, 0x0000000000000001\n1980, 3201, 512.5, 700.00, 41, P0, 0x0000000000000000\n1980, 3201, [N/A], 700.00, 41, P0, 0x0000000000000000\n"))
	if s.Readings != 3 || *s.SMClockMHz != (evidence.Span{Min: 345, Median: 1980, Max: 1980}) || s.PowerW.Max != 512.5 || s.PowerLimitW != 700 ||
		len(s.PStates) != 1 || len(s.Throttle) != 2 || s.Unseen != "" {
		t.Errorf("%+v", s)
	}
	if s := read(strings.NewReader("No devices were found\n")); s.Readings != 0 || !strings.Contains(s.Unseen, "No devices") {
		t.Errorf("%+v", s)
	}
}

func TestWatchWithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if s := Start(context.Background(), 0).Stop(); s.Unseen == "" || s.Readings != 0 {
		t.Errorf("%+v", s)
	}
	if v, err := Driver(context.Background()); err == nil && v == "" {
		t.Error("neither a version nor an error")
	}
}

func TestKernelModule(t *testing.T) {
	for _, line := range []string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue Sep  1 10:00:00 UTC 2026\n",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (a@b)\nGCC version: 13.1.0 x\n",
	} {
		if m := kernelModule.FindStringSubmatch(line); m == nil || m[1] != "580.159.04" {
			t.Errorf("%q: %v", line, m)
		}
	}
}
