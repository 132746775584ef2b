package ptxcase

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

const foreign = "../../../../codegen/ptx/testdata/foreign"

// knownFindings are the classes of what case files list under known_findings and the checkers see.
var knownFindings = map[string]emulate.Class{"tri_matmul_bf16": emulate.Proxy, "tri_matmul_tma": emulate.Proxy}

// -long runs every case under 24 seeds, not 3.
var long = flag.Bool("long", false, "run every case under many seeds")

func TestForeignCases(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(foreign, "*.json"))
	if err != nil || len(paths) < 21 {
		t.Fatalf("%d cases: %v", len(paths), err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".json")
		seeds := uint64(3)
		if *long {
			seeds = 24
		}
		for i := range 3 * seeds {
			seed, mode := i/3, []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly, emulate.AsyncRandom}[i%3]
			r := Run(p, Options{Device: emulate.Config{Seed: seed, Async: mode}})
			if listed := knownFindings[name]; listed != "" {
				// What the case file lists, and nothing else; the outputs are right all the same.
				r.Findings = slices.DeleteFunc(r.Findings, func(f emulate.Finding) bool { return f.Class == listed })
				r.settle()
			}
			if r.Status != StatusEqual || r.ExitCode() != 0 || len(r.Findings) > 0 || len(r.Outputs) == 0 {
				t.Errorf("%s %v seed %d: %s %s\noutputs %+v\nfindings %v", name, mode, seed, r.Status, r.Error, r.Outputs, r.Findings)
			}
		}
	}
}

// edited copies a case into a temporary folder, with texts of its files replaced.
func edited(t *testing.T, name string, replace map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, ext := range []string{".json", ".ptx", ".safetensors"} {
		b, err := os.ReadFile(filepath.Join(foreign, name+ext))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := replace[ext]; ok {
			if !bytes.Contains(b, []byte(r[0])) {
				t.Fatalf("%s%s has no %q", name, ext, r[0])
			}
			b = bytes.Replace(b, []byte(r[0]), []byte(r[1]), 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name+ext), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, name+".json")
}

func TestBrokenCases(t *testing.T) {
	type edit = map[string][2]string
	for _, c := range []struct {
		name, base string
		edit       edit
		status     string
		exit       int
		want       string
	}{
		{"wrong sum", "tri_vadd_tail", edit{".ptx": {"add.f32", "sub.f32"}}, StatusDiffers, 1, ""},
		{"syntax", "tri_vadd_tail", edit{".ptx": {"add.f32", "add.f32 ,,"}}, StatusSyntax, 2, ""},
		{"unknown instruction", "tri_vadd_tail", edit{".ptx": {"add.f32", "frobnicate.f32"}}, StatusUnmodelled, 2, "frobnicate"},
		{"json", "tri_vadd_tail", edit{".json": {`"launches"`, `"launches`}}, StatusUnreadable, 2, ""},
		{"format", "tri_vadd_tail", edit{".json": {"ptx-fixture/1", "ptx-fixture/9"}}, StatusUnreadable, 2, "ptx-fixture/9"},
		{"entry", "tri_vadd_tail", edit{".json": {`"entry": "`, `"entry": "no_`}}, StatusUnreadable, 2, "no entry"},
		{"path", "tri_vadd_tail", edit{".json": {`"ptx": "`, `"ptx": "../`}}, StatusUnreadable, 2, "beside the case"},
		{"grid of two", "tri_vadd_tail", edit{".json": {`"grid": [`, `"grid": [1, 1], "was": [`}}, StatusUnreadable, 2, "x, y and z"},
		{"alignment", "tri_vadd_tail", edit{".json": {`"align": 256`, `"align": 3`}}, StatusUnreadable, 2, "alignment of 3"},
		{"two values", "tri_vadd_tail", edit{".json": {`"buffer": "`, `"bits": "0x0000000000000000", "buffer": "`}}, StatusUnreadable, 2, "not 2"},
		{"target", "tri_vadd_tail", edit{".ptx": {".target sm_90a", ".target sm_999"}}, StatusInvalid, 2, "sm_999"},
		{"address size", "tri_vadd_tail", edit{".ptx": {".address_size 64", ".address_size 32"}}, StatusInvalid, 2, "32"},
		{"data", "tri_vadd_tail", edit{".safetensors": {`"F32"`, `"F99"`}}, StatusUnreadable, 2, "F99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Run(edited(t, c.base, c.edit), Options{})
			if r.Status != c.status || r.ExitCode() != c.exit || !strings.Contains(r.Error, c.want) {
				t.Errorf("status %s exit %d: %q", r.Status, r.ExitCode(), r.Error)
			}
			if (c.status == StatusSyntax || c.status == StatusUnmodelled) && r.Line == 0 {
				t.Error("no line")
			}
		})
	}
}

// TestOutOfBounds widens a kernel's length by one element: the emulator must name the buffer.
func TestOutOfBounds(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(foreign, "tri_vadd_tail.json"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`"i32"`))
	if at < 0 {
		t.Fatal("no integer parameter")
	}
	line := string(b[at : at+bytes.IndexByte(b[at:], '}')])
	r := Run(edited(t, "tri_vadd_tail", map[string][2]string{".json": {line, `"i32", "value": 1001, "bits": "0x000003e9"`}}), Options{})
	ok := slices.ContainsFunc(r.Findings, func(f emulate.Finding) bool {
		return f.Class == emulate.OOBGlobal && f.Line > 0 && strings.Contains(f.Message, "past the end")
	})
	if !ok || r.ExitCode() != 1 {
		t.Errorf("exit %d, findings %v", r.ExitCode(), r.Findings)
	}
}

// TestEndlessLoop demands that a kernel that never ends is reported.
func TestEndlessLoop(t *testing.T) {
	path := edited(t, "tri_vadd_tail", map[string][2]string{".ptx": {"ret;", "$again:\n\tbra.uni $again;"}})
	r := Run(path, Options{Device: emulate.Config{MaxSteps: 100_000}})
	if !slices.ContainsFunc(r.Findings, func(f emulate.Finding) bool { return f.Class == emulate.Hang }) || r.ExitCode() != 1 {
		t.Errorf("exit %d, findings %v", r.ExitCode(), r.Findings)
	}
}

// TestBuffersTogether demands a bound on all buffers of a case together.
func TestBuffersTogether(t *testing.T) {
	c := caseFile{Format: formatName, PTX: "a.ptx", Data: "a.safetensors", Launches: make([]launchDesc, 1)}
	for _, name := range []string{"a", "b", "c"} {
		err := c.check()
		if err != nil {
			t.Fatalf("%d buffers: %v", len(c.Buffers), err)
		}
		c.Buffers = append(c.Buffers, bufferDesc{Name: name, DType: "u8", Shape: []int64{maxBytes / 2}, Bytes: maxBytes / 2, Role: "in", Init: "fill"})
	}
	if err := c.check(); err == nil || !strings.Contains(err.Error(), "together") {
		t.Errorf("three halves of the limit: %v", err)
	}
}

// TestReportJSON pins the shape of the printed object.
func TestReportJSON(t *testing.T) {
	r := Run(filepath.Join(foreign, "tri_vadd_tail.json"), Options{})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got["case"] != "tri_vadd_tail" || got["status"] != "equal" {
		t.Errorf("%s", b)
	}
	if _, ok := got["outputs"].([]any); !ok {
		t.Errorf("outputs: %s", b)
	}
	if f, ok := got["findings"].([]any); !ok || len(f) != 0 {
		t.Errorf("findings: %s", b)
	}
}
