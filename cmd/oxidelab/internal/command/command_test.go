package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/internal/safetensors"
)

// call runs a command line.
func call(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = Run(context.Background(), args, &o, &e)
	return status, o.String(), e.String()
}

const spec = `{"hidden": 16, "input": "f32", "epsilon": 1e-5}`

// files writes a Spec and inputs of 3 rows of 16 elements and returns their paths and that of an output.
func files(t *testing.T, specText string, change func(*safetensors.File)) (specPath, in, out string) {
	t.Helper()
	dir := t.TempDir()
	specPath, in, out = filepath.Join(dir, "spec.json"), filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "out.safetensors")
	if err := os.WriteFile(specPath, []byte(specText), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &safetensors.File{Tensors: []safetensors.Tensor{
		{Name: "x", DType: safetensors.F32, Shape: []int64{3, 16}, Data: bytes.Repeat([]byte{0, 0, 0x40, 0x3f}, 48)},
		{Name: "weight", DType: safetensors.F32, Shape: []int64{16}, Data: bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 16)},
	}}
	if change != nil {
		change(f)
	}
	if err := safetensors.WriteFile(in, f); err != nil {
		t.Fatal(err)
	}
	return specPath, in, out
}

func TestRunWritesWhatTheReferenceSays(t *testing.T) {
	s, in, out := files(t, spec, nil)
	status, said, errOut := call("run", "normalization.rms_norm", "--spec", s, "--in", in, "--out", out, "--device", "emulated", "--check")
	if status != 0 || errOut != "" {
		t.Fatalf("status %d: %s", status, errOut)
	}
	if !strings.Contains(said, "check y: 48 elements within bounds") || !strings.Contains(said, "OxideSm90RMSNorm") {
		t.Errorf("said %q", said)
	}
	f, err := safetensors.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	y := f.Find("y")
	if y == nil || len(f.Tensors) != 1 || y.DType != safetensors.F32 || len(y.Data) != 192 {
		t.Fatalf("the file holds %+v", f.Tensors)
	}
	// x is 0.75 everywhere: y = 0.75/sqrt(0.5625+1e-5), a little below 1.
	if got := y.Data[:4]; !bytes.Equal(got, []byte{0x6b, 0xff, 0x7f, 0x3f}) && !bytes.Equal(got, []byte{0x6a, 0xff, 0x7f, 0x3f}) {
		t.Errorf("y[0] is %x", got)
	}
}

func TestRunRefusesInOneLineWithoutAFile(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		change     func(*safetensors.File)
		args       []string
		says       string
	}{
		{"no such operator", spec, nil, []string{"normalization.rmsnorm"}, `no operator "normalization.rmsnorm"`},
		{"two operators", spec, nil, []string{"normalization.rms_norm", "x"}, "needs one operator"},
		{"bad flag", spec, nil, []string{"normalization.rms_norm", "--nope"}, "nope"},
		{"no such device", spec, nil, []string{"normalization.rms_norm", "--device", "tpu"}, `device "tpu"`},
		{"bad device number", spec, nil, []string{"normalization.rms_norm", "--device", "cuda:x"}, "no device number"},
		{"no such algorithm", spec, nil, []string{"normalization.rms_norm", "--algorithm", "Best"}, "algorithm: want one of"},
		{"spec without a field", `{"input": "f32"}`, nil, nil, "hidden: want an integer"},
		{"spec out of range", `{"hidden": 70000, "input": "f32"}`, nil, nil, "hidden: want an integer from 1 to 65536, got 70000"},
		{"spec is no JSON", `hidden: 3`, nil, nil, "spec.json"},
		{"missing tensor", spec, func(f *safetensors.File) { f.Tensors = f.Tensors[:1] }, nil, "weight: want a tensor of that name"},
		{"missing x", spec, func(f *safetensors.File) { f.Tensors = f.Tensors[1:] }, nil, "x: want a tensor of that name"},
		{"surplus tensor", spec, func(f *safetensors.File) { f.Tensors[1].Name = "bias" }, nil, "weight"},
		{"wrong type", `{"hidden": 16, "input": "bf16"}`, nil, nil, "x: want elements of BF16, got F32"},
		{"wrong shape", `{"hidden": 15, "input": "f32"}`, nil, nil, "x: want shape [3 15], got [3 16]"},
		{"wrong rank", spec, func(f *safetensors.File) { f.Tensors[0].Shape = []int64{48} }, nil, "x: want 2 dimensions"},
		{"too many rows", `{"hidden": 16, "input": "f32", "max_rows": 2}`, nil, nil, "rows: want 0 to max_rows = 2, got 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, in, out := files(t, c.spec, c.change)
			args := c.args
			if args == nil {
				args = []string{"normalization.rms_norm"}
			}
			args = append([]string{"run", "--device", "emulated", "--spec", s, "--in", in, "--out", out}, args...)
			demandRefusal(t, out, c.says, args...)
		})
	}
}

// demandRefusal demands exit status 2, one line, and no output file.
func demandRefusal(t *testing.T, out, says string, args ...string) {
	t.Helper()
	status, _, errOut := call(args...)
	if status != exitUnable || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, says) {
		t.Errorf("status %d, said %q, want status 2 and one line with %q", status, errOut, says)
	}
	if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) > 2 {
		t.Errorf("%d files beside the spec and the input", len(entries)-2)
	}
}

func TestRunRefusesFilesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name string
		make func([]byte) []byte
		says string
	}{
		{"empty", func([]byte) []byte { return nil }, "too few"},
		{"truncated", func(b []byte) []byte { return b[:len(b)-1] }, "safetensors"},
		{"huge header", func(b []byte) []byte { return append([]byte{0, 0, 0, 0, 0, 0, 0, 0x70}, b[8:]...) }, "safetensors"},
		{"overlap", func(b []byte) []byte { return bytes.Replace(b, []byte("[192,256]"), []byte("[188,252]"), 1) }, "safetensors"},
		{"noise", func(b []byte) []byte { return bytes.Repeat([]byte{0x7b}, 300) }, "safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, in, out := files(t, spec, nil)
			data, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := c.make(data)
			if bytes.Equal(spoiled, data) {
				t.Fatal("the file was not changed")
			}
			if err := os.WriteFile(in, spoiled, 0o644); err != nil {
				t.Fatal(err)
			}
			demandRefusal(t, out, c.says, "run", "normalization.rms_norm", "--device", "emulated", "--spec", s, "--in", in, "--out", out)
		})
	}
	s, in, out := files(t, spec, nil)
	demandRefusal(t, out, "no such file", "run", "normalization.rms_norm", "--device", "emulated", "--spec", s, "--in", in+"x", "--out", out)
	demandRefusal(t, out, "no such file", "run", "normalization.rms_norm", "--device", "emulated", "--spec", s+"x", "--in", in, "--out", out)
	demandRefusal(t, out, "at most", "run", "normalization.rms_norm", "--device", "emulated", "--spec", filepath.Dir(s), "--in", in, "--out", out)
	demandRefusal(t, out, "nowhere", "run", "normalization.rms_norm", "--device", "emulated", "--spec", s, "--in", in, "--out", filepath.Join(filepath.Dir(out), "nowhere", "y"))
}

// TestRunKeepsWhatIsThere demands that no input and no device file is replaced by the output.
func TestRunKeepsWhatIsThere(t *testing.T) {
	s, in, _ := files(t, spec, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	for out, says := range map[string]string{in: "same file", link: "same file", s: "same file", t.TempDir(): "no regular file", os.DevNull: "no regular file"} {
		before, beforeErr := os.Lstat(out)
		demandRefusal(t, in, says, "run", "normalization.rms_norm", "--device", "emulated", "--spec", s, "--in", in, "--out", out)
		after, afterErr := os.Lstat(out)
		if beforeErr != nil || afterErr != nil || !os.SameFile(before, after) {
			t.Errorf("%s was replaced", out)
		}
	}
}

func TestOps(t *testing.T) {
	status, text, _ := call("ops", "-json")
	var all []catalog.Operator
	if err := json.Unmarshal([]byte(text), &all); status != 0 || err != nil || len(all) < 8 {
		t.Fatalf("status %d, %d operators, %v", status, len(all), err)
	}
	for _, op := range all {
		status, text, _ := call("ops", op.Name)
		for _, word := range []string{op.Name, op.Fields[0].Name, op.Operands[0].Name, op.Algorithms[0].Name} {
			if status != 0 || !strings.Contains(text, word) {
				t.Errorf("ops %s does not say %s", op.Name, word)
			}
		}
	}
	if status, _, errOut := call("ops", "no.such"); status != exitUnable || !strings.Contains(errOut, `no operator "no.such"`) {
		t.Errorf("status %d: %s", status, errOut)
	}
}

func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, exitUnable, "no command"},
		{[]string{"fly"}, exitUnable, `no command "fly"`},
		{[]string{"help"}, exitRight, "usage"},
		{[]string{"run", "-h"}, exitRight, "-spec"},
		{[]string{"run"}, exitUnable, "needs one operator"},
		{[]string{"ptx"}, exitUnable, "usage"},
		{[]string{"ptx", "run", "nothing.json"}, exitUnable, "nothing"},
		{[]string{"ptx", "run", "-async", "soon", "nothing.json"}, exitUnable, "early, late or random"},
		{[]string{"ptx", "run", "-checks", "memcheck,spell", "nothing.json"}, exitUnable, "spell"},
		{[]string{"bench", "--device", "emulated"}, exitUnable, "needs a GPU"},
		{[]string{"tune", "--device", "emulated"}, exitUnable, "needs a GPU"},
		{[]string{"qualify", "--op", "none"}, exitUnable, "no operator"},
		{[]string{"qualify", "--level", "graph,speed"}, exitUnable, `no level "speed"`},
		{[]string{"qualify", "--record", "x.tar"}, exitUnable, "cannot record"},
		{[]string{"evidence"}, exitUnable, "usage"},
		{[]string{"evidence", "import", "no.tar"}, exitUnable, "no.tar"},
		{[]string{"evidence", "verify", "-dir", "/nowhere"}, exitUnable, "zindex.json"},
		{[]string{"worker"}, exitUnable, "job file"},
	} {
		status, out, errOut := call(c.args...)
		if status != c.status || !strings.Contains(out+errOut, c.says) {
			t.Errorf("%v: status %d, said %q", c.args, status, out+errOut)
		}
	}
}
