package command

import (
	"context"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/cubin"
)

// runToolchain shows the toolchain that a build would use, or installs it.
func runToolchain(ctx context.Context, p *program, args []string) error {
	from := p.flags.String("from", "", "take the wheels that lie in this `folder` instead of downloading them")
	rest, err := p.parse(args)
	if err != nil {
		return err
	}
	action := ""
	if len(rest) > 0 {
		action = rest[0]
	}
	switch {
	case len(rest) > 1:
		return &usageError{fmt.Sprintf("toolchain %s takes no further arguments", action)}
	case action == "install":
		return install(ctx, p, *from)
	case *from != "":
		return &usageError{"-from belongs to toolchain install"}
	case action == "" || action == "path":
		return show(ctx, p, action == "path")
	}
	return &usageError{fmt.Sprintf("toolchain %s: there are install and path", action)}
}

func install(ctx context.Context, p *program, from string) error {
	programs, err := p.search().Install(ctx, from, p.stderr)
	if err != nil {
		return err
	}
	for _, found := range programs {
		fmt.Fprintln(p.stdout, found)
	}
	return nil
}

// show prints what is found; with paths only, one a line, for scripts.
func show(ctx context.Context, p *program, pathsOnly bool) error {
	for _, t := range cubin.Tools() {
		found, skipped, err := p.search().Find(ctx, t)
		if err != nil {
			return err
		}
		if pathsOnly {
			fmt.Fprintln(p.stdout, found.Path)
			continue
		}
		fmt.Fprintln(p.stdout, found)
		for _, s := range skipped {
			fmt.Fprintf(p.stdout, "\tskipped %s\n", s)
		}
	}
	return nil
}
