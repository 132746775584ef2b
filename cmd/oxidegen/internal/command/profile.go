package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidegen/internal/trial"
	"github.com/oxideinfer/oxide/codegen/build"
	"github.com/oxideinfer/oxide/codegen/profilepage"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// runProfile launches kernels on the emulator and shows what they did beside their source.
func runProfile(ctx context.Context, p *program, args []string) error {
	grid := p.flags.String("grid", "1", "`blocks` of the launch, X or X,Y,Z")
	block := p.flags.String("block", "", "`threads` of a block, where the kernel takes any")
	cluster := p.flags.String("cluster", "", "`blocks` of a cluster, where the kernel takes any")
	dynamic := p.flags.Int("dynamic", -1, "`bytes` of dynamic shared memory (-1: what the kernel declares)")
	blocks := p.flags.Int("blocks", profile.Blocks, "how many blocks run where they cannot see each other; 0: all")
	rotation := p.flags.Float64("rotation", 0, "`bytes` that calls go round before one finds its operands again (0: more than L2 holds)")
	html := p.flags.String("html", "", "write one HTML page to this `file`")
	asJSON := p.flags.Bool("json", false, "print JSON")
	target := p.flags.String("target", "", "only this target, like sm_90a")
	rest, err := p.parse(args)
	if err != nil {
		return err
	}
	if len(rest) == 0 || strings.Contains(rest[0], "=") {
		return &usageError{"profile needs the name of an algorithm: oxidegen profile ALGORITHM[/VARIANT] -grid X,Y,Z NAME=VALUE... [packages]"}
	}
	call := trial.Call{Dynamic: *dynamic, Blocks: *blocks}
	for text, to := range map[*string]*[3]uint32{grid: &call.Grid, block: &call.Block, cluster: &call.Cluster} {
		if *to, err = triple(*text); err != nil {
			return &usageError{err.Error()}
		}
	}
	if call.Grid[0] == 0 || *blocks < 0 || *dynamic < -1 || *rotation < 0 {
		return &usageError{"-grid needs a block, and -blocks, -dynamic and -rotation are no negative numbers"}
	}
	sel := build.ParseSelection(rest[0])
	sel.Target = *target
	var patterns []string
	for _, a := range rest[1:] {
		if strings.Contains(a, "=") {
			call.Args = append(call.Args, a)
		} else {
			patterns = append(patterns, a)
		}
	}
	pages, err := profiled(ctx, p.options(patterns), sel, call, profile.Conditions{WorkingSet: *rotation})
	if err != nil {
		return err
	}
	return profilepage.Show(p.stdout, pages, *html, *asJSON)
}

// profiled launches the one kernel that is meant.
func profiled(ctx context.Context, opt build.Options, sel build.Selection, call trial.Call, c profile.Conditions) ([]*profilepage.Page, error) {
	kernels, err := build.Assembled(ctx, opt, sel)
	if err != nil {
		return nil, err
	}
	var pages []*profilepage.Page
	for i := range kernels {
		k := &kernels[i]
		prof, err := trial.Profile(&k.Kernel, call)
		if err != nil {
			return nil, err
		}
		page, err := profilepage.New(profilepage.Kernel{Name: k.Kernel.Name(), Package: k.Kernel.Package, Target: k.Kernel.Target,
			Resources: k.Row.Resources, Lines: k.Lines}, prof, profile.H200, c)
		if err != nil {
			return nil, err
		}
		page.AddSource(ctx, opt.Dir)
		pages = append(pages, page)
	}
	return pages, nil
}

// triple reads X, X,Y or X,Y,Z; the others are 1. Empty text is zero.
func triple(text string) (v [3]uint32, err error) {
	if text == "" {
		return v, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > 3 {
		return v, fmt.Errorf("%q: want X, X,Y or X,Y,Z", text)
	}
	v = [3]uint32{1, 1, 1}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || n == 0 {
			return v, fmt.Errorf("%q: want X, X,Y or X,Y,Z, each at least 1", text)
		}
		v[i] = uint32(n)
	}
	return v, nil
}
