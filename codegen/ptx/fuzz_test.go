package ptx

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// FuzzParse: no bytes make the parser panic or hang, and what it accepts prints to a fixed point.
func FuzzParse(f *testing.F) {
	// Whole foreign files are slow to mutate; the golden texts hold what is special about them.
	for _, file := range [...]string{"testdata/parse/habits.txtar", "testdata/errors/errors.txtar"} {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			f.Add(kernelText(part))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			if m != nil {
				t.Error("a module and an error")
			}
			return
		}
		once, _ := Print(m)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, once)
		}
		if twice, _ := Print(again); !bytes.Equal(once, twice) {
			t.Fatalf("no fixed point:\n%s\n---\n%s", once, twice)
		}
		if err := Check(m); err != nil {
			t.Fatalf("what Parse accepts, Check refuses: %v\n%s", err, once)
		}
	})
}

// TestHostileSizes: time and depth stay bounded by the length of the text.
func TestHostileSizes(t *testing.T) {
	const head = ".version 9.0 .target sm_90a .entry k() { .reg .b32 %r<16777216>; .reg .pred %p; "
	const n = 100_000
	many := func(s string) string { return strings.Repeat(s, n) }
	for name, text := range map[string]string{
		"open braces":    head + many("{"),
		"scopes":         head + many("{}") + "}",
		"parentheses":    head + "mov.u32 %r1, " + many("("),
		"minus":          head + "mov.u32 %r1, " + many("-") + "1; }",
		"sum":            head + "mov.u32 %r1, 1" + many("+1") + "; }",
		"operands":       head + "mov.u32 %r1" + many(", (1)") + "; }",
		"call":           head + "call.uni (%r1), k" + many(", (1)") + "; }",
		"vectors":        head + "mov.u32 " + many("{"),
		"modifiers":      head + "add" + many(".rn") + " %r1; }",
		"apart":          head + many("bar .sync 0; ") + "}",
		"labels":         head + many("a: ") + "}",
		"registers":      head + many("mov.b32 %r9999999, %r16777215; ") + "}",
		"names":          head + ".reg .b32 " + many("%r") + "; }",
		"initialisers":   ".version 9.0 .target sm_90a .global .b32 x[] = " + many("{"),
		"dimensions":     ".version 9.0 .target sm_90a .global .b32 x" + many("[9]") + ";",
		"comments":       many("/*"),
		"slashes":        many("//\n"),
		"nothing closed": head + many(".reg .b32 %r<"),
		"string":         head + ".pragma \"" + many("x"),
	} {
		start := time.Now()
		m, err := Parse([]byte(text))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(text))
		}
		if err == nil {
			Print(m)
		} else if len(err.Error()) > 10_000 {
			t.Errorf("%s: error text of %d bytes", name, len(err.Error()))
		}
	}
	if _, err := Parse(make([]byte, maxSource+1)); err == nil {
		t.Error("text beyond the limit accepted")
	}
}
