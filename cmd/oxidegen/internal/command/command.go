package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/internal/visible"
)

// Exit statuses: a mistake in the user's kernels or files is 1, a wrong command line 2.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// program is one run: its outputs and the flags that every subcommand has.
type program struct {
	stdout, stderr io.Writer
	flags          *flag.FlagSet
	out            string
	ptxas          string
	nvdisasm       string
	workers        int
}

// subcommand runs with the arguments after its name.
type subcommand struct {
	name    string
	args    string
	summary string
	run     func(ctx context.Context, p *program, args []string) error
}

func subcommands() []subcommand {
	return []subcommand{
		{"build", "[-install] [-a] [packages]", "bring gen/ up to date with the kernels of the packages", runBuild},
		{"verify", "[packages]", "prove that gen/ is what the source gives, with or without ptxas", runVerify},
		{"list", "[-json]", "show what gen/ holds: resources, occupancy, hashes", runList},
		{"dump", "-ir|-ptx|-sass|-passes [ALGORITHM[/VARIANT]] [packages]", "show a kernel at one stage", runDump},
		{"profile", "ALGORITHM[/VARIANT] [-grid X,Y,Z] NAME=VALUE... [packages]", "run a kernel on the emulator: what each Go line did, and how long an H200 would take", runProfile},
		{"probe", "[-record FILE] [opcodes]", "ask ptxas whether it takes what the instruction table allows, and refuses what it refuses", runProbe},
		{"toolchain", "[path | install [-from DIR]]", "show, find or install the pinned ptxas and nvdisasm", runToolchain},
	}
}

// Run executes one command line and returns the exit status.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	said := ""
	if err != nil {
		said = visible.Text(err.Error())
	}
	var usage *usageError
	var problems build.Problems
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "oxidegen: %s\n", said)
		return exitUsage
	case errors.As(err, &problems): // the place comes first, as compilers write it
		fmt.Fprintf(stderr, "%s\noxidegen: %d found\n", said, len(problems))
		return exitFailure
	}
	fmt.Fprintf(stderr, "oxidegen: %s\n", said)
	return exitFailure
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		printUsage(stderr)
		return &usageError{"no command given"}
	}
	name := args[0]
	switch strings.TrimLeft(name, "-") {
	case "h", "help":
		printUsage(stdout)
		return nil
	case "dump-sass":
		if name != "dump-sass" {
			return run(ctx, subcommand{"-dump-sass", "ALGORITHM[/VARIANT] [packages]", "SASS beside the Go lines it came from", runDumpSASS}, args[1:], stdout, stderr)
		}
	}
	if value, ok := strings.CutPrefix(strings.TrimLeft(name, "-"), "dump-sass="); ok && name[0] == '-' {
		return dispatch(ctx, append([]string{"-dump-sass", value}, args[1:]...), stdout, stderr)
	}
	for _, c := range subcommands() {
		if c.name == name {
			return run(ctx, c, args[1:], stdout, stderr)
		}
	}
	printUsage(stderr)
	return &usageError{fmt.Sprintf("unknown command %q", name)}
}

func run(ctx context.Context, c subcommand, args []string, stdout, stderr io.Writer) error {
	p := &program{stdout: stdout, stderr: stderr, flags: flag.NewFlagSet("oxidegen "+c.name, flag.ContinueOnError)}
	p.flags.SetOutput(visible.Writer(stderr))
	p.flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: oxidegen %s %s\n%s\n", c.name, c.args, c.summary)
		p.flags.PrintDefaults()
	}
	p.flags.StringVar(&p.out, "out", "gen", "`folder` below the module that generated files go to")
	p.flags.StringVar(&p.ptxas, "ptxas", "", "bind this ptxas, of whatever version")
	p.flags.StringVar(&p.nvdisasm, "nvdisasm", "", "bind this nvdisasm, of whatever version")
	p.flags.IntVar(&p.workers, "j", 0, "assembler `processes` at a time (0: one per CPU)")
	return c.run(ctx, p, args)
}

// parse reads flags that may stand before, between and after other arguments.
func (p *program) parse(args []string) ([]string, error) {
	var rest []string
	for {
		if err := p.flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, &usageError{err.Error()}
		}
		if p.flags.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, p.flags.Arg(0))
		args = p.flags.Args()[1:]
	}
}

func (p *program) search() cubin.Search {
	return cubin.Search{Bind: map[string]string{"ptxas": p.ptxas, "nvdisasm": p.nvdisasm}}
}

// options for the packages that are named, or for the whole module.
func (p *program) options(patterns []string) build.Options {
	return build.Options{Patterns: patterns, Out: p.out, Search: p.search(), Workers: p.workers, Log: p.stderr}
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "usage: oxidegen COMMAND [arguments]\n\n")
	for _, c := range subcommands() {
		fmt.Fprintf(w, "  %s %s\n        %s\n", c.name, c.args, c.summary)
	}
	fmt.Fprint(w, "  -dump-sass ALGORITHM[/VARIANT] [packages]\n        SASS beside the Go lines it came from, for spill review\n\n"+
		"Without packages a command works on the whole module. oxidegen COMMAND -h shows its flags.\n")
}

// isTerminal reports whether w is a character device, so that a progress line can be redrawn.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
