package cubin_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
)

const target = "sm_90a"

func ptx(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func assemble(t *testing.T, name string) *cubin.Result {
	t.Helper()
	r, err := cubintest.Assembler(t).Assemble(context.Background(), ptx(t, name), target)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResources(t *testing.T) {
	for _, c := range []struct {
		file, entry string
		want        cubin.Resources
	}{
		{"shared", "shared", cubin.Resources{Registers: 16, StaticSharedBytes: 528, Barriers: 2, ParamBytes: 12, ConstantBytes: 64}},
		{"stack", "stack", cubin.Resources{Registers: 10, StackBytes: 128, ParamBytes: 8}},
		{"spill", "spilly", cubin.Resources{Registers: 32, StackBytes: 232, SpillStoreBytes: 228, SpillLoadBytes: 228, StaticSharedBytes: 1024, Barriers: 4, ParamBytes: 8}},
	} {
		got := assemble(t, c.file).Resources[c.entry]
		if got.CodeBytes == 0 || got.CodeBytes%16 != 0 {
			t.Errorf("%s: %d bytes of code; instructions have 16", c.file, got.CodeBytes)
		}
		got.CodeBytes = 0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.file, got, c.want)
		}
	}
}

func TestReadTarget(t *testing.T) {
	a := cubintest.Assembler(t)
	text := bytes.Replace(ptx(t, "shared"), []byte("sm_90a"), []byte("sm_90"), 1)
	plain, err := a.Assemble(context.Background(), text, "sm_90")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		result *cubin.Result
		arch   string
	}{{plain, "sm_90"}, {assemble(t, "shared"), "sm_90a"}} {
		got, err := cubin.Read(c.result.Cubin)
		if err != nil {
			t.Fatal(err)
		}
		if got.SM != 90 || got.Arch != c.arch || got.Tool != "ptxas V13.0.88" {
			t.Errorf("SM %d, arch %q, tool %q; want 90, %s, ptxas V13.0.88", got.SM, got.Arch, got.Tool, c.arch)
		}
		if got.Options != "-arch "+c.arch {
			t.Errorf("options %q: the released command has the target only", got.Options)
		}
	}
}

func TestRejectedTextNamesLines(t *testing.T) {
	_, err := cubintest.Assembler(t).Assemble(context.Background(), ptx(t, "rejected"), target)
	var rejected *cubin.AssembleError
	if !errors.As(err, &rejected) {
		t.Fatalf("%v is no *AssembleError", err)
	}
	var lines []int
	for _, d := range rejected.Diagnostics {
		lines = append(lines, d.Line)
	}
	if want := []int{9, 10, 11, 0}; !slices.Equal(lines, want) {
		t.Errorf("lines %v, want %v: %v", lines, want, err)
	}
	if !strings.Contains(err.Error(), "line 10: error: Not a name of any known instruction: 'foo'") {
		t.Errorf("the message hides ptxas's words: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		file, entry string
		allow       cubin.Allowance
		want        any // pointer to the error type, nil for acceptance
	}{
		{"shared", "shared", cubin.Allowance{}, nil},
		{"shared", "shared", cubin.Allowance{MaxRegisters: 8}, new(*cubin.RegisterError)},
		{"c7508", "k", cubin.Allowance{}, new(*cubin.WarningError)},
		{"c7508", "k", cubin.Allowance{Warnings: map[string]string{"C7508": " "}}, new(*cubin.WarningError)},
		{"c7508", "k", cubin.Allowance{Warnings: map[string]string{"C7519": "other code"}}, new(*cubin.WarningError)},
		{"c7508", "k", cubin.Allowance{Warnings: map[string]string{"C7508": "a test of the gate"}}, nil},
		{"c7519", "k", cubin.Allowance{}, new(*cubin.WarningError)},
		{"stack", "stack", cubin.Allowance{}, new(*cubin.StackError)},
		{"stack", "stack", cubin.Allowance{StackBytes: 128}, new(*cubin.StackError)},
		{"stack", "stack", cubin.Allowance{StackBytes: 127, LocalReason: "too small"}, new(*cubin.StackError)},
		{"stack", "stack", cubin.Allowance{StackBytes: 128, LocalReason: "dynamic index"}, nil},
		{"spill", "spilly", cubin.Allowance{}, new(*cubin.SpillError)},
		{"spill", "spilly", cubin.Allowance{SpillStoreBytes: 228, SpillLoadBytes: 224, StackBytes: 232, LocalReason: "too small"}, new(*cubin.SpillError)},
		{"spill", "spilly", cubin.Allowance{SpillStoreBytes: 228, SpillLoadBytes: 228, StackBytes: 232, LocalReason: "measured"}, nil},
	} {
		err := assemble(t, c.file).Check(c.entry, c.allow)
		switch {
		case c.want == nil && err != nil:
			t.Errorf("%s with %+v: %v", c.file, c.allow, err)
		case c.want != nil && (err == nil || !errors.As(err, c.want)):
			t.Errorf("%s with %+v: %v, want a %T", c.file, c.allow, err, c.want)
		}
	}
	if err := assemble(t, "shared").Check("other", cubin.Allowance{}); err == nil {
		t.Error("an entry that the cubin lacks passes")
	}
}

func TestAssembleIsDeterministicAndShared(t *testing.T) {
	a, text := cubintest.Assembler(t), ptx(t, "shared")
	var wg sync.WaitGroup
	results := make([]*cubin.Result, 8)
	for i := range results {
		wg.Go(func() { results[i], _ = a.Assemble(context.Background(), text, target) })
	}
	wg.Wait()
	for _, r := range results {
		if r == nil || r != results[0] {
			t.Fatal("the same text was assembled twice")
		}
	}
	if other := assemble(t, "shared"); !bytes.Equal(other.Cubin, results[0].Cubin) || other.Key != results[0].Key {
		t.Error("two runs give different bytes or keys")
	}
}

func TestAssembleRefusesTargets(t *testing.T) {
	for _, bad := range []string{"", "compute_90", "sm_90a --help", "-arch"} {
		if _, err := cubintest.Assembler(t).Assemble(context.Background(), ptx(t, "shared"), bad); err == nil {
			t.Errorf("target %q is accepted", bad)
		}
	}
}

func TestCancelledAssemblyIsForgotten(t *testing.T) {
	a := cubintest.Assembler(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Assemble(ctx, ptx(t, "shared"), target); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want context.Canceled", err)
	}
	if _, err := a.Assemble(context.Background(), ptx(t, "shared"), target); err != nil {
		t.Errorf("a cancelled run stays in the way: %v", err)
	}
}

func TestKey(t *testing.T) {
	base := cubin.Key([]byte("x"), "13.0.88", []string{"-arch", "sm_90a"})
	for name, other := range map[string]string{
		"text":    cubin.Key([]byte("y"), "13.0.88", []string{"-arch", "sm_90a"}),
		"version": cubin.Key([]byte("x"), "13.0.89", []string{"-arch", "sm_90a"}),
		"flags":   cubin.Key([]byte("x"), "13.0.88", []string{"-arch", "sm_90"}),
		"split":   cubin.Key([]byte("x"), "13.0.88", []string{"-arch sm_90a"}),
	} {
		if other == base {
			t.Errorf("the key ignores the %s", name)
		}
	}
}
