package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// stubIR is as much of the IR as discovery looks at; the modules below need nothing else to compile.
const stubIR = `
-- stub/go.mod --
module github.com/oxideinfer/oxide
go 1.26
-- stub/ir/ir.go --
package ir
type Kernel struct{}
type F32 struct{ x int }
type BF16 struct{ y int }
type Algorithm[V any] struct {
	Name     string
	Variants []V
	Kernel   func(*Kernel, V)
}
-- go.mod --
module example.com/user
go 1.26
require github.com/oxideinfer/oxide v0.0.0
replace github.com/oxideinfer/oxide => ./stub
`

// module writes an archive to a temporary folder.
func module(t *testing.T, archives ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(strings.Join(archives, ""))).Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDiscover(t *testing.T) {
	dir := module(t, stubIR, `
-- plain/plain.go --
package plain
-- broken/broken.go --
package broken
import _ "example.com/user/not/there"
-- a/internal/kernels/k.go --
package kernels
import "github.com/oxideinfer/oxide/ir"
type V struct{}
var Second = ir.Algorithm[V]{Name: "Second"}
var (
	other = 1
	First = ir.Algorithm[V]{Name: "First", Kernel: first}
)
func first(k *ir.Kernel, v V) {}
func Helper(k *ir.Kernel) int { return other }
-- b/b.go --
package b
import "github.com/oxideinfer/oxide/ir"
type alias = ir.Algorithm[int]
var Third alias
-- helpers/h.go --
package helpers
import "github.com/oxideinfer/oxide/ir"
func Reduce(k *ir.Kernel) {}
`)
	pkgs, err := Discover(context.Background(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pkgs {
		for _, a := range p.Algorithm {
			got = append(got, fmt.Sprintf("%s.%s %s:%d %s", p.Path, a.Symbol, filepath.Base(a.Pos.Filename), a.Pos.Line, p.Module.Path))
		}
	}
	want := []string{
		"example.com/user/a/internal/kernels.Second k.go:4 example.com/user",
		"example.com/user/a/internal/kernels.First k.go:7 example.com/user",
		"example.com/user/b.Third b.go:4 example.com/user",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := groups(Module{Path: "example.com/user", Dir: dir}, pkgs); len(got) != 2 || got[0].parent != "a" || got[1].parent != "" {
		t.Errorf("driver programs stand in %+v", got)
	}
}

func TestDiscoverExplainsMistakes(t *testing.T) {
	const head = "package kernels\nimport \"github.com/oxideinfer/oxide/ir\"\n"
	for _, c := range []struct {
		name, source, code string
		line               int
		part               string
	}{
		{"not exported", head + "var scale ir.Algorithm[int]\n", "NOT_EXPORTED", 3, "capital letter"},
		{"pointer", head + "var Scale = &ir.Algorithm[int]{}\n", "NOT_A_KERNEL", 3, "*ir.Algorithm[int]"},
		{"slice", head + "\nvar All = []ir.Algorithm[int]{{}}\n", "NOT_A_KERNEL", 4, "one variable of type"},
		{"function variable", head + "var Scale = func(k *ir.Kernel) {}\n", "NOT_A_KERNEL", 3, "a function alone"},
		{"function", head + "// Scale\nfunc Scale(k *ir.Kernel, n int) {}\n", "NOT_A_KERNEL", 4, "register it"},
		{"signature without variant", head + "var Scale = ir.Algorithm[int]{\n\tKernel: func(k *ir.Kernel) {},\n}\n", "COMPILE", 4, "func(k *ir.Kernel, v V)"},
		{"signature with result", head + "var Scale = ir.Algorithm[int]{Kernel: scale}\nfunc scale(k *ir.Kernel, v int) error { return nil }\n", "COMPILE", 3, "func(k *ir.Kernel, v V)"},
		{"mixed types", head + "var Scale = ir.Algorithm[int]{Kernel: scale}\nfunc add(x, y ir.F32) {}\nfunc scale(k *ir.Kernel, v int) { add(ir.F32{}, ir.BF16{}) }\n",
			"COMPILE", 5, "x.ConvertToF32() converts; go doc ir.BF16"},
		{"syntax", head + "var Scale = ir.Algorithm[int]{\n", "COMPILE", 3, "expected"},
		{"undefined name", head + "var Scale = ir.Algorithm[int]{Kernel: missing}\n", "COMPILE", 3, "undefined: missing"},
		{"main", strings.Replace(head, "kernels", "main", 1) + "var Scale ir.Algorithm[int]\nfunc main() {}\n", "KERNEL_IN_MAIN", 3, "internal/kernels"},
		{"nothing", head + "var other ir.Kernel\n", "NO_KERNEL", 0, "declare one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := module(t, stubIR, "-- kernels/k.go --\n"+c.source)
			_, err := Discover(context.Background(), dir, []string{"./kernels"})
			var p Problem
			if !errors.As(err, &p) || p.Code != c.code || p.Pos.Line != c.line || !strings.Contains(err.Error(), c.part) {
				t.Errorf("got %v\nwant %s at line %d saying %q", err, c.code, c.line, c.part)
			}
			if c.line > 0 && filepath.Base(p.Pos.File) != "k.go" {
				t.Errorf("the problem names file %q", p.Pos.File)
			}
		})
	}
}

func TestDiscoverNoSuchPackage(t *testing.T) {
	dir := module(t, stubIR)
	for _, pattern := range []string{"./none", "example.com/none"} {
		if _, err := Discover(context.Background(), dir, []string{pattern}); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
