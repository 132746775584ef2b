package ir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

// TestReadmeIsTrue checks that the tour quotes the example's source, its text form and a real report.
func TestReadmeIsTrue(t *testing.T) {
	readme := read(t, "README.md")
	example := read(t, "example_test.go")
	for _, name := range []string{"rmsNorm", "warpSum"} {
		_, rest, ok := strings.Cut(example, "func "+name+"(")
		body, _, ok2 := strings.Cut(rest, "\n}\n")
		if !ok || !ok2 || !strings.Contains(readme, "func "+name+"("+body+"\n}\n") {
			t.Errorf("README does not quote %s", name)
		}
	}
	if !strings.Contains(readme, read(t, "testdata/rmsnorm.ir")) {
		t.Error("README does not quote testdata/rmsnorm.ir")
	}
	_, err := ir.BuildFunc("bad", ir.Contract{Block: [3]int{128}}, tourMistakes)
	if err == nil {
		t.Fatal("the bad kernel of the tour builds")
	}
	golden(t, "tour.txt", err.Error()+"\n")
	if !strings.Contains(readme, err.Error()) {
		t.Errorf("README does not quote the report:\n%v", err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func tourMistakes(k *ir.Kernel) {
	x := ir.GlobalParam[ir.F32](k, "x", ir.Aligned(16))
	tile := ir.SharedArray[ir.F32](k, "tile", 128, 0)
	v := x.AtConst(1).LoadVec(4)
	last := ir.DeclareVar[ir.F32](k)
	k.If(k.TIDX().Less(k.ConstU32(40)), func() {
		tile.At(k.TIDX()).Store(v[0])
		k.Barrier()
		last.Set(tile.Load())
	})
	x.Store(last.Get())
}
