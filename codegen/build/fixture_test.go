package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	"github.com/oxideinfer/oxide/codegen/linemap"
)

// scaleText is a small real kernel; factor makes its variants differ.
func scaleText(entry, target string, factor uint32) string {
	return fmt.Sprintf(`.version 9.0
.target %s
.address_size 64

.visible .entry %s(
	.param .u64 .ptr .global .align 4 %s_param_0,
	.param .u32 %s_param_1,
	.param .f32 %s_param_2
)
.reqntid 128, 1, 1
{
	.reg .b64 %%a<3>;
	.reg .u32 %%r<2>;
	.reg .f32 %%f<3>;
	ld.param.u64 %%a0, [%s_param_0];
	ld.param.f32 %%f1, [%s_param_2];
	mov.u32 %%r0, %%tid.x;
	mul.wide.u32 %%a1, %%r0, 4;
	add.u64 %%a2, %%a0, %%a1;
	ld.global.f32 %%f0, [%%a2];
	mul.rn.f32 %%f0, %%f0, 0f%08X;
	mul.rn.f32 %%f0, %%f0, %%f1;
	st.global.f32 [%%a2], %%f0;
	ret;
}
`, target, entry, entry, entry, entry, entry, entry, factor)
}

func kernel(pkg, algorithm, variant, target string, factor uint32) bundle.Kernel {
	entry := algorithm + "_" + variant
	const file = "example.com/user/scale/kernels/scale.go"
	frame := func(line int) []bundle.Frame { return []bundle.Frame{{File: file, Line: line, Func: "scale"}} }
	return bundle.Kernel{
		Package: pkg, Symbol: "Scale", Declared: bundle.Frame{File: file, Line: 10, Func: "Scale"},
		Algorithm: algorithm, Doc: "scale multiplies every element by a constant and by a factor.", Variant: variant, Target: target, Entry: entry,
		Contract: bundle.Contract{Block: [3]int{128, 1, 1}, MaxThreads: 128, ParamBytes: 16, Params: []bundle.Param{
			{Name: "x", Type: "f32", Pointer: true, Access: "read-write", Offset: 0, Size: 8, Align: 4},
			{Name: "num_rows", Type: "u32", Offset: 8, Size: 4, Align: 4},
			{Name: "factor", Type: "f32", Offset: 12, Size: 4, Align: 4},
		}},
		PTX: scaleText(entry, target, factor),
		Map: string(linemap.New([]linemap.Position{
			{Line: 15, Frames: frame(20)}, {Line: 20, Frames: append(frame(31), bundle.Frame{File: file, Line: 21, Func: "Scale"})},
		}).Encode()),
	}
}

// fixture is a module on disk with the kernels of one package, as far as gen/ is concerned.
type fixture struct {
	layout   Layout
	pkgs     []Package
	families map[string]string
	kernels  []bundle.Kernel
	asm      *cubin.Assembler
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, cubintest.Assembler(t))
}

// newFixtureWith shares an assembler, which runs ptxas once for each distinct text.
func newFixtureWith(t *testing.T, asm *cubin.Assembler) *fixture {
	t.Helper()
	l := Layout{Module: Module{Path: "example.com/user", Dir: t.TempDir()}}
	pkg := Package{Path: "example.com/user/scale/kernels", Name: "kernels", Module: l.Module}
	if err := os.MkdirAll(filepath.Join(l.Module.Dir, "scale", "kernels"), 0o755); err != nil {
		t.Fatal(err)
	}
	families, err := l.families([]Package{pkg})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{l, []Package{pkg}, families, []bundle.Kernel{
		kernel(pkg.Path, "ExampleScale", "double", "sm_90a", 0x40000000),
		kernel(pkg.Path, "ExampleScale", "half", "sm_90a", 0x3f000000),
	}, asm}
}

func (f *fixture) assembly(t *testing.T) *assembly {
	t.Helper()
	return &assembly{layout: f.layout, families: f.families, version: cubin.PtxasVersion,
		ptxas: assembledBy(f.asm),
		src:   sources{f.layout.Module}}
}

func assembledBy(asm *cubin.Assembler) *ptxasProvider {
	p := &ptxasProvider{asm: asm}
	p.once.Do(func() {})
	return p
}

// build writes the fixture's gen folder and returns the changes and how many kernels were assembled.
func (f *fixture) build(t *testing.T) (Changes, int) {
	t.Helper()
	arts, err := f.assembly(t).run(context.Background(), f.kernels)
	if err != nil {
		t.Fatal(err)
	}
	assembled := 0
	for _, a := range arts {
		if !a.kept {
			assembled++
		}
	}
	want, err := render(f.layout, f.pkgs, f.families, arts)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := write(f.layout, want, f.families)
	if err != nil {
		t.Fatal(err)
	}
	return changes, assembled
}

func (f *fixture) verify() error {
	v := &verifier{layout: f.layout, families: f.families, pkgs: f.pkgs, version: cubin.PtxasVersion}
	v.check(f.kernels)
	return v.err()
}

func (f *fixture) path(name string) string {
	return filepath.Join(f.layout.Dir(), filepath.FromSlash(name))
}
