//go:build unix

package command

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// standIns are programs in the place of compute-sanitizer, each with what a run under it is.
var standIns = []struct {
	name, script string
	want         toolRun
}{
	{"silent", `printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n' >"$log"; echo '1 cases equal, 0 failed'`, toolRun{Tool: "memcheck", Ended: "right"}},
	{"error", `printf '========= COMPUTE-SANITIZER\n========= Invalid __shared__ read of size 16 bytes\n=========     at k+0x10\n=========\n========= ERROR SUMMARY: 3 errors\n' >"$log"; echo 'a.json: 1 of 8 elements of y differ: at 3'`,
		toolRun{Tool: "memcheck", Errors: 3, Says: []string{"Invalid __shared__ read of size 16 bytes"}, Ended: "wrong"}},
	{"fault", `echo 'a.json: CUDA_ERROR_ILLEGAL_ADDRESS'`, toolRun{Tool: "memcheck", Ended: "failed", Detail: "a.json: CUDA_ERROR_ILLEGAL_ADDRESS"}},
	{"endless", `sleep 60`, toolRun{Tool: "memcheck", Ended: "time"}},
}

func TestSanitizeReadsTools(t *testing.T) {
	for _, c := range standIns {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "tool")
			for name, text := range map[string]string{"tool": "#!/bin/sh\nlog=$4\n" + c.script + "\n", "a.json": "{}", "a.ptx": "", "a.safetensors": "", "a.cubin": ""} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			s := sanitizer{program: program, self: "none", limit: 10 * time.Second, slots: make(chan struct{}, 1)}
			if c.want.Ended == "time" {
				s.limit = 200 * time.Millisecond
			}
			got := s.run(t.Context(), filepath.Join(dir, "a.json"), 1)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
