package command

import (
	"context"
	"fmt"

	"github.com/oxideinfer/oxide/cmd/oxidegen/internal/sasspage"
	"github.com/oxideinfer/oxide/codegen/build"
)

// runDump shows kernels at one stage of their way.
func runDump(ctx context.Context, p *program, args []string) error {
	stages := map[string]*bool{}
	for name, what := range map[string]string{"ir": "the typed IR", "ptx": "the canonical PTX", "sass": "SASS beside Go lines", "passes": "the IR after every pass"} {
		stages[name] = p.flags.Bool(name, false, what)
	}
	target := p.flags.String("target", "", "only this target, like sm_90a")
	rest, err := p.parse(args)
	if err != nil {
		return err
	}
	stage := ""
	for _, name := range []string{"ir", "ptx", "sass", "passes"} {
		if *stages[name] {
			if stage != "" {
				return &usageError{"dump takes one of -ir, -ptx, -sass, -passes"}
			}
			stage = name
		}
	}
	sel := build.Selection{}
	if len(rest) > 0 {
		sel, rest = build.ParseSelection(rest[0]), rest[1:]
	}
	sel.Target = *target
	switch stage {
	case "":
		return &usageError{"dump needs one of -ir, -ptx, -sass, -passes"}
	case "sass":
		return dumpSASS(ctx, p, sel, rest)
	}
	return dumpText(ctx, p, sel, rest, stage)
}

// runDumpSASS is oxidegen -dump-sass ALGORITHM.
func runDumpSASS(ctx context.Context, p *program, args []string) error {
	target := p.flags.String("target", "", "only this target, like sm_90a")
	rest, err := p.parse(args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return &usageError{"-dump-sass needs the name of an algorithm"}
	}
	sel := build.ParseSelection(rest[0])
	sel.Target = *target
	return dumpSASS(ctx, p, sel, rest[1:])
}

func dumpSASS(ctx context.Context, p *program, sel build.Selection, patterns []string) error {
	kernels, err := build.Inspect(ctx, p.options(patterns), sel)
	if err != nil {
		return err
	}
	for i := range kernels {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		if err := sasspage.Write(p.stdout, &kernels[i]); err != nil {
			return err
		}
	}
	return nil
}

func dumpText(ctx context.Context, p *program, sel build.Selection, patterns []string, stage string) error {
	kernels, err := build.Traces(ctx, p.options(patterns), build.TraceOptions{IR: stage == "ir", Passes: stage == "passes"}, sel)
	if err != nil {
		return err
	}
	for _, k := range kernels {
		switch stage {
		case "ir":
			fmt.Fprintf(p.stdout, "// %s\n%s\n", k.Name(), k.IR)
		case "ptx":
			fmt.Fprintf(p.stdout, "// %s\n%s\n", k.Name(), k.PTX)
		case "passes":
			for i, pass := range k.Passes {
				fmt.Fprintf(p.stdout, "// %s, %d: %s\n%s\n", k.Name(), i, pass.Name, pass.Text)
			}
		}
	}
	return nil
}
