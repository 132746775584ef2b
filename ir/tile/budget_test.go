package tile_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// TestBudgets: what a block does not have is refused: registers, shared memory.
func TestBudgets(t *testing.T) {
	big := tile.Layout{Format: lib.BF16, Rows: 256, Cols: 64, Swizzle: ir.Swizzle128B, Stages: 8}
	roles := func(registers ...int) func(*ir.Kernel) {
		return func(k *ir.Kernel) {
			b := tile.In(k)
			for i, n := range registers {
				b.Role([]string{"one", "two", "three"}[i], 1, n).Do(func() {})
			}
			b.Ready()
			b.Run()
		}
	}
	for _, c := range []struct {
		name, code string
		contract   ir.Contract
		body       func(k *ir.Kernel)
	}{
		{"registers", ir.CodeRegisters, ir.Contract{Block: [3]int{384}}, roles(32, 240, 248)},
		{"enough registers", "", ir.Contract{Block: [3]int{384}}, roles(24, 240, 240)},
		{"shared memory", ir.CodeSharedTooLarge, ir.Contract{Block: [3]int{128}, DynamicSharedBytes: big.Bytes()}, func(k *ir.Kernel) { tile.In(k).Place("big", big) }},
		{"contract", ir.CodeSharedTooLarge, ir.Contract{Block: [3]int{128}, DynamicSharedBytes: 4096}, func(k *ir.Kernel) { tile.In(k).Place("big", big) }},
	} {
		_, err := ir.BuildFunc("budget", c.contract, c.body)
		if c.code == "" && err != nil || c.code != "" && (err == nil || !strings.Contains(err.Error(), c.code+": ")) {
			t.Errorf("%s: want %q, got %v", c.name, c.code, err)
		}
	}
}
