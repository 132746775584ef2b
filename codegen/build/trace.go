package build

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// driverPath is the package whose Main a driver program calls.
const driverPath = "github.com/oxideinfer/oxide/codegen/build/driver"

// driverDir is the name of the folder that a driver program pretends to be in. It exists only in the overlay.
const driverDir = "zoxidegendriver"

// TraceOptions says what a driver program adds to its bundle.
type TraceOptions struct {
	IR     bool      // the text form of the IR
	Passes bool      // the IR after every lowering step
	Log    io.Writer // what kernel packages print; nil discards it
}

// Trace runs the kernel functions of the packages and returns what they describe. Mistakes in kernels are returned
// as Problems; the bundle is complete only without them.
func Trace(ctx context.Context, dir string, pkgs []Package, opt TraceOptions) (*bundle.Bundle, error) {
	root, err := mainModule(ctx, dir)
	if err != nil {
		return nil, err
	}
	src := sources{root}
	whole := &bundle.Bundle{Format: bundle.Format}
	for _, g := range groups(root, pkgs) {
		b, err := g.run(ctx, opt)
		if err != nil {
			return nil, err
		}
		whole.Kernels = append(whole.Kernels, b.Kernels...)
		whole.Failures = append(whole.Failures, b.Failures...)
	}
	for _, p := range pkgs {
		if p.Module.Path != "" && !slices.Contains(src, p.Module) {
			src = append(src, p.Module)
		}
	}
	var problems Problems
	for _, f := range whole.Failures {
		problems = append(problems, src.problem(f))
	}
	problems = append(problems, badNames(whole.Kernels, src)...)
	problems = append(problems, duplicates(whole.Kernels, src)...)
	problems = append(problems, differingParams(whole.Kernels, src)...)
	if len(problems) > 0 {
		return whole, problems.sorted()
	}
	slices.SortFunc(whole.Kernels, func(a, b bundle.Kernel) int {
		for _, pair := range [][2]string{{a.Package, b.Package}, {a.Algorithm, b.Algorithm}, {a.Variant, b.Variant}} {
			if c := strings.Compare(pair[0], pair[1]); c != 0 {
				return c
			}
		}
		return strings.Compare(a.Target, b.Target)
	})
	return whole, nil
}

// mainModule is the module whose go.mod rules in dir. Driver programs can only be placed there: the go command
// lets no overlay reach into the module cache.
func mainModule(ctx context.Context, dir string) (Module, error) {
	out, err := goCommand(ctx, dir, "list", "-m", "-json")
	if err != nil {
		return Module{}, err
	}
	var m Module
	// In a workspace there are several main modules; the one that holds dir is wanted.
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Module{}, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var next Module
		if err := dec.Decode(&next); err != nil {
			return Module{}, fmt.Errorf("go list -m: %w", err)
		}
		if next.Dir != "" && within(next.Dir, abs) && len(next.Dir) > len(m.Dir) {
			m = next
		}
	}
	if m.Dir == "" {
		return Module{}, fmt.Errorf("%s is in no Go module: run oxidegen inside one", abs)
	}
	return m, nil
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// group is packages that one driver program may import.
type group struct {
	module Module
	parent string // folder in the module, slash separated
	pkgs   []Package
}

// groups splits packages by what Go's internal rule allows: a package below internal can be imported only from the
// tree that internal lies in, so its driver is placed there.
func groups(root Module, pkgs []Package) []group {
	var all []group
	for _, p := range pkgs {
		parent := internalParent(root.Path, p.Path)
		i := slices.IndexFunc(all, func(g group) bool { return g.parent == parent })
		if i < 0 {
			all = append(all, group{module: root, parent: parent})
			i = len(all) - 1
		}
		all[i].pkgs = append(all[i].pkgs, p)
	}
	return all
}

func internalParent(module, pkg string) string {
	rest, ok := strings.CutPrefix(pkg, module+"/")
	if !ok {
		return ""
	}
	parts := strings.Split(rest, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "internal" {
			return path.Join(parts[:i]...)
		}
	}
	return ""
}

// run writes the driver program and its overlay to a temporary folder, and lets the go command run it.
func (g group) run(ctx context.Context, opt TraceOptions) (*bundle.Bundle, error) {
	tmp, err := os.MkdirTemp("", "oxidegen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	where := filepath.Join(g.module.Dir, filepath.FromSlash(g.parent), driverDir)
	if _, err := os.Lstat(where); err == nil {
		return nil, fmt.Errorf("%s exists: oxidegen needs that name for its driver program; remove it", where)
	}
	source, overlay, out := filepath.Join(tmp, "main.go"), filepath.Join(tmp, "overlay.json"), filepath.Join(tmp, "bundle.json")
	if err := g.writeProgram(source); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(where, "main.go"): source}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, err
	}
	args := []string{"run", "-trimpath", "-overlay", overlay, "./" + path.Join(g.parent, driverDir),
		"-o", out, "-ir=" + strconv.FormatBool(opt.IR), "-passes=" + strconv.FormatBool(opt.Passes)}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = g.module.Dir, goEnv()
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &complaint, &complaint
	if err := cmd.Run(); err != nil {
		return nil, driverError(err, complaint.String())
	}
	if opt.Log != nil {
		opt.Log.Write(complaint.Bytes())
	}
	return bundle.Read(out)
}

// driverError explains the two ways in which a user's go.mod usually prevents the driver from being built.
func driverError(err error, text string) error {
	text = strings.TrimSpace(text)
	hint := ""
	switch {
	case strings.Contains(text, "missing go.sum entry"), strings.Contains(text, "no required module provides package"):
		hint = "\n\tfix: go get -tool github.com/oxideinfer/oxide/cmd/oxidegen && go mod tidy"
	case strings.Contains(text, "-mod=vendor"), strings.Contains(text, "cannot find module providing package"):
		hint = "\n\tfix: go get -tool github.com/oxideinfer/oxide/cmd/oxidegen && go mod tidy && go mod vendor"
	}
	return fmt.Errorf("the driver program did not run (%w):\n%s%s", err, text, hint)
}

// writeProgram generates the main package: a list of the declarations, handed to the driver library.
func (g group) writeProgram(file string) error {
	f := jen.NewFile("main")
	f.HeaderComment("Code generated by oxidegen. DO NOT EDIT.")
	var entries []jen.Code
	for i, p := range g.pkgs {
		f.ImportAlias(p.Path, "p"+strconv.Itoa(i))
		for _, a := range p.Algorithm {
			entries = append(entries, jen.Line().Values(jen.Dict{
				jen.Id("Package"): jen.Lit(p.Path),
				jen.Id("Symbol"):  jen.Lit(a.Symbol),
				jen.Id("File"):    jen.Lit(path.Join(p.Path, filepath.Base(a.Pos.Filename))),
				jen.Id("Line"):    jen.Lit(a.Pos.Line),
				jen.Id("Value"):   jen.Qual(p.Path, a.Symbol),
			}))
		}
	}
	f.Func().Id("main").Params().Block(
		jen.Qual(driverPath, "Main").Call(jen.Index().Qual(driverPath, "Entry").Values(append(entries, jen.Line())...)))
	return f.Save(file)
}
