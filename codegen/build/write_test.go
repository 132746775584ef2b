package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var scaleFiles = []string{
	"ptx/scale/ExampleScale_double.sm_90a.map", "ptx/scale/ExampleScale_double.sm_90a.ptx",
	"ptx/scale/ExampleScale_half.sm_90a.map", "ptx/scale/ExampleScale_half.sm_90a.ptx", "ptx/zptx.go",
	"scale/ExampleScale_double.sm_90a.cubin", "scale/ExampleScale_half.sm_90a.cubin", "scale/manifest.json",
	"scale/zexample_scale.go", "scale/zfamily.go",
}

func TestBuildIsIncremental(t *testing.T) {
	f := newFixture(t)
	changes, assembled := f.build(t)
	if diff := cmp.Diff(scaleFiles, changes.Written); diff != "" || assembled != 2 {
		t.Errorf("first build assembled %d; files (-want +got):\n%s", assembled, diff)
	}
	if err := f.verify(); err != nil {
		t.Fatal(err)
	}
	if changes, assembled = f.build(t); assembled != 0 || len(changes.Written)+len(changes.Removed) != 0 {
		t.Errorf("a build without a change assembled %d and did %+v", assembled, changes)
	}
	f.kernels[1] = kernel(f.pkgs[0].Path, "ExampleScale", "half", "sm_90a", 0x3e800000)
	if changes, assembled = f.build(t); assembled != 1 || len(changes.Written) != 5 {
		t.Errorf("one changed kernel: assembled %d, wrote %v", assembled, changes.Written)
	}
}

func TestMovedLinesChangeNoCubin(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	for i := range f.kernels {
		f.kernels[i].Map = strings.ReplaceAll(f.kernels[i].Map, "at 0 20", "at 0 120")
	}
	changes, assembled := f.build(t)
	if want := []string{scaleFiles[0], scaleFiles[2]}; assembled != 0 || !slices.Equal(changes.Written, want) {
		t.Errorf("assembled %d, wrote %v, want %v", assembled, changes.Written, want)
	}
}

func TestStaleFilesGo(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	own := f.path("scale/notes.txt")
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.kernels = f.kernels[:1]
	changes, _ := f.build(t)
	want := []string{scaleFiles[2], scaleFiles[3], scaleFiles[6]}
	if diff := cmp.Diff(want, changes.Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error("a file that oxidegen never made is gone")
	}
	if err := f.verify(); err != nil {
		t.Error(err)
	}
}

// TestOtherFamilies: a build of one family keeps another one's files and its rows in gen/ptx, until its source goes.
func TestOtherFamilies(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	norm := Package{Path: "example.com/user/norm", Name: "norm", Module: f.layout.Module}
	if err := os.MkdirAll(filepath.Join(f.layout.Module.Dir, "norm"), 0o755); err != nil {
		t.Fatal(err)
	}
	g := &fixture{layout: f.layout, pkgs: []Package{norm}, asm: f.asm}
	g.families, _ = g.layout.families(g.pkgs)
	g.kernels = append(g.kernels, kernel(norm.Path, "ExampleNorm", "one", "sm_90a", 0x3f800000))
	changes, _ := g.build(t)
	if len(changes.Removed) != 0 || !slices.Contains(changes.Written, "norm/zexample_norm.go") {
		t.Errorf("%+v", changes)
	}
	if err := f.verifyWithBoth(g); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Join(f.layout.Module.Dir, "scale")); err != nil {
		t.Fatal(err)
	}
	changes, _ = g.build(t)
	if len(changes.Removed) != len(scaleFiles)-1 || len(changes.Written) != 1 {
		t.Errorf("the source of scale is gone: %+v", changes)
	}
}

func (f *fixture) verifyWithBoth(g *fixture) error {
	both := &fixture{layout: f.layout, pkgs: append(slices.Clone(f.pkgs), g.pkgs...), kernels: append(slices.Clone(f.kernels), g.kernels...)}
	both.families, _ = both.layout.families(both.pkgs)
	return both.verify()
}

func TestFamily(t *testing.T) {
	l := Layout{Module: Module{Path: "example.com/user"}}
	for path, want := range map[string]string{
		"example.com/user/algorithms/normalization/kernels": "normalization",
		"example.com/user/kernels":                          "kernels",
		"example.com/user/internal/kernels":                 "kernels",
		"example.com/user/internal/soft-max":                "softmax",
		"example.com/user":                                  "kernels",
	} {
		if got := l.Family(Package{Path: path, Name: "kernels"}); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if _, err := l.families([]Package{{Path: "example.com/user/a/x"}, {Path: "example.com/user/b/x"}}); err == nil {
		t.Error("two packages of one family are accepted")
	}
	if _, err := l.families([]Package{{Path: "example.com/user/ptx"}}); err == nil {
		t.Error("a family may take the folder of the texts")
	}
}
