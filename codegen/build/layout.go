package build

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// Layout says where generated files go.
type Layout struct {
	Module Module
	Out    string // folder below the module, slash separated; gen if empty
}

func (l Layout) out() string {
	if l.Out == "" {
		return "gen"
	}
	return path.Clean(filepath.ToSlash(l.Out))
}

// Dir is the folder on this machine.
func (l Layout) Dir() string { return filepath.Join(l.Module.Dir, filepath.FromSlash(l.out())) }

// ImportPath of a package below the output folder.
func (l Layout) ImportPath(elem ...string) string {
	return path.Join(append([]string{l.Module.Path, l.out()}, elem...)...)
}

// ptxFamily is the folder of the texts; no family may have its name.
const ptxFamily = "ptx"

// Family names the folder of a kernels package: the last element of its path that is neither kernels nor internal.
func (l Layout) Family(pkg Package) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(pkg.Path, l.Module.Path), "/")
	parts := strings.Split(rest, "/")
	for _, part := range slices.Backward(parts) {
		if part == "kernels" || part == "internal" || part == "" {
			continue
		}
		if name := identifier(part); name != "" {
			return name
		}
	}
	return identifier(pkg.Name)
}

// identifier makes a Go package name of a path element, or "" if there is none in it.
func identifier(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && b.Len() > 0 {
			b.WriteRune(r)
		}
	}
	if name := b.String(); token.IsIdentifier(name) {
		return name
	}
	return ""
}

// families gives every package its family and refuses two packages of one.
func (l Layout) families(pkgs []Package) (map[string]string, error) {
	byPath, byName := map[string]string{}, map[string]string{}
	for _, p := range pkgs {
		name := l.Family(p)
		if name == ptxFamily || name == "" {
			return nil, fmt.Errorf("package %s would be generated to %s/%s, which is the folder of the PTX texts: rename the package's folder", p.Path, l.out(), ptxFamily)
		}
		if other := byName[name]; other != "" {
			return nil, fmt.Errorf("packages %s and %s would both be generated to %s/%s: rename the folder of one", other, p.Path, l.out(), name)
		}
		byPath[p.Path], byName[name] = name, p.Path
	}
	return byPath, nil
}

// fileBase is the name of an instance's files without extension.
func fileBase(k *bundle.Kernel) string { return k.Entry + "." + k.Target }

// sourcePackage is a package's path without the module: it is stable when the module is renamed.
func (l Layout) sourcePackage(pkgPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkgPath, l.Module.Path), "/")
}
