//go:build unix

package qualify

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
	gennormalization "github.com/oxideinfer/oxide/gen/normalization"
)

// TestKilledRunGoesOn kills a whole run with SIGKILL, cuts its last line as a crash of the machine would, and goes on from
// the state file: every case has an outcome, and what had ended is not run again.
func TestKilledRunGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	parent := exec.Command(os.Args[0], "parent", path)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	enough := func() bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Count(data, []byte("\n")) > 5
	}
	for deadline := time.Now().Add(time.Minute); !enough() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := bytes.Count(data, []byte("\n")) - 2 // less the identity and the line that is cut
	if err := os.WriteFile(path, data[:len(data)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	again := 0
	q := qualification(path)
	q.Report = func(levels.Outcome) { again++ }
	r, err := q.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n, reasons := counts(t, r)
	if len(reasons) > 0 || n[evidence.NotRun] > 0 || r.Resumed < 4 || r.Resumed != kept || again+r.Resumed != n[evidence.Passed] {
		t.Errorf("%v, %q; %d kept, %d resumed, %d run again", n, reasons, kept, r.Resumed, again)
	}
}

// TestFullDisk writes outcomes in a process whose files may hold one kilobyte, which ends a write in the middle as a full
// disk does. The run ends with that error, and the next one goes on from the whole lines.
func TestFullDisk(t *testing.T) {
	if path := os.Getenv("OXIDELAB_TEST_FULL"); path != "" {
		writeUntilFull(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "state")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	cmd.Env = append(os.Environ(), "OXIDELAB_TEST_FULL="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 1024 {
		t.Fatalf("%v %v", info, err)
	}
	j, err := openJournal(path, Identity{Program: "p"})
	if err != nil || len(j.outcomes) < 2 {
		t.Fatalf("%d outcomes: %v", len(j.outcomes), err)
	}
	if err := j.close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() >= 1024 {
		t.Errorf("the line that was cut off is still there: %v %v", info, err)
	}
}

func writeUntilFull(t *testing.T, path string) {
	signal.Ignore(syscall.SIGXFSZ)
	j, err := openJournal(path, Identity{Program: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1024, Max: 1024}); err != nil {
		t.Fatal(err)
	}
	q := qualification(path)
	q.journal = j
	for i := range 100 {
		o := levels.Task{Level: evidence.Emulator, Operator: operator, Name: strconv.Itoa(i)}.Ended(evidence.Passed, "")
		if err := q.keep(o); err != nil {
			if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "the state file") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the file was never full")
}

// TestSanitizerHasTheLastWord puts a stand-in for compute-sanitizer in PATH, which reports one kernel.
func TestSanitizerHasTheLastWord(t *testing.T) {
	dir := t.TempDir()
	script := `#!/bin/sh
while [ "$1" != application-only ]; do [ "$1" = --log-file ] && log=$2; shift; done; shift
case $MODE in
bad) printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 2 bytes\n=========     at OxideSm90HeadRMSNorm_BF16_WBF16_D64+0x10\n=========\n========= ERROR SUMMARY: 1 error\n' >"$log" ;;
silent) printf '========= Error: Device not supported\n' >"$log" ;;
*) printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n' >"$log" ;;
esac
exec "$@"
`
	if err := os.WriteFile(filepath.Join(dir, "compute-sanitizer"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		mode                   string
		passed, failed, notRun int
		says                   string
	}{
		{"good", 2, 0, 0, ""}, {"bad", 1, 1, 0, "Invalid __global__ write"}, {"silent", 0, 0, 2, "memcheck gave no summary: ========= Error: Device not supported"},
	} {
		t.Setenv("MODE", c.mode)
		q := qualification("")
		path, missing := findSanitizer()
		if missing != "" {
			t.Fatal(missing)
		}
		q.sanitizer, q.device = path, "emulated"
		j, err := openJournal("", Identity{})
		if err != nil {
			t.Fatal(err)
		}
		q.journal = j
		lib := library()
		for _, a := range gennormalization.Artifacts() {
			if a.Entry == "OxideSm90HeadRMSNorm_BF16_WBF16_D64" || a.Entry == "OxideSm90HeadRMSNorm_BF16_WBF16_D128" {
				lib.Artifacts = append(lib.Artifacts, a)
			}
		}
		tasks, err := lib.Tasks(evidence.Sanitizer, levels.Selection{})
		if err != nil || len(tasks) != 2*len(levels.Tools()) {
			t.Fatalf("%d tasks: %v", len(tasks), err)
		}
		tasks = slices.DeleteFunc(tasks, func(t levels.Task) bool { return t.Tool() != "memcheck" })
		if err := q.groups(context.Background(), evidence.Sanitizer, tasks); err != nil {
			t.Fatal(err)
		}
		n, reason := map[evidence.Status]int{}, ""
		for _, o := range q.journal.outcomes {
			n[o.Case.Status]++
			reason += o.Case.Reason
		}
		if n[evidence.Passed] != c.passed || n[evidence.Failed] != c.failed || n[evidence.NotRun] != c.notRun || !strings.Contains(reason, c.says) {
			t.Errorf("%s: %v, %q", c.mode, n, reason)
		}
	}
}
