package build

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// irPath is the package that declares Algorithm and Kernel.
const irPath = "github.com/oxideinfer/oxide/ir"

// Package is a Go package that declares kernels.
type Package struct {
	Path      string
	Name      string
	Dir       string
	Module    Module
	Algorithm []Declaration
}

// Module is the Go module of a package.
type Module struct{ Path, Dir string }

// Declaration is an exported variable of type ir.Algorithm[V].
type Declaration struct {
	Symbol string
	Pos    token.Position
}

// Discover finds the kernel declarations of the packages that match patterns, as seen from dir. Packages that do
// not import the IR are passed over; a package pattern without wildcard that declares no kernel is a mistake.
func Discover(ctx context.Context, dir string, patterns []string) ([]Package, error) {
	candidates, err := importersOfIR(ctx, dir, patterns)
	if err != nil {
		return nil, err
	}
	var found []Package
	var problems Problems
	if len(candidates) > 0 {
		loaded, err := load(ctx, dir, candidates)
		if err != nil {
			return nil, err
		}
		for _, p := range loaded {
			pkg, issues := declarations(p)
			problems = append(problems, issues...)
			if len(pkg.Algorithm) > 0 {
				found = append(found, pkg)
			}
		}
	}
	if len(problems) > 0 {
		return nil, problems.sorted()
	}
	if len(found) == 0 {
		return nil, noKernels(patterns)
	}
	slices.SortFunc(found, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

func noKernels(patterns []string) error {
	return Problems{{Code: "NO_KERNEL",
		Message: fmt.Sprintf("no kernel in %s", strings.Join(patterns, " ")),
		Fix:     "declare one: an exported package-level variable of type ir.Algorithm[V], for example\n\t\tvar Scale = ir.Algorithm[ScaleVariant]{Name: \"ExampleScale\", …}"}}
}

type listed struct {
	ImportPath string
	Name       string
	Imports    []string
	Standard   bool
	Error      *struct{ Err, Pos string }
}

// importersOfIR lists packages without compiling anything: the rest of a module may not compile before its gen/
// exists, and only importers of the IR can declare kernels.
func importersOfIR(ctx context.Context, dir string, patterns []string) ([]string, error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Name,Imports,Standard,Error", "--"}, patterns...)
	out, err := goCommand(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	var paths []string
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil && p.Name == "" { // no such package at all
			return nil, fmt.Errorf("%s", strings.TrimSpace(p.Error.Err))
		}
		if slices.Contains(p.Imports, irPath) {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths, nil
}

// goCommand runs go in dir and returns what it printed; its complaint is the error.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = goEnv()
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(complaint.String()); text != "" {
			return nil, fmt.Errorf("go %s: %s", args[0], text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// goEnv keeps the user's environment but builds for this machine: under `GOOS=darwin go generate` the driver
// program would be built for a system that cannot run it.
func goEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOOS=") || strings.HasPrefix(v, "GOARCH=")
	})
	return env
}

func load(ctx context.Context, dir string, paths []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Context: ctx, Dir: dir, Env: goEnv(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
	}
	return packages.Load(cfg, paths...)
}

// declarations collects one package's algorithms and everything that looks like one and is none.
func declarations(p *packages.Package) (Package, Problems) {
	pkg := Package{Path: p.PkgPath, Name: p.Name}
	if p.Module != nil {
		pkg.Module = Module{p.Module.Path, p.Module.Dir}
	}
	if len(p.GoFiles) > 0 {
		pkg.Dir = dirOf(p.GoFiles[0])
	}
	if problems := compileProblems(p); len(problems) > 0 {
		return pkg, problems
	}
	var problems Problems
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					d, problem := declaration(p, name)
					if problem != nil {
						problems = append(problems, *problem)
					} else if d != nil {
						pkg.Algorithm = append(pkg.Algorithm, *d)
					}
				}
			}
		}
	}
	if len(pkg.Algorithm) > 0 && p.Name == "main" {
		problems = append(problems, Problem{Code: "KERNEL_IN_MAIN", Pos: position(pkg.Algorithm[0].Pos), Package: p.PkgPath,
			Message: "kernels in package main cannot be imported by the driver program",
			Fix:     "move them into a package of their own, for example internal/kernels"})
	}
	if len(pkg.Algorithm) == 0 {
		problems = append(problems, unregistered(p)...)
	}
	return pkg, problems
}

// compileProblems lists what the compiler refuses. go list reports the whole compiler output once more without a
// place; that counts only where nothing else names one, as when a dependency is broken.
func compileProblems(p *packages.Package) Problems {
	var placed, others Problems
	for _, e := range p.Errors {
		if problem := compileProblem(p.PkgPath, e); problem.Pos.Line > 0 {
			placed = append(placed, problem)
		} else {
			others = append(others, problem)
		}
	}
	if len(placed) > 0 {
		return placed
	}
	return others
}

// declaration judges one package-level variable.
func declaration(p *packages.Package, name *ast.Ident) (*Declaration, *Problem) {
	obj := p.TypesInfo.Defs[name]
	if obj == nil || name.Name == "_" {
		return nil, nil
	}
	pos := p.Fset.Position(name.Pos())
	if isAlgorithm(obj.Type()) {
		if !obj.Exported() {
			return nil, &Problem{Code: "NOT_EXPORTED", Pos: position(pos), Package: p.PkgPath,
				Message: fmt.Sprintf("%s is an ir.Algorithm but not exported: the driver program cannot see it", name.Name),
				Fix:     "give it a name with a capital letter"}
		}
		return &Declaration{name.Name, pos}, nil
	}
	if holdsAlgorithm(obj.Type()) {
		return nil, &Problem{Code: "NOT_A_KERNEL", Pos: position(pos), Package: p.PkgPath,
			Message: fmt.Sprintf("%s has type %s, which is not a kernel declaration", name.Name, shortType(obj.Type())),
			Fix:     "declare each kernel as one variable of type ir.Algorithm[V]"}
	}
	if takesKernel(obj.Type()) {
		return nil, notRegistered(p, name.Name, pos, obj.Type())
	}
	return nil, nil
}

// unregistered finds exported functions of a package without any algorithm that look like kernels.
func unregistered(p *packages.Package) Problems {
	var problems Problems
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !looksLikeKernel(p, f) {
				continue
			}
			problems = append(problems, *notRegistered(p, f.Name.Name, p.Fset.Position(f.Pos()), p.TypesInfo.Defs[f.Name].Type()))
		}
	}
	return problems
}

// looksLikeKernel: an exported function that takes the kernel first and returns nothing. Packages of helpers have
// these too, so this counts only in packages named kernels; there nothing else belongs.
func looksLikeKernel(p *packages.Package, f *ast.FuncDecl) bool {
	if !f.Name.IsExported() || p.TypesInfo.Defs[f.Name] == nil || !strings.HasSuffix(p.PkgPath, "kernels") {
		return false
	}
	sig, ok := p.TypesInfo.Defs[f.Name].Type().(*types.Signature)
	return ok && sig.Results().Len() == 0 && sig.Params().Len() <= 2 && takesKernel(sig)
}

func notRegistered(p *packages.Package, name string, pos token.Position, t types.Type) *Problem {
	return &Problem{Code: "NOT_A_KERNEL", Pos: position(pos), Package: p.PkgPath,
		Message: fmt.Sprintf("%s is a %s: a function alone is not a kernel declaration", name, shortType(t)),
		Fix:     "register it: var " + name + "Kernel = ir.Algorithm[V]{Name: …, Variants: []V{…}, Kernel: func(k *ir.Kernel, v V) { … }}"}
}

func isAlgorithm(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == irPath && n.Obj().Name() == "Algorithm"
}

// holdsAlgorithm: a pointer to, or a container of, algorithms.
func holdsAlgorithm(t types.Type) bool {
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return isAlgorithm(t.Elem())
	case *types.Slice:
		return isAlgorithm(t.Elem()) || holdsAlgorithm(t.Elem())
	case *types.Array:
		return isAlgorithm(t.Elem()) || holdsAlgorithm(t.Elem())
	case *types.Map:
		return isAlgorithm(t.Elem()) || holdsAlgorithm(t.Elem())
	}
	return false
}

// takesKernel: a function whose first parameter is *ir.Kernel.
func takesKernel(t types.Type) bool {
	sig, ok := types.Unalias(t).(*types.Signature)
	if !ok || sig.Params().Len() == 0 {
		return false
	}
	ptr, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == irPath && n.Obj().Name() == "Kernel"
}

func shortType(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}
