package subjects

import (
	"flag"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// -long plants every mistake, not a fixed sample, and runs every subject under 24 seeds:
//
//	go test ./codegen/subjects -run 'TestMutants|TestSubjectsRun' -long -v
var long = flag.Bool("long", false, "plant every mistake, run under many seeds")

// sample is the distance of the mistakes that are planted without -long.
const sample = 5

// TestMutants plants mistakes into the subjects: of those of synchronisation the checkers alone find at least 95 %, of
// those of data shape the checkers or wrong numbers find 98 %, and at most a tenth is equivalent.
func TestMutants(t *testing.T) {
	var results []mutate.Result
	n := 0
	for _, s := range all(t) {
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		run := func(m *ptx.Module, c emulate.Config) ([]emulate.Finding, bool, error) {
			changed, _ := ptx.Print(m)
			r, err := s.Run(changed, c)
			if err != nil {
				return nil, false, err
			}
			return r.Findings, len(r.Wrong) == 0, nil
		}
		r, err := mutate.Judge(mutate.Subject{Name: s.Name, Text: text, Run: run}, 1<<22, func(int, mutate.Site) bool {
			n++
			return *long || n%sample == 0
		})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r...)
	}
	t.Logf("\n%s", mutate.Table(results))
	equal, missed := 0, 0
	for _, r := range results {
		switch r.Verdict {
		case mutate.Equivalent:
			equal++
		case mutate.Survived:
			missed++
		case mutate.Named, mutate.Unreached:
			continue
		}
		t.Log(r)
	}
	sync, shape := mutate.Rate(results, false), mutate.Rate(results, true)
	if *long && (sync < 0.95 || shape < 0.98 || 10*equal > len(results)) {
		t.Errorf("synchronisation: %.3f found by a checker; data shape: %.3f; %d equivalent", sync, shape, equal)
	}
	if missed > 0 {
		t.Errorf("%d mutants survive", missed)
	}
	if len(results) < 40 {
		t.Errorf("only %d mutants", len(results))
	}
}
