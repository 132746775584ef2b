package command

import (
	"context"
	"fmt"
	"io"

	"github.com/oxideinfer/oxide/codegen/build"
)

func runBuild(ctx context.Context, p *program, args []string) error {
	install := p.flags.Bool("install", false, "install the pinned ptxas and nvdisasm where they are missing")
	again := p.flags.Bool("a", false, "assemble every kernel, also those that are current")
	quiet := p.flags.Bool("q", false, "print nothing when all goes well")
	patterns, err := p.parse(args)
	if err != nil {
		return err
	}
	opt := p.options(patterns)
	opt.Install, opt.Again = *install, *again
	if isTerminal(p.stderr) && !*quiet {
		opt.Progress = progress(p.stderr)
	}
	report, err := build.Build(ctx, opt)
	if err != nil {
		return err
	}
	if !*quiet {
		fmt.Fprintf(p.stdout, "oxidegen: %s\n", report)
	}
	return nil
}

// progress redraws one line, and clears it after the last kernel.
func progress(w io.Writer) build.Progress {
	return func(done, total int, name string) {
		const width = 70
		if len(name) > width {
			name = name[:width]
		}
		fmt.Fprintf(w, "\r\x1b[Kptxas %d/%d %s", done, total, name)
		if done == total {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}
