package command

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/ptxcase"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// mutateSteps bounds the warp instructions of a launch of a mutant, which may not end.
const mutateSteps = 1 << 22

// ptxMutate plants every mistake into the PTX of some cases and shows which of them the checkers find.
func (l *lab) ptxMutate(args []string) error {
	f := l.flags("ptx mutate", "CASE.json... [flags]")
	all := f.Bool("all", false, "show every mutant, not only those that no checker finds")
	steps := f.Uint64("max-steps", mutateSteps, "end a launch after so many warp `instructions`")
	paths, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("ptx mutate needs a case file")
	}
	var results []mutate.Result
	for _, p := range paths {
		s, err := ptxcase.Subject(p)
		if err != nil {
			return err
		}
		r, err := mutate.Judge(s, *steps, nil)
		if err != nil {
			return err
		}
		results = append(results, r...)
	}
	fmt.Fprint(l.out, mutate.Table(results))
	fmt.Fprintf(l.out, "synchronisation: %.1f %% found by a checker; data shape: %.1f %% by a checker or wrong numbers\n",
		100*mutate.Rate(results, false), 100*mutate.Rate(results, true))
	for _, r := range results {
		if *all || r.Verdict != mutate.Named && r.Verdict != mutate.Found && r.Verdict != mutate.Unreached {
			fmt.Fprintln(l.out, " ", r)
		}
	}
	return nil
}
