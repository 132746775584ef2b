package cubin_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	ptxast "github.com/oxideinfer/oxide/codegen/ptx"
)

// TestForeignReassembles: PTX of other compilers, read and printed in the canonical spelling, gives the machine code
// that the original gives.
func TestForeignReassembles(t *testing.T) {
	asm := cubintest.Assembler(t)
	files, err := filepath.Glob("../ptx/testdata/foreign/*.ptx")
	if err != nil || len(files) < 20 {
		t.Fatalf("foreign files: %d, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := ptxast.Parse(original)
			if err != nil {
				t.Fatal(err)
			}
			canonical, _ := ptxast.Print(m)
			if bytes.Equal(original, canonical) {
				t.Fatal("the file is canonical already and proves nothing")
			}
			want, got := machineCode(t, asm, original), machineCode(t, asm, canonical)
			if len(want.Entries) == 0 || len(want.Entries) != len(got.Entries) {
				t.Fatalf("%d entries became %d", len(want.Entries), len(got.Entries))
			}
			for i, w := range want.Entries {
				if g := got.Entries[i]; g.Name != w.Name || !bytes.Equal(g.Text, w.Text) {
					t.Errorf("entry %s assembles to other machine code:\n%s", w.Name, canonical)
				}
			}
		})
	}
}

func machineCode(t *testing.T, asm *cubin.Assembler, text []byte) *cubin.Cubin {
	t.Helper()
	r, err := asm.Assemble(context.Background(), text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	c, err := cubin.Read(r.Cubin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
