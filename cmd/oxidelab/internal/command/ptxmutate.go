package command

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/mutants"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/ptxcase"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
)

// mutateSteps bounds the warp instructions of a launch of a mutant, which may not end.
const mutateSteps = 1 << 22

// ptxMutate plants every mistake into the PTX of some cases, or of the library's own kernels, and shows which of them
// the checkers find.
func (l *lab) ptxMutate(args []string) error {
	f := l.flags("ptx mutate", "CASE.json... [flags]")
	all := f.Bool("all", false, "show every mutant, not only those that no checker finds")
	only := f.String("op", "", "mutate one kernel of each algorithm of the operators whose name begins with this `prefix`, not cases")
	steps := f.Uint64("max-steps", mutateSteps, "end a launch after so many warp `instructions`")
	paths, err := parse(f, args)
	if err != nil {
		return err
	}
	if (len(paths) == 0) == (*only == "") {
		return errors.New("ptx mutate needs case files, or -op")
	}
	subjects, err := l.mutationSubjects(paths, *only)
	if err != nil {
		return err
	}
	var results []mutate.Result
	for _, s := range subjects {
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

func (l *lab) mutationSubjects(paths []string, prefix string) ([]mutate.Subject, error) {
	var list []mutate.Subject
	for _, p := range paths {
		s, err := ptxcase.Subject(p)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if prefix == "" {
		return list, nil
	}
	selected, err := matching(prefix)
	if err != nil {
		return nil, err
	}
	for _, b := range selected {
		s, err := mutants.Subjects(l.ctx, b)
		if err != nil {
			return nil, err
		}
		list = append(list, s...)
	}
	return list, nil
}
