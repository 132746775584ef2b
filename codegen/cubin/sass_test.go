package cubin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
)

func TestListing(t *testing.T) {
	a, d := cubintest.Assembler(t), cubintest.Disassembler(t)
	text, r := ptx(t, "shared"), assemble(t, "shared")
	list, err := d.Listing(context.Background(), a, text, r.Cubin, target, "shared")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Resources["shared"].CodeBytes / 16; len(list) != got {
		t.Errorf("%d instructions listed, the code has room for %d", len(list), got)
	}
	want := map[string]int{"LDG": 33, "STS": 34, "BAR": 35, "LDS": 37, "STG": 40} // opcode -> first PTX line
	for _, i := range list {
		if line, ok := want[i.Opcode()]; ok {
			if i.Line != line {
				t.Errorf("%#x %s: PTX line %d, want %d", i.Offset, i.Text, i.Line, line)
			}
			delete(want, i.Opcode())
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	plain, err := d.SASS(context.Background(), r.Cubin, "shared")
	if err != nil || len(plain) != len(list) {
		t.Fatalf("%d instructions without lines, %d with: %v", len(plain), len(list), err)
	}
	for i := range plain {
		if plain[i].Text != list[i].Text || plain[i].Label != list[i].Label {
			t.Errorf("%#x: %q in the released cubin, %q in the listing", plain[i].Offset, plain[i].Text, list[i].Text)
		}
	}
}

func TestListingMarksSpills(t *testing.T) {
	a, d := cubintest.Assembler(t), cubintest.Disassembler(t)
	list, err := d.Listing(context.Background(), a, ptx(t, "spill"), assemble(t, "spill").Cubin, target, "spilly")
	if err != nil {
		t.Fatal(err)
	}
	spills, others := 0, 0
	for _, i := range list {
		if i.Spill() {
			spills++
		} else if i.Local() {
			others++
		}
	}
	if spills != 2*228/4 || others != 0 {
		t.Errorf("%d spill instructions and %d other local ones; want 114 (228 bytes stored and loaded) and none", spills, others)
	}
}

func TestListingRefusesOtherCode(t *testing.T) {
	a, d := cubintest.Assembler(t), cubintest.Disassembler(t)
	other := append([]byte(nil), ptx(t, "shared")...)
	for i := range other {
		if string(other[i:i+10]) == "add.rn.f32" {
			copy(other[i:], "sub.rn.f32")
			break
		}
	}
	_, err := d.Listing(context.Background(), a, other, assemble(t, "shared").Cubin, target, "shared")
	var differ *cubin.SASSDifferError
	if !errors.As(err, &differ) {
		t.Errorf("%v, want a *SASSDifferError", err)
	}
}

func TestOpcode(t *testing.T) {
	for text, want := range map[string]string{
		"LDG.E.128 R4, desc[UR4][R2.64]": "LDG", "@!P0 BRA `(.L_x_1)": "BRA", "@UP0 UMOV UR4, 0x1": "UMOV", "": "",
	} {
		if got := (cubin.Instruction{Text: text}).Opcode(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
