package qualify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

const (
	operator = "normalization.head_rms_norm"
	// faultVar says what goes wrong in a child, markVar names a file that exists once it has.
	faultVar, markVar = "OXIDELAB_TEST_FAULT", "OXIDELAB_TEST_MARK"
	// faultAt is the number of the case in which it does.
	faultAt = 7
)

// TestMain lets the test program be its own child, and in TestKilledRunGoesOn its own parent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(workAsChild(os.Args[2]))
	}
	if len(os.Args) > 1 && os.Args[1] == "parent" {
		_, err := qualification(os.Args[2]).Run(context.Background())
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// library is one operator.
func library() levels.Library {
	for _, b := range operators.Bindings() {
		if b.Operator.Name == operator {
			return levels.Library{Bindings: []catalog.Binding{b}}
		}
	}
	panic("no " + operator)
}

// qualification runs the emulator level of the library.
func qualification(state string) *Qualification {
	return &Qualification{Library: library(), Program: []string{os.Args[0]}, Levels: []evidence.Level{evidence.Emulator}, Device: device.Emulated,
		Quick: true, Jobs: 2, Timeout: time.Minute, State: state}
}

// workAsChild is a child in which something may go wrong.
func workAsChild(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 2
	}
	var job Job
	if err := json.Unmarshal(data, &job); err != nil {
		return 2
	}
	lib := library()
	fault, calls, right := os.Getenv(faultVar), 0, lib.Bindings[0].Reference
	lib.Bindings[0].Reference = func(spec any, dims []int, in map[string][]float64) map[string]catalog.Expected {
		if calls++; calls == faultAt && slices.Contains([]string{"killed", "exit", "panic", "hang"}, fault) && once() {
			happen(fault)
		}
		return right(spec, dims, in)
	}
	if err := Work(context.Background(), lib, job, opener(fault), os.Stdout); err != nil {
		return 2
	}
	return 0
}

// once is true in one child only.
func once() bool {
	f, err := os.OpenFile(os.Getenv(markVar), os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

func happen(fault string) {
	switch fault {
	case "killed":
		p, _ := os.FindProcess(os.Getpid()) // never fails for the own process
		_ = p.Kill()
		time.Sleep(time.Minute)
	case "exit":
		fmt.Fprintln(os.Stderr, "the last words")
		os.Exit(3)
	case "panic":
		panic("in a case")
	case "hang":
		time.Sleep(time.Minute)
	}
}

// opener opens the emulated device, or one that looks like a GPU and goes away.
func opener(fault string) func(string) (*device.Device, error) {
	codes := map[string]oxrt.Code{"unavailable": oxrt.CodeDeviceUnavailable, "ecc": oxrt.CodeECCUncorrectable, "illegal": oxrt.CodeIllegalAddress}
	code, ok := codes[fault]
	return func(name string) (*device.Device, error) {
		if !ok {
			return device.Open(name)
		}
		g := &vanishing{Driver: emulated.New(emulated.Options{Lookups: []emulated.Lookup{ptx.Lookup}}), code: code}
		rt, err := oxrt.OpenDriver(g)
		return device.On(rt, err, 0)
	}
}

// vanishing is a GPU that fails with a code at one submission and from then on, and, if it is unavailable, in every later
// process.
type vanishing struct {
	*emulated.Driver
	code      oxrt.Code
	submitted int
	gone      bool
}

func (v *vanishing) Name() string { return "libcuda.so.1" }

func (v *vanishing) Retain(ordinal int) (oxrt.ContextHandle, oxrt.Code) {
	if _, err := os.Stat(os.Getenv(markVar)); err == nil && v.code == oxrt.CodeDeviceUnavailable {
		return 0, v.code
	}
	return v.Driver.Retain(ordinal)
}

func (v *vanishing) Submit(ctx oxrt.ContextHandle, s oxrt.StreamHandle, b *oxrt.Batch) (int, oxrt.CaptureID, oxrt.Code) {
	if v.submitted++; v.submitted == faultAt && once() {
		v.gone = true
	}
	if v.gone {
		return 0, 0, v.code
	}
	return v.Driver.Submit(ctx, s, b)
}

func (v *vanishing) CopyToHost(ctx oxrt.ContextHandle, s oxrt.StreamHandle, dst []byte, src oxrt.DevicePtr) oxrt.Code {
	if v.gone {
		return v.code
	}
	return v.Driver.CopyToHost(ctx, s, dst, src)
}

// counts are the outcomes of a run by status, with the reasons of the failures.
func counts(t *testing.T, r Result) (n map[evidence.Status]int, reasons []string) {
	t.Helper()
	n = map[evidence.Status]int{}
	seen := map[string]bool{}
	for _, o := range r.Levels[0].Outcomes {
		n[o.Case.Status]++
		if o.Case.Status == evidence.Failed {
			reasons = append(reasons, o.Case.Reason)
		}
		if seen[o.Task.ID()] || o.Task.Name == "" {
			t.Errorf("%q is there twice or has no name", o.Task.ID())
		}
		seen[o.Task.ID()] = true
	}
	tasks, err := library().Tasks(evidence.Emulator, levels.Selection{Quick: true})
	if err != nil || len(r.Levels[0].Outcomes) != len(tasks) {
		t.Errorf("%d outcomes of %d tasks: %v", len(r.Levels[0].Outcomes), len(tasks), err)
	}
	return n, reasons
}

// TestOneBadCaseLosesNoOther lets one case end its process, hang it or lose its device.
func TestOneBadCaseLosesNoOther(t *testing.T) {
	for _, c := range []struct {
		fault, says string
		notRun      bool // whether the cases behind it cannot be run any more
	}{
		{"killed", "the process ended early: signal: killed", false},
		{"exit", "the process ended early: exit status 3; it said: the last words", false},
		{"panic", "panic: in a case", false},
		{"hang", "nothing came from the process for 2s, so it was ended", false},
		{"ecc", "CUDA_ERROR_ECC_UNCORRECTABLE", false},
		{"illegal", "CUDA_ERROR_ILLEGAL_ADDRESS", false},
		{"unavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE", true},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Setenv(faultVar, c.fault)
			t.Setenv(markVar, filepath.Join(t.TempDir(), "mark"))
			q := qualification("")
			if c.fault == "hang" {
				q.Timeout = 2 * time.Second
			}
			r, err := q.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			n, reasons := counts(t, r)
			if len(reasons) != 1 || !strings.Contains(reasons[0], c.says) {
				t.Errorf("%v, failed: %q, want one with %q", n, reasons[:min(len(reasons), 3)], c.says)
			}
			if c.notRun != (n[evidence.NotRun] > 0) {
				t.Errorf("%v", n)
			}
			for _, o := range r.Levels[0].Outcomes {
				if o.Case.Status == evidence.NotRun && !strings.Contains(o.Case.Reason, "the device cannot be opened") {
					t.Errorf("%s: %s", o.Task.ID(), o.Case.Reason)
				}
			}
		})
	}
}

func TestStateFileMustBeAFile(t *testing.T) {
	for _, path := range []string{os.DevNull, t.TempDir()} {
		if _, err := qualification(path).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestStateOfAnotherRun demands that outcomes of another program or selection, or a file of another kind, are not taken over.
func TestStateOfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	j, err := openJournal(path, Identity{Program: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := qualification(path).Run(context.Background()); !errors.Is(err, ErrOtherRun) {
		t.Errorf("%v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed to %q: %v", after, err)
	}
	if err := os.WriteFile(path, []byte("my notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(path, Identity{}); !errors.Is(err, ErrOtherRun) {
		t.Errorf("a text file: %v", err)
	}
}

func TestCancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q := qualification("")
	q.Report = func(levels.Outcome) { cancel() }
	if _, err := q.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestProgramThatIsNone(t *testing.T) {
	q := qualification("")
	q.Program = []string{filepath.Join(t.TempDir(), "nothing")}
	if _, err := q.Run(context.Background()); err == nil {
		t.Error("no error")
	}
}
