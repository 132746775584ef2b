package subjects

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// -planted DIR writes the planted faults there, as cases to be assembled and run under compute-sanitizer:
//
//	go test ./codegen/subjects -run TestPlanted -planted DIR
//	oxidelab ptx record -assemble DIR
//	oxidelab ptx sanitize DIR > planted.jsonl   # on a GPU
var planted = flag.String("planted", "", "write the planted faults as cases to this folder")

// numPlanted is how many faults are compared with compute-sanitizer.
const numPlanted = 40

// fault is one mistake in one subject.
type fault struct {
	subject *Subject
	site    int
	mutate.Site
}

// faults takes mistakes of every kind in turn, each from another subject as long as there is one.
func faults(t *testing.T) (out []fault) {
	byKind := map[mutate.Kind][]fault{}
	for _, s := range all(t) {
		for i, site := range mutate.Sites(module(t, s)) {
			byKind[site.Kind] = append(byKind[site.Kind], fault{s, i, site})
		}
	}
	used := map[string]int{}
	for len(out) < numPlanted {
		for _, kind := range mutate.Kinds {
			left := byKind[kind]
			if len(left) == 0 || len(out) == numPlanted {
				continue
			}
			best := 0
			for i, f := range left {
				if used[f.subject.Name] < used[left[best].subject.Name] {
					best = i
				}
			}
			out = append(out, left[best])
			used[left[best].subject.Name]++
			byKind[kind] = append(left[:best:best], left[best+1:]...)
		}
	}
	return out
}

func module(t *testing.T, s *Subject) *ptx.Module {
	t.Helper()
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPlanted plants forty mistakes of all kinds; a checker finds each, or the numbers are wrong, and what it says is what the
// comparison with compute-sanitizer says (docs/sanitizer.md).
func TestPlanted(t *testing.T) {
	compared := readCompared(t)
	dir := *planted
	if dir == "" {
		dir = t.TempDir()
	}
	kinds := map[mutate.Kind]bool{}
	for n, f := range faults(t) {
		kinds[f.Kind] = true
		m := module(t, f.subject)
		mutate.Sites(m)[f.site].Plant()
		text, _ := ptx.Print(m)
		s := *f.subject
		s.Name = fmt.Sprintf("%02d_%s", n+1, f.subject.Name)
		s.About = fmt.Sprintf("%s, line %d: %s", f.Kind, f.Line, f.What)
		if err := s.Write(dir, text); err != nil {
			t.Fatal(err)
		}
		found := seenIn(t, &s, text)
		if len(found) == 0 {
			t.Errorf("%s: %s: nobody sees it", s.Name, s.About)
		}
		if diff := cmp.Diff(comparison{s.Name, s.About, found}, compared[s.Name]); diff != "" {
			t.Errorf("testdata/planted.jsonl is not of today (-now +there):\n%s", diff)
		}
	}
	if len(kinds) < 16 {
		t.Errorf("only %d of %d kinds are planted", len(kinds), len(mutate.Kinds))
	}
}

// comparison is what a line of planted.jsonl says of the emulator.
type comparison struct {
	Case  string   `json:"case"`
	About string   `json:"about"`
	Ours  []string `json:"ours"`
}

func readCompared(t *testing.T) map[string]comparison {
	t.Helper()
	f, err := os.Open("testdata/planted.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := map[string]comparison{}
	for d := json.NewDecoder(f); ; {
		var c comparison
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[c.Case] = c
	}
}

// seenIn is what the emulator sees: the classes of errors under the first of its schedules that has any, else wrong numbers.
func seenIn(t *testing.T, s *Subject, text []byte) (seen []string) {
	for _, c := range mutate.Schedules {
		c.MaxSteps = 1 << 22
		r, err := s.Run(text, c)
		if err != nil {
			t.Fatal(err)
		}
		var classes []string
		for _, f := range r.Findings {
			if f.Severity == emulate.Error && !slices.Contains(classes, string(f.Class)) {
				classes = append(classes, string(f.Class))
			}
		}
		if len(classes) > 0 {
			return classes
		}
		if len(r.Wrong) > 0 {
			seen = []string{"numbers"}
		}
	}
	return seen
}
