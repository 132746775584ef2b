package subjects

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// -cases DIR writes every subject there, to be run on a device or mutated:
//
//	go test ./codegen/subjects -run TestSubjectsWrite -cases DIR
var cases = flag.String("cases", "", "write the subjects as cases to this folder")

var update = flag.Bool("update", false, "write the golden PTX anew")

func all(t *testing.T) []*Subject {
	t.Helper()
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSubjectsRun runs every subject under the three asynchronous modes and several schedules: no finding, and the bytes of
// the reference.
func TestSubjectsRun(t *testing.T) {
	for _, s := range all(t) {
		t.Run(s.Name, func(t *testing.T) {
			text, err := s.Text()
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly, emulate.AsyncRandom} {
				seeds := uint64(3)
				if *long {
					seeds = 24
				}
				for seed := range seeds {
					report, err := s.Run(text, emulate.Config{Async: mode, Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					if !report.Clean() {
						t.Fatalf("mode %v seed %d: %v\n%v", mode, seed, report.Wrong, report.Findings)
					}
				}
			}
		})
	}
}

// TestCopiesThatWakeAnotherBlock: in a turn in which no warp could run, a block's copy, complete at a random moment, woke warps of
// another block whose turn was over, and that was reported as a deadlock: seeds 46 and 56 among them.
func TestCopiesThatWakeAnotherBlock(t *testing.T) {
	s, err := multicastRing()
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(64) {
		if r, err := s.Run(text, emulate.Config{Async: emulate.AsyncRandom, Seed: seed}); err != nil || !r.Clean() {
			t.Fatalf("seed %d: %v %+v", seed, err, r)
		}
	}
}

// TestSubjectsAssemble has ptxas take every subject without a warning about wgmma or setmaxnreg, a spill or a stack.
func TestSubjectsAssemble(t *testing.T) {
	for _, s := range all(t) {
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		r, err := cubintest.Assembler(t).Assemble(context.Background(), text, "sm_90a")
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.Name, err, text)
		}
		for _, d := range r.Log {
			if d.Code != "" {
				t.Errorf("%s: %v", s.Name, d)
			}
		}
		for entry, use := range r.Resources {
			if use.SpillStoreBytes+use.SpillLoadBytes+use.StackBytes > 0 {
				t.Errorf("%s: %s: %+v", s.Name, entry, use)
			}
		}
	}
}

// TestWrongBytesAreSeen proves that the comparison can fail.
func TestWrongBytesAreSeen(t *testing.T) {
	s, err := namedTurns()
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	s.Buffers[1].Want[5]++
	report, err := s.Run(text, emulate.Config{})
	if err != nil || len(report.Wrong) != 1 {
		t.Errorf("got %v, %v", report, err)
	}
	if want := "y[1]"; fmt.Sprint(report.Wrong)[1:1+len(want)] != want {
		t.Errorf("got %v, want %s", report.Wrong, want)
	}
}

// TestSubjectsText keeps the PTX of every subject: a change of the lowering shows here.
func TestSubjectsText(t *testing.T) {
	const golden = "testdata/subjects.txtar"
	var got txtar.Archive
	for _, s := range all(t) {
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		got.Files = append(got.Files, txtar.File{Name: s.Name + ".ptx", Data: text})
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(&got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Files) != len(got.Files) {
		t.Fatalf("%d subjects, %d golden texts", len(got.Files), len(want.Files))
	}
	for i, f := range want.Files {
		if diff := cmp.Diff(string(f.Data), string(got.Files[i].Data)); diff != "" {
			t.Errorf("%s (-want +got); run the test with -update if this is meant:\n%s", f.Name, diff)
		}
	}
}

func TestSubjectsWrite(t *testing.T) {
	dir := *cases
	if dir == "" {
		dir = t.TempDir()
	}
	for _, s := range all(t) {
		if err := s.Write(dir, nil); err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{".json", ".ptx", ".safetensors"} {
			if info, err := os.Stat(filepath.Join(dir, s.Name+suffix)); err != nil || info.Size() == 0 {
				t.Errorf("%s%s: %v", s.Name, suffix, err)
			}
		}
	}
}
