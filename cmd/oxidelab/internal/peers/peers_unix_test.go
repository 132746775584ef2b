//go:build unix

package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	"github.com/oxideinfer/oxide/evidence"
)

// answers is a program that says these lines whatever it is asked.
func answers(t *testing.T, lines ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answers")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", "-c", `cat "$0"; echo "the last words" >&2; exit 3`, path}
}

// run compares with canned answers.
func run(t *testing.T, lines ...string) ([]levels.Outcome, error) {
	t.Helper()
	d, err := device.Open(device.Emulated)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	reported := 0
	c := Comparison{Bindings: operators.Bindings(), Program: answers(t, lines...), Limit: 1, Commit: "abc", GPU: "NVIDIA H200", Report: func(levels.Outcome) { reported++ }}
	all, err := c.Run(context.Background(), d.Dev)
	if err == nil && reported != len(all) {
		t.Errorf("%d of %d outcomes were reported", reported, len(all))
	}
	return all, err
}

const ours = `{"name":"oxide","provider":"Oxide","algorithm":"OxideSm90RMSNormRow","version":"v0 abc","ours":true,"rounds":[{"order":0,"position":0,"us":[1,1.01,1.02]},{"order":1,"position":1,"us":[1.01,1,1.02]}]}`
const peer = `{"name":"peer","provider":"P","algorithm":"f","version":"1","ours":false,"rounds":[{"order":0,"position":1,"us":[2,2.01,2.02]},{"order":1,"position":0,"us":[2.01,2,2.02]}]}`
const broken = `{"name":"gone","provider":"P","algorithm":"f","version":"not installed","ours":false,"error":"ModuleNotFoundError: no"}`

func line(id int, library, kernel, contenders string) string {
	return fmt.Sprintf(`{"id":%d,"library":%q,"kernels":[%q],"timings":[`+
		`{"region":"graph","sets":400,"calls":400,"cold_bytes":6553600,"contenders":[%s]},`+
		`{"region":"host time of a call","sets":400,"calls":9,"cold_bytes":6553600,"contenders":[%s]}]}`, id, library, kernel, contenders, contenders)
}

func TestAnswersBecomeOutcomes(t *testing.T) {
	const row = "OxideSm90RMSNormRow/BF16_WBF16_BF16_T256x2"
	all, err := run(t, "a library says hello", line(0, "v0 abc", row, ours+","+peer+","+broken), `{"id":3,"reason":"the limit was reached"}`,
		`{"id":12,"library":"v0 abc","kernels":[],"timings":[]}`,
		line(6, "v0 abc", "OxideSm90RMSNormStreamPacket/V", ours), line(9, "v0 abc", row, strings.Replace(ours, `"rounds"`, `"error":"wrong result","r"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(timing.PeerCases()) {
		t.Errorf("%d outcomes", len(all))
	}
	first := all[0].Case
	if first.Status != evidence.Passed || len(first.Timings) != 2 || first.Timings[1].Calls != 9 || first.Timings[1].Limit != nil || fmt.Sprint(first.Timings[0].Ranking) != "[[oxide] [peer]]" || first.Timings[0].Limit == nil {
		t.Errorf("%+v", first)
	}
	for i, want := range map[int]struct {
		status evidence.Status
		says   string
	}{3: {evidence.NotRun, "the limit was reached"}, 6: {evidence.Failed, "the library planned [OxideSm90RMSNormStreamPacket/V]"}, 9: {evidence.Failed, "wrong result"},
		12: {evidence.Failed, "no timing"},
		1:  {evidence.NotRun, "ended before it: exit status 3; it said: the last words"}} {
		if c := all[i].Case; c.Status != want.status || !strings.Contains(c.Reason, want.says) {
			t.Errorf("%d: %s: %s", i, c.Status, c.Reason)
		}
	}
}

// TestSomeSizes compares only those that were asked for.
func TestSomeSizes(t *testing.T) {
	d, err := device.Open(device.Emulated)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	c := Comparison{Bindings: operators.Bindings(), GPU: "NVIDIA H200", Only: []string{"1×8192", "8192×14336"}}
	cases, err := c.cases(d.Dev)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, a := range cases {
		if a.ID != i {
			t.Errorf("case %d has the number %d", i, a.ID)
		}
		got = append(got, a.Operator+" "+a.task.Name)
	}
	want := []string{"activation.swiglu 8192×14336 against peers", "normalization.rms_norm 1×8192 against peers", "normalization.add_rms_norm 1×8192 against peers"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLibraryOfAnotherCommitIsRefused(t *testing.T) {
	if _, err := run(t, line(0, "v0 def", "OxideSm90RMSNormRow", ours)); err == nil || !strings.Contains(err.Error(), `the library "v0 def"`) {
		t.Errorf("%v", err)
	}
}

// TestProtocolInPython runs the tests of the Python side.
func TestProtocolInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("not run, because python3 is not installed")
	}
	cmd := exec.Command(python, "-B", "-m", "unittest", "protocol_test")
	cmd.Dir = filepath.Join("..", "..", "..", "..", "bench", "peers")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, script := range []string{"peers.py", "contenders.py", "triton_kernels.py"} {
		cmd := exec.Command(python, "-B", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", script)
		cmd.Dir = filepath.Join("..", "..", "..", "..", "bench", "peers")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}
