package ir_test

import (
	"flag"
	"os"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

var update = flag.Bool("update", false, "write golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", file, got)
	}
}

func TestRMSNormText(t *testing.T) {
	k, err := ir.BuildFunc("rms_norm", ir.Contract{Block: [3]int{32}}, rmsNorm)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "rmsnorm.ir", k.String())
}
