package sasspage

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oxideinfer/oxide/codegen/build"
	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/linemap"
)

var update = flag.Bool("update", false, "write the golden page anew")

func example() *build.Inspected {
	const file = "example.com/user/kernels/"
	at := func(names ...string) (frames []bundle.Frame) {
		for i, name := range names {
			frames = append(frames, bundle.Frame{File: file + name, Line: 20 + i, Func: "f"})
		}
		return append(frames, bundle.Frame{File: file + "scale.go", Line: 12, Func: "init"})
	}
	positions := []linemap.Position{{Line: 5, Frames: at("scale.go")}, {Line: 6, Frames: at("reduce.go", "scale.go")},
		{Line: 7, Frames: at("a_helper_with_a_long_name.go", "another_helper.go", "scale.go")}}
	return &build.Inspected{
		Lines: linemap.New(positions),
		Kernel: bundle.Kernel{Algorithm: "ExampleScale", Variant: "double", Target: "sm_90a", Entry: "ExampleScale_double", Symbol: "Scale",
			Declared: bundle.Frame{File: file + "scale.go", Line: 10}},
		Row: build.Row{Algorithm: "ExampleScale", Variant: "double", Target: "sm_90a", Ptxas: "13.0.88", Flags: []string{"-arch", "sm_90a"},
			CubinSHA256: strings.Repeat("0123456789abcdef", 4), Launch: bundle.Contract{Block: [3]int{256, 1, 1}, DynamicSharedBytes: 4096},
			Declares:  bundle.Declares{MaxRegisters: 64},
			Resources: cubin.Resources{Registers: 40, SpillStoreBytes: 8, SpillLoadBytes: 4, StackBytes: 16, StaticSharedBytes: 528, Barriers: 1},
			Log:       []cubin.Diagnostic{{Severity: cubin.Info, Code: "C7519", Line: 7, Text: "warpgroup.arrive is injected"}}},
		Released: true,
		Instructions: []cubin.Instruction{
			{Offset: 0, Text: "LDC R1, c[0x0][0x28]", Line: 5},
			{Offset: 0x10, Text: "S2R R0, SR_TID.X", Line: 5},
			{Offset: 0x20, Text: "STL [R1+0xd0], R2", Note: "SpillRefill", Line: 6},
			{Label: ".L_x_0", Offset: 0x30, Text: "LDL R3, [R4]", Line: 6},
			{Offset: 0x40, Text: "HGMMA.64x128x16.F32.BF16 R24, R4, gdesc[UR8], R24, !UPT, gsb0", Line: 7},
			{Offset: 0x50, Text: "WARPGROUP.DEPBAR.LE gsb0, 0x0", Line: 7},
			{Offset: 0x60, Text: "EXIT"},
			{Offset: 0x70, Text: "NOP"},
		},
	}
}

func TestPage(t *testing.T) {
	var page bytes.Buffer
	if err := Write(&page, example()); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/page.txt"
	if *update {
		if err := os.WriteFile(golden, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("-want +got; run the test with -update if this is meant:\n%s", diff)
	}
	for line := range strings.Lines(page.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 5, nil},
		{"abc", 5, []string{"abc"}},
		{"ab cd ef", 5, []string{"ab cd", "ef"}},
		{"abcdefgh", 5, []string{"abcde", "fgh"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.text, c.n)); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}
