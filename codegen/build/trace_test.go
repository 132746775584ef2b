package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// stubDriver stands for the driver library: it writes one kernel per declaration, and checks that the values are
// those of the declared variables.
const stubDriver = `
-- stub/codegen/build/driver/driver.go --
package driver
import (
	"encoding/json"
	"os"
)
type Entry struct {
	Package, Symbol, File string
	Line int
	Value interface{ AlgorithmName() string }
}
func Main(entries []Entry) {
	type object = map[string]any
	var kernels []object
	for _, e := range entries {
		kernels = append(kernels, object{"package": e.Package, "symbol": e.Symbol, "algorithm": e.Value.AlgorithmName(),
			"entry": e.Value.AlgorithmName(), "target": "sm_90a", "ptx": "text",
			"declared": object{"file": e.File, "line": e.Line}})
	}
	text, _ := json.Marshal(object{"format": 1, "kernels": kernels})
	if os.Args[1] != "-o" {
		os.Exit(3)
	}
	if err := os.WriteFile(os.Args[2], text, 0o600); err != nil {
		panic(err)
	}
}
-- stub/ir/declaration.go --
package ir
func (a Algorithm[V]) AlgorithmName() string { return a.Name }
-- stub/cmd/oxidegen/main.go --
package main
import _ "github.com/oxideinfer/oxide/codegen/build/driver"
func main() {}
`

const twoPackages = `
-- a/internal/kernels/k.go --
package kernels
import (
	"fmt"
	"github.com/oxideinfer/oxide/ir"
)
var One = ir.Algorithm[int]{Name: "AlgorithmOne"}
func init() { fmt.Println("a kernel package that prints") }
-- b/b.go --
package b
import "github.com/oxideinfer/oxide/ir"
var Two = ir.Algorithm[string]{Name: "AlgorithmTwo"}
var Three = ir.Algorithm[string]{Name: "AlgorithmThree"}
`

// tree lists every file below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func traced(t *testing.T, dir string) []string {
	t.Helper()
	pkgs, err := Discover(context.Background(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	b, err := Trace(context.Background(), dir, pkgs, TraceOptions{Log: &printed})
	if err != nil {
		t.Fatal(err)
	}
	if printed.String() != "a kernel package that prints\n" {
		t.Errorf("what a kernel package prints came out as %q", printed.String())
	}
	var got []string
	for _, k := range b.Kernels {
		got = append(got, k.Algorithm+" "+k.Declared.String())
	}
	return got
}

var wantTraced = []string{
	"AlgorithmOne example.com/user/a/internal/kernels/k.go:6",
	"AlgorithmThree example.com/user/b/b.go:4",
	"AlgorithmTwo example.com/user/b/b.go:3",
}

// TestTraceLeavesNothing runs real driver programs, for a package below internal too, and finds no file more than before.
func TestTraceLeavesNothing(t *testing.T) {
	dir := module(t, stubIR, stubDriver, twoPackages)
	before := tree(t, dir)
	if diff := cmp.Diff(wantTraced, traced(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("files before %v, after %v", before, after)
	}
}

func TestTraceInVendoredModule(t *testing.T) {
	dir := module(t, stubIR, stubDriver, twoPackages)
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mod, append(text, "\ntool github.com/oxideinfer/oxide/cmd/oxidegen\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "mod", "vendor")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "stub")); err != nil { // only the vendor folder is left to build from
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantTraced, traced(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTraceWithoutDriver: a vendor folder that lacks the driver library is explained.
func TestTraceWithoutDriver(t *testing.T) {
	dir := module(t, stubIR, twoPackages)
	pkgs, err := Discover(context.Background(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Trace(context.Background(), dir, pkgs, TraceOptions{}); err == nil || !strings.Contains(err.Error(), "go get -tool") {
		t.Errorf("%v: want the command that repairs go.mod", err)
	}
}

func TestDuplicateNames(t *testing.T) {
	src := sources{{Path: "example.com/user", Dir: "/src"}}
	one := kernel("example.com/user/a", "ExampleScale", "double", "sm_90a", 1)
	other := one
	other.Package, other.Symbol, other.Declared = "example.com/user/b", "Other", bundle.Frame{File: "example.com/user/b/b.go", Line: 7}
	sameVariant := one
	sameEntry := one
	sameEntry.Algorithm, sameEntry.Symbol = "ExampleOther", "Fourth"
	otherTarget := one
	otherTarget.Target = "sm_80"
	for _, c := range []struct {
		name   string
		second bundle.Kernel
		pos    string
		part   string
	}{
		{"algorithm", other, "/src/b/b.go:7", "the name ExampleScale is also declared at /src/scale/kernels/scale.go:10"},
		{"variant", sameVariant, "/src/scale/kernels/scale.go:10", `two variants are named "double"`},
		{"entry", sameEntry, "/src/scale/kernels/scale.go:10", "the entry ExampleScale_double is also that of ExampleScale/double"},
		{"other target", otherTarget, "", ""},
	} {
		problems := duplicates([]bundle.Kernel{one, c.second}, src)
		if c.part == "" {
			if len(problems) > 0 {
				t.Errorf("%s: %v", c.name, problems)
			}
			continue
		}
		if len(problems) != 1 || problems[0].Code != "DUPLICATE_NAME" || problems[0].Pos.String() != c.pos || !strings.Contains(problems[0].Message, c.part) {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}

func TestDifferingParams(t *testing.T) {
	a := kernel("example.com/user/a", "ExampleScale", "double", "sm_90a", 1)
	b := kernel("example.com/user/a", "ExampleScale", "half", "sm_90a", 1)
	b.Contract.Params = slices.Clone(b.Contract.Params)
	b.Contract.Params[0].Type = "bf16" // another element: still an address
	if p := differingParams([]bundle.Kernel{a, b}, nil); len(p) > 0 {
		t.Errorf("%v", p)
	}
	b.Contract.Params[2].Type = "f64"
	p := differingParams([]bundle.Kernel{a, b}, nil)
	if len(p) != 1 || p[0].Code != "PARAMS_DIFFER" {
		t.Errorf("%v", p)
	}
}

// TestAssemblerProblemsNameGoLines: what ptxas says about the text is told about the Go source.
func TestAssemblerProblemsNameGoLines(t *testing.T) {
	f := newFixture(t)
	f.kernels[0].PTX = strings.Replace(f.kernels[0].PTX, "mul.rn.f32 %f0, %f0, %f1", "mul.rn.f32 %f0, %f0, %a1", 1)
	f.kernels[1].PTX = strings.Replace(f.kernels[1].PTX, ".reqntid 128, 1, 1", "", 1)
	f.kernels[1].PTX = strings.Replace(f.kernels[1].PTX, "\tret;", "\tsetmaxnreg.dec.sync.aligned.u32 24;\n\tret;", 1)
	_, err := f.assembly(t).run(context.Background(), f.kernels)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Fatalf("%v, want two problems", err)
	}
	text := err.Error()
	for _, part := range []string{
		"scale.go:31 (scale, from scale.go:21): PTXAS: ExampleScale/double: ptxas error: Arguments mismatch for instruction 'mul'",
		"PTX line 22: mul.rn.f32 %f0, %f0, %a1;",
		"scale.go:10: PTXAS_WARNING: ExampleScale/half: ptxas C7508: ",
		"declare C7508",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the message lacks %q:\n%s", part, text)
		}
	}
}

func TestBadNames(t *testing.T) {
	params := func(names ...string) (list []bundle.Param) {
		for _, n := range names {
			list = append(list, bundle.Param{Name: n, Type: "u32", Size: 4})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		params []bundle.Param
		part   string
	}{
		{"ExampleScale", params("x", "num_rows"), ""},
		{"example", nil, `"example" cannot be`},
		{"Example Scale", nil, "cannot be that of a generated Go function"},
		{"Artifacts", nil, "cannot be that of a generated Go function"},
		{"ExampleScale", params("num_rows", "numRows"), "num_rows and numRows would both be the field NumRows"},
		{"ExampleScale", params("_1"), "parameter _1 cannot be"},
	} {
		k := bundle.Kernel{Algorithm: c.name, Contract: bundle.Contract{Params: c.params}}
		problems := badNames([]bundle.Kernel{k, k}, nil)
		switch {
		case c.part == "" && len(problems) > 0:
			t.Errorf("%s: %v", c.name, problems)
		case c.part != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, c.part)):
			t.Errorf("%s %v: %v, want %q", c.name, c.params, problems, c.part)
		}
	}
}
