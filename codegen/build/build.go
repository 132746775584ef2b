package build

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// Options says what to build.
type Options struct {
	Dir      string   // where patterns are seen from; empty is the working directory
	Patterns []string // as for go list; empty means the whole module
	Out      string   // output folder below the module, slash separated; empty is gen
	Search   cubin.Search
	Install  bool // install the toolchain where it is missing
	Again    bool // assemble also what is current
	Workers  int  // assembler processes at a time; 0 means one per CPU
	Progress Progress
	Log      io.Writer // notes; nil discards them
}

// Report is what a build did.
type Report struct {
	Layout    Layout
	Families  []string
	Kernels   int
	Assembled int
	Changes   Changes
}

// session is the part that every command shares: packages, their traces, and who assembles.
type session struct {
	opt      Options
	layout   Layout
	pkgs     []Package
	families map[string]string
	bundle   *bundle.Bundle
	src      sources
}

func open(ctx context.Context, opt Options, trace TraceOptions) (*session, error) {
	if opt.Dir == "" {
		opt.Dir = "."
	}
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	root, err := mainModule(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	if len(opt.Patterns) == 0 {
		opt.Dir, opt.Patterns = root.Dir, []string{"./..."}
	}
	s := &session{opt: opt, layout: Layout{Module: root, Out: opt.Out}, src: sources{root}}
	if out := s.layout.out(); !filepath.IsLocal(filepath.FromSlash(out)) || out == "." {
		return nil, fmt.Errorf("output folder %q: it must be below the module", opt.Out)
	}
	if s.pkgs, err = Discover(ctx, opt.Dir, opt.Patterns); err != nil {
		return nil, err
	}
	if s.families, err = s.layout.families(s.pkgs); err != nil {
		return nil, err
	}
	trace.Log = opt.Log
	s.bundle, err = Trace(ctx, opt.Dir, s.pkgs, trace)
	return s, err
}

// ptxasVersion is the version whose cubins are current: the pinned one, unless another is bound on purpose.
func (s *session) ptxasVersion(ctx context.Context) (version string, bound bool, err error) {
	t := cubin.Ptxas()
	if !s.opt.Search.IsBound(t) {
		return t.Version, false, nil
	}
	p, _, err := s.opt.Search.Find(ctx, t)
	return p.Version, !p.Pinned(), err
}

func (s *session) findPtxas(ctx context.Context) (cubin.Program, error) {
	p, skipped, err := s.opt.Search.Find(ctx, cubin.Ptxas())
	for _, k := range skipped {
		fmt.Fprintf(s.opt.Log, "oxidegen: note: skipped %s\n", k)
	}
	return p, err
}

func (s *session) assembly(ctx context.Context) (*assembly, error) {
	version, bound, err := s.ptxasVersion(ctx)
	if err != nil {
		return nil, err
	}
	if bound {
		fmt.Fprintf(s.opt.Log, "oxidegen: note: ptxas %s is bound, the pinned version is %s: the manifests will say so\n", version, cubin.PtxasVersion)
	}
	return &assembly{
		layout: s.layout, families: s.families, version: version, bound: bound, again: s.opt.Again,
		ptxas:    &ptxasProvider{find: func() (cubin.Program, error) { return s.findPtxas(ctx) }, workers: s.opt.Workers},
		progress: s.opt.Progress, src: s.src,
	}, nil
}

// Build brings gen/ up to date with the kernels of the matched packages.
func Build(ctx context.Context, opt Options) (*Report, error) {
	if opt.Install && !opt.Search.IsBound(cubin.Ptxas()) {
		if _, _, err := opt.Search.Find(ctx, cubin.Ptxas()); err != nil {
			if _, err := opt.Search.Install(ctx, "", logOf(opt)); err != nil {
				return nil, err
			}
		}
	}
	s, err := open(ctx, opt, TraceOptions{})
	if err != nil {
		return nil, err
	}
	a, err := s.assembly(ctx)
	if err != nil {
		return nil, err
	}
	arts, err := a.run(ctx, s.bundle.Kernels)
	if err != nil {
		return nil, err
	}
	want, err := render(s.layout, s.pkgs, s.families, arts)
	if err != nil {
		return nil, err
	}
	report := &Report{Layout: s.layout, Kernels: len(arts)}
	for _, p := range s.pkgs {
		report.Families = append(report.Families, s.families[p.Path])
	}
	for _, art := range arts {
		if !art.kept {
			report.Assembled++
		}
	}
	report.Changes, err = write(s.layout, want, s.families)
	return report, err
}

func logOf(opt Options) io.Writer {
	if opt.Log == nil {
		return io.Discard
	}
	return opt.Log
}

func (r *Report) String() string {
	return fmt.Sprintf("%d kernels of %s: %d assembled, %d current; %d files written, %d removed below %s",
		r.Kernels, strings.Join(r.Families, ", "), r.Assembled, r.Kernels-r.Assembled,
		len(r.Changes.Written), len(r.Changes.Removed), r.Layout.out())
}
