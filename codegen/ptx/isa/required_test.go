package isa

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// records reads a file of lines "a | b | c"; fields are trimmed, # starts a comment line.
func records(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "|")
		for len(parts) < fields {
			parts = append(parts, "")
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		out = append(out, parts)
	}
	return out
}

// summary writes the operands of a form in the notation of testdata/required.txt.
func summary(f *Form) string {
	var out []string
	for _, s := range f.Operands() {
		text := [...]string{Use: "", Def: "=", UseDef: "+"}[s.Dir] + subject(&s)
		if s.N > 0 {
			text += fmt.Sprintf("*%d", s.N)
		}
		if s.Opt {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func subject(s *Slot) string {
	switch {
	case s.SinkOnly:
		return "_"
	case s.Kind&KindTensor != 0:
		return "map"
	case s.Kind&KindAddr != 0:
		return "[" + s.Space.String() + "]"
	case s.Kind&(KindReg|KindVec) != 0:
		return s.Type.String()
	case s.Kind&KindImm != 0:
		return "#" + s.Type.String()
	}
	return s.Kind.String()
}

// TestRequired proves that the instructions which kernels and the emulator's first version need are in the table, by
// the right name and with the right operands.
func TestRequired(t *testing.T) {
	for _, r := range records(t, "testdata/required.txt", 3) {
		f, err := Parse(r[0])
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Mnemonic() != r[0] {
			t.Errorf("%s: the canonical spelling is %s", r[0], f.Mnemonic())
		}
		if f.Op() != r[1] {
			t.Errorf("%s: Op %q, want %q", r[0], f.Op(), r[1])
		}
		if got := summary(f); got != r[2] {
			t.Errorf("%s: operands %q, want %q", r[0], got, r[2])
		}
	}
}

// TestRefused proves that the table has nothing that this target lacks.
func TestRefused(t *testing.T) {
	kinds := map[string]error{"invalid": ErrInvalid, "unmodelled": ErrUnmodelled}
	for _, r := range records(t, "testdata/refused.txt", 2) {
		if _, err := Parse(r[0]); !errors.Is(err, kinds[r[1]]) || err == nil {
			t.Errorf("%s: error %v, want %s", r[0], err, r[1])
		}
	}
}
