package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oxideinfer/oxide/codegen/cubin"
)

// userModule is a module outside this repository that uses it, as a user's does.
func userModule(t *testing.T, archive string) string {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return module(t, fmt.Sprintf(`
-- go.mod --
module example.com/user
go 1.26.8
require github.com/oxideinfer/oxide v0.0.0
replace github.com/oxideinfer/oxide => %s
`, repository), archive)
}

const axpyKernel = `
-- internal/kernels/axpy.go --
package kernels

import "github.com/oxideinfer/oxide/ir"

type Tile struct{ Threads int }

var Axpy = ir.Algorithm[Tile]{
	Name:     "UserAxpy",
	Doc:      "y = a*x + y",
	Variants: []Tile{{128}, {256}},
	Contract: func(t Tile) ir.Contract { return ir.Contract{Block: [3]int{t.Threads, 1, 1}} },
	Kernel:   axpy,
}

func axpy(k *ir.Kernel, t Tile) {
	x := ir.GlobalParam[ir.F32](k, "x")
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	a, n := ir.Param[ir.F32](k, "a"), ir.Param[ir.U32](k, "n")
	i := k.CTAIDX().MulAdd(k.NTIDX(), k.TIDX())
	k.If(i.Less(n), func() {
		p := y.At(i)
		p.Store(a.MulAdd(x.At(i).Load(), p.Load()))
	})
}
`

// gen reads every file below gen.
func gen(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range tree(t, filepath.Join(dir, "gen")) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		all[rel] = string(b)
	}
	return all
}

// TestBuildOutsideModule is the whole way in a module of a user's own, in two places and with 1 and 8 processors.
func TestBuildOutsideModule(t *testing.T) {
	var results []map[string]string
	for _, procs := range []string{"1", "8"} {
		t.Setenv("GOMAXPROCS", procs)
		dir := userModule(t, axpyKernel)
		report, err := Build(context.Background(), Options{Dir: dir, Patterns: []string{"./internal/kernels"}})
		if err != nil {
			t.Fatal(err)
		}
		if report.Kernels != 2 || report.Assembled != 2 || len(report.Changes.Written) != 10 {
			t.Errorf("%v", report)
		}
		verified, err := Verify(context.Background(), Options{Dir: dir})
		if err != nil || !verified.Bytes || verified.Kernels != 2 {
			t.Errorf("%+v %v", verified, err)
		}
		results = append(results, gen(t, dir))
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("two builds differ: %s", diff)
	}
	for name, text := range results[0] {
		if strings.Contains(text, os.TempDir()) {
			t.Errorf("%s holds a path of this machine", name)
		}
	}
}

// TestMistakesNameGoLines: one module full of mistakes; all are told at once, each at its line.
func TestMistakesNameGoLines(t *testing.T) {
	dir := userModule(t, `
-- kernels/k.go --
package kernels

import "github.com/oxideinfer/oxide/ir"

type V struct{ N int }

func contract(V) ir.Contract { return ir.Contract{Block: [3]int{128, 1, 1}} }

var Divergent = ir.Algorithm[V]{Name: "UserDivergent", Variants: []V{{1}}, Contract: contract,
	Kernel: func(k *ir.Kernel, v V) {
		k.If(k.TIDX().Less(k.ConstU32(7)), func() {
			k.Barrier()
		})
	}}

var Empty = ir.Algorithm[V]{Name: "UserEmpty", Contract: contract, Kernel: func(k *ir.Kernel, v V) {}}

var Panics = ir.Algorithm[V]{Name: "UserPanics", Variants: []V{{1}}, Contract: contract,
	Kernel: func(k *ir.Kernel, v V) {
		var list []int
		_ = list[v.N]
	}}

var Sneaky = ir.Algorithm[V]{Name: "UserSneaky", Variants: []V{{1}}, Contract: contract,
	Kernel: func(k *ir.Kernel, v V) {
		x := ir.GlobalParam[ir.U32](k, "x")
		x.Store(k.ConstU32(1))
	}}
`)
	_, err := Build(context.Background(), Options{Dir: dir})
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%v, want Problems", err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%s:%d %s %s", filepath.Base(p.Pos.File), p.Pos.Line, p.Code, p.Algorithm))
	}
	want := []string{"k.go:12 BARRIER_DIVERGENT UserDivergent", "k.go:16 NO_VARIANT UserEmpty", "k.go:21 KERNEL_PANIC UserPanics",
		"k.go:26 UNDECLARED_WRITE UserSneaky"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s\n%v", diff, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "gen")); err == nil {
		t.Error("a failed build wrote files")
	}
}

func TestUndeclaredSpills(t *testing.T) {
	const source = `
-- kernels/k.go --
package kernels

import "github.com/oxideinfer/oxide/ir"

type V struct{}

var Spills = ir.Algorithm[V]{Name: "UserSpills", Variants: []V{{}}, Kernel: spills,
	Contract: func(V) ir.Contract { return ir.Contract{Block: [3]int{128, 1, 1}, MaxRegisters: 32 DECLARED} },
}

func spills(k *ir.Kernel, v V) {
	p := ir.GlobalParam[ir.F32](k, "p", ir.Writes)
	var live []ir.F32
	for i := range 64 {
		live = append(live, p.AtConst(i).Load())
	}
	k.Barrier()
	for i := range live {
		p.AtConst(i).Store(live[len(live)-1-i])
	}
}
`
	undeclared := userModule(t, strings.Replace(source, "DECLARED", "", 1))
	_, err := Build(context.Background(), Options{Dir: undeclared})
	var p Problem
	if !errors.As(err, &p) || p.Code != "SPILL" || p.Pos.Line != 7 || !strings.Contains(p.Fix, "-dump-sass UserSpills") {
		t.Errorf("%v, want a SPILL at the declaration", err)
	}
	if list, err := Inspect(context.Background(), Options{Dir: undeclared}, Selection{}); err != nil || len(list) != 1 || list[0].Released ||
		!slices.ContainsFunc(list[0].Instructions, cubin.Instruction.Spill) {
		t.Errorf("the page that the message names: %d kernels, %v", len(list), err)
	}
	dir := userModule(t, strings.Replace(source, "DECLARED", `, AllowSpillBytes: 1000, AllowStackBytes: 1000, Why: "a test"`, 1))
	if _, err = Build(context.Background(), Options{Dir: dir}); err != nil {
		t.Errorf("declared and explained: %v", err)
	}
	list, err := Inspect(context.Background(), Options{Dir: dir}, Selection{Algorithm: "UserSpills"})
	if err != nil || len(list) != 1 || !list[0].Released {
		t.Fatalf("%+v %v", list, err)
	}
	for _, in := range list[0].Instructions {
		if frames := list[0].Frames(in); in.Opcode() == "STG" && (len(frames) != 1 || frames[0].Line != 19) {
			t.Errorf("%s comes from %v, want line 19", in.Text, frames)
		}
	}
}

// TestDuplicateAlgorithms: two packages declare one name.
func TestDuplicateAlgorithms(t *testing.T) {
	other := strings.NewReplacer("internal/kernels", "b", "package kernels", "package b").Replace(axpyKernel)
	_, err := Build(context.Background(), Options{Dir: userModule(t, axpyKernel+other)})
	var problems Problems
	if !errors.As(err, &problems) || !slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == "DUPLICATE_NAME" }) {
		t.Errorf("%v, want DUPLICATE_NAME", err)
	}
}

func TestProgressCountsEveryKernel(t *testing.T) {
	f := newFixture(t)
	a := f.assembly(t)
	var seen bytes.Buffer
	a.progress = func(done, total int, name string) { fmt.Fprintf(&seen, "%d/%d ", done, total) }
	if _, err := a.run(context.Background(), f.kernels); err != nil {
		t.Fatal(err)
	}
	if seen.String() != "1/2 2/2 " {
		t.Errorf("%q", seen.String())
	}
}
