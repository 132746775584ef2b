package probes

import (
	"context"
	"os"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
	"github.com/oxideinfer/oxide/ir"
)

// assembled is the distance of the modules that ptxas takes without -long.
const assembled = 41

// TestProbesAssemble has ptxas take some modules of probes, all with -long, without a word about wgmma, a spill or a stack.
// With -cubins it keeps what it makes.
func TestProbesAssemble(t *testing.T) {
	asm := cubintest.Assembler(t)
	for i, j := range jobs(All()) {
		if !*long && i%assembled != 1 {
			continue
		}
		text, err := Text(Kernels(j.probes)...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := asm.Assemble(context.Background(), text, string(ir.SM90a))
		if err != nil {
			t.Fatalf("%s …: %v", j.probes[0].Name, err)
		}
		if *cubins != "" {
			if err := os.WriteFile(cubinPath(text), r.Cubin, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range r.Log {
			if d.Code != "" {
				t.Errorf("%s …: %v", j.probes[0].Name, d)
			}
		}
		for entry, use := range r.Resources {
			if use.SpillStoreBytes+use.SpillLoadBytes+use.StackBytes > 0 {
				t.Errorf("%s: %+v", entry, use)
			}
		}
	}
}
