package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
)

// TestMain lets the test program be its own child: qualify starts workers from the executable that runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// stamped runs a command line in a program that was built from a clean commit.
func stamped(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	l := newLab(context.Background(), &o, &e, self, func() (evidence.Source, error) {
		return evidence.Source{Module: "github.com/oxideinfer/oxide", Commit: strings.Repeat("ab", 20), Time: "2026-11-30T12:00:00Z"}, nil
	})
	return l.exit(args), o.String(), e.String()
}

func TestQualifyRecordsImportsAndVerifies(t *testing.T) {
	dir := t.TempDir()
	tar, store, outcomes := filepath.Join(dir, "run.tar"), filepath.Join(dir, "evidence"), filepath.Join(dir, "outcomes.json")
	args := []string{"qualify", "--device", "emulated", "--quick", "--op", "normalization.head", "--record", tar, "--json", outcomes}
	status, said, errOut := stamped(args...)
	if status != exitRight {
		t.Fatalf("status %d: %s%s", status, said, errOut)
	}
	for _, want := range []string{" 0 failed", "OxideSm90HeadRMSNorm", "performance: 3 cases not run, because there is no GPU",
		"sanitizer: 108 cases not run, because there is no GPU", "4 records of commit"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	if _, err := os.Stat(tar + ".state"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state file is still there: %v", err)
	}
	demandOutcomes(t, outcomes)
	if status, _, errOut := stamped(args...); status != exitUnable || !strings.Contains(errOut, "exists") {
		t.Errorf("recording over a file: status %d: %s", status, errOut)
	}
	for range 2 { // importing again changes nothing
		if status, said, errOut := call("evidence", "import", tar, "-dir", store); status != exitRight || !strings.Contains(said, "4 records, 0 of them stale") {
			t.Fatalf("status %d: %s%s", status, said, errOut)
		}
	}
	if status, _, errOut := call("evidence", "verify", "-dir", store); status != exitRight {
		t.Errorf("status %d: %s", status, errOut)
	}
	records, err := evidence.Store{Dir: store}.Load()
	if err != nil || len(records) != 4 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	for _, r := range records {
		if status, said, _ := call("evidence", "show", filepath.Join(store, r.File)); status != exitRight || !strings.Contains(said, "does not claim") {
			t.Errorf("%s: status %d: %s", r.File, status, said)
		}
	}
}

// demandOutcomes demands that every case of every level is in the file, with a reason where it was not run.
func demandOutcomes(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []qualify.LevelResult
	if err := json.Unmarshal(data, &all); err != nil || len(all) != len(evidence.Levels()) {
		t.Fatalf("%d levels: %v", len(all), err)
	}
	for _, l := range all {
		if len(l.Outcomes) == 0 {
			t.Errorf("%s has no outcomes", l.Level)
		}
		for _, o := range l.Outcomes {
			if o.Case.Status != evidence.Passed && o.Case.Reason == "" || o.Case.Name == "" {
				t.Errorf("%s: %+v", l.Level, o.Case)
			}
		}
	}
}

func TestShowQualification(t *testing.T) {
	a := artifacts()[:1]
	for _, c := range []struct {
		name    string
		status  evidence.Status
		kernels []string
		partial bool
		want    error
		says    string
	}{
		{"good", evidence.Passed, []string{a[0].Entry}, false, nil, "1 passed, 0 failed"},
		{"failed", evidence.Failed, []string{a[0].Entry}, false, errWrong, "0 passed, 1 failed"},
		{"kernel not launched", evidence.Passed, nil, false, errWrong, "not launched by any case: " + a[0].Entry},
		{"part of the library", evidence.Passed, nil, true, nil, "1 passed"},
		{"not run", evidence.NotRun, nil, true, errors.New("no case was run"), "emulator: not run, because it rains (1 cases)"},
	} {
		reason := ""
		if c.status != evidence.Passed {
			reason = "it rains"
		}
		o := (levels.Task{Level: evidence.Emulator, Operator: "a.b", Algorithm: "A", Name: "n"}).Ended(c.status, reason)
		o.Kernel = c.kernels
		r := qualify.Result{Levels: []qualify.LevelResult{{Level: evidence.Emulator, Outcomes: []levels.Outcome{o}}}}
		var out bytes.Buffer
		err := (&lab{out: &out}).showQualification(r, qualifyFlags{quick: c.partial}, a, time.Now())
		if (err == nil) != (c.want == nil) || err != nil && err.Error() != c.want.Error() || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %v: %s", c.name, err, out.String())
		}
	}
}

func TestProgress(t *testing.T) {
	var out, errOut bytes.Buffer
	p := &progress{lab: &lab{out: &out, errOut: &errOut}}
	task := levels.Task{Level: evidence.Emulator, Operator: "a.b", Algorithm: "A", Name: "n"}
	p.report(task.Ended(evidence.Failed, "wrong"))
	p.report(task.Ended(evidence.Passed, ""))
	if errOut.Len() > 0 || out.String() != "FAILED emulator a.b A: n: wrong\n" {
		t.Errorf("%q, %q", out.String(), errOut.String())
	}
	p.terminal, p.verbose = true, true
	p.report(task.Ended(evidence.NotRun, "it rains"))
	if !strings.Contains(errOut.String(), "3 cases, 1 failed") || !strings.Contains(out.String(), "not run, because it rains") {
		t.Errorf("%q, %q", out.String(), errOut.String())
	}
}
