package symtab

import (
	"bytes"
	"os"
	"testing"
)

func TestHeaderIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../zsymbols.h")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Header()) {
		t.Error("runtime/zsymbols.h is not what the table gives: run go generate ./runtime")
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Symbols {
		if seen[s.Name] {
			t.Errorf("%s listed twice", s.Name)
		}
		seen[s.Name] = true
	}
}
