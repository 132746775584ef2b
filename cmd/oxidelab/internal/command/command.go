// Package command is oxidelab: one file for each subcommand.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/internal/visible"
)

// Exit statuses.
const (
	exitRight  = 0
	exitWrong  = 1 // a result is wrong
	exitUnable = 2 // the call, a file or a device cannot be used
)

// errWrong ends a command with exitWrong after it has said everything itself.
var errWrong = errors.New("a result is wrong")

// lab is one run of the program.
type lab struct {
	ctx    context.Context
	out    io.Writer // for readers: what is not printable is shown as an escape
	data   io.Writer // the same for other programs, as it is
	errOut io.Writer
	// program starts this program again; stamp says what commit it was built from.
	program func() ([]string, error)
	stamp   func() (evidence.Source, error)
}

const usage = `usage: oxidelab ops | run | profile | qualify | peers | evidence | report | bench | tune | soak | ptx run    (-h after a command shows its flags)`

// Run executes one command line and returns the exit status.
func Run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return newLab(ctx, out, errOut, self, qualify.Stamp).exit(args)
}

func newLab(ctx context.Context, out, errOut io.Writer, program func() ([]string, error), stamp func() (evidence.Source, error)) *lab {
	return &lab{ctx, visible.Writer(out), out, errOut, program, stamp}
}

// exit runs a command line, says what went wrong, and returns the exit status.
func (l *lab) exit(args []string) int {
	err := l.dispatch(args)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitRight
	case errors.Is(err, errWrong):
		return exitWrong
	}
	fmt.Fprintln(l.errOut, "oxidelab: "+visible.Text(strings.ReplaceAll(err.Error(), "\n", "; ")))
	return exitUnable
}

// self is the command line that starts this program.
func self() ([]string, error) {
	path, err := os.Executable()
	return []string{path}, err
}

func (l *lab) dispatch(args []string) error {
	if len(args) == 0 {
		return errors.New("no command; " + usage)
	}
	switch args[0] {
	case "ops":
		return l.ops(args[1:])
	case "run":
		return l.run(args[1:])
	case "qualify":
		return l.qualify(args[1:])
	case "worker":
		return l.worker(args[1:])
	case "report":
		return l.report(args[1:])
	case "profile":
		return l.profile(args[1:])
	case "peers":
		return l.peers(args[1:])
	case "evidence":
		return l.evidence(args[1:])
	case "bench":
		return l.bench(args[1:])
	case "tune":
		return l.tune(args[1:])
	case "soak":
		return l.soak(args[1:])
	case "ptx":
		return l.ptx(args[1:])
	case "help", "-h", "-help", "--help":
		fmt.Fprintln(l.out, usage)
		return nil
	}
	return fmt.Errorf("no command %q; %s", args[0], usage)
}

// flags makes a flag set that reports errors only through its return value.
func (l *lab) flags(name, arguments string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {
		fmt.Fprintf(l.out, "usage: oxidelab %s %s\n", name, arguments)
		f.SetOutput(l.out)
		f.PrintDefaults()
		f.SetOutput(io.Discard)
	}
	return f
}

// parse reads flags and positional arguments in any order.
func parse(f *flag.FlagSet, args []string) (positional []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			return positional, nil
		}
		positional, args = append(positional, f.Arg(0)), f.Args()[1:]
	}
}
