package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// userModule changes into a module that uses this repository, with one kernel.
func userModule(t *testing.T) {
	t.Helper()
	repository, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf("module example.com/user\ngo 1.26.8\nrequire github.com/oxideinfer/oxide v0.0.0\nreplace github.com/oxideinfer/oxide => %s\n", repository),
		"kernels/double.go": `package kernels

import "github.com/oxideinfer/oxide/ir"

var Double = ir.Algorithm[int]{
	Name: "UserDouble", Variants: []int{2}, Kernel: double,
	Contract: func(int) ir.Contract { return ir.Contract{Block: [3]int{64, 1, 1}} },
}

func double(k *ir.Kernel, by int) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Writes)
	p := x.At(k.TIDX())
	p.Store(p.Load().Mul(k.ConstF32(float32(by))))
}
`} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestCommandsOnAModule(t *testing.T) {
	userModule(t)
	for _, c := range []struct {
		args   string
		status int
		parts  []string
	}{
		{"verify", exitFailure, []string{"kernels/manifest.json: file is missing", "go generate"}},
		{"list", exitOK, []string{"ALGORITHM"}},
		{"build -j 1 ./kernels", exitOK, []string{"1 kernels of kernels: 1 assembled"}},
		{"build", exitOK, []string{"0 assembled, 1 current; 0 files written"}},
		{"profile UserDouble -grid 3 x=64", exitOK, []string{"3 of 3 blocks ran", "loads 100 %", "example.com/user/kernels/double.go", "p.Store(p.Load().Mul("}},
		{"profile UserDouble x=64 -json", exitOK, []string{`"text": "    p.Store(`}},
		{"profile Nonsense x=64", exitFailure, []string{"no kernel Nonsense", "UserDouble"}},
		{"profile UserDouble", exitFailure, []string{`parameter "x" is missing; it takes x=COUNT of f32 or null`}},
		{"profile UserDouble z=1", exitFailure, []string{`no parameter "z"`}},
		{"profile UserDouble x=1 x=2", exitFailure, []string{"given twice"}},
		{"profile UserDouble x=many", exitFailure, []string{`"many" is no memory`}},
		{"profile UserDouble x=64:nonsense", exitFailure, []string{`no fill "nonsense"`}},
		{"profile UserDouble x=63", exitFailure, []string{"mem.oob.global", "double.go:13", `the end of "x" (252 bytes)`}},
		{"profile UserDouble x=64 -block 32", exitFailure, []string{"the kernel is for [64 1 1]"}},
		{"verify", exitOK, []string{"1 kernels of kernels: PTX hashes and cubin bytes equal"}},
		{"list", exitOK, []string{"UserDouble", "V2", "sm_90a"}},
		{"-dump-sass UserDouble", exitOK, []string{"registers", "occupancy", "FMUL", "double.go:13"}},
		{"dump -sass UserDouble/V2", exitOK, []string{"the released one"}},
		{"dump -ptx UserDouble", exitOK, []string{".target sm_90a", "mul.rn.f32"}},
		{"dump UserDouble -ir", exitOK, []string{"kernel @UserDouble_V2", "; double.go:13"}},
		{"dump -passes", exitOK, []string{"0: built", "dce"}},
		{"dump -ptx Nothing", exitFailure, []string{"no kernel Nothing", "UserDouble"}},
		{"-dump-sass=Nothing ./kernels", exitFailure, []string{"no kernel Nothing"}},
		{"build ./nothing", exitFailure, []string{"nothing"}},
	} {
		var stdout, stderr bytes.Buffer
		status := Run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		out := stdout.String() + stderr.String()
		if status != c.status {
			t.Errorf("oxidegen %s: status %d, want %d:\n%s", c.args, status, c.status, out)
		}
		for _, part := range c.parts {
			if !strings.Contains(out, part) {
				t.Errorf("oxidegen %s: the output lacks %q:\n%s", c.args, part, out)
			}
		}
	}
}

func TestListJSON(t *testing.T) {
	userModule(t)
	var stdout, stderr bytes.Buffer
	for _, args := range []string{"build -q", "list -json"} {
		if status := Run(context.Background(), strings.Fields(args), &stdout, &stderr); status != exitOK {
			t.Fatalf("oxidegen %s: status %d: %s", args, status, stderr.String())
		}
	}
	var rows []listed
	if err := json.Unmarshal(stdout.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Threads != 64 || rows[0].BlocksPerSM != 32 || rows[0].Registers == 0 || len(rows[0].CubinSHA256) != 64 {
		t.Errorf("%+v", rows)
	}
}
