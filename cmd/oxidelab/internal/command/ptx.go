package command

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/ptxcase"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// ptx runs PTX case files on the emulator, or records what a GPU makes of them.
func (l *lab) ptx(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "run":
			return l.ptxRun(args)
		case "mutate":
			return l.ptxMutate(args[1:])
		case "record":
			return l.ptxRecord(args)
		case "sanitize":
			return l.ptxSanitize(args[1:])
		case "trace-diff":
			return l.ptxTraceDiff(args[1:])
		}
	}
	return errors.New("usage: oxidelab ptx run CASE.json, oxidelab ptx mutate CASE.json..., oxidelab ptx trace-diff A B, oxidelab ptx record DIR, or oxidelab ptx sanitize DIR, each with [flags]")
}

func (l *lab) ptxRun(args []string) error {
	f := l.flags("ptx run", "CASE.json [flags]")
	asJSON := f.Bool("json", false, "print one JSON object")
	steps := f.Uint64("max-steps", ptxcase.DefaultMaxSteps, "report a hang after so many warp `instructions` of a launch")
	checks := f.String("checks", "all", "`checkers` to run, separated by commas: memcheck, initcheck, asynccheck, racecheck, synccheck, wgmmacheck, all, none")
	async := f.String("async", emulate.AsyncLate.String(), "when asynchronous operations take effect: early, late or random")
	seed := f.Uint64("seed", 0, "schedule; 0 is round robin")
	tf := addTraceFlags(f)
	paths, err := parse(f, args[1:])
	if err != nil {
		return err
	}
	if len(paths) != 1 {
		return errors.New("ptx run needs one case file")
	}
	cfg := emulate.Config{MaxSteps: *steps, Seed: *seed}
	if cfg.Async, err = emulate.ParseAsync(*async); err != nil {
		return err
	}
	on, err := emulate.ParseChecks(*checks)
	if err != nil {
		return err
	}
	cfg.Off = emulate.AllChecks &^ on
	tr, finish, err := tf.open(l.data, *asJSON)
	if err != nil {
		return err
	}
	r := ptxcase.Run(paths[0], ptxcase.Options{Device: cfg, Trace: tr})
	if err := finish(); err != nil {
		return err
	}
	if *asJSON {
		if err := json.NewEncoder(l.data).Encode(r); err != nil {
			return err
		}
	} else if r.ExitCode() != exitUnable {
		l.showReport(r)
	}
	switch r.ExitCode() {
	case exitRight:
		return nil
	case exitWrong:
		return errWrong
	}
	return fmt.Errorf("%s: %s: %s", r.Case, r.Status, r.Error)
}

func (l *lab) showReport(r *ptxcase.Report) {
	fmt.Fprintf(l.out, "%s: %s, %d thread instructions\n", r.Case, r.Status, r.ThreadInstructions)
	for _, o := range r.Outputs {
		fmt.Fprintf(l.out, "  output %+v\n", o)
	}
	for _, name := range r.Changed {
		fmt.Fprintf(l.out, "  %s changed and is no output\n", name)
	}
	for _, finding := range r.Findings {
		fmt.Fprintf(l.out, "  line %d: %s %s: %s\n", finding.Line, finding.Severity, finding.Class, finding.Message)
		for _, a := range finding.Accesses {
			fmt.Fprintf(l.out, "    line %d: %s of %d bytes of %s memory at %#x\n", a.Line, a.Kind, a.Bytes, a.Space, a.Addr)
		}
	}
}
