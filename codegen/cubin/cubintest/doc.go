// Package cubintest finds the pinned toolchain for tests. A test that needs it fails where it is missing, with the
// command that installs it: a test that passes by not running proves nothing.
package cubintest

import (
	"context"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
)

// Assembler returns an assembler over the pinned ptxas.
func Assembler(t testing.TB) *cubin.Assembler {
	t.Helper()
	return cubin.NewAssembler(find(t, cubin.Ptxas()), 0)
}

// Disassembler returns a disassembler over the pinned nvdisasm.
func Disassembler(t testing.TB) cubin.Disassembler {
	t.Helper()
	return cubin.Disassembler{Program: find(t, cubin.Nvdisasm())}
}

func find(t testing.TB, tool cubin.Tool) cubin.Program {
	t.Helper()
	p, _, err := cubin.Search{}.Find(context.Background(), tool)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
