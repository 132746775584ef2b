package command

import (
	"strings"
	"testing"
)

// TestMutateKernels: every mistake in a kernel of the library is found, and the table says so.
func TestMutateKernels(t *testing.T) {
	status, said, errOut := call("ptx", "mutate", "--op", "normalization.head", "--max-steps", "200000", "--all")
	if status != 0 || errOut != "" {
		t.Fatalf("status %d: %s", status, errOut)
	}
	for _, want := range []string{"mask lane dropped", "found by a checker", "named by sync.mask"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	for _, bad := range []string{": survived", ": equivalent"} {
		if strings.Contains(said, bad) {
			t.Errorf("%q in\n%s", bad, said)
		}
	}
	if status, _, _ := call("ptx", "mutate"); status != 2 {
		t.Errorf("without a subject: status %d", status)
	}
}
